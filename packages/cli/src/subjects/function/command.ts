/** `threadwise analyze`: its arguments, options and help, and what they resolve to. */
import type { Command } from 'commander';
import { addInputOptions } from '../../run/option-values.js';
import { filesRead } from '../../run/inputs/open-inputs.js';
import { type RawInputOptions, resolveInput } from '../../run/options.js';
import { findModule, moduleFile } from '../../run/work/task-module.js';
import { UsageError } from '../../exit-code.js';
import { addMeasuring, addOutputs, budgetOf, EXIT_CODES, type RawOptions, reportingOf } from '../subject.js';

interface RawAnalyzeOptions extends RawInputOptions, RawOptions {
  readonly compare?: boolean;
}

export function addAnalyzeFunction(analyze: Command, setExitCode: (code: number) => void): void {
  analyze
    .summary('measure whether threads pay for a function, and how many')
    .description(
      'Measure an exported function on your inputs, with and without threads, and say whether threads pay, from where on, how many, and why.',
    )
    .argument('[module]', 'module, and after # the export (default: its default or only function)');
  addInputOptions(analyze).optionsGroup('Measuring:');
  addMeasuring(analyze, 'the most threads that are tried (default: twice the cores)');
  addOutputs(analyze)
    .option('--compare', 'compare two reports: threadwise analyze --compare before.json after.json')
    .argument('[second]', 'with --compare: the other report')
    .addHelpText('after', examples)
    .action(async (first: string | undefined, second: string | undefined, raw: RawAnalyzeOptions) => {
      setExitCode(
        await (raw.compare === true ? compare(first, second, raw) : analyzeModule(first, second, raw)),
      );
    });
}

async function compare(
  first: string | undefined,
  second: string | undefined,
  { out }: RawAnalyzeOptions,
): Promise<number> {
  if (first === undefined || second === undefined) {
    throw new UsageError('--compare: expected two reports, such as before.json after.json');
  }
  if (out !== undefined)
    throw new UsageError('--compare and --out: expected one of them, a comparison writes no report');
  // Loaded only now: help and usage errors need none of it.
  const { compareReports } = await import('./report/compare.js');
  return compareReports(first, second);
}

async function analyzeModule(
  given: string | undefined,
  second: string | undefined,
  raw: RawAnalyzeOptions,
): Promise<number> {
  if (given === undefined)
    throw new UsageError(
      'expected a module, such as ./tasks.js#hash, before options that take several values, such as --files',
    );
  if (second !== undefined) throw new UsageError(`unexpected '${second}' after the module`);
  const input = resolveInput(raw, process.stdin.isTTY === true);
  const budgetMs = budgetOf(raw);
  const reporting = reportingOf(raw, []);
  const { analyzeFunction } = await import('./analyze-function.js');
  const module = findModule(given);
  const { url, exportName } = module;
  const plan = { module: url, moduleGiven: given, export: exportName, budgetMs, maxThreads: raw.threads };
  return analyzeFunction(plan, input, {
    ...reporting,
    read: [moduleFile(given, module), ...filesRead(input)],
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

${EXIT_CODES}`;
