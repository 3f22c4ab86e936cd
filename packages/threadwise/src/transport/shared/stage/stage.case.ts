/** What two threads have between them, in one thread: memory, ports, a clock, and sleep that ends when it is told to. */
import type { KeepAlive, Platform, Port, Thread } from '../../../core/contracts.js';

/** Memory that is used again by the next run: making and clearing it for each of thousands would be most of the work. */
const spare = new Map<number, SharedArrayBuffer[]>();
/** From that size on nobody relies on zeros: segments of the arena. */
const UNCLEARED_BYTES = 2 ** 20;
/** As much at the start of a buffer, and at its end, has zeros again: enough for the board's few seats and its ring. */
const CLEARED_BYTES = 16 * 1024;

export class Memory {
  readonly #taken: SharedArrayBuffer[] = [];

  readonly take = (byteLength: number): SharedArrayBuffer => {
    const buffer = spare.get(byteLength)?.pop() ?? new SharedArrayBuffer(byteLength);
    if (byteLength < UNCLEARED_BYTES) {
      const bytes = new Uint8Array(buffer);
      bytes.fill(0, 0, CLEARED_BYTES).fill(0, Math.max(CLEARED_BYTES, byteLength - CLEARED_BYTES));
    }
    this.#taken.push(buffer);
    return buffer;
  };

  /** Nobody must use what was taken any more. */
  giveBack(): void {
    for (const buffer of this.#taken.splice(0)) {
      const { byteLength } = buffer;
      if (!spare.has(byteLength)) spare.set(byteLength, []);
      spare.get(byteLength)!.push(buffer);
    }
  }
}

/** One end of a channel: what is posted arrives when it is asked for. */
export class HandPort implements Port {
  other!: HandPort;
  readonly #inbox: unknown[] = [];
  #handler: (message: unknown) => void = () => undefined;
  #onBatch: () => void = () => undefined;
  #isClosed = false;
  #isCut = false;

  static pair(): { near: HandPort; far: HandPort } {
    const [near, far] = [new HandPort(), new HandPort()];
    near.other = far;
    far.other = near;
    return { near, far };
  }

  get hasMessages(): boolean {
    return this.#inbox.length > 0 && !this.#isClosed;
  }

  post(message: unknown): void {
    if (this.#isCut) return;
    this.other.#inbox.push(structuredClone(message));
  }

  listen(handler: (message: unknown) => void, onBatch: () => void = () => undefined): void {
    this.#handler = handler;
    this.#onBatch = onBatch;
  }

  /** The event loop's part: messages have come. */
  arrive(): void {
    this.drain();
    this.#onBatch();
  }

  drain(): number {
    let count = 0;
    for (; this.hasMessages; count++) this.#handler(this.#inbox.shift());
    return count;
  }

  close(): void {
    this.#isClosed = true;
  }

  /** Whoever had it is dead: what was posted is on its way, and nothing more is. */
  cut(): void {
    this.#isCut = true;
  }
}

/** A callback that is due, and whose it is. */
export interface Due<Side> {
  readonly side: Side;
  readonly what: string;
  readonly call: () => void;
}

const { wait: realWait } = Atomics;

interface Asleep<Side> extends Due<Side> {
  readonly buffer: ArrayBufferLike;
  readonly at: number;
}

/**
 * Takes the place of `Atomics.waitAsync` and `notify`, and of promises that are fulfilled already: what they would call
 * back is due, and done when somebody decides so. Of `Atomics.wait`, too: others take their steps when it begins, and then it is over.
 */
export class Sleepers<Side> {
  readonly asleep: Asleep<Side>[] = [];
  readonly due: Due<Side>[] = [];
  readonly #current: () => Side;
  readonly #before: (access: string, args: readonly unknown[]) => void;

  /** @param current who is at work @param before ahead of every access to a shared word */
  constructor(current: () => Side, before: (access: string, args: readonly unknown[]) => void) {
    this.#current = current;
    this.#before = before;
  }

  isAsleep(side: Side): boolean {
    return this.asleep.some((sleeper) => sleeper.side === side);
  }

  /** A thread is gone, and what it waited for. */
  forget(side: Side): void {
    for (const list of [this.asleep, this.due] as Due<Side>[][]) {
      list.splice(0, list.length, ...list.filter((each) => each.side !== side));
    }
  }

