/** Main's part of the messages with a worker, over a port: everything but the tasks themselves. */
import type { LinkEvents, Platform } from '../core/contracts.js';
import { notCloneable, unreadable } from '../core/calls/payload.js';
import type { Task } from '../core/calls/task.js';
import { decodeError, type EncodedError, encodeError } from './codec/error-codec.js';
import type { About, Line } from './line.js';
import { TO_MAIN, TO_WORKER, type MessageToMain, type MessageToWorker } from './messages.js';

export class WorkerMessages {
  readonly #port: Line;
  readonly #platform: Platform;
  readonly #events: LinkEvents;
  /** The task that a number means, as long as the worker has it. */
  readonly #taskOf: (id: number) => Task | undefined;
  #isClosed = false;

  constructor(port: Line, platform: Platform, events: LinkEvents, taskOf: (id: number) => Task | undefined) {
    this.#port = port;
    this.#platform = platform;
    this.#events = events;
    this.#taskOf = taskOf;
  }

  get isClosed(): boolean {
    return this.#isClosed;
  }

  hear(word: MessageToMain): void {
    switch (word[0]) {
      case TO_MAIN.progress:
        return this.#about(word[1], (task) => this.#events.progress(task, word[2]));
      case TO_MAIN.abortSeen:
        return this.#about(word[1], (task) => this.#events.abortSeen(task));
      case TO_MAIN.ready:
        return this.#events.ready(word[1], word[2]);
      case TO_MAIN.awaits:
        return this.#events.awaits(word[1]);
      case TO_MAIN.loadFailed:
        return this.#events.loadFailed(decodeError(word[1]));
      case TO_MAIN.hostCall:
        return void this.#callHost(word[1], word[2], word[3]);
      case TO_MAIN.memory:
        return this.#events.memory(word[1], word[2]);
      case TO_MAIN.retired:
        return this.#events.retired();
      case TO_MAIN.stopped:
        return this.#events.stopped();
      case TO_MAIN.error:
        return this.#events.error(decodeError(word[1]));
    }
  }

  /** How many words of the worker could not be read. */
  get unreadCount(): number {
    return this.#port.unreadCount;
  }

  /** The worker could not read a word of ours. */
  unread([type, number]: About, reason: string): void {
    if (type === TO_WORKER.hostReply)
      this.#refuseHostCall(number as number, unreadable('the result of a host function', reason));
    if (type === TO_WORKER.abort)
      this.post([
        TO_WORKER.abort,
        number as number,
        this.#encode(unreadable('the reason of an abort', reason)),
      ]);
  }

  abort(task: Task, reason: unknown): void {
    this.post([TO_WORKER.abort, task.id, this.#encode(reason)]);
  }

  retire(): void {
    this.post([TO_WORKER.retire]);
  }

  stop(): void {
    this.post([TO_WORKER.stop]);
  }

  /** Throws, and sends nothing, when the message cannot be cloned. */
  post(message: MessageToWorker | readonly unknown[], transfer?: readonly unknown[]): void {
    if (!this.#isClosed) this.#port.post(message, transfer);
  }

  drain(): void {
    if (!this.#isClosed) this.#port.drain();
  }

  close(): void {
    this.#isClosed = true;
    this.#port.close();
  }

  #encode(error: unknown): EncodedError {
    return encodeError(error, this.#platform.clone);
  }

  #about(id: number, tell: (task: Task) => void): void {
    const task = this.#taskOf(id);
    if (task !== undefined) tell(task);
  }

  async #callHost(call: number, name: string, args: readonly unknown[]): Promise<void> {
    try {
      const value = await this.#events.hostCall(name, args);
      this.#replyWith(call, value);
    } catch (error) {
      this.#refuseHostCall(call, error);
    }
  }

  #refuseHostCall(call: number, error: unknown): void {
    this.post([TO_WORKER.hostReply, call, this.#encode(error), undefined]);
  }

  #replyWith(call: number, value: unknown): void {
    try {
      this.post([TO_WORKER.hostReply, call, null, value]);
    } catch (cause) {
      throw notCloneable(cause, value, 'result', [], this.#platform.clone);
    }
  }
}
