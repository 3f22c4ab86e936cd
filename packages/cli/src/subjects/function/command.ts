/** `threadwise analyze`: its arguments, options and help, and what they resolve to. */
import type { Command } from 'commander';
import { type FileName, STDOUT } from '../../disk/file-id.js';
import { checkWritable } from '../../report/outputs.js';
import { addInputOptions } from '../../run/option-values.js';
import { filesRead, type InputOptions, openInputs, passingOf } from '../../run/inputs/open-inputs.js';
import { type RawInputOptions, resolveInput } from '../../run/options.js';
import type { Passing } from '../../run/work/passing.js';
import { findModule, moduleFile } from '../../run/work/task-module.js';
import { UsageError } from '../../exit-code.js';
import { addMeasuring, addOutputs, budgetOf, EXIT_CODES, type RawOptions, reportingOf } from '../subject.js';

type RawAnalyzeOptions = RawInputOptions & RawOptions & { readonly compare?: boolean };

export function addAnalyzeFunction(analyze: Command, setExitCode: (code: number) => void): void {
  analyze
    .summary('measure whether threads pay for a function, and how many')
    .description(
      'Measure an exported function on your inputs, with and without threads, and say whether threads pay, how many, how large a call must be, and why.',
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

async function compare(first: string | undefined, second: string | undefined, { out }: RawAnalyzeOptions) {
  if (first === undefined || second === undefined) {
    throw new UsageError('--compare: expected two reports, such as before.json after.json');
  }
  if (out !== undefined)
    throw new UsageError('--compare and --out: expected one of them, a comparison writes no report');
  // Loaded only now: help and usage errors need none of it.
  const { compareReports } = await import('./report/compare.js');
  return compareReports(first, second);
}

async function analyzeModule(given: string | undefined, second: string | undefined, raw: RawAnalyzeOptions) {
  if (given === undefined)
    throw new UsageError(
      'expected a module, such as ./tasks.js#hash, before options that take several values, such as --files',
    );
  if (second !== undefined) throw new UsageError(`unexpected '${second}' after the module`);
  const input = resolveInput(raw, process.stdin.isTTY === true);
  const budgetMs = budgetOf(raw);
  const module = findModule(given);
  const reporting = reportingOf(raw, [moduleFile(given, module), ...filesRead(input)]);
  checkWritable(reporting.outputs, reporting.read); // before the inputs are read, which may take a while
  const ownFiles = [STDOUT, ...reporting.outputs.map(({ file }) => file)];
  const plan = {
    module: module.url,
    moduleGiven: given,
    export: module.exportName,
    budgetMs,
    maxThreads: raw.threads,
    passing: passingOf(input),
    ...(await takeInputs(input, ownFiles)),
  };
  const { measureAndReport } = await import('../../report/measure-and-report.js');
  return measureAndReport((await import('./report/report.js')).oneFunction, plan, reporting);
}

/** How many inputs the function is measured with, at most; of more, a sample is taken. */
const MOST_INPUTS = 1000;
/** How many bytes of lines or JSON are used: every process in which something is measured gets all of them. More take seconds to send. */
const MOST_BYTES = 8 * 2 ** 20;
/** How the report says what the function gets of an input. */
const PASSED: Readonly<Record<Passing, string>> = {
  value: '',
  spread: 'each is the list of the arguments',
  read: "the argument is the file's content",
};

/** @param ownFiles the files that the command itself writes: no pattern makes inputs of them */
export async function takeInputs(input: InputOptions, ownFiles: readonly FileName[] = []) {
  const source = openInputs(input, ownFiles);
  try {
    const sample = source.sample(MOST_INPUTS);
    const inputs: unknown[] = [];
    // A process is sent the names of files, and not their content.
    let bytesLeft = source.unit === 'files' ? Number.POSITIVE_INFINITY : MOST_BYTES;
    for await (const { value, bytes } of sample.inputs) {
      inputs.push(value);
      if ((bytesLeft -= bytes) <= 0) break;
    }
    if (inputs.length === 0) throw new UsageError('expected at least one input, got none');
    const { total } = sample;
    const isAll =
      total === undefined ? inputs.length < MOST_INPUTS && bytesLeft > 0 : inputs.length === total;
    // How they were chosen is of interest only where some were left out.
    const how = [isAll ? '' : sample.how, PASSED[passingOf(input)]].filter((part) => part !== '');
    return { inputs, inputCount: total ?? inputs.length, inputsHow: how.join('; ') };
  } finally {
    source.close();
  }
}

const examples = `
Examples:
  threadwise analyze ./tasks.js#hash --files 'photos/*.jpg'      one call per file, its path as the argument
  threadwise analyze ./tasks.js#parse --json records.json --out report.html --out report.json
  threadwise analyze ./tasks.js#hash --files 'photos/*.jpg' --read      the file's content, read by the caller or by the worker
  threadwise analyze ./tasks.js#render --json pages.json --spread       each value is an array: render(...value)
  threadwise analyze ./tasks.js#isPrime --range 1..1000 --budget 20s
  threadwise analyze --compare before.json after.json

${EXIT_CODES}`;
