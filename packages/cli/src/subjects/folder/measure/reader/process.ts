/** A process in which one way of reading is measured, and nothing else happens. */
import { setImmediate as turn } from 'node:timers/promises';
import { watchDelay } from '../../../../experiment/gauges.js';
import { serveSteps } from '../../../../experiment/serve.js';
import type { WayName } from '../../rules/samples.js';
import { newTally, ONE_THREAD, type ReadAll, type Tally } from './one-thread.js';
import type { ParallelWay } from './parallel.js';

/** Reads all paths once, and then again from the first, until `performance.now()` reaches `end`. */
export type Reader = (given: {
  readonly paths: readonly string[];
  readonly perCall: number;
  readonly end: number;
}) => Promise<Tally>;

async function readerFor(way: WayName, readers: number): Promise<Reader> {
  // The parallel ways are loaded only when one of them is wanted, so that their code does not weigh on the other ways.
  if (!(way in ONE_THREAD)) return (await import('./parallel.js')).openParallel(way as ParallelWay, readers);
  const readAll: ReadAll = ONE_THREAD[way as keyof typeof ONE_THREAD];
  return async ({ paths, end }) => {
    const tally = newTally();
    do {
      await readAll(paths, tally);
      // The event loop turns after each pass, so that a way holds it up for no longer than a pass.
      await turn();
    } while (performance.now() < end);
    return tally;
  };
}

/** How long the interval of the timer is where nothing holds it up: the histogram records the whole of it. */
const INTERVAL_MS = 1;

export interface ReadRequest {
  readonly paths: readonly string[];
  readonly ms: number; // for how many milliseconds the paths are read again and again; 0: once
  readonly perCall: number; // how many files one call has, where several read
}

/** @param readers how many threads or processes read, where several do */
export const open = async ({ way, readers }: { readonly way: WayName; readonly readers: number }) => {
  const reader = await readerFor(way, readers);
  const step = async ({ paths, ms, perCall }: ReadRequest) => {
    const endDelay = await watchDelay(INTERVAL_MS);
    const begin = performance.now();
    const tally = await reader({ paths, perCall, end: begin + ms });
    const elapsed = performance.now() - begin;
    return { ...tally, ms: elapsed, loopDelayMs: await endDelay() };
  };
  return { opened: undefined, step };
};

serveSteps(open);
