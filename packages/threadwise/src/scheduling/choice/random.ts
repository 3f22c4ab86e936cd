/** Any worker that has room, with equal probability. */
import type { Choice } from '../../core/contracts.js';
import { builtIn } from './built-in.js';

/** @param source numbers from 0 up to, not including, 1; for tests. */
export function random(source: () => number = Math.random): Choice {
  return builtIn({
    name: 'random',
    choose: (_task, candidates) => candidates[Math.floor(source() * candidates.length)]!,
  });
}
