/** The seam to the worker's end of a line: implemented in `<name>/endpoint.ts`, driven by the runner. */
import type { Allowance } from '../core/workers/allowance.js';
import type { Port } from '../core/contracts.js';
import type { EncodedError } from './codec/error-codec.js';
import type { About } from './line.js';
import { TO_WORKER, type MessageToMain, type MessageToWorker } from './messages.js';

/** A task that this worker has begun. Valid until the next one is taken. */
export interface Begun {
  readonly cell: number;
  readonly id: number;
  readonly name: string;
  readonly args: readonly unknown[];
  readonly fault: unknown; // why name or arguments could not be read, if they could not
}

export interface EndpointEvents {
  readonly tasks: () => void; // there may be some to take
  abort(id: number, reason: EncodedError): void;
  hostReply(call: number, error: EncodedError | null, value: unknown): void;
  retire(): void; // takes nothing more from a shared queue
  stop(): void;
  /** Main could not read a message of this worker. */
  unread(about: About, reason: string): void;
}

/** The parts of a value that are moved and not copied. */
export type Transfer = readonly unknown[] | undefined;

export interface Endpoint {
  listen(events: EndpointEvents): void;
  take(now: number): Begun | undefined; // begins the next task
  /** Throws, and has told nothing, when the value cannot cross. */
  done(cell: number, id: number, value: unknown, transfer: Transfer, runMs: number): void;
  failed(cell: number, id: number, error: EncodedError, runMs: number): void;
  /** Throws, and has said nothing, when a value cannot cross. */
  say(word: MessageToMain, transfer?: readonly unknown[]): void;
  isAborting(cell: number): boolean; // whether main wants the task to stop
  drain(): void; // handles now what main has said
  limit(allowance: Allowance): void; // from now on the worker takes no more tasks by itself than that has left
  /** Takes nothing more from a shared queue. True: nothing that was taken is left to be begun. */
  retire(): boolean;
  /**
   * True: there may be something to take. False: there is nothing, and `tasks` will be called when there is.
   * @param isFree no task waits for this thread's event loop, so it may block for a moment
   * @param canSpin timers and sockets do not wait for this thread's event loop either. Default: `isFree`
   */
  rest(isFree: boolean, canSpin?: boolean): boolean;
}

/** What an endpoint needs of its thread. */
export interface EndpointPlatform {
  now(): number;
  /** Detaches buffers from this thread, and frees their memory. Throws a DataCloneError, and detaches none, if one of them cannot be moved. */
  detach(buffers: readonly unknown[]): void;
  timer(ms: number, callback: () => void): unknown; // does not keep the thread alive
  /** Has the engine collect a shared buffer to which nothing refers any more, after the functions that run now. */
  collectSoon(buffer: ArrayBufferLike): void;
  atExit(callback: () => void): unknown; // called when the thread ends by itself: it has thrown, or left
  port(far: unknown): Port; // made of the far end of a channel, which this thread was sent
  utilization?(): number; // of the event loop since the last call, 0 to 1
  threadId?(): number; // the system's number of this thread; 0 if it is unknown
}

/** Handles a word that all transports know. */
export function hear(word: MessageToWorker, events: EndpointEvents): void {
  switch (word[0]) {
    case TO_WORKER.abort:
      return events.abort(word[1], word[2]);
    case TO_WORKER.hostReply:
      return events.hostReply(word[1], word[2], word[3]);
    case TO_WORKER.retire:
      return events.retire();
    case TO_WORKER.stop:
      return events.stop();
  }
}
