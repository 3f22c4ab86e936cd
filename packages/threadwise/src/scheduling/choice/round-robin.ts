/** Each worker in turn, by id: the next one after the last choice that has room. */
import type { Choice } from '../../core/contracts.js';
import { builtIn } from './built-in.js';

/** Keeps its own place in the round, so each pool gets one of its own: see `resolveChoice`. */
export function roundRobin(): Choice {
  let lastId = -1;
  return builtIn({
    name: 'round-robin',
    choose: (_task, candidates) => {
      const next = candidates.find((worker) => worker.id > lastId) ?? candidates[0]!;
      lastId = next.id;
      return next;
    },
  });
}
