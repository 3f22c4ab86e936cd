/** What `threadwise analyze` does: takes some of the inputs, measures, analyses, and writes what was found. */

import { readFile } from 'node:fs/promises';
import { analyze } from './rules/analyze.js';
import type { Findings } from './rules/findings.js';
import { ExitCode } from '../../exit-code.js';
import { measure } from './measure/measure.js';
import { readFindings, renderComparison } from './report/compare.js';
import { functionReport } from './report/report.js';
import { measureAndReport, terminal } from '../../report/measure-and-report.js';
import { checkWritable } from '../../report/outputs.js';
import { filesRead, openInputs, passingOf } from '../../run/inputs/open-inputs.js';
import type { Passing } from '../../run/work/passing.js';
import { findModule, moduleFile } from '../../run/work/task-module.js';
import { describeSystemError, UsageError } from '../../usage-error.js';
import type { AnalyzeOptions, CompareOptions } from './options.js';

/** So many inputs are measured on, at most. */
const MOST_INPUTS = 1000;
/** What the function gets of them, for the report. */
const PASSED: Readonly<Record<Passing, string>> = {
  value: '',
  spread: '; each is the list of the arguments',
  read: "; the argument is the file's content",
};

export async function analyzeFunction(options: AnalyzeOptions): Promise<number> {
  const { outputs, quiet, budgetMs, maxThreads } = options;
  const module = findModule(options.module);
  const { url, exportName } = module;
  const read = [moduleFile(options.module, module), ...filesRead(options.input)];
  checkWritable(outputs, read); // before the inputs, which may take a while to come
  const { inputs, count, how } = await takeInputs(options);
  const plan = {
    module: url,
    moduleGiven: options.module,
    export: exportName,
    inputs,
    inputCount: count,
    inputsHow: how,
    passing: passingOf(options.input),
    budgetMs,
    ...(maxThreads === undefined ? {} : { maxThreads }),
  };
  return measureAndReport({
    outputs,
    read,
    quiet,
    measure: (signal, progress) => measure({ ...plan, signal }, progress),
    analyze,
    report: functionReport,
  });
}

export async function compareReports({ files }: CompareOptions): Promise<number> {
  const [a, b] = await Promise.all(files.map(readReport));
  process.stdout.write(renderComparison(a!, b!, terminal()));
  return ExitCode.ok;
}

async function takeInputs({ input }: AnalyzeOptions) {
  const source = openInputs(input);
  try {
    const sample = source.sample(MOST_INPUTS);
    const inputs: unknown[] = [];
    for await (const { value } of sample.inputs) inputs.push(value);
    if (inputs.length === 0) throw new UsageError('expected at least one input, got none');
    // How they were chosen is of interest only where some were left out.
    const how = `${inputs.length < MOST_INPUTS ? 'all' : sample.how}${PASSED[passingOf(input)]}`;
    return { inputs, count: source.total ?? inputs.length, how };
  } finally {
    source.close();
  }
}

async function readReport(file: string): Promise<Findings> {
  let text: string;
  try {
    text = await readFile(file, 'utf8');
  } catch (error) {
    throw new UsageError(`cannot read ${file}: ${describeSystemError(error)}`);
  }
  return readFindings(text, file);
}
