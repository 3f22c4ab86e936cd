/** Tells what happens in a pool: to listeners, to diagnostics channels, and to a tracer, which is also asked for the context of each task. */
import type { Outcome } from '../contracts.js';
import { callback, oneOf } from '../options/checks.js';
import { ThreadwiseError } from '../options/errors.js';
import type { ResolvedOptions } from '../options/options.js';
import { isThenable } from '../promised.js';
import type { SizingDecision } from '../workers/sizer.js';
import { UserCode } from './user-code.js';

/** A call that was made. Told in the caller's own turn and async context. */
export interface TaskStart {
  readonly pool: string;
  readonly taskId: number;
  readonly name: string;
}

export interface TaskEnd extends TaskStart {
  /** What `onTaskStart` returned. */
  readonly context: unknown;
  readonly outcome: Outcome;
  /** How long the call took without the running of its task. Milliseconds; undefined where the task never ran to an end. */
  readonly waitMs: number | undefined;
  /** How long the task ran. Milliseconds; undefined where it never ran to an end. */
  readonly runMs: number | undefined;
  /** Undefined for a task that completed. */
  readonly error: unknown;
}

/** Every event and what it carries. The diagnostics channel of an event is `threadwise:` and its name. */
export interface PoolEvents {
  'task:submit': TaskStart;
  'task:settle': Omit<TaskEnd, 'context'>;
  'task:retry': TaskStart & { readonly cause: unknown };
  'task:progress': TaskStart & { readonly value: unknown };
  'worker:start': { readonly pool: string; readonly workerId: number };
  'worker:ready': { readonly pool: string; readonly workerId: number; readonly startMs: number };
  /** `reason`: why the worker ended; with 'crashed' and 'load-failed' it was not told to. */
  'worker:exit': {
    readonly pool: string;
    readonly workerId: number;
    readonly reason: ExitReason;
    readonly exitCode: number;
    readonly error: unknown;
  };
  /** The pool wants another number of workers. */
  'pool:size': SizingDecision & { readonly pool: string };
  'pool:close': { readonly pool: string };
  /** An error that belongs to no call: a strategy or a listener that threw, a worker that could not be restarted. */
  error: { readonly pool: string; readonly error: unknown };
}

const EVENTS = [
  'task:submit',
  'task:settle',
  'task:retry',
  'task:progress',
  'worker:start',
  'worker:ready',
  'worker:exit',
  'pool:size',
  'pool:close',
  'error',
] as const satisfies readonly (keyof PoolEvents)[];

export type ExitReason = 'released' | 'recycled' | 'closed' | 'interrupted' | 'load-failed' | 'crashed';
export type PoolEventName = keyof PoolEvents;
/** What `emit` is given: it adds the name of the pool. */
type Told<E extends PoolEventName> = Omit<PoolEvents[E], 'pool'>;
export type Listener<E extends PoolEventName> = (event: PoolEvents[E]) => void;

/** Where one kind of event goes beside the pool's own listeners: a diagnostics channel, on Node. */
export interface EventChannel {
  readonly hasSubscribers: boolean;
  publish(event: unknown): void;
}

export interface EventSink {
  /** Returns the same object each time it is asked for a name. */
  channel(name: string): EventChannel;
  /** Called with an `error` event that nobody listens to: somebody should see it all the same. */
  unheard?(event: PoolEvents['error']): void;
}

type Tracer = Partial<Pick<ResolvedOptions, 'onTaskStart' | 'onTaskEnd'>>;

export class Hooks {
  /** Whether there is an `onTaskStart` or an `onTaskEnd`. */
  readonly isTracing: boolean;
  /** The listeners of each event in the order in which they came, each with a number that grows from one to the next. */
  readonly #listeners = new Map<PoolEventName, Map<(event: never) => void, number>>();
  #lastNumber = 0;
  readonly #sink: EventSink;
  readonly #pool: string;
  readonly #tracer: Tracer;
  readonly #userCode = new UserCode();
  readonly #submits: EventChannel;
  readonly #settles: EventChannel;

