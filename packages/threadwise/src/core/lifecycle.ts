/**
 * The life of a pool: open → closing → closed, or broken → closed. While it is open, it may be paused, or draining.
 *
 * Shutdown, in this order:
 *  1. `closing`: calls are refused (ERR_POOL_CLOSED). What was accepted goes on.
 *  2. The last open call settles. If none settles for `timeoutMs`, the open ones are rejected, as by `destroy`.
 *  3. Sizing ends: no worker is started or released any more.
 *  4. Every worker ends what it runs (an interrupted task within its grace), runs `teardown`, and its thread ends; by `destroy`, at once.
 *  5. The last thread is gone: timers, leases, listeners and the handle that kept the process alive go; `closed`.
 *
 * Races: a worker that still loads when the pool closes is ended, or works if calls wait for it. `destroy` during `close` rejects what is left.
 */
import { duration, MAX_TIMER_MS, record } from './options/checks.js';
import type { KeepAlive, TimerHandle } from './contracts.js';
import type { Engine } from './engine.js';
import { sameAgain, ThreadwiseError } from './options/errors.js';
import { transition } from './workers/worker-slot.js';
import { promised } from './promised.js';

export type PoolState = 'open' | 'broken' | 'closing' | 'closed';

const TRANSITIONS: Readonly<Record<PoolState, readonly PoolState[]>> = {
  open: ['broken', 'closing'],
  broken: ['closing'],
  closing: ['closed'],
  closed: [],
};

const CLOSE_TIMEOUT_MS = 30_000;

export class Lifecycle {
  readonly ready: Promise<void>;
  readonly #engine: Engine;
  readonly #keepAlive: KeepAlive;
  #state: PoolState = 'open';
  /** Settles `ready`; undefined once it has. */
  #readiness: ReturnType<typeof promised<void>> | undefined = promised();
  #closed: ReturnType<typeof promised<void>> | undefined;
  /** How long `close` waits for a call to settle; undefined: the pool is not being closed. */
  #stallMs: number | undefined;
  #stall: TimerHandle | undefined;
  #isEndingWorkers = false;
  #brokenBy: ThreadwiseError | undefined;
  /** Set while the pool drains. */
  #drained: ReturnType<typeof promised<void>> | undefined;

  constructor(engine: Engine) {
    this.#engine = engine;
    this.#keepAlive = engine.parts.platform.keepAlive();
    this.ready = this.#readiness!.promise;
    this.ready.catch(() => undefined); // a program that does not ask for `ready` gets the error from its calls
    this.updateKeepAlive();
  }

