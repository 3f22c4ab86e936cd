/** What structures have in common: their buffers, and two ways to wait, blocking or awaiting. README.md says how. */
import { types } from 'node:util';
import { isMainThread } from 'node:worker_threads';
import { checked, duration, MAX_TIMER_MS, optional, reject } from '../core/options/checks.js';
import { ThreadwiseError } from '../core/options/errors.js';
import { clearInterval, now, setInterval } from '../platform/node/clock.js';
import { noteEnds } from '../platform/node/ended-threads.js';
import { atExit } from '../platform/node/exit.js';

noteEnds();

export interface WaitOptions {
  /** How long to wait before ERR_TASK_TIMEOUT. Milliseconds, default Infinity. */
  timeoutMs?: number | undefined;
}

/** A request to sleep until word `at` is notified, if it still is `value`. `isBrief`: what it waits for takes a moment, which no timeout ends. */
export type Sleep = { readonly at: number; readonly value: number; readonly isBrief?: true };
/** The code of a structure: it runs until it has a result, and yields where it has to sleep. */
export type Steps<T> = Generator<Sleep, T, void>;

/** How many milliseconds a thread sleeps before it looks whether another one has died. Chosen by hand: ten wake-ups a second are no load. */
const LOOK_MS = 100;

const KINDS = ['Mutex', 'Counter', 'Barrier', 'Latch', 'Channel'];
/** The first word of a structure, which says what it is: a number that other memory is not likely to begin with. */
const wordOf = (kind: string) => 0x7457_0001 + KINDS.indexOf(kind);

/** Does what `instanceof SharedArrayBuffer` does, but knows those from outside of a vm context, too: in Jest, what a task returns. */
export const isShared = (value: unknown): value is SharedArrayBuffer => types.isSharedArrayBuffer(value);

/** What all structures are: a `buffer`, which can be passed to another thread, where `from` opens the same structure. */
export abstract class Structure {
  /** The memory of the structure: an argument of a call, to be opened by `from` on the other side. */
  readonly buffer: SharedArrayBuffer;
  /** @internal */
  protected readonly words: Int32Array;

  /** @internal `given`: a buffer to open; otherwise one of `bytes` bytes is made, with the words `first` behind the one that says its kind. */
  constructor(kind: string, given: unknown, bytes: number, first: readonly number[] = []) {
    const isOpened = isShared(given);
    this.buffer = isOpened ? given : new SharedArrayBuffer(bytes);
    this.words = new Int32Array(this.buffer, 0, this.buffer.byteLength >>> 2);
    if (!isOpened) this.words.set([wordOf(kind), ...first]);
    if (this.words[0] === wordOf(kind)) return;
    const other = KINDS.find((each) => wordOf(each) === this.words[0]);
    reject('buffer', `the buffer of a ${kind}`, given, other && ` It is that of a ${other}`);
  }

  /** Opens a structure that another thread has made. Throws ERR_OPTION if the buffer is not one of this kind. */
  static from<S>(this: new (buffer: SharedArrayBuffer) => S, buffer: SharedArrayBuffer): S {
    if (!isShared(buffer)) reject('buffer', 'a SharedArrayBuffer', buffer);
    return new this(buffer);
  }
}

// --- waiting ---

/** Runs steps, and says of each sleep how long it may last. When the time is over, it throws ERR_TASK_TIMEOUT into the steps. */
function* timed<T>(
  what: string,
  steps: Steps<T>,
  options: WaitOptions = {},
): Generator<Sleep & { readonly timeoutMs: number }, T, void> {
  const { timeoutMs = Number.POSITIVE_INFINITY } = checked('options', options, {
    timeoutMs: optional((option, value) => duration(option, value, 0)),
  });
  const end = now() + timeoutMs;
  let step = steps.next();
  while (!step.done) {
    const leftMs = step.value.isBrief ? LOOK_MS : end - now();
    if (leftMs > 0) {
      yield { ...step.value, timeoutMs: Math.min(leftMs, LOOK_MS) };
      step = steps.next();
    } else {
      // After this error no structure sleeps once more: it throws the error on, or returns.
      const message = `${what} has waited for ${timeoutMs} ms`;
      step = steps.throw(new ThreadwiseError('ERR_TASK_TIMEOUT', message));
    }
  }
  return step.value;
}

/** Runs steps to their end, and blocks the thread while they sleep. */
export function blocking<T>(words: Int32Array, what: string, steps: Steps<T>, options?: WaitOptions): T {
  if (isMainThread) {
    const message = `${what} would block the main thread: await the method without 'Sync', or keep the task on threads`;
    throw new ThreadwiseError('ERR_OPTION', message);
  }
  const course = timed(what, steps, options);
  let step = course.next();
  for (; !step.done; step = course.next())
    Atomics.wait(words, step.value.at, step.value.value, step.value.timeoutMs);
  return step.value;
}

/** Runs steps to their end without blocking the thread. The process stays alive meanwhile. */
export async function awaiting<T>(
  words: Int32Array,
  what: string,
  steps: Steps<T>,
  options?: WaitOptions,
): Promise<T> {
  const course = timed(what, steps, options);
  let step = course.next();
  if (step.done) return step.value;
  const keepAlive = setInterval(() => undefined, MAX_TIMER_MS);
  // Node 20 may crash if a thread ends during `waitAsync` and another one notifies the word later. Other threads that this wakes look once more.
  const forget = atExit(() => {
    if (!step.done) Atomics.notify(words, step.value.at);
  });
  try {
    for (; !step.done; step = course.next()) {
      const sleep = Atomics.waitAsync(words, step.value.at, step.value.value, step.value.timeoutMs);
      if (sleep.async) await sleep.value;
    }
    return step.value;
  } finally {
    forget();
    clearInterval(keepAlive);
  }
}
