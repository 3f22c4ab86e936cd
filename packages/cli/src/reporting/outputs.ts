/** Where reports go: `--out <file>`, whose ending chooses the view. */
import { existsSync, mkdirSync } from 'node:fs';
import { dirname, extname } from 'node:path';
import { mustBeApart, type NamedFile, named } from '../disk/file-id.js';
import { openInPlace, openOutFile, outPath, writeAll } from '../disk/out-file.js';
import { describeSystemError, OutputError, UsageError } from '../usage-error.js';

export type View<Findings> = (findings: Findings) => Promise<string>;

/** By the ending of the file; a new view is a line more. */
export type Views<Findings> = Readonly<Record<string, View<Findings>>>;

export interface Output<Findings> {
  readonly file: string;
  readonly view: View<Findings>;
}

export function outputsOf<Findings>(
  files: readonly string[] | undefined,
  views: Views<Findings>,
): Output<Findings>[] {
  return (files ?? []).map((file) => ({ file, view: viewOf(file, views) }));
}

function viewOf<Findings>(file: string, views: Views<Findings>): View<Findings> {
  const view = views[extname(file).toLowerCase()];
  if (view !== undefined) return view;
  throw new UsageError(`--out: expected a file that ends in ${Object.keys(views).join(', ')}, got '${file}'`);
}

/**
 * To be called before anything is measured: who has waited for a minute wants his report.
 * @param read the files that the analysis reads
 */
export function checkWritable(
  outputs: readonly { readonly file: string }[],
  read: readonly NamedFile[],
): void {
  mustBeApart(
    outputs.map(({ file }) => named('--out', file)),
    read,
  );
  for (const { file } of outputs) writing(file, () => tryToWrite(file));
}

/** What is there stays as it is, and nothing is left where nothing was. */
function tryToWrite(file: string): void {
  if (existsSync(file)) openInPlace(file, 'a').close();
  else openOutFile(outPath(file)).close();
}

export async function writeReports<Findings>(
  outputs: readonly Output<Findings>[],
  findings: Findings,
): Promise<void> {
  for (const { file, view } of outputs) {
    const text = await view(findings);
    writing(file, () => {
      const out = openOutFile(outPath(file));
      try {
        writeAll(out.fd, text, file);
        out.commit();
      } finally {
        out.close();
      }
    });
  }
}

function writing(file: string, write: () => void): void {
  try {
    mkdirSync(dirname(file), { recursive: true });
    write();
  } catch (error) {
    if (error instanceof OutputError) throw error;
    throw new OutputError(`cannot write ${file}: ${describeSystemError(error)}`);
  }
}
