/** The worker whose event loop was least active lately: for tasks that await, where counting them says little. */
import type { Choice, WorkerView } from '../../core/contracts.js';
import { builtIn } from './built-in.js';

export const leastElu: Choice = builtIn({
  name: 'least-elu',
  choose: (_task, candidates) => {
    const idle = candidates.find((worker) => worker.load === 0);
    return idle ?? leastUtilized(candidates);
  },
});

/** By utilisation measured once per worker, then by load. */
function leastUtilized(candidates: readonly WorkerView[]): WorkerView {
  const measured = candidates.map((worker) => ({ worker, utilization: worker.utilization }));
  measured.sort((a, b) => a.utilization - b.utilization || a.worker.load - b.worker.load);
  return measured[0]!.worker;
}
