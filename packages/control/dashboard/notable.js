/** What somebody who looks for the reason of a hang would look at first, in words. Facts only; the thresholds are below. */
import { count, counted, duration, errorText, percent, span } from './format.js';

/** Above that an event loop has hardly a turn left for anything else. Chosen, not measured. */
const BUSY_LOOP = 0.9;
/** A task that has waited, or run, for longer is worth a look. Milliseconds; chosen, not measured. */
const LONG_MS = 10_000;
/** How many workers are named. */
const NAMED = 5;
/** How many functions are named, those with the most failures. */
const FUNCTIONS = 3;
/** How many characters of an error are shown; the table of functions has all of it. */
const MOST_TEXT = 200;

export function notableOf(stats, history, now) {
  return [
    OF_STATE[stats.state]?.(stats) ?? [],
    ...ofQueue(stats),
    ...ofWorkers(stats, history, now),
    ...ofLoops(stats),
    ...ofFunctions(stats, history),
    ...ofLosses(history.grown()),
  ].flat();
}

const toSettle = ({ tasks }) =>
  `new calls are refused; ${counted(tasks.open, 'open call')} are still to settle.`;

const OF_STATE = {
  paused: ({ queue }) =>
    `Paused: calls are accepted and wait (${count(queue.size)} now), and no further task begins. Resume ends the pause.`,
  draining: (stats) =>
    stats.tasks.open > 0
      ? `Draining: ${toSettle(stats)}`
      : 'Drained: no call is open, and new calls are refused. Resume opens the pool again.',
  broken: () => 'Broken: every call is refused. Workers could not start; the errors below may say why.',
  closing: (stats) => `Closing: ${toSettle(stats)}`,
  closed: () => 'Closed: every call is refused.',
};

function ofQueue({ state, queue }) {
  const found = [];
  if (queue.limit !== null && queue.size >= queue.limit) {
    found.push(`The queue is full (${count(queue.size)} of ${count(queue.limit)}): calls are refused.`);
  }
  if (queue.size > 0 && queue.oldestMs > LONG_MS && state !== 'paused') {
    found.push(`The oldest task has waited for ${duration(queue.oldestMs)}.`);
  }
  return found;
}

function ofWorkers({ workers, threads, queue, state }, history, now) {
  const found = [];
  const stuck = workers
    .map(({ id }) => ({ id, ...history.stuckFor(id, now) }))
    .filter(({ ms }) => ms > LONG_MS)
    .sort((a, b) => b.ms - a.ms);
  if (stuck.length > 0) {
    const names = stuck.slice(0, NAMED).map(({ id }) => id);
    const more = stuck.length > NAMED ? ` and ${stuck.length - NAMED} more` : '';
    const which = `${stuck.length === 1 ? 'Worker' : 'Workers'} ${names.join(', ')}${more}`;
    const longest = stuck.length === 1 ? '' : ' (the longest of them)';
    const verb = stuck.length === 1 ? 'has a task and has' : 'have tasks and have';
    found.push(`${which} ${verb} ended none for ${span(stuck[0].ms)}${longest}.`);
  }
  if (threads.current === 0 && queue.size > 0 && state === 'open')
    found.push('Tasks wait, and there is no worker.');
  return found;
}

function ofLoops({ process, coordinator }) {
  const found = [];
  if (process?.utilization > BUSY_LOOP) {
    found.push(
      `The main event loop is ${percent(process.utilization)} busy: tasks are handed out late, and results are taken late.`,
    );
  }
  if (coordinator?.utilization > BUSY_LOOP)
    found.push(`The coordinator is ${percent(coordinator.utilization)} busy.`);
  return found;
}

function ofFunctions({ functions = [] }, history) {
  const { ms } = history.grown();
  return functions
    .map((each) => ({ ...each, failed: history.failuresOf(each.name) }))
    .filter(({ failed }) => failed > 0)
    .sort((a, b) => b.failed - a.failed)
    .slice(0, FUNCTIONS)
    .map(({ name, failed, lastError }) => {
      const text = lastError ? `, the last with ${errorText(lastError).slice(0, MOST_TEXT)}` : '';
      // Isolated, as the page's other names are: its writing direction must not reorder the sentence.
      return `${counted(failed, 'call')} of \u2068${name}\u2069 failed in the last ${span(ms)}${text}`;
    });
}

const OVERRUN = 'replaced because a task went on after its timeout or abort';

function ofLosses({ ms, counts }) {
  const when = `in the last ${span(ms)}`;
  // Calls that timed out, and calls that were lost with their worker, count too, as they do in the lines of the functions.
  const failed = counts.failed + counts.timedOut + counts.crashed;
  const late = counts.timedOut > 0 ? `, ${count(counts.timedOut)} of them by a timeout` : '';
  return [
    [counts.crashes, 'worker crashed', 'workers crashed'],
    [counts.restarts, 'restart of the coordinator', 'restarts of the coordinator'],
    [failed, 'call failed', 'calls failed', late],
    [counts.interrupted, `worker was ${OVERRUN}`, `workers were ${OVERRUN}`],
    [counts.rejected, 'call ended with the pool', 'calls ended with the pool'],
  ]
    .filter(([number]) => number > 0)
    .map(([number, one, many, more = '']) => `${counted(number, one, many)} ${when}${more}.`);
}
