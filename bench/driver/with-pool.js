// Opens a contender for a sample, and makes sure that all its threads run before anything is measured.
import { performance } from 'node:perf_hooks';

/** How many milliseconds a task stays on its thread, so that calls spread over all threads. */
const STAY_MS = 2;
/** How many calls are made at a time for each thread: some contenders hand eight to one. */
const CALLS_PER_THREAD = 16;
const GIVE_UP_MS = 15_000;

/**
 * Opens the contender, measures, closes. After an error it closes nothing: the sample's process ends, and everything with it.
 * @param contender { open, role } @param open what opens it instead
 * @param placement, isolation, hasBytes for contenders that can 'placement' and 'isolation': see catalog.js
 * @param measure gets the open pool, returns the values
 */
export async function withPool({ contender, open, threads, placement, isolation, hasBytes }, measure) {
  const opened = { ...contender, open: open ?? contender.open };
  const pool = await openReady(opened, threads, { placement, isolation, hasBytes });
  const values = await measure(pool);
  await pool.close();
  return values;
}

/** Opens a contender, and returns when every one of its threads has run a task. */
export async function openReady({ open, role }, threads, options = {}) {
  const pool = await open({ threads, ...options });
  if (role !== 'inline')
    await everyThread(pool, threads, options.isolation === 'process' ? 'stayInProcess' : 'stay');
  return pool;
}

/** Makes calls until as many threads have answered as there should be. @returns their numbers, or the ids of their processes */
export async function everyThread(pool, threads, task = 'stay') {
  const seen = new Set();
  const end = performance.now() + GIVE_UP_MS;
  while (seen.size < threads) {
    if (performance.now() > end) throw new Error(`only ${seen.size} of ${threads} threads run tasks`);
    const calls = Array.from({ length: CALLS_PER_THREAD * threads }, () => pool.call(task, STAY_MS));
    for (const id of await Promise.all(calls)) seen.add(id);
  }
  return seen;
}
