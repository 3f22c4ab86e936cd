/** A bounded queue of values from any thread to any other, first in first out. README.md has the protocol. */
import { types } from 'node:util';
import { DefaultDeserializer, deserialize, serialize } from 'node:v8';
import { cloned } from '../core/calls/payload.js';
import { checked, integer, reject } from '../core/options/checks.js';
import { textOf, ThreadwiseError } from '../core/options/errors.js';
import { OWN_NUMBER } from '../platform/node/ended-threads.js';
import { refuseHost, refuseHosts } from '../platform/node/host-objects.js';
import { acquire, release } from './mutex.js';
import { awaiting, blocking, isShared, type Steps, Structure, type WaitOptions } from './waiting.js';

export const CAPACITY = 1;
const MAX_BYTES = 2;
const LOCK = 3;
export const HEAD = 4;
export const TAIL = 5;
const CLOSED = 6;
export const ITEMS = 7;
export const ROOM = 8;
export const WORDS = 9;
/** How many bytes the length of a value takes, in front of the value. */
const LENGTH_BYTES = 4;
/** How many bytes all values of a channel may take together. */
const MOST_BYTES = 2 ** 30;

export interface ChannelOptions {
  /** How many values may wait in the channel. Default 16. */
  capacity?: number | undefined;
  /** How long a value may be, serialized. Bytes, default 1,024: an object with a few short fields has a hundred. */
  maxBytes?: number | undefined;
}

/** Puts a value into its place by `act` (`moves` is TAIL), or takes one (HEAD). Returns what `act` returns; undefined: there is no more. */
export function* pass<T>(
  words: Int32Array,
  number: number,
  moves: typeof HEAD | typeof TAIL,
  act: (place: number) => T,
): Steps<T | undefined> {
  const [sleepsOn, wakes] = moves === TAIL ? [ROOM, ITEMS] : [ITEMS, ROOM];
  for (;;) {
    for (const sleep of acquire(words, LOCK, number)) yield { ...sleep, isBrief: true };
    const value = Atomics.load(words, sleepsOn);
    const isClosed = Atomics.load(words, CLOSED) !== 0;
    const [head, tail] = [Atomics.load(words, HEAD), Atomics.load(words, TAIL)];
    const capacity = words[CAPACITY]!;
    // Head and tail count modulo twice the capacity, so that a full channel differs from an empty one.
    const isFull = tail === (head + capacity) % (2 * capacity);
    const canPass = moves === TAIL ? !isClosed && !isFull : head !== tail;
    const at = moves === TAIL ? tail : head;
    let result: T | undefined;
    try {
      if (canPass) {
        result = act(at % capacity); // may throw where there is no memory for a value
        Atomics.store(words, moves, (at + 1) % (2 * capacity));
      }
    } finally {
      release(words, LOCK);
    }
    if (canPass) tell(words, wakes, 1);
    if (canPass || isClosed) return result;
    yield { at: sleepsOn, value };
  }
}

/** Changes a word, and wakes up to `howMany` of those who sleep on it. */
function tell(words: Int32Array, at: number, howMany: number): void {
  Atomics.add(words, at, 1);
  Atomics.notify(words, at, howMany);
}

export function close(words: Int32Array): void {
  Atomics.store(words, CLOSED, 1);
  tell(words, ITEMS, Number.POSITIVE_INFINITY);
  tell(words, ROOM, Number.POSITIVE_INFINITY);
}

/**
 * A bounded queue of values between threads: sending to a full channel waits, and so does receiving from an empty one. Values are copied,
 * as by structured clone, and can neither share nor move memory. Every value goes to one receiver.
 */
export class Channel<T = unknown> extends Structure {
  readonly #maxBytes: number;

  constructor(options: ChannelOptions | SharedArrayBuffer = {}) {
    // An ArrayBuffer has no keys, so the check of the options would accept it.
    if (types.isArrayBuffer(options)) reject('buffer', 'a SharedArrayBuffer', options);
    const { capacity, maxBytes } = resolved(isShared(options) ? {} : options);
    super('Channel', options, 4 * WORDS + capacity * (LENGTH_BYTES + maxBytes), [capacity, maxBytes]);
    this.#maxBytes = this.words[MAX_BYTES]!;
  }

