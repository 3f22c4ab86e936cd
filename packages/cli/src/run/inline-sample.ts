/**
 * --compare-inline: runs some inputs in the main thread, to estimate what the threads gain. Like the time of the run, this one includes
 * getting the inputs, running them, and writing the results.
 */

import { closeSync, openSync, writeSync } from 'node:fs';
import { devNull } from 'node:os';
import { UsageError } from '../exit-code.js';
import { printable } from '../format/cut.js';
import { type InputSource, nothingDone, type SampledInput } from './inputs/input-source.js';
import type { BatchSetup } from './work/batch.js';
import { runBatch, setup as setUp, teardown } from './work/batch-tasks.js';
import { createBatching } from './work/pump.js';
import { describeError, errorLine } from './work/described-error.js';
import { failsToLoad } from './work/task-module.js';

export type InlineSample = Awaited<ReturnType<typeof sampleInline>>;

/** How many milliseconds one half of the sample is run again and again: in its first calls, code is slow, since it is not compiled yet. */
const REPEAT_MS = 300;
/** After how many milliseconds a pass ends, even if not all of the sample has run; the batch that runs then is finished. */
const MAX_PASS_MS = 1500;
/** How many milliseconds inputs are read to learn what reading costs; a group of them is always read whole. */
const MAX_READING_MS = 200;
/** How many characters of results are written at once, unless one batch has more: a string could not hold all. */
const MAX_WRITTEN_AT_ONCE = 32 * 1024 * 1024;

/**
 * One half of the sample gets the code compiled, the other one is measured. A file is measured when it is read for the first time, as the
 * threads will read all of them. Other inputs are run again and again, and the fastest pass counts.
 * @param module as the user named it
 */
export async function sampleInline(module: string, setup: BatchSetup, source: InputSource, count: number) {
  // The context that a worker's setup gets, as far as it makes sense here.
  const context = { workerId: 0, poolName: 'threadwise run' };
  const data = { ...setup, stopsAtFailure: false };
  await setUp({ ...context, data }).catch(failsToLoad(module, setup.moduleUrl));
  const { inputs, how } = source.sample(2 * count);
  const chosen: SampledInput[] = [];
  await untilBadInput(async () => {
    for await (const input of inputs) chosen.push(input);
  });
  const timed = chosen.length === 1 ? chosen : chosen.filter((_, i) => i % 2 === 1);
  if (timed !== chosen) await fastestPass(chosen.filter((_, i) => i % 2 === 0));
  const pass = await (source.unit === 'files' ? measure(timed) : fastestPass(timed));
  await teardown().catch((error: unknown) =>
    process.emitWarning(`the teardown of '${module}' failed: ${errorLine(describeError(error))}`),
  );
  const inputMs = pass.weightedMs / pass.weight + (await readingMs(source));
  return {
    inputs: pass.ran,
    ms: pass.ms,
    how,
    /** The error of the first input that failed, if one did. */
    failure: pass.failure,
    /** How many milliseconds a loop would take to get this many inputs, run them, and write the results, if the sample is typical. */
    estimateMs: (all: number): number => inputMs * all,
  };
}

/** How many milliseconds a plain loop takes to get one input: of a file, its name alone; of a number, nothing. */
async function readingMs(source: InputSource): Promise<number> {
  if (source.unit === 'numbers') return 0;
  const begin = performance.now();
  let inputs = 0;
  let ms = 0;
  await untilBadInput(async () => {
    if (source.unit === 'files') {
      source.count?.();
      inputs = source.total!;
      ms = performance.now() - begin;
      return;
    }
    for await (const group of source.read(nothingDone)) {
      inputs += group.length;
      ms = performance.now() - begin;
      if (ms > MAX_READING_MS) return;
    }
  });
  return ms / Math.max(1, inputs);
}

/** The run itself reports an input that cannot be read, after the results of those before it. */
async function untilBadInput(read: () => Promise<void>): Promise<void> {
  await read().catch((error: unknown) => {
    if (!(error instanceof UsageError)) throw error;
  });
}

async function fastestPass(inputs: readonly SampledInput[]) {
  const begin = performance.now();
  let best = await measure(inputs);
  while (performance.now() - begin < REPEAT_MS && best.ran > 0) {
    const pass = await measure(inputs);
    if (pass.weightedMs < best.weightedMs) best = pass;
  }
  return best;
}

async function measure(inputs: readonly SampledInput[]) {
  const sum = { ran: 0, ms: 0, weight: 0, weightedMs: 0, failure: undefined as string | undefined };
  const batching = createBatching('auto', 1);
  let text = '';
  let weightedLength = 0;
  while (sum.ran < inputs.length && sum.ms < MAX_PASS_MS) {
    const { weight } = inputs[sum.ran]!;
    // Cheap inputs are timed together, as long as they weigh the same.
    const next = inputs.slice(sum.ran, sum.ran + batching.size());
    const other = next.findIndex((input) => input.weight !== weight);
    const batch = other === -1 ? next : next.slice(0, other);
    const values = batch.map(({ value }) => value);
    const outcome = await runBatch(values, 1);
    batching.note(outcome);
    sum.ran += batch.length;
    sum.ms += outcome.runMs;
    sum.weight += weight * batch.length;
    sum.weightedMs += weight * outcome.runMs;
    sum.failure ??= outcome.failures[0] && printable(errorLine(outcome.failures[0].error));
    if (text.length + outcome.text.length > MAX_WRITTEN_AT_ONCE) writeText();
    text += outcome.text;
    weightedLength += weight * outcome.text.length;
  }
  writeText();
  return sum;

  function writeText(): void {
    if (text !== '') sum.weightedMs += (writingMs(text) * weightedLength) / text.length;
    [text, weightedLength] = ['', 0];
  }
}

/** How many milliseconds the program itself takes to write: the system writes to the disk in the background. */
function writingMs(text: string): number {
  const fd = openSync(devNull, 'w');
  try {
    const begin = performance.now();
    writeSync(fd, text);
    return performance.now() - begin;
  } finally {
    closeSync(fd);
  }
}
