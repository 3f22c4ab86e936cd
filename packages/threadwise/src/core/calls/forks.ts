/**
 * Calls that a task makes of tasks of its own pool: `task.run`. Such a call is given to a worker only where one has nothing to do; otherwise the
 * task's own thread runs it. The worker's end: `runner/forks.ts`.
 *
 * Why a pool never waits for itself: a call that was given lies behind nothing but tasks that its worker took after main had given it. Such a
 * task can wait for a call of its own only if main gave that one later still, since main gives nothing to a worker that runs something. So
 * along every chain of tasks that wait for each other, each call was given later than the one before: no chain is a circle. Therefore a call
 * whose worker dies before it begins is not given to another one: it is refused, and runs where it was made.
 */
import type { RanWithin } from '../../metrics/functions.js';
import type { Engine } from '../engine.js';
import type { WorkerSlot } from '../workers/worker-slot.js';
import { AbortController, type Controller } from './signals.js';
import type { Task } from './task.js';

/** The host function that a task asks. No owner can offer one of that name. */
export const FORK_HOST = '\0fork';

/**
 * room: how many calls would be given to other workers now. run: one call; its result comes in a list, undefined where no worker is idle any
 * more. abort: that call is not wanted any more. ran: what ran where it was called, for the statistics.
 */
export type Fork =
  | readonly [what: 'room']
  | readonly [what: 'run', number: number, name: string, args: readonly unknown[]]
  | readonly [what: 'abort', number: number]
  | readonly [what: 'ran', parts: readonly RanWithin[]];

export class Forks {
  readonly #engine: Engine;
  /** The calls that were given and have not ended, by the worker whose task made them. */
  readonly #given = new Map<object, Map<number, Controller>>();
  /** The signals of calls that were given, and the errors of those that their workers never began. */
  readonly #own = new WeakSet<object>();

  constructor(engine: Engine) {
    this.#engine = engine;
  }

  /** @param by the worker whose task asks, or the object that stands for the calling thread */
  async ask(by: object, fork: Fork): Promise<unknown> {
    const { workers, parts } = this.#engine;
    if (fork[0] === 'ran') {
      const isInline = !workers.slots.includes(by as WorkerSlot);
      for (const each of fork[1]) parts.recorder.functions.ranWithin(each, parts.platform.now(), isInline);
      return;
    }
    const [what, number, name, args] = fork;
    if (what === 'room') return this.#idle().length;
    if (what === 'run') return this.#give(by, number, name, args);
    return this.#given.get(by)?.get(number)?.abort(new Error('The task that called it was aborted'));
  }

  /** The worker `by` has ended: nobody waits for the calls of its tasks any more. */
  gone(by: object): void {
    const given = this.#given.get(by);
    this.#given.delete(by);
    for (const controller of given?.values() ?? [])
      controller.abort(new Error('The worker that called it has ended'));
  }

  /** The error that a task ends with, if it is a given call whose worker ended before it began the task; undefined: it is no given call. */
  lost(task: Task): Error | undefined {
    const { signal } = task.run;
    if (signal === undefined || !this.#own.has(signal)) return undefined;
    const error = new Error('Its worker ended before it began');
    this.#own.add(error);
    return error;
  }

  /**
   * Workers that run nothing, unless other calls need them: tasks that wait, or those that workers with an allowance are left to. None where a call
   * would be refused: whoever asks must not have to tell a refusal from the same error of a task.
   */
  #idle(): WorkerSlot[] {
    const { admission, dispatch, workers, lifecycle, placement } = this.#engine;
    const isOpen = lifecycle.state === 'open' && placement.usesThreads && admission.freePlaces() > 0;
    if (!isOpen || dispatch.offered + dispatch.queued > 0) return [];
    return workers.slots.filter(
      (slot) => slot.state === 'ready' && slot.load === 0 && !slot.allowance.isLimited,
    );
  }

  async #give(by: object, number: number, name: string, args: readonly unknown[]): Promise<unknown> {
    const [idle] = this.#idle();
    if (idle === undefined) return undefined;
    const controller = new AbortController();
    this.#own.add(controller.signal);
    const given = this.#given.get(by) ?? new Map<number, Controller>();
    this.#given.set(by, given.set(number, controller));
    try {
      const options = { signal: controller.signal, retries: 0 };
      return [await this.#engine.admission.enter(name, args, options, { to: idle })];
    } catch (error) {
      if (this.#own.has(error as object)) return undefined;
      throw error;
    } finally {
      given.delete(number);
    }
  }
}
