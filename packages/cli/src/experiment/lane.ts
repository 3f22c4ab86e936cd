/** One of the things that are measured in turn, in a process of its own: it waits between its turns, or is started anew for each if memory is short. */
import { type Child, describeFailure, type Failure, type Talk } from './child.js';
import type { Slice, Turn } from './rounds.js';
import type { Session } from './session.js';

type Steps = Talk<Record<'open' | 'step', unknown>>;

export interface LaneOptions<T extends Steps & Talk<T>> {
  readonly session: Session;
  /** The name of the lane in messages and in the progress. */
  readonly what: string;
  readonly start: () => Child<T>;
  readonly setup: T['open']['asks'];
  /** How many milliseconds the process may take until it is ready. */
  readonly openMs: number;
  /** Whether there is too little memory for all processes at once. */
  readonly isTight?: boolean;
  readonly onFailure?: (failure: Failure) => void;
}

export class Lane<T extends Steps & Talk<T>> {
  readonly what: string;
  readonly #options: LaneOptions<T>;
  #child: Child<T> | undefined;
  /** Whether the lane could not be measured: the session knows why. */
  isDead = false;

  constructor(options: LaneOptions<T>) {
    this.what = options.what;
    this.#options = options;
  }

  /** Starts the process ahead of its first turn, unless memory is short: then each turn starts it. */
  async open(): Promise<void> {
    if (this.#options.isTight !== true) await this.start();
  }

  /** Resolves to the answer of the process to `open`; undefined if it runs already, could not start, or the session was interrupted. */
  async start(): Promise<T['open']['gets'] | undefined> {
    const { session, what, start, setup, openMs } = this.#options;
    if (session.isAborted || this.isDead || this.#child !== undefined) return undefined;
    session.say(what);
    this.#child = start();
    return this.#ask('open', setup, openMs);
  }

  /** Resolves to undefined if the step failed, which the session then knows, or if it was interrupted. */
  async step(asks: T['step']['asks'], expectedMs: number): Promise<T['step']['gets'] | undefined> {
    await this.start();
    const value = await this.#ask('step', asks, expectedMs);
    if (this.#options.isTight === true) await this.close();
    return value;
  }

  /** The lane as one of the turns of a round. @param besideMs how many milliseconds a turn takes beside its slice */
  turn(asks: (slice: Slice) => T['step']['asks'], besideMs = 0): Turn<T['step']['gets']> {
    return {
      what: this.what,
      isDead: () => this.isDead,
      open: () => this.open(),
      take: (slice) => this.step(asks(slice), slice.ms + besideMs),
    };
  }

  async close(): Promise<void> {
    const child = this.#child;
    this.#child = undefined;
    await child?.kill();
  }

  async #ask<K extends keyof Steps>(type: K, asks: T[K]['asks'], expectedMs: number) {
    const { session, onFailure } = this.#options;
    const outcome = await this.#child?.ask<K>(type, asks, session.patience(expectedMs));
    if (outcome === undefined || outcome.kind === 'done') return outcome?.value;
    await this.close();
    if (outcome.kind === 'aborted') return undefined;
    this.isDead = true;
    onFailure?.(outcome);
    session.skip(this.what, describeFailure(outcome));
    return undefined;
  }
}

/** How many processes are started at a time. */
const STARTS = 2;

export async function openAll(lanes: readonly { open?(): Promise<void> }[]): Promise<void> {
  // All starters share one iterator, so that each lane is started once.
  const waiting = lanes.values();
  const starter = async (): Promise<void> => {
    for (const lane of waiting) await lane.open?.();
  };
  await Promise.all(Array.from({ length: STARTS }, starter));
}

/** How many bytes a process takes before it does anything. The figure is generous: where memory runs out, the system kills processes. */
const PROCESS_BYTES = 60 * 2 ** 20;
/** The share of all memory that the processes, and what is beside them, may take. */
const MEMORY_SHARE = 0.5;

/** Whether there is not enough memory for this number of processes and `besideBytes` more. */
export function isTight(processes: number, besideBytes: number, memoryBytes: number): boolean {
  return processes * PROCESS_BYTES + besideBytes > MEMORY_SHARE * memoryBytes;
}
