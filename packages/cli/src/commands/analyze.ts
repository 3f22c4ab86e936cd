/** `threadwise analyze`: declares its arguments and help; what they do is in ../analyze. */

import type { Command } from 'commander';
import { type RawAnalyzeOptions, resolveAnalyzeOptions } from '../subjects/function/options.js';
import { parseDuration, parseThreads } from '../run/option-values.js';
import { addAnalyzeFiles } from './analyze-files.js';
import { addAnalyzeServer } from './analyze-server.js';
import { addInputOptions } from './input-options.js';

export function addAnalyze(program: Command, setExitCode: (code: number) => void): void {
  const analyze = program.command('analyze');
  addAnalyzeServer(analyze, setExitCode);
  addAnalyzeFiles(analyze, setExitCode);
  analyze
    .summary('measure whether threads pay for a function, and how many')
    .description(
      'Measure an exported function on your inputs, with and without threads, and say whether threads pay, from where on, how many, and why.',
    )
    .argument('[module]', 'module, and after # the export (default: its default or only function)');
  addInputOptions(analyze)
    .optionsGroup('Measuring:')
    .option('--budget <time>', 'how long it may take: 30s, 2m (default: 60s)', parseDuration)
    .option('--threads <n>', 'the most threads that are tried (default: twice the cores)', parseThreads)
    .optionsGroup('Output:')
    .option('--out <files...>', 'write a report; its ending says which: .json, .html, .md')
    .option('--compare', 'compare two reports: threadwise analyze --compare before.json after.json')
    .option('--quiet', 'no progress')
    .argument('[second]', 'with --compare: the other report')
    .addHelpText('after', examples)
    .action(async (first: string | undefined, second: string | undefined, raw: RawAnalyzeOptions) => {
      const options = resolveAnalyzeOptions(first, second, raw, process.stdin.isTTY === true);
      // Loaded only now: help and usage errors need none of it.
      const { analyzeFunction, compareReports } = await import('../subjects/function/analyze-function.js');
      setExitCode(
        options.kind === 'compare' ? await compareReports(options) : await analyzeFunction(options),
      );
    });
}

const examples = `
Examples:
  threadwise analyze ./tasks.js#hash --files 'photos/*.jpg'      one call per file, its path as the argument
  threadwise analyze ./tasks.js#parse --json records.json --out report.html --out report.json
  threadwise analyze ./tasks.js#hash --files 'photos/*.jpg' --read      its content, read by the caller or by the worker
  threadwise analyze ./tasks.js#render --json pages.json --spread       each value an array: render(...value)
  threadwise analyze ./tasks.js#isPrime --range 1..1000 --budget 20s
  threadwise analyze --compare before.json after.json

Exit codes: 0 a verdict, also 'cannot tell', 1 a report could not be written, 2 usage or bad input, 130 interrupted.`;
