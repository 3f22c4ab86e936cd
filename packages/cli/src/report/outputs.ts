/** Where reports go: `--out <file>`, whose ending chooses the view. */
import { statSync } from 'node:fs';
import { extname } from 'node:path';
import { mustBeApart, type NamedFile, named } from '../disk/file-id.js';
import { openInPlace, openOutFile, outPath, writeAll } from '../disk/out-file.js';
import { ExpectedError, UsageError } from '../exit-code.js';
import { attempt } from '../system-error.js';
import { version } from '../version.js';
import type { Made, Report } from './model.js';

type View = (report: Report, made: Made) => Promise<string>;

/** The view for each ending of the file's name; a new view is one more line. */
const VIEWS: Readonly<Record<string, View>> = {
  '.json': async ({ findings }) => jsonText(findings),
  '.html': async (report, made) => (await import('./html/page.js')).renderHtml(report, made),
  '.md': async (report) => (await import('./markdown.js')).renderMarkdown(report),
};

type Output = ReturnType<typeof outputsOf>[number];

export function outputsOf(files: readonly string[] = []) {
  return files.map((file) => {
    const view = VIEWS[extname(file).toLowerCase()];
    if (view !== undefined) return { file, view };
    const endings = Object.keys(VIEWS).join(', ');
    throw new UsageError(`--out: expected a file that ends in ${endings}, got '${file}'`);
  });
}

/** The findings as JSON. A property that is not a finite number is left out; in an array JSON.stringify writes null for it, which keeps its place. */
export function jsonText(findings: object): string {
  return `${JSON.stringify(findings, leaveOut, 2)}\n`;
}

/** An estimate is left out as a whole if one of its figures is not finite. */
function leaveOut(_key: string, value: unknown): unknown {
  if (typeof value === 'number') return Number.isFinite(value) ? value : undefined;
  const isEstimate = typeof value === 'object' && value !== null && 'low' in value && 'high' in value;
  return isEstimate && !Object.values(value).every(Number.isFinite) ? undefined : value;
}

/** Must be called before anything is measured: nobody shall wait for a report that cannot be written. Changes no file. @param read what is read */
export function checkWritable(outputs: readonly Output[], read: readonly NamedFile[]): void {
  const written = outputs.map(({ file }) => named('--out', file));
  mustBeApart(written, read);
  for (const { file } of outputs) {
    const open = () => {
      const stats = statSync(file, { throwIfNoEntry: false });
      // To open it would wait for a reader, and nothing could interrupt that.
      if (stats?.isFIFO()) throw new ExpectedError(`cannot write ${file}: it is a FIFO, expected a file`);
      (stats === undefined ? openOutFile(outPath(file)) : openInPlace(file, 'a')).close();
    };
    attempt(open, `cannot write ${file}`, ExpectedError);
  }
}

/** Writes all that can be written, and then throws an ExpectedError that names the others: to measure again would take minutes. */
export async function writeReports(outputs: readonly Output[], report: Report): Promise<void> {
  const command = ['threadwise', ...process.argv.slice(2).map(asTyped)].join(' ');
  const made = { at: new Date(), command, version };
  const problems: string[] = [];
  for (const { file, view } of outputs) {
    const text = await view(report, made);
    const write = (): void => {
      const out = openOutFile(outPath(file));
      try {
        writeAll(out.fd, text, file);
        out.commit();
      } finally {
        out.close();
      }
    };
    try {
      attempt(write, `cannot write ${file}`, ExpectedError);
    } catch (error) {
      problems.push((error as ExpectedError).message);
    }
  }
  if (problems.length > 0) throw new ExpectedError(problems.join('\n'));
}

/** The argument as one would type it in a shell: in quotes, if it has characters that mean something there. */
function asTyped(argument: string): string {
  return /^[\w@%+=:,./#-]+$/.test(argument) ? argument : `'${argument.replaceAll("'", "'\\''")}'`;
}
