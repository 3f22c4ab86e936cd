/** Runs something until it gets no faster: code is compiled in the background, and later on a machine that is busy. */
import { performance } from 'node:perf_hooks';

/** Faster by less is not faster. */
const FASTER = 1.05;
/** So many pieces in a row that are not faster than the best before them. */
const STALE = 3;

/** @param piece runs for a moment and gives its rate; at least one is run, and none is begun after `mostMs` */
export async function warmUp(piece: () => Promise<number> | number, mostMs: number): Promise<void> {
  const end = performance.now() + mostMs;
  let [best, stale] = [0, 0];
  do {
    const rate = await piece();
    stale = rate > FASTER * best ? 0 : stale + 1;
    best = Math.max(best, rate);
  } while (stale < STALE && performance.now() < end);
}
