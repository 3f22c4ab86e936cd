/** A MessagePort of Node as the core knows ports; used on both ends. */
import {
  MessageChannel,
  type MessagePort,
  receiveMessageOnPort,
  type Transferable,
} from 'node:worker_threads';
import type { Clone } from '../../core/calls/payload.js';
import type { Port } from '../../core/contracts.js';

/** How many messages are handled before the event loop gets its turn: as many as Node itself would handle. Chosen by hand. */
const MAX_BATCH = 1000;

export class NodePort implements Port {
  readonly #port: MessagePort;
  #handler: (message: unknown) => void = () => undefined;
  #onBroken: (error: unknown) => void = rethrow;

  readonly #keepsAlive: 'ref' | 'unref';

  /** @param keepsAlive 'unref': listening to the port does not keep the thread alive */
  constructor(port: MessagePort, keepsAlive: 'ref' | 'unref' = 'ref') {
    this.#port = port;
    this.#keepsAlive = keepsAlive;
  }

  post(message: unknown, transfer?: readonly unknown[]): void {
    this.#port.postMessage(message, transfer && movable(transfer));
  }

  listen(
    handler: (message: unknown) => void,
    onBatch?: () => void,
    onBroken: (error: unknown) => void = rethrow,
  ): void {
    this.#handler = handler;
    this.#onBroken = onBroken;
    this.#port.on('messageerror', onBroken);
    this.#port.on('message', (message) => {
      handler(message);
      // Each message that is handled here saves an event.
      this.drain(MAX_BATCH);
      onBatch?.();
    });
    this.#port[this.#keepsAlive]();
  }

  /** May be called inside a handler: the messages that it delivers then come after the one that is being handled. */
  drain(most = Number.POSITIVE_INFINITY): number {
    let count = 0;
    for (; count < most; count++) {
      let received: { message: unknown } | undefined;
      try {
        received = receiveMessageOnPort(this.#port);
      } catch (error) {
        this.#onBroken(error);
        continue; // the broken message has left the port, the others have not
      }
      if (received === undefined) break;
      this.#handler(received.message);
    }
    return count;
  }

  close(): void {
    this.#port.removeAllListeners();
    this.#port.close();
  }
}

/** Ends a worker by an uncaught error; main then settles the tasks that the worker had. */
export function rethrow(error: unknown): never {
  throw error;
}

/**
 * Throws a DataCloneError for a buffer that was transferred before: Node.js 20 sends an empty buffer in its place, later versions only say that
 * its type is not supported.
 */
export function movable(transfer: readonly unknown[]): readonly Transferable[] {
  for (const value of transfer) {
    if (!(value instanceof ArrayBuffer) || value.byteLength > 0) continue;
    try {
      new Uint8Array(value, 0, 0);
    } catch {
      throw new DOMException('a buffer in the transfer list was transferred before', 'DataCloneError');
    }
  }
  return transfer as readonly Transferable[];
}

export const clone: Clone = (value, transfer) =>
  structuredClone(value, transfer && { transfer: movable(transfer) as Transferable[] });

let closed: MessagePort | undefined;

/**
 * Detaches buffers by sending them nowhere: a closed port serializes a message, as HTML's "message port post message steps" say, and drops it.
 * That takes a fourth of the time of `structuredClone`, which makes new buffers for the garbage collector.
 */
export function detach(buffers: readonly unknown[]): void {
  if (closed === undefined) {
    closed = new MessageChannel().port1;
    closed.close();
  }
  closed.postMessage(undefined, movable(buffers));
}
