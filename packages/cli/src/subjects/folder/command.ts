/** `threadwise analyze files`: its argument, options and help, and what they resolve to. */
import type { Command } from 'commander';
import { addMeasuring, addOutputs, budgetOf, EXIT_CODES, type RawOptions, reportingOf } from '../subject.js';

interface RawFolderOptions extends RawOptions {
  readonly match?: readonly string[];
  readonly dot?: boolean;
  readonly cold?: boolean;
}

export function addAnalyzeFiles(analyze: Command, setExitCode: (code: number) => void): void {
  const command = analyze
    .command('files')
    .summary('measure how the files of a folder are best read')
    .description(
      'Measure how the files of a folder are best read, by their size: synchronously or not, on one thread or in workers, and what each way does to the event loop.',
    )
    .argument('<folder>', 'the folder; its files are only read, and links are not followed')
    .optionsGroup('Input:')
    .option('--match <globs...>', "only files that match, relative to the folder; '!glob' excludes")
    .option('--dot', 'names that begin with a dot as well')
    .optionsGroup('Measuring:');
  addMeasuring(
    command,
    'how many workers or processes read at the same time (default: as many as a pool has)',
  ).option(
    '--cold',
    "measure reads from the disk as well: drops the system's cache of files (needs root; slows the whole machine)",
  );
  addOutputs(command)
    .addHelpText('after', examples)
    .action(async (folder: string, raw: RawFolderOptions) => {
      const reporting = reportingOf(raw, []); // files that are written are left out of the measurement, so that none of them is read
      const plan = {
        folder,
        patterns: raw.match ?? [],
        dot: raw.dot === true,
        budgetMs: budgetOf(raw),
        threads: raw.threads,
        cold: raw.cold === true,
        ownFiles: reporting.outputs.map(({ file }) => file),
      };
      // Loaded only now: help and usage errors need none of it.
      const { measureAndReport } = await import('../../report/measure-and-report.js');
      setExitCode(await measureAndReport((await import('./report.js')).folder, plan, reporting));
    });
}

const examples = `
Examples:
  threadwise analyze files ./photos                                    how the folder's files are best read, by their size
  threadwise analyze files ./data --match '**/*.json' '!**/tmp/**'     only some of them
  threadwise analyze files ./photos --out report.html --out report.json
  sudo threadwise analyze files ./photos --cold                        from the disk, too

${EXIT_CODES}`;
