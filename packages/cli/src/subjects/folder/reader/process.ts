/** A process in which one way of reading is measured, and nothing else happens. Started by reader-client.ts. */
import { setTimeout as sleep, setImmediate as turn } from 'node:timers/promises';
import { LoopDelay } from '../../../experiment/gauges.js';
import type { WayName } from '../samples.js';
import type { Answer, OpenRequest, ReadRequest, Request, Slice } from './protocol.js';
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
  processes: async (readers) => (await import('./processes.js')).openProcesses(readers),
  workers: async (readers) => (await import('./workers.js')).openWorkers('readAndKeep', readers),
  'workers-read-files': async (readers) =>
    (await import('./workers.js')).openWorkers('readAsLibrary', readers),
  'workers-return': async (readers) => (await import('./workers.js')).openWorkers('readAndReturn', readers),
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

let reader: Reader | undefined;

async function open({ way, readers }: OpenRequest): Promise<Answer> {
  reader = await OPENERS[way](readers);
  return { type: 'opened' };
}

async function read({ paths, ms, perCall }: ReadRequest): Promise<Answer> {
  await delay.begin();
  await sleep(UNTIL_TICK_MS);
  const begin = performance.now();
  const { files, bytes, failed } = await reader!({ paths, perCall, end: begin + ms });
  const elapsed = performance.now() - begin;
  const loopDelayMs = await delay.end();
  const slice: Slice = { files, bytes, ms: elapsed, loopDelayMs, failed };
  return { type: 'read', slice };
}

async function answer(request: Request): Promise<Answer> {
  try {
    return await (request.type === 'open' ? open(request) : read(request));
  } catch (error) {
    return { type: 'failed', message: error instanceof Error ? error.message : String(error) };
  }
}

process.on('message', (request: Request) => {
  void answer(request).then((said) => process.send?.(said));
});
// Ctrl-C in a terminal is for all processes of the command; it decides itself when its readers end.
process.on('SIGINT', () => {});
process.on('disconnect', () => process.exit());
