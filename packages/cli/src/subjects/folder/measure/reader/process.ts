/** A process in which one way of reading is measured, and nothing else happens. */
import { setTimeout as sleep, setImmediate as turn } from 'node:timers/promises';
import { LoopDelay } from '../../../../experiment/gauges.js';
import { serveSteps } from '../../../../experiment/serve.js';
import type { WayName } from '../../rules/samples.js';
import { Tally } from './tally.js';

/** Reads all paths once, and on from the first until `end`. */
export type Reader = (given: {
  readonly paths: readonly string[];
  readonly perCall: number;
  readonly end: number;
}) => Promise<Tally>;

type OneThread = typeof import('./one-thread.js');

/** Loaded only when it is needed: what a way does not use is no part of it. */
const OPENERS: Readonly<Record<WayName, (readers: number) => Promise<Reader>>> = {
  'sync-loop': oneThread(({ syncLoop }) => syncLoop),
  'sync-chain': oneThread(({ syncChain }) => syncChain),
  'async-chain': oneThread(({ asyncChain }) => asyncChain),
  'sync-all': oneThread(({ syncAll }) => syncAll),
  'async-all': oneThread(({ asyncAll }) => asyncAll),
  'read-files': oneThread(({ ours }) => ours),
  processes: async (readers) => (await import('./parallel.js')).openProcesses(readers),
  workers: async (readers) => (await import('./parallel.js')).openWorkers('readAndKeep', readers),
  'workers-read-files': async (readers) =>
    (await import('./parallel.js')).openWorkers('readAsLibrary', readers),
  'workers-return': async (readers) => (await import('./parallel.js')).openWorkers('readAndReturn', readers),
};

function oneThread(choose: (ways: OneThread) => OneThread['syncLoop']): () => Promise<Reader> {
  return async () => {
    const readAll = choose(await import('./one-thread.js'));
    return async ({ paths, end }) => {
      const tally = new Tally();
      do {
        await readAll(paths, tally);
        // What is held up is a pass, and not the whole measurement.
        await turn();
      } while (performance.now() < end);
      return tally;
    };
  };
}

/** A timer that wants to run each millisecond is late by what is beyond that. Milliseconds. */
const delay = new LoopDelay(1);
/** What it measures begins with its first tick: a pass that holds up the loop for as long as it runs must not be before that. */
const UNTIL_TICK_MS = 3;

export interface ReadRequest {
  readonly paths: readonly string[];
  /** Again and again for so long; 0: once. */
  readonly ms: number;
  /** Where several read: so many files in one call. */
  readonly perCall: number;
}

/** @param readers threads or processes, where there are several */
export const open = async ({ way, readers }: { readonly way: WayName; readonly readers: number }) => {
  const reader = await OPENERS[way](readers);
  const step = async ({ paths, ms, perCall }: ReadRequest) => {
    await delay.begin();
    await sleep(UNTIL_TICK_MS);
    const begin = performance.now();
    const { files, bytes, failed } = await reader({ paths, perCall, end: begin + ms });
    const elapsed = performance.now() - begin;
    return { files, bytes, ms: elapsed, loopDelayMs: await delay.end(), failed };
  };
  return { opened: undefined, step };
};

serveSteps(open);
