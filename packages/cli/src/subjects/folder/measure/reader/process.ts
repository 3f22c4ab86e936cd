/** A process in which one way of reading is measured, and nothing else happens. */
import { setImmediate as turn } from 'node:timers/promises';
import { LoopDelay } from '../../../../experiment/gauges.js';
import { serveSteps } from '../../../../experiment/serve.js';
import type { WayName } from '../../rules/samples.js';
import * as ways from './one-thread.js';

/** Reads all paths once, and then again from the first, until `performance.now()` reaches `end`. */
export type Reader = (given: {
  readonly paths: readonly string[];
  readonly perCall: number;
  readonly end: number;
}) => Promise<ways.Tally>;

type Opener = (readers: number) => Reader | Promise<Reader>;

/** What reads in parallel is loaded only when it is needed, so that it does not weigh on the other ways. */
const OPENERS: Readonly<Record<WayName, Opener>> = {
  'sync-loop': oneThread(ways.syncLoop),
  'sync-chain': oneThread(ways.syncChain),
  'async-chain': oneThread(ways.asyncChain),
  'sync-all': oneThread(ways.syncAll),
  'async-all': oneThread(ways.asyncAll),
  'read-files': oneThread(ways.ours),
  processes: async (readers) => (await import('./parallel.js')).openProcesses(readers),
  workers: inWorkers('readInLoop'),
  'workers-read-files': inWorkers('readAsLibrary'),
  'workers-return': inWorkers('readAndReturn'),
};

function oneThread(readAll: ways.ReadAll): Opener {
  return () =>
    async ({ paths, end }) => {
      const tally = ways.newTally();
      do {
        await readAll(paths, tally);
        // The event loop turns after each pass, so that a way holds it up for no longer than a pass.
        await turn();
      } while (performance.now() < end);
      return tally;
    };
}

function inWorkers(task: Parameters<typeof import('./parallel.js').openWorkers>[0]): Opener {
  return async (readers) => (await import('./parallel.js')).openWorkers(task, readers);
}

/** The histogram records the whole interval of its timer, which is 1 ms where nothing holds it up: so 1 ms is subtracted. */
const delay = new LoopDelay(1);

export interface ReadRequest {
  readonly paths: readonly string[];
  /** For how many milliseconds the paths are read again and again; 0: once. */
  readonly ms: number;
  /** How many files one call has, where several read. */
  readonly perCall: number;
}

/** @param readers how many threads or processes read, where several do */
export const open = async ({ way, readers }: { readonly way: WayName; readonly readers: number }) => {
  const reader = await OPENERS[way](readers);
  const step = async ({ paths, ms, perCall }: ReadRequest) => {
    await delay.begin();
    const begin = performance.now();
    const tally = await reader({ paths, perCall, end: begin + ms });
    const elapsed = performance.now() - begin;
    return { ...tally, ms: elapsed, loopDelayMs: await delay.end() };
  };
  return { opened: undefined, step };
};

serveSteps(open);
