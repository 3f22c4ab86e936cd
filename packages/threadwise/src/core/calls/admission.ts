/** Takes in the calls of a pool: refuses each one, or runs it here, or captures its arguments and has it dispatched. */
import type { CallingThread } from '../inline/calling-thread.js';
import { pack } from '../events/carrier.js';
import { isList, list, text } from '../options/checks.js';
import type { Exchange } from '../contracts.js';
import type { Engine } from '../engine.js';
import { queueFullError, taskNotFound } from '../workers/failures.js';
import { abortError } from './canceller.js';
import { packStream, type Ticket } from './stream.js';
import type { Payload } from './payload.js';
import { keepResolve, type PlainCalls, resolveOfLast } from './plain-calls.js';
import { mayBePlain, type ResolvedRun, type RunOptions, resolveRun } from './run-options.js';
import { reasonOf } from './signals.js';
import type { WorkerSlot } from '../workers/worker-slot.js';

/** What the calls of `pool.broadcast`, `pool.stream` and `task.run` have, beside what those of `pool.run` have. */
interface Extra {
  /** The worker that it is for, or the calling thread; otherwise placement and dispatch decide. */
  readonly to?: WorkerSlot | CallingThread;
  /** The workers that get a call of the same broadcast. All calls of a broadcast share one set; a call of no broadcast has none. */
  readonly receivers?: Set<unknown>;
  readonly ticket?: Ticket;
}

type Capturing = Pick<Exchange, 'capture'>;
type Wire = readonly [string, readonly unknown[]];

/** Marks names that cross (`packStream`, `pack`): no task has it in its own. */
const NUL = '\0';

export class Admission {
  limit: number;
  /** The table of plain calls, for those that do not run here; undefined while every call needs a record. */
  plain: PlainCalls | undefined;
  /** Undefined where every call goes to a thread. */
  here: CallingThread | undefined;
  protected readonly engine: Engine;

  constructor(engine: Engine) {
    this.engine = engine;
    this.limit = engine.parts.options.queue.limit;
  }

  /** Validates a call, captures its arguments, and gives it to the dispatch. Never throws. */
  enter(name: unknown, args: unknown, given?: RunOptions, extra?: Extra): Promise<unknown> {
    if (extra === undefined) {
      const calls = given === undefined ? this.here?.calls : undefined;
      const settled =
        calls?.enter(name, args) ?? (calls?.defers(name) ? undefined : this.plain?.enter(name, args, given));
      if (settled !== undefined) return settled;
    }
    return this.enterTask(name, args, given, extra);
  }

  /** The same for a call that `PlainCalls.enter` does not take. */
  enterTask(name: unknown, args: unknown, given?: RunOptions, extra?: Extra): Promise<unknown> {
    try {
      return this.#accept(name, args, given, extra);
    } catch (error) {
      return Promise.reject(error); // its stack has the caller
    }
  }

  /** Whether the function's calls cross now to measure what that costs: they are few. */
  isExploring(name: string): boolean {
    return this.here?.calls.entries.get(name)?.learnt?.isExploring === true;
  }

  /** How many more tasks are accepted now. Infinity where calls are refused: otherwise callers would wait for room for ever. */
  freePlaces(): number {
    const { limit, here } = this;
    const { dispatch, lifecycle, workers } = this.engine;
    if (limit === Number.POSITIVE_INFINITY || lifecycle.refusal !== undefined)
      return Number.POSITIVE_INFINITY;
    // While no worker is ready, the queue takes one task beyond its limit: the first worker that is ready begins it.
    const own = here?.calls.takesAll ? here : undefined;
    const isReady = own?.isReady ?? workers.slots.some(({ state }) => state === 'ready');
    const hasRoom = (own ?? dispatch).hasRoom || !(isReady || dispatch.isPaused);
    return limit - dispatch.waiting - (here?.tasks.waiting ?? 0) + (hasRoom ? 1 : 0);
  }

