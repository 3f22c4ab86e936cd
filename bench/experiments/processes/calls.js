// Scenarios of the experiment crossing with a process for each worker, without CPU time: that of other processes is not counted.
import { bytes } from '../crossing/bytes.js';
import { calls } from '../crossing/calls.js';

const WANTED = ['trivial', 'small-object', 'one-at-a-time', 'bytes-1m'];

/** One contender of each package that can use processes: all variants of ours cross in the same way there. */
export const hasProcesses = ({ role, id, can }) =>
  can.includes('isolation') && (role === 'published' || id === 'threadwise');

export const inProcesses = [...calls, ...bytes]
  .filter(({ id }) => WANTED.includes(id))
  .map(({ id, title, metrics, isQuick, run }) => ({
    id,
    title: `${title}, in processes`,
    metrics: metrics.filter((metric) => metric.id !== 'cpuMicroseconds'),
    isQuick,
    takes: hasProcesses,
    goals: [goalOf(id)],
    run: (context) => run({ ...context, isolation: 'process', hasBytes: id === 'bytes-1m' }),
  }));

function goalOf(id) {
  if (id !== 'one-at-a-time') {
    const text = 'at least as many calls as the best published pool';
    return { text, metric: 'callsPerSecond', by: 'times', to: 'published', atLeast: 1 };
  }
  const text = 'at most the median of the best published pool';
  return { text, metric: 'p50Microseconds', by: 'share', to: 'published', atMost: 1 };
}
