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

export type PipePort = ReturnType<typeof pipePort>;

export function pipePort() {
  const writer = new FrameWriter();
  const frames = new FrameReader();
  let pipe: Pipe | undefined;
  let listener: Readonly<Record<'handler' | 'onBroken', (value: unknown) => void>> | undefined;
  let onBatch: (() => void) | undefined;
  let isClosed = false;
  /** Begins to read, once there are a pipe and a listener. */
  const open = (): void => {
    if (listener === undefined) return;
    pipe?.listen((piece) => {
      frames.add(piece);
      if (deliver() > 0) onBatch?.();
    });
  };
  const deliver = (): number => {
    let count = 0;
    for (; frames.next(); count++) hear();
    return count;
  };
  const hear = (): void => {
    port.hasHeard = true;
    const { isAside } = frames;
    let message: unknown;
    try {
      message = frames.message();
    } catch (error) {
      return isAside ? undefined : listener!.onBroken(error);
    }
    if (!isAside) return isClosed ? undefined : listener!.handler(message);
    if (typeof message === 'number') port.threadId = message;
    else port.uncaught = { error: decodeError(message as EncodedError) };
  };
  const port = {
    /** The error that ends the worker at the other end, once that has sent it aside. It is in an object because it may be undefined. */
    uncaught: {} as { readonly error?: unknown },
    /** The system's number of the thread at the other end, once that has sent it aside; 0 before. */
    threadId: 0,
    hasHeard: false,
    /** Connects the port with a pipe, before anything is posted. @param rings for large messages that leave, and for those that arrive */
    attach(to: Pipe, ...[out, into]: readonly Ring[]): void {
      if (isClosed) return to.close();
      writer.put = out && ringWriter(out);
      frames.take = into && ringReader(into);
      pipe = to;
      open();
    },
    post(message, transfer): void {
      const detach = transfer && detachLater(transfer);
      const frame = writer.write(message);
      if (!isClosed) pipe?.write(frame);
      detach?.();
    },
    /** Tells the port at the other end, not its listener: the error that ends this worker, or the number of its thread. */
    postAside: (message: EncodedError | number): void => pipe?.write(asideFrame(message)),
    listen(handler, onEnd, onBroken = rethrow): void {
      listener = { handler, onBroken };
      onBatch = onEnd;
      open();
    },
    /** May be called inside a handler: the messages that it delivers then come after the one that is being handled. */
    drain(): number {
      let count = deliver();
      let piece: Uint8Array | undefined;
      while ((piece = pipe?.read())) {
        frames.add(piece);
        count += deliver();
      }
      return count;
    },
    close(): void {
      isClosed = true;
      pipe?.close();
    },
  } satisfies Port & Readonly<Record<string, unknown>>;
  return port as Port & typeof port;
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
