/** Runs `threadwise analyze` for a function: samples the inputs, measures, analyses, and writes the report. */
import { measureAndReport } from '../../report/measure-and-report.js';
import { checkWritable } from '../../report/outputs.js';
import { type InputOptions, openInputs, passingOf } from '../../run/inputs/open-inputs.js';
import type { Passing } from '../../run/work/passing.js';
import { UsageError } from '../../exit-code.js';
import type { Reporting } from '../subject.js';
import { type MeasurePlan, measure } from './measure/measure.js';
import { functionReport } from './report/report.js';
import { analyze } from './rules/analyze.js';

/** How many inputs the function is measured with, at most; of more, a sample is taken. */
const MOST_INPUTS = 1000;
/** How the report says what the function gets of an input. */
const PASSED: Readonly<Record<Passing, string>> = {
  value: '',
  spread: '; each is the list of the arguments',
  read: "; the argument is the file's content",
};

export async function analyzeFunction(
  options: Pick<MeasurePlan, 'module' | 'moduleGiven' | 'export' | 'budgetMs' | 'maxThreads'>,
  input: InputOptions,
  reporting: Reporting,
): Promise<number> {
  checkWritable(reporting.outputs, reporting.read); // before the inputs are read, which may take a while
  const plan = { ...options, ...(await takeInputs(input)), passing: passingOf(input) };
  return measureAndReport({ measure, analyze, report: functionReport }, plan, reporting);
}

export async function takeInputs(input: InputOptions) {
  const source = openInputs(input);
  try {
    const sample = source.sample(MOST_INPUTS);
    const inputs: unknown[] = [];
    for await (const { value } of sample.inputs) inputs.push(value);
    if (inputs.length === 0) throw new UsageError('expected at least one input, got none');
    // How they were chosen is of interest only where some were left out.
    const isAll = inputs.length < MOST_INPUTS || inputs.length === sample.total;
    const how = `${isAll ? 'all' : sample.how}${PASSED[passingOf(input)]}`;
    return { inputs, inputCount: sample.total ?? inputs.length, inputsHow: how };
  } finally {
    source.close();
  }
}
