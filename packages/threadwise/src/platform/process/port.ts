/** A pair of pipes as the core knows ports; used on both ends. */
import { readSync } from 'node:fs';
import type { Port } from '../../core/contracts.js';
import { decodeError, type EncodedError } from '../../transport/codec/error-codec.js';
import { withoutStacks } from '../../transport/codec/engine.js';
import { rethrow } from '../node/port.js';
import { detachLater } from './clone.js';
import { asideFrame, FrameReader, FrameWriter, PIECE_BYTES } from './frames.js';
import { type Ring, ringReader, ringWriter } from './ring.js';

/** The descriptors that a process inherits. `pipes`: the first of the pipes by which its threads speak to main. */
export const FD = { fromMain: 3, toMain: 4, board: 5, pipes: 6 } as const;

/** One end of a two-way pipe. */
export interface Pipe {
  /** Sends what the pipe takes, and keeps the rest until the pipe takes it: as a copy, unless `bytes` has more than `KEPT_BYTES`. */
  write(bytes: Uint8Array): void;
  /** The bytes that have arrived, valid until the next call; undefined if there are none. */
  read(): Uint8Array | undefined;
  /** Calls back with each piece that arrives from now on. */
  listen(callback: (piece: Uint8Array) => void): void;
  close(): void;
}

export class PipePort implements Port {
  readonly #writer = new FrameWriter();
  readonly #frames = new FrameReader();
  /** The error that ends the worker at the other end, once that has sent it aside. It is in an object because it may be undefined. */
  uncaught: { readonly error?: unknown } = {};
  /** The system's number of the thread at the other end, once that has sent it aside; 0 before. */
  threadId = 0;
  /** Whether any message has come. */
  hasHeard = false;
  #pipe: Pipe | undefined;
  #handler: ((message: unknown) => void) | undefined;
  #onBatch: (() => void) | undefined;
  #onBroken: (error: unknown) => void = rethrow;
  #isClosed = false;

  /** Connects the port with `pipe`, before anything is posted. @param out the ring for large messages that leave @param into the ring for those that arrive */
  attach(pipe: Pipe, out?: Ring, into?: Ring): void {
    if (this.#isClosed) return pipe.close();
    this.#writer.put = out && ringWriter(out);
    this.#frames.take = into && ringReader(into);
    this.#pipe = pipe;
    this.#open();
  }

  post(message: unknown, transfer?: readonly unknown[]): void {
    const detach = transfer && detachLater(transfer);
    const frame = this.#writer.write(message);
    if (!this.#isClosed) this.#pipe?.write(frame);
    detach?.();
  }

  /** Tells the port at the other end, not its listener: the error that ends this worker, or the number of its thread. */
  postAside(message: EncodedError | number): void {
    this.#pipe?.write(asideFrame(message));
  }

  listen(
    handler: (message: unknown) => void,
    onBatch?: () => void,
    onBroken: (error: unknown) => void = rethrow,
  ): void {
    this.#handler = handler;
    this.#onBatch = onBatch;
    this.#onBroken = onBroken;
    this.#open();
  }

  /** Begins to read, once there are a pipe and a listener. */
  #open(): void {
    if (this.#handler === undefined) return;
    this.#pipe?.listen((piece) => {
      this.#frames.add(piece);
      if (this.#deliver() > 0) this.#onBatch?.();
    });
  }

  /** May be called inside a handler: the messages that it delivers then come after the one that is being handled. */
  drain(): number {
    let count = this.#deliver();
    let piece: Uint8Array | undefined;
    while ((piece = this.#pipe?.read())) {
      this.#frames.add(piece);
      count += this.#deliver();
    }
    return count;
  }

  close(): void {
    this.#isClosed = true;
    this.#pipe?.close();
  }

  #deliver(): number {
    let count = 0;
    for (; this.#frames.next(); count++) this.#hear();
    return count;
  }

  #hear(): void {
    this.hasHeard = true;
    const { isAside } = this.#frames;
    let message: unknown;
    try {
      message = this.#frames.message();
    } catch (error) {
      return isAside ? undefined : this.#onBroken(error);
    }
    if (!isAside) return this.#isClosed ? undefined : this.#handler!(message);
    if (typeof message === 'number') this.threadId = message;
    else this.uncaught = { error: decodeError(message as EncodedError) };
  }
}

let piece: Buffer | undefined;

/** The bytes that a non-blocking pipe has now, valid until the next call; undefined if there are none, or its other end is closed. */
export function readNow(fd: number): Buffer | undefined {
  const into = (piece ??= Buffer.allocUnsafeSlow(PIECE_BYTES));
  try {
    const count = withoutStacks(() => readSync(fd, into, 0, into.length, null));
    return count === 0 ? undefined : into.subarray(0, count);
  } catch {
    return undefined; // EAGAIN, or the pipe is closed
  }
}