  /**
   * Sends a value; waits until there is room. Resolves to false if the channel is closed, and the value was not sent. Rejects with
   * ERR_NOT_CLONEABLE, ERR_PAYLOAD_TOO_LARGE, ERR_TASK_TIMEOUT; with ERR_OPTION for `undefined`, which is what receivers get at the end.
   */
  send(value: T, options?: WaitOptions): Promise<boolean> {
    return awaiting(this.words, 'send()', this.#put(value), options);
  }

  /** Does what `send` does, but blocks the thread. Throws ERR_OPTION on the main thread. */
  sendSync(value: T, options?: WaitOptions): boolean {
    return blocking(this.words, 'sendSync()', this.#put(value), options);
  }

  /**
   * Waits for a value. Resolves to `undefined` when the channel is closed and all values were received. Rejects with ERR_TASK_TIMEOUT; with
   * ERR_NOT_CLONEABLE if the value, which is gone then, cannot be read here: it is nested too deeply for the thread's stack, for instance.
   */
  receive(options?: WaitOptions): Promise<T | undefined> {
    return awaiting(this.words, 'receive()', this.#take(), options);
  }

  /** Does what `receive` does, but blocks the thread. Throws ERR_OPTION on the main thread. */
  receiveSync(options?: WaitOptions): T | undefined {
    return blocking(this.words, 'receiveSync()', this.#take(), options);
  }

  /** Closes the channel, from any thread: nothing can be sent any more, and receivers get what is left. */
  close(): void {
    close(this.words);
  }

  /** Receives until the channel is closed and empty. */
  async *[Symbol.asyncIterator](): AsyncGenerator<T, void, void> {
    for (let value = await this.receive(); value !== undefined; value = await this.receive()) yield value;
  }

  /** Where a value lies: its length, and its bytes. */
  #place(place: number): [DataView, Uint8Array] {
    const at = WORDS * 4 + place * (LENGTH_BYTES + this.#maxBytes);
    const bytes = new Uint8Array(this.buffer, at + LENGTH_BYTES, this.#maxBytes);
    return [new DataView(this.buffer, at, LENGTH_BYTES), bytes];
  }

  *#put(value: T): Steps<boolean> {
    const bytes = serialized(value);
    if (bytes.length > this.#maxBytes) {
      const message = `A value of this channel may have ${this.#maxBytes} bytes (maxBytes), not ${bytes.length}`;
      throw new ThreadwiseError('ERR_PAYLOAD_TOO_LARGE', message);
    }
    const isPut = yield* pass(this.words, OWN_NUMBER, TAIL, (place) => {
      const [length, memory] = this.#place(place);
      length.setUint32(0, bytes.length);
      memory.set(bytes);
      return true;
    });
    return isPut === true;
  }

  *#take(): Steps<T | undefined> {
    const bytes = yield* pass(this.words, OWN_NUMBER, HEAD, (place) => {
      const [length, memory] = this.#place(place);
      return memory.slice(0, length.getUint32(0));
    });
    return bytes && (read(bytes) as T);
  }
}

function resolved(options: ChannelOptions): Record<keyof ChannelOptions, number> {
  const resolved = checked('options', options, {
    capacity: (option, value = 16) => integer(option, value, 1, 2 ** 20),
    maxBytes: (option, value = 1024) => integer(option, value, 1, 2 ** 28),
  });
  if (resolved.capacity * resolved.maxBytes <= MOST_BYTES) return resolved;
  return reject('maxBytes', `at most ${MOST_BYTES} bytes for all values together`, resolved.maxBytes);
}

function serialized(value: unknown): Uint8Array {
  if (value === undefined) reject('value', 'a value other than undefined, which ends a channel', value);
  return cloned(value, 'value', written);
}

function written(value: unknown): Uint8Array {
  refuseHosts(value, copyOf);
  return serialize(value);
}

/** Refuses, before it is sent, what can be written and not read: a WebAssembly.Module. */
function copyOf(part: object): unknown {
  const bytes = serialize(part);
  try {
    return deserialize(bytes);
  } catch (error) {
    if (error instanceof RangeError) throw error; // nested too deeply for this thread, perhaps not for the receiver
    return refuseHost(part);
  }
}

/** A method that the types leave out: reads a view, whose memory is that of the whole message. Undefined on Bun, where no view shares that. */
const { _readHostObject: readView } = DefaultDeserializer.prototype as unknown as {
  _readHostObject?(this: DefaultDeserializer): ArrayBufferView<ArrayBuffer>;
};

/** Gives each view memory of its own, so that it can be transferred without the others. */
class Reader extends DefaultDeserializer {
  _readHostObject(): ArrayBufferView {
    const view = readView!.call(this);
    const own = view.buffer.slice(view.byteOffset, view.byteOffset + view.byteLength);
    if (Buffer.isBuffer(view)) return Buffer.from(own);
    return new (view.constructor as new (memory: ArrayBuffer) => ArrayBufferView)(own);
  }
}

function read(bytes: Uint8Array): unknown {
  try {
    if (readView === undefined) return deserialize(bytes);
    const reader = new Reader(bytes);
    reader.readHeader();
    return reader.readValue();
  } catch (cause) {
    const why = textOf(cause, ({ message }) => message);
    const message = `The value cannot be read where it was received: ${why}`;
    throw new ThreadwiseError('ERR_NOT_CLONEABLE', message, { cause, path: 'value' });
  }
}
