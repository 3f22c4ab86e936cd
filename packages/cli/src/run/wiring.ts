/** Makes the parts of a session from its options: what is on, what is off, and which kind of each. */

import type { OutPath } from '../disk/out-file.js';
import { type Counts, noCounts } from './counts.js';
import type { InlineSample } from './inline-sample.js';
import { type Done, type InputSource, nothingDone } from './inputs/input-source.js';
import { type Journal, noJournal, openJournal } from './journal/journal.js';
import { openJournalWriter } from './journal/journal-file.js';
import type { JournalIdentity, Resume } from './journal/resume.js';
import type { RunOptions } from './options.js';
import { openSink } from './output/open-sink.js';
import type { Sink } from './output/sink.js';
import { createProgress } from './progress.js';
import type { Progress } from './progress-state.js';
import { createReducer, type Reducer } from './reducer.js';
import { createAttempts } from './work/attempts.js';
import type { BatchPool, BatchSetup } from './work/batch.js';
import { createBatching } from './work/batching.js';
import { Pump } from './work/pump.js';
import { importModule, namedFunction } from './work/task-module.js';

/** Everything that is known before the first thread starts. */
export interface Plan {
  readonly options: RunOptions;
  readonly source: InputSource;
  readonly setup: BatchSetup;
  readonly identity: JournalIdentity;
  readonly resume: Resume;
  readonly inline: InlineSample | undefined;
  /** Of --out. */
  readonly out: OutPath | undefined;
}

export interface Outputs {
  readonly sink: Sink;
  readonly journal: Journal;
}

/** What earlier runs of the journal have done. */
export function earlierOf({ resume }: Plan): { counts: Counts; done: Done } {
  return resume.kind === 'continue' ? resume : { counts: noCounts, done: nothingDone };
}

/** The journal's file first: one that cannot be written must not cost the old output. */
export function openOutputs({ options, identity, resume, source, out }: Plan): Outputs {
  const mark = resume.kind === 'continue' ? resume.output : undefined;
  const writer = options.journal === undefined ? undefined : openJournalWriter(options.journal);
  const sink = openSink({ out, isJournaled: writer !== undefined, mark });
  if (writer === undefined) return { sink, journal: noJournal };
  return { sink, journal: openJournal({ writer, identity, resume, compare: source.compare, sink }) };
}

export async function loadReducer({ options, setup }: Plan): Promise<Reducer | undefined> {
  if (options.reduce === undefined) return undefined;
  const module = await importModule(setup.moduleUrl);
  return createReducer(namedFunction(module, options.reduce, setup.moduleUrl), options.reduce);
}

export function createPump({ options, setup }: Plan, pool: BatchPool, journal: Journal): Pump {
  const { ordered, batch, retries, format } = options;
  return new Pump({
    ordered,
    batching: createBatching(batch, pool.maxThreads),
    run: createAttempts(pool, { retries, format, stopsAtFailure: setup.stopsAtFailure }),
    onBegin: (begun) => journal.begin(begun),
  });
}

export function startProgress(plan: Plan): Promise<Progress> {
  const { options, source } = plan;
  const writesToTerminal =
    process.stdout.isTTY === true && options.out === undefined && options.reduce === undefined;
  // Results on the same terminal show the progress themselves, and a bar between them would garble both.
  const isBar = process.stderr.isTTY === true && !writesToTerminal;
  return createProgress({
    style: options.quiet ? 'none' : isBar ? 'bar' : 'lines',
    stream: process.stderr,
    totals: () => source,
    earlier: earlierOf(plan).counts,
  });
}
