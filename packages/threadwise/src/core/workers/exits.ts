/** What becomes of the tasks of a worker whose thread has ended: they are settled, or run elsewhere. */
import type { ThreadExit } from '../contracts.js';
import type { Engine } from '../engine.js';
import { unreadable } from '../calls/payload.js';
import type { Task } from '../calls/task.js';
import { textOf, ThreadwiseError } from '../options/errors.js';
import { lostError, reasonOf } from './failures.js';
import type { WorkerSlot } from './worker-slot.js';

/** A worker that ends idle within this many milliseconds of its start would probably do so again. Chosen by hand. */
const EARLY_MS = 10_000;

/** The thread of a worker is gone. */
export function exited(engine: Engine, slot: WorkerSlot, exit: ThreadExit): void {
  const { workers, canceller, dispatch, forks, hooks, parts } = engine;
  const { recorder } = parts;
  slot.link.drain(); // what it said before it ended
  slot.adopt();
  slot.link.bury();
  const phase = failurePhase(engine, slot);
  slot.transition('dead');
  const again: Task[] = [];
  for (const task of slot.handed) if (!task.stillRuns) canceller.release(task); // an abort is not for a dead worker
  for (const task of slot.handed) {
    canceller.ended(task);
    if (!task.settled && survives(engine, slot, task, exit)) again.push(task);
  }
  again.push(...slot.takeLane());
  slot.handed.clear();
  // The worker stays in the list until now: a closing pool is closed once its last call has settled and no worker is left, and then nobody hears of this exit.
  workers.slots.splice(workers.slots.indexOf(slot), 1);
  dispatch.putBack(again.filter((task) => !task.settled)); // a listener may have given one up
  recorder.forget(slot.record);
  slot.link.close();
  const { id: workerId, exitReason: reason } = slot;
  const { exitCode } = exit;
  const error = exit.error ?? slot.exitCause;
  if (reason === 'crashed') recorder.counts.crashes++;
  if (reason === 'interrupted') recorder.counts.interrupted++;
  hooks.emit('worker:exit', { workerId, reason, exitCode, error });
  if (phase !== undefined) {
    const during = phase === 'idle' ? 'had nothing to do' : 'was starting';
    const why = error ?? reasonOf(`The worker ended with ${howEnded(exit)} while it ${during}`);
    engine.workerFailed(slot, why, exit.isChance ? 'idle' : phase);
  }
  const broadcasts = slot.lane.clear();
  engine.workerGone();
  // A broadcast that the dead worker had not begun goes to a worker that replaces it, if there may be one.
  for (const task of broadcasts) {
    const lost = forks.lost(task);
    if (lost !== undefined) task.settle({ outcome: 'aborted', error: lost });
    const heir = task.settled ? undefined : heirOf(engine, task);
    // A listener that was told of the new worker may have aborted it, or closed the pool.
    if (heir !== undefined && !task.settled) dispatch.submitTo(heir, task);
    else task.settle({ outcome: 'crashed', error: lossError(task, slot, exit, false) });
  }
  forks.gone(slot);
}

/** A worker for a broadcast's call of a dead worker: one that was started after the broadcast and has no call of it, or a new one if there may be one more. */
function heirOf({ workers, scaler }: Engine, { receivers }: Task): WorkerSlot | undefined {
  if (receivers === undefined) return undefined;
  const find = () => workers.slots.findLast((slot) => slot.serves && !receivers.has(slot));
  if (find() === undefined) scaler.replace();
  const heir = find();
  if (heir !== undefined) receivers.add(heir);
  return heir;
}

/** What the worker was doing when it crashed, if a new one would probably crash likewise: it was young and had begun no task. */
function failurePhase({ parts }: Engine, slot: WorkerSlot): 'loading' | 'idle' | undefined {
  if (slot.exitReason !== 'crashed') return undefined;
  if (slot.state === 'starting') return 'loading';
  const isEarly = parts.platform.now() - slot.startedAt < EARLY_MS;
  const hasWorked = slot.completed > 0 || [...slot.handed].some((task) => slot.hasBegun(task));
  return isEarly && !hasWorked ? 'idle' : undefined;
}

/** Whether a task that the dead worker held is to run elsewhere. If not, it is settled, or kept for a worker that replaces the dead one. */
function survives({ parts, hooks }: Engine, slot: WorkerSlot, task: Task, exit: ThreadExit): boolean {
  const begun = slot.hasBegun(task);
  if (!begun && !task.moves) {
    if (task.pinned) slot.lane.push(task, task.priority);
    return !task.pinned;
  }
  const cause = lossError(task, slot, exit, begun);
  const isUnread = slot.link.hasEndedUnread?.(task);
  const isRetried = !isUnread && begun && task.isMovable && task.retriesLeft > 0;
  if (isRetried) {
    task.retriesLeft--;
    parts.recorder.counts.retried++;
    hooks.emit('task:retry', { taskId: task.id, name: task.name, cause });
  } else if (isUnread) task.settle({ outcome: 'failed', error: unreadable('result') });
  else task.settle({ outcome: 'crashed', error: cause });
  return isRetried;
}

/** The error of a task that a worker had when it ended. @param begun whether the task ran */
function lossError(task: Task, { id: workerId, exitCause }: WorkerSlot, exit: ThreadExit, begun: boolean) {
  const { name: taskName, id: taskId } = task;
  const { exitCode, error, outOfMemory } = exit;
  const details = { exitCode, taskName, taskId, workerId, cause: error ?? exitCause };
  if (!begun) return lostError(task, `Worker ${workerId}`, details);
  const ran = `while it ran task '${taskName}'`;
  if (outOfMemory)
    return new ThreadwiseError('ERR_WORKER_MEMORY', `Worker ${workerId} ran out of memory ${ran}`, details);
  const ended = exitCause instanceof Error ? `it was replaced: ${exitCause.message}` : howEnded(exit);
  const why = error === undefined ? ended : `uncaught ${textOf(error)}`;
  return new ThreadwiseError('ERR_WORKER_CRASHED', `Worker ${workerId} ended ${ran} (${why})`, details);
}

function howEnded({ how, exitCode }: ThreadExit): string {
  return how === undefined ? `exit code ${exitCode}` : `exit code ${exitCode}: ${how}`;
}
