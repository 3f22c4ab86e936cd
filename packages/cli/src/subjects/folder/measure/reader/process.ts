/** A process in which one way of reading is measured, and nothing else happens. */
import { setTimeout as sleep, setImmediate as turn } from 'node:timers/promises';
import { LoopDelay } from '../../../../experiment/gauges.js';
import { serveSteps } from '../../../../experiment/serve.js';
import type { WayName } from '../../rules/samples.js';
import * as ways from './one-thread.js';
import { newTally, type Tally } from './tally.js';

/** Reads all paths once, and on from the first until `end`. */
export type Reader = (given: {
  readonly paths: readonly string[];
  readonly perCall: number;
  readonly end: number;
}) => Promise<Tally>;

type Opener = (readers: number) => Reader | Promise<Reader>;

/** What reads in parallel is loaded only when it is needed: what a way does not use is no part of it. */
const OPENERS: Readonly<Record<WayName, Opener>> = {
  'sync-loop': oneThread(ways.syncLoop),
  'sync-chain': oneThread(ways.syncChain),
  'async-chain': oneThread(ways.asyncChain),
  'sync-all': oneThread(ways.syncAll),
  'async-all': oneThread(ways.asyncAll),
  'read-files': oneThread(ways.ours),
  processes: async (readers) => (await import('./parallel.js')).openProcesses(readers),
  workers: inWorkers('readAndKeep'),
  'workers-read-files': inWorkers('readAsLibrary'),
  'workers-return': inWorkers('readAndReturn'),
};

function oneThread(readAll: ways.ReadAll): Opener {
  return () =>
    async ({ paths, end }) => {
      const tally = newTally();
      do {
        await readAll(paths, tally);
        // What is held up is a pass, and not the whole measurement.
        await turn();
      } while (performance.now() < end);
      return tally;
    };
}

function inWorkers(task: Parameters<typeof import('./parallel.js').openWorkers>[0]): Opener {
  return async (readers) => (await import('./parallel.js')).openWorkers(task, readers);
}

/** A timer that wants to run each millisecond is late by what is beyond that. Milliseconds. */
const delay = new LoopDelay(1);
/** What it measures begins with its first tick: a pass that holds up the loop for as long as it runs must not be before that. */
const UNTIL_TICK_MS = 3;

export interface ReadRequest {
  readonly paths: readonly string[];
  /** How many milliseconds they are read again and again; 0: once. */
  readonly ms: number;
  /** Where several read: how many files are in one call. */
  readonly perCall: number;
}

/** @param readers threads or processes, where there are several */
export const open = async ({ way, readers }: { readonly way: WayName; readonly readers: number }) => {
  const reader = await OPENERS[way](readers);
  const step = async ({ paths, ms, perCall }: ReadRequest) => {
    await delay.begin();
    await sleep(UNTIL_TICK_MS);
    const begin = performance.now();
    const tally = await reader({ paths, perCall, end: begin + ms });
    const elapsed = performance.now() - begin;
    return { ...tally, ms: elapsed, loopDelayMs: await delay.end() };
  };
  return { opened: undefined, step };
};

serveSteps(open);
