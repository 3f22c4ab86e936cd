/** Where reports go: `--out <file>`, whose ending chooses the view. */
import { mkdir, open } from 'node:fs/promises';
import { dirname, extname } from 'node:path';
import { OutputError } from '../run/output/sink.js';
import { describeSystemError, UsageError } from '../usage-error.js';

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

/** To be called before anything is measured: who has waited for a minute wants his report. */
export async function checkWritable(outputs: readonly { readonly file: string }[]): Promise<void> {
  await Promise.all(outputs.map(({ file }) => writing(file, async () => (await open(file, 'a')).close())));
}

export async function writeReports<Findings>(
  outputs: readonly Output<Findings>[],
  findings: Findings,
): Promise<void> {
  for (const { file, view } of outputs) {
    const text = await view(findings);
    await writing(file, async () => {
      const handle = await open(file, 'w');
      await handle.writeFile(text);
      await handle.close();
    });
  }
}

async function writing(file: string, write: () => Promise<void>): Promise<void> {
  try {
    await mkdir(dirname(file), { recursive: true });
    await write();
  } catch (error) {
    throw new OutputError(`cannot write ${file}: ${describeSystemError(error)}`);
  }
}