  constructor(sink: EventSink, pool: string, tracer: Tracer = {}) {
    this.#sink = sink;
    this.#pool = pool;
    this.#tracer = tracer;
    this.isTracing = tracer.onTaskStart !== undefined || tracer.onTaskEnd !== undefined;
    this.#submits = sink.channel('task:submit');
    this.#settles = sink.channel('task:settle');
  }

  /** Whether anybody listens to what happens to every call. */
  get areCallsHeard(): boolean {
    if (this.#submits.hasSubscribers || this.#settles.hasSubscribers) return true;
    return this.#listeners.size > 0 && (this.#hasListener('task:submit') || this.#hasListener('task:settle'));
  }

  /** Throws ERR_OPTION. */
  on<E extends PoolEventName>(name: E, listener: Listener<E>): void {
    oneOf('event', name, EVENTS);
    callback('listener', listener);
    const listeners = this.#listeners.get(name) ?? new Map();
    this.#listeners.set(name, listeners);
    if (!listeners.has(listener)) listeners.set(listener, ++this.#lastNumber);
  }

  off<E extends PoolEventName>(name: E, listener: Listener<E>): void {
    this.#listeners.get(name)?.delete(listener);
  }

  /** Whether anybody listens: ask before making an event on a hot path. */
  wants(name: PoolEventName): boolean {
    return this.#hasListener(name) || this.#sink.channel(name).hasSubscribers;
  }

  #hasListener(name: PoolEventName): boolean {
    return (this.#listeners.get(name)?.size ?? 0) > 0;
  }

  emit<E extends PoolEventName>(name: E, told: Told<E>): void {
    const isHeard = this.wants(name);
    if (!isHeard && name !== 'error') return;
    const event: unknown = { pool: this.#pool, ...told };
    if (!isHeard) return this.#sink.unheard?.(event as PoolEvents['error']);
    const last = this.#lastNumber;
    for (const [listener, number] of this.#listeners.get(name) ?? []) {
      if (number > last) break; // a listener that was added by a listener hears only the next event
      // A mistake in an error listener has nowhere left to go.
      this.#userCode.call(listener as (event: unknown) => void, [event], (error) => {
        if (name !== 'error') this.report(error);
      });
    }
    const channel = this.#sink.channel(name);
    if (channel.hasSubscribers) channel.publish(event);
  }

  readonly report = (error: unknown): void => this.emit('error', { error });

  clear(): void {
    this.#listeners.clear();
  }

  // --- the tracer: what is wrong with it is reported once, and must not harm the call ---

  traceStart(taskId: number, name: string): unknown {
    const { onTaskStart } = this.#tracer;
    if (onTaskStart === undefined) return undefined;
    const context = this.#userCode.call(onTaskStart, [{ pool: this.#pool, taskId, name }], this.report);
    if (!isThenable(context)) return context;
    this.contextRefused(undefined, 'a promise: the call does not wait for it');
    return undefined;
  }

  /** Reports that what `onTaskStart` returned cannot cross: the call goes without it. */
  contextRefused(cause: unknown, got = 'what cannot be cloned'): void {
    const message = `Option 'onTaskStart': expected a function that returns a value to take along, got ${got}`;
    const error = new ThreadwiseError('ERR_OPTION', message, { cause });
    this.#userCode.failed(this.#tracer.onTaskStart!, error, this.report);
  }

  traceEnd(task: Omit<TaskEnd, 'pool'>): void {
    const { onTaskEnd } = this.#tracer;
    if (onTaskEnd !== undefined) this.#userCode.call(onTaskEnd, [{ pool: this.#pool, ...task }], this.report);
  }

  /** Tells the tracer and the listeners of an accepted call's end. */
  taskEnded(task: Omit<TaskEnd, 'pool'>): void {
    this.traceEnd(task);
    if (!this.wants('task:settle')) return;
    const { context: _, ...told } = task;
    this.emit('task:settle', told);
  }
}