  #accept(given: unknown, args: unknown, options?: RunOptions, extra?: Extra): Promise<unknown> {
    const { to, receivers, ticket } = extra ?? {};
    const { parts, defaults, ledger, hooks, lifecycle, scaler, room, canceller, dispatch, meter } =
      this.engine;
    const { here } = this;
    const { names } = parts.recorder.functions;
    lifecycle.checkAccepting();
    const name = text('name', given);
    if (name.includes(NUL)) throw taskNotFound(name, names ?? []);
    const run = resolveRun(options, defaults, parts.platform);
    if (run.signal?.aborted) throw abortError({ name, id: 0, run });
    const values = list('args', args);
    const hasOwnOptions = extra === undefined && options !== undefined;
    const settled = hasOwnOptions ? here?.calls.enter(name, values, run) : undefined;
    if (settled !== undefined) return settled;
    if (receivers === undefined && this.freePlaces() <= 0) throw queueFullError(name, this.limit);
    const isPlain = options === undefined && ticket === undefined;
    const receiver = to ?? (here?.calls.takesAll || (isPlain && here?.calls.defers(name)) ? here : undefined);
    const canBePlain = hasOwnOptions && receiver === undefined && mayBePlain(run);
    const call = canBePlain ? this.plain?.enterWith(name, values, run) : undefined;
    if (call !== undefined) return call;
    const atHere = receiver === this.engine.here ? this.engine.here : undefined;
    const isMeasured = atHere === undefined && meter.wantsSubmission(this.isExploring(name));
    const began = isMeasured ? parts.platform.now() : 0;
    // A buffer that is moved to a worker which finds no such task would be lost.
    if (run.transfer.length > 0 && names?.includes(name) === false) throw taskNotFound(name, names);
    const exchange = atHere ?? parts.exchange;
    const id = ledger.newId();
    const wire: Wire = ticket === undefined ? [name, values] : packStream(name, values, ticket);
    const trace = hooks.isTracing ? this.#startTrace(name, id, wire, run, exchange) : undefined;
    const payload = trace?.payload ?? this.#capture(wire, run, exchange);
    const promise = new Promise(keepResolve);
    const task = ledger.open(id, name, payload, run, resolveOfLast, trace?.wireName ?? wire[0]);
    task.context = trace?.context;
    task.receivers = receivers;
    parts.recorder.counts.submitted++;
    lifecycle.updateKeepAlive();
    scaler.watch();
    room.taken();
    hooks.emit('task:submit', { taskId: id, name });
    if (task.settled) return promise; // a listener has ended the pool
    try {
      canceller.watchSignal(task);
      // A getter, a hook or a listener may have aborted it.
      if (run.signal?.aborted) task.settle({ outcome: 'aborted', error: abortError(task) });
    } catch (error) {
      task.settle({ outcome: 'rejected', error }); // the signal is of the user's own kind, and throws
    }
    if (task.settled) return promise;
    if (atHere !== undefined) {
      task.pinned = to !== undefined;
      atHere.tasks.submit(task);
      return promise;
    }
    if (receiver === undefined) dispatch.submit(task);
    else dispatch.submitTo(receiver as WorkerSlot, task);
    if (scaler.canGrow && dispatch.queued > 0) scaler.adjust();
    if (began > 0) meter.submitted(name, parts.platform.now() - began);
    return promise;
  }

  /** Asks the tracer what goes along, and captures both. Throws, and tells the tracer, what refuses the call. */
  #startTrace(name: string, taskId: number, wire: Wire, run: ResolvedRun, exchange: Capturing) {
    const { hooks, lifecycle } = this.engine;
    const context = hooks.traceStart(taskId, name);
    try {
      lifecycle.checkAccepting(); // the hook may have closed the pool
      const [wireName, wireArgs] = pack(...wire, context);
      try {
        return { context, wireName, payload: this.#capture([wireName, wireArgs], run, exchange) };
      } catch (error) {
        if (context === undefined) throw error;
        const payload = this.#capture(wire, run, exchange); // throws if the arguments are to blame
        hooks.contextRefused(error);
        return { context, wireName: wire[0], payload };
      }
    } catch (error) {
      const none = { waitMs: undefined, runMs: undefined };
      hooks.traceEnd({ taskId, name, context, outcome: 'rejected', ...none, error });
      throw error;
    }
  }

  /** Throws what refuses the call: a getter of its options or its arguments may have closed the pool. */
  #capture(wire: Wire, run: ResolvedRun, exchange: Capturing): Payload {
    const payload = exchange.capture(...wire, run);
    const { refusal } = this.engine.lifecycle;
    if (refusal === undefined) return payload;
    payload.onSettled?.(false);
    throw refusal;
  }
}

/** The admission of a pool with registered classes: it packs their instances in arguments and unpacks those in results. */
export class PackingAdmission extends Admission {
  override async enter(name: unknown, args: unknown, given?: RunOptions, extra?: Extra): Promise<unknown> {
    const instances = this.engine.parts.instances!;
    try {
      const own = isList(args) ? instances.packArguments(args) : args;
      return instances.unpack(await super.enter(name, own, given, extra));
    } catch (error) {
      // The reason of an abort has not crossed: a look into it might run code of the caller's.
      throw instances.unpackError(error, new Set([reasonOf(given?.signal)]));
    }
  }
}
