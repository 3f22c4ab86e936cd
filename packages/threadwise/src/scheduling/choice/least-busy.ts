/** The default strategy: the worker with the fewest tasks; among equals the one that started first. */
import type { Choice, WorkerView } from '../../core/contracts.js';
import { builtIn } from './built-in.js';

export const leastBusy: Choice = builtIn({
  name: 'least-busy',
  choose: (_task, candidates) => least(candidates, (worker) => worker.load),
});

/** The candidate with the smallest measure, the first one among equals. */
export function least(
  candidates: readonly WorkerView[],
  measure: (worker: WorkerView) => number,
): WorkerView {
  let best = candidates[0]!;
  let bestMeasure = measure(best);
  for (let i = 1; i < candidates.length; i++) {
    const current = measure(candidates[i]!);
    if (current < bestMeasure) [best, bestMeasure] = [candidates[i]!, current];
  }
  return best;
}