  get state(): PoolState | 'draining' | 'paused' {
    if (this.#state !== 'open') return this.#state;
    if (this.#drained !== undefined) return 'draining';
    return this.#engine.dispatch.isPaused ? 'paused' : 'open';
  }

  /** The error that a call gets now; undefined while calls are accepted. */
  get refusal(): unknown {
    if (this.#brokenBy !== undefined) return sameAgain(this.#brokenBy);
    if (this.#state !== 'open') return new ThreadwiseError('ERR_POOL_CLOSED', `The pool is ${this.#state}`);
    const draining = 'The pool is being drained: it takes no calls until resume()';
    return this.#drained && new ThreadwiseError('ERR_POOL_CLOSED', draining);
  }

  /** Throws the error that a call gets now, if it gets one. */
  checkAccepting(): void {
    const { refusal } = this;
    if (refusal !== undefined) throw refusal;
  }

  checkOpen(): void {
    if (this.#state !== 'open') throw this.refusal;
  }

  /** Settles `ready`, with an error if there is one. */
  becomeReady(error?: unknown): void {
    if (error === undefined) this.#readiness?.resolve();
    else this.#readiness?.reject(error);
    this.#readiness = undefined;
    this.updateKeepAlive();
  }

  /** The module cannot be loaded: every call from now on gets `error`. */
  break(error: ThreadwiseError): void {
    if (this.#state === 'closed') return;
    if (this.#state === 'open') this.#transition('broken');
    this.#brokenBy = error;
    this.becomeReady(error);
    this.#engine.rejectAll(error);
    this.#engine.endWorkers('now');
  }

  pause(): void {
    this.checkOpen();
    this.#engine.dispatch.pause();
    this.#engine.regate();
  }

  resume(): void {
    this.checkOpen();
    this.#release();
  }

  /** Undoes a pause, too. Resolves also when the pool goes on. */
  drain(): Promise<void> {
    this.checkOpen();
    const { promise } = (this.#drained ??= promised()); // a listener may call resume() meanwhile
    this.#goOn();
    this.#engine.room.update(); // callers that wait for room must hear that there will be none
    this.settled();
    return promise;
  }

  close(options: { timeoutMs?: number | undefined } = {}): Promise<void> {
    const { timeoutMs = CLOSE_TIMEOUT_MS } = record('options', options, ['timeoutMs']);
    const stallMs = duration('timeoutMs', timeoutMs, 0) ?? MAX_TIMER_MS;
    if (this.#closed !== undefined) return this.#closed.promise;
    const closed = this.#beginClosing();
    this.#stallMs = stallMs;
    this.settled();
    this.#release();
    return closed;
  }

  destroy(): Promise<void> {
    const closed = this.#closed?.promise ?? this.#beginClosing();
    if (this.#state !== 'closed') this.#giveUp('The pool was destroyed');
    return closed;
  }

  settled(): void {
    this.updateKeepAlive();
    if (this.#drained === undefined && this.#state !== 'closing') return;
    const { here, ledger, parts } = this.#engine;
    // A call whose function runs within `run` is in the ledger only once that has returned a promise.
    if (here?.calls.isRunning) return parts.platform.defer(() => this.settled());
    if (ledger.size === 0) this.#drained?.resolve();
    if (this.#state !== 'closing') return;
    if (ledger.size === 0) return this.#endWorkers('gently');
    const ms = this.#stallMs;
    if (ms === undefined) return;
    this.#stall?.cancel();
    const { size } = ledger;
    const giveUp = () => {
      if (ledger.size >= size) this.#giveUp(`The pool was closing, and no task had settled for ${ms} ms`);
    };
    // While main was busy, results may have come, and timers come before messages.
    this.#stall = parts.platform.timer(ms, () => parts.platform.nextTurn(giveUp));
  }

  /** A worker is gone. Step 5, if it was the last one. */
  workerGone(): void {
    const { workers, here } = this.#engine;
    const isAnyLeft = workers.slots.length > 0 || here?.isServing;
    if (!this.#isEndingWorkers || isAnyLeft || this.#state !== 'closing') return;
    this.#transition('closed');
    this.#stall?.cancel();
    void this.#engine.dispose().then(() => {
      this.#keepAlive.dispose();
      this.#closed?.resolve();
    });
  }

  /** The process stays alive while there is something to wait for, and only then. */
  updateKeepAlive(): void {
    const isNeeded =
      this.#engine.ledger.size > 0 ||
      this.#engine.room.isAwaited ||
      this.#engine.recycler.isWorking ||
      this.#readiness !== undefined ||
      this.#state === 'closing';
    if (isNeeded) this.#keepAlive.hold();
    else this.#keepAlive.release();
  }

  #release(): void {
    this.#drained?.resolve();
    this.#drained = undefined;
    this.#goOn();
  }

  /** The pool goes on, if only to drain or to close: what a pause keeps would wait for ever. */
  #goOn(): void {
    this.#engine.dispatch.resume();
    this.#engine.regate();
    this.#engine.pump();
  }

  #beginClosing(): Promise<void> {
    this.#closed = promised();
    this.#transition('closing');
    if (this.#engine.ledger.size === 0) this.becomeReady(this.refusal);
    this.updateKeepAlive();
    return this.#closed.promise;
  }

  #giveUp(message: string): void {
    const error = new ThreadwiseError('ERR_POOL_CLOSED', message);
    this.becomeReady(error);
    this.#isEndingWorkers = true; // or the last call that is rejected would end them gently
    this.#engine.rejectAll(error);
    this.#endWorkers('now');
  }

  #endWorkers(how: 'gently' | 'now'): void {
    if (this.#isEndingWorkers && how === 'gently') return;
    this.#isEndingWorkers = true;
    this.#stall?.cancel();
    this.becomeReady(this.refusal);
    this.#engine.endWorkers(how);
    this.workerGone();
  }

  #transition(to: PoolState): void {
    this.#state = transition('a pool', TRANSITIONS, this.#state, to);
    this.#engine.regate();
  }
}
