/** The processes that read, one for each way and one for the control. */
import { coreTimes } from '../../../experiment/gauges.js';
import { isTight, Lane } from '../../../experiment/lane.js';
import type { StepsOf } from '../../../experiment/serve.js';
import { clamp, type Session } from '../../../experiment/session.js';
import { WAY_NAMES, type WayName, WAYS } from '../rules/samples.js';
import type { ParallelWay } from './reader/parallel.js';
import type { open, ReadRequest } from './reader/process.js';

const PROCESS = new URL('./reader/process.js', import.meta.url);
/** How many bytes a reader takes when idle: generous, since the system would kill a process if memory ran out. */
const READER_BYTES = 30 * 2 ** 20;
/** The ways in which several threads or processes read. */
const PARALLEL: readonly ParallelWay[] = ['processes', 'workers', 'workers-read-files', 'workers-return'];

type Reading = StepsOf<typeof open>;

/** 'control' runs 'sync-loop' once more, to measure the noise. */
export type LaneName = WayName | 'control';

/** What was read, and how busy each core of the machine was meanwhile, over time. */
export type Answer = Reading['step']['gets'] & {
  /** Files per second. */
  readonly rate: number;
  readonly busy: readonly (readonly number[])[];
};

export type ReadingLane = ReturnType<typeof readingLane>;

function readingLane(name: LaneName, readers: number, session: Session, tight: boolean) {
  const lane = new Lane<Reading>({
    session,
    what: name === 'control' ? 'the control run' : WAYS[name].title,
    start: () => session.start<Reading>(PROCESS),
    setup: { way: name === 'control' ? 'sync-loop' : name, readers },
    openMs: 0,
    isTight: tight,
  });
  /** Resolves to undefined if the step failed, which the session then knows, or if it was interrupted. */
  const read = async (request: ReadRequest): Promise<Answer | undefined> => {
    await lane.start();
    const endWatch = watchCores();
    const slice = await lane.step(request, request.ms);
    const busy = endWatch();
    return slice && { ...slice, rate: slice.ms > 0 ? (slice.files * 1000) / slice.ms : Number.NaN, busy };
  };
  return Object.assign(lane, { name, read });
}

/** @param readers how many read at the same time, in ways that have several */
export function lanesOf(session: Session, readers: number, memoryBytes: number): ReadingLane[] {
  const names: LaneName[] = ['control', ...WAY_NAMES];
  const tight = isTight(names.length, PARALLEL.length * readers * READER_BYTES, memoryBytes);
  return names.map((name) => readingLane(name, readers, session, tight));
}

/** How many milliseconds pass between two samples: the system counts in hundredths of a second, so that a shorter time says nothing. */
const SAMPLE_MS = 100;

/** Returns a function that returns how busy each core of the machine was until then, with all programs, by the system's own counters. */
function watchCores(): () => number[][] {
  const busy: number[][] = [];
  let last = coreTimes();
  const sample = (): void => {
    const now = coreTimes();
    const shares = now.map((core, i) => {
      const before = last[i] ?? { busy: 0, all: 0 };
      const passed = core.all - before.all;
      return passed > 0 ? clamp((core.busy - before.busy) / passed, 0, 1) : Number.NaN;
    });
    last = now;
    // The counters of the system advance in ticks: a sample that is shorter than a tick has no finite shares.
    if (shares.length > 0 && shares.every(Number.isFinite)) busy.push(shares);
  };
  const timer = setInterval(sample, SAMPLE_MS);
  return () => {
    clearInterval(timer);
    sample();
    return busy;
  };
}
