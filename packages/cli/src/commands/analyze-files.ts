/** `threadwise analyze files`: declares its argument, options and help; what it does is in ../files. */

import type { Command } from 'commander';
import { type RawFolderOptions, resolveFolderOptions } from '../subjects/folder/options.js';
import { parseDuration, parseThreads } from '../run/option-values.js';

export function addAnalyzeFiles(analyze: Command, setExitCode: (code: number) => void): void {
  analyze
    // What comes after `files` is for it, though `analyze` has options of the same names.
    .enablePositionalOptions()
    .command('files')
    .summary('measure how the files of a folder are best read')
    .description(
      'Measure how the files of a folder are best read, by their size: synchronously or not, on one thread or in workers, and what each way does to the event loop.',
    )
    .argument('<folder>', 'it is only read; links in it are not followed')
    .optionsGroup('Input:')
    .option('--match <globs...>', "only files that match, relative to the folder; '!glob' excludes")
    .option('--dot', 'names beginning with a dot as well')
    .optionsGroup('Measuring:')
    .option('--budget <time>', 'how long it may take: 30s, 2m (default: 60s)', parseDuration)
    .option(
      '--threads <n>',
      'how many read at the same time (default: as many as the library would use)',
      parseThreads,
    )
    .option(
      '--cold',
      "from the disk as well: drops the system's cache of files (root; slows the whole machine)",
    )
    .optionsGroup('Output:')
    .option('--out <files...>', 'write a report; its ending says which: .json, .html, .md')
    .option('--quiet', 'no progress')
    .addHelpText('after', examples)
    .action(async (folder: string, raw: RawFolderOptions) => {
      const options = resolveFolderOptions(folder, raw);
      // Loaded only now: help and usage errors need none of it.
      const { analyzeFiles } = await import('../subjects/folder/analyze-files.js');
      setExitCode(await analyzeFiles(options));
    });
}

const examples = `
Examples:
  threadwise analyze files ./photos                                    how its files are best read, by their size
  threadwise analyze files ./data --match '**/*.json' '!**/tmp/**'     only some of them
  threadwise analyze files ./photos --out report.html --out report.json
  sudo threadwise analyze files ./photos --cold                        from the disk, too

Exit codes: 0 a verdict, also 'cannot tell', 1 a report could not be written, 2 usage or bad input, 130 interrupted.`;
