/** A pair of pipes as the core knows ports; used on both ends. */
import { readSync } from 'node:fs';
import type { Port } from '../../core/contracts.js';
import { decodeFrame, detachLater, encodeFrame, type Frame, FrameReader } from './frames.js';

/** What of a process is open from the start. `pipes`: the first of those to main that the threads of a process have. */
export const FD = { fromMain: 3, toMain: 4, board: 5, pipes: 6 } as const;

/** One end of a two-way pipe. */
export interface Pipe {
  /** Sends what the pipe takes, and keeps the rest. */
  write(bytes: Buffer): void;
  /** What is there now; undefined where nothing is. */
  read(): Buffer | undefined;
  /** Calls back with what comes, from now on. */
  listen(callback: (piece: Buffer) => void): void;
  close(): void;
}

export class PipePort implements Port {
  readonly #frames = new FrameReader();
  /** Gets what was sent by `postAside`. */
  onAside: ((message: unknown) => void) | undefined;
  /** Whether any message has come. */
  hasHeard = false;
  #pipe: Pipe | undefined;
  /** Sent before there was a pipe. */
  #early: Buffer[] = [];
  #handler: ((message: unknown) => void) | undefined;
  #onBatch: (() => void) | undefined;
  #onBroken: (error: unknown) => void = rethrow;
  #isClosed = false;

  /** From now on messages go and come through it. */
  attach(pipe: Pipe): void {
    if (this.#isClosed) return pipe.close();
    this.#pipe = pipe;
    for (const bytes of this.#early) pipe.write(bytes);
    this.#early = [];
    if (this.#handler !== undefined) this.#open();
  }

  post(message: unknown, transfer: readonly unknown[] = []): void {
    const detach = detachLater(transfer);
    this.#send(encodeFrame(message));
    detach();
  }

  /** A message to whoever has started this process, or was started by it. */
  postAside(message: unknown): void {
    this.#send(encodeFrame(message, true));
  }

  #send(bytes: Buffer): void {
    if (this.#isClosed) return;
    if (this.#pipe === undefined) this.#early.push(bytes);
    else this.#pipe.write(bytes);
  }

  listen(
    handler: (message: unknown) => void,
    onBatch?: () => void,
    onBroken: (error: unknown) => void = rethrow,
  ): void {
    this.#handler = handler;
    this.#onBatch = onBatch;
    this.#onBroken = onBroken;
    if (this.#pipe !== undefined) this.#open();
  }

  #open(): void {
    this.#pipe!.listen((piece) => {
      this.#frames.add(piece);
      if (this.#deliver() > 0) this.#onBatch?.();
    });
  }

  /** May be called from inside a handler: what it delivers then, comes after the message being handled. */
  drain(): number {
    let count = this.#deliver();
    for (let piece = this.#pipe?.read(); piece !== undefined; piece = this.#pipe?.read()) {
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
    for (let frame = this.#frames.next(); frame !== undefined; frame = this.#frames.next()) {
      count++;
      this.#hear(frame);
    }
    return count;
  }

  #hear({ bytes, isAside }: Frame): void {
    this.hasHeard = true;
    let message: unknown;
    try {
      message = decodeFrame(bytes);
    } catch (error) {
      return isAside ? undefined : this.#onBroken(error);
    }
    if (isAside) this.onAside?.(message);
    else if (!this.#isClosed) this.#handler!(message);
  }
}

const PIECE_BYTES = 2 ** 16;
let piece = Buffer.alloc(0);

/** What a pipe that does not block has now; undefined where it has nothing, and when its other end is closed. */
export function readNow(fd: number): Buffer | undefined {
  if (piece.length === 0) piece = Buffer.allocUnsafeSlow(PIECE_BYTES);
  try {
    const count = readSync(fd, piece, 0, piece.length, null);
    return count === 0 ? undefined : Buffer.from(piece.subarray(0, count));
  } catch {
    return undefined; // EAGAIN, or it is gone
  }
}

/** In a worker: it ends, and main settles what it held. */
function rethrow(error: unknown): never {
  throw error;
}