  /** The side that is at work wants to be called back. */
  add(what: string, call: () => void): void {
    this.due.push({ side: this.#current(), what, call });
  }

  /** Returns what undoes it. */
  install(): () => void {
    const replaced: [object, string, unknown][] = [
      [Atomics, 'wait', this.#wait],
      [Atomics, 'waitAsync', this.#waitAsync],
      [Atomics, 'notify', this.#notify],
      [Promise.prototype, 'then', (call: () => void) => this.add('turn', call)],
    ];
    const originals = replaced.map(([of, name]) => Object.getOwnPropertyDescriptor(of, name)!);
    for (const [of, name, value] of replaced) {
      Object.defineProperty(of, name, { value, configurable: true, writable: true });
    }
    return () => {
      for (const [i, [of, name]] of replaced.entries()) Object.defineProperty(of, name, originals[i]!);
    };
  }

  /** A wait of no time looks, and does not wait. */
  readonly #wait = (words: Int32Array, at: number, value: number) => {
    this.#before('wait', [words, at, value]);
    return realWait(words, at, value, 0);
  };

  readonly #waitAsync = (words: Int32Array, at: number, value: number) => {
    this.#before('waitAsync', [words, at, value]);
    if (realWait(words, at, value, 0) === 'not-equal') return { async: false, value: 'not-equal' };
    const side = this.#current();
    const wait = (call: () => void) => {
      this.asleep.push({ side, what: 'wakes up', call, buffer: words.buffer, at });
    };
    return { async: true, value: { then: wait } };
  };

  readonly #notify = (words: Int32Array, at: number): number => {
    this.#before('notify', [words, at]);
    const woken = this.asleep.filter((each) => each.buffer === words.buffer && each.at === at);
    this.asleep.splice(0, this.asleep.length, ...this.asleep.filter((each) => !woken.includes(each)));
    this.due.push(...woken);
    return woken.length;
  };
}

/** Ports that go to another thread: what is sent is a number. */
export class Ends {
  readonly #ports: HandPort[] = [];

  readonly pair = (): readonly [number, number] => {
    const { near, far } = HandPort.pair();
    const count = this.#ports.push(near, far);
    return [count - 2, count - 1];
  };

  readonly take = (end: unknown): HandPort => this.#ports[end as number]!;
}

export interface HandPlatformParts {
  readonly memory: Memory;
  readonly ends?: Ends;
  startHelper?: Platform['startHelper'];
  readonly spinners: number;
  now(): number;
  /** Calls back in a turn of its own. */
  later(callback: () => void): void;
  /** What is to be done when the process ends. */
  readonly exits?: Set<() => void>;
}

const none = (): never => {
  throw new Error('Nobody should ask for that here');
};

/** The platform of a main side that has neither threads nor timers. */
export function handPlatform(parts: HandPlatformParts): Platform {
  const { memory, spinners, ends = new Ends(), startHelper = none, now, later, exits = new Set() } = parts;
  return {
    name: 'by hand',
    now,
    burstNow: now,
    timer: (_ms, callback) => {
      later(callback);
      return { cancel: () => undefined };
    },
    defer: later,
    nextTurn: later,
    bind: (callback) => callback,
    keepAlive: none as () => KeepAlive,
    channel: () => HandPort.pair(),
    channelEnds: ends.pair,
    port: ends.take,
    spawn: none as () => Thread,
    startHelper,
    clone: (value) => structuredClone(value),
    detach: () => undefined,
    sharedMemory: memory.take,
    // The next run uses the memory again.
    collectShared: () => undefined,
    collectSoon: () => undefined,
    hasSharedMemory: true,
    noProcesses: () => 'on a stage',
    availableThreads: () => spinners + 1,
    threadCeiling: () => 16,
    memory: () => ({ usedBytes: 0, limitBytes: 128 * 2 ** 20 }), // so the arena has one segment
    recipe: (spec) => ({ data: spec, transfer: [] }),
    cpuOf: () => undefined,
    atExit: (callback) => {
      exits.add(callback);
      return () => void exits.delete(callback);
    },
    ownLoad: () => ({ utilization: 0, residentBytes: 0, heapUsedBytes: 0 }),
    env: () => undefined,
    resolveModule: String,
  };
}
