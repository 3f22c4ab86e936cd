// The scenarios of the crossing, with a process for each worker. CPU time of other processes is not counted here.
import { bytes } from '../crossing/bytes.js';
import { calls } from '../crossing/calls.js';

/** Whose processes do the work at all: workerpool's get JSON, in which bytes are no bytes. */
const TAKES = { 'bytes-1m': ({ package: name }) => name !== 'workerpool' };
const WANTED = ['trivial', 'small-object', 'one-at-a-time', 'bytes-1m'];

/** One way to have processes for each package: ours crosses in one way, whatever its variants ask for. */
export const hasProcesses = ({ role, id, can }) =>
  can.includes('isolation') && (role === 'published' || id === 'threadwise');

export const inProcesses = [...calls, ...bytes]
  .filter(({ id }) => WANTED.includes(id))
  .map(({ id, title, metrics, isQuick, run }) => ({
    id,
    title: `${title}, in processes`,
    metrics: metrics.filter((metric) => metric.id !== 'cpuMicroseconds'),
    isQuick,
    takes: (contender) => hasProcesses(contender) && (TAKES[id]?.(contender) ?? true),
    goals: [goalOf(id)],
    run: (context) => run({ ...context, isolation: 'process' }),
  }));

function goalOf(id) {
  if (id !== 'one-at-a-time') {
    const text = 'at least as many calls as the best published pool';
    return { text, metric: 'callsPerSecond', by: 'times', to: 'published', atLeast: 1 };
  }
  const text = 'at most the median of the best published pool';
  return { text, metric: 'p50Microseconds', by: 'share', to: 'published', atMost: 1 };
}
