/** A function of the module, and what its calls on the calling thread have shown. */
import type { PlacedFunction, TaskFunction } from '../contracts.js';
import { tagOf } from '../options/checks.js';

/** After this many results, none of them a promise, a function is taken to return none. */
const SYNC_RESULTS = 32;

/** Makes the entry of a function of the module. @param isAsked whether any code of this thread can ask about its task */
export function newEntry(name: string, run: TaskFunction, isPure: boolean, isAsked: boolean) {
  const unseen = isAsked ? SYNC_RESULTS : 0;
  return {
    name,
    run,
    isPure,
    /** What placement 'auto' has learnt of the function. */
    learnt: undefined as PlacedFunction | undefined,
    /** How many more results must be no promises before it is taken to return none; Infinity: it does return promises. */
    unseen: tagOf(run) === '[object Function]' ? unseen : Number.POSITIVE_INFINITY,
    /** How many calls may still run on credit in which turn, how many have and were not counted, and how many were granted last. */
    credits: 0,
    turn: -1,
    used: 0,
    granted: 0,
    /** How many milliseconds the last timed call took. */
    lastMs: 0,
  };
}

export type Entry = ReturnType<typeof newEntry>;
