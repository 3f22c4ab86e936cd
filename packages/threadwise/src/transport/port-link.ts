/** Main's end of the port to a worker: sends and hears all messages but the tasks themselves. */
import type { LinkEvents, Platform, Wire } from '../core/contracts.js';
import { notCloneable, unreadable } from '../core/calls/payload.js';
import type { Task } from '../core/calls/task.js';
import { decodeError, encodeError } from './codec/error-codec.js';
import { type About, Line } from './line.js';
import { TO_MAIN, TO_WORKER, type MessageToMain, type MessageToWorker } from './messages.js';

/** What errors are that main sends. */
const WHAT = {
  [TO_WORKER.abort]: 'the reason of an abort',
  [TO_WORKER.hostReply]: 'the error of a host function',
};

export abstract class PortLink {
  protected readonly platform: Platform;
  protected readonly events: LinkEvents;
  readonly wire: Wire;
  isClosed = false;
  protected readonly line: Line;

  constructor(platform: Platform, events: LinkEvents, wire: Omit<Wire, 'port'>) {
    const { near, far } = platform.channel();
    this.platform = platform;
    this.events = events;
    this.wire = { ...wire, port: far };
    this.line = new Line(near);
    this.line.listen(
      (message) => {
        if (!this.isClosed) this.hear(message as MessageToMain);
      },
      () => events.settledBatch(),
      (about, reason) => this.unread(about, reason),
    );
  }

  abstract wake(): void;

  /** The task with this id; undefined if the worker does not have it. */
  protected abstract taskOf(id: number): Task | undefined;

  protected hear(message: MessageToMain): void {
    const { events } = this;
    switch (message[0]) {
      case TO_MAIN.progress:
        return this.#about(message[1], (task) => events.progress(task, message[2]));
      case TO_MAIN.abortSeen:
        return this.#about(message[1], (task) => events.abortSeen(task));
      case TO_MAIN.ready:
        return events.ready(message[1], message[2]);
      case TO_MAIN.awaits:
        return events.awaits(message[1]);
      case TO_MAIN.setsUp:
        return events.setsUp();
      case TO_MAIN.loadFailed:
        return events.loadFailed(decodeError(message[1]));
      case TO_MAIN.hostCall:
        return void this.#callHost(message[1], message[2], message[3]);
      case TO_MAIN.memory:
        return events.memory(message[1], message[2]);
      case TO_MAIN.retired:
        return events.retired();
      case TO_MAIN.stopped:
        return events.stopped();
      case TO_MAIN.error:
        return events.error(decodeError(message[1]));
    }
  }

  /** The worker could not read a message of ours. */
  protected unread([type, number]: About, reason: string): void {
    if (type === TO_WORKER.hostReply)
      this.#tellError(type, number as number, unreadable('the result of a host function', reason));
    if (type === TO_WORKER.abort) this.#tellError(type, number as number, unreadable(WHAT[type], reason));
  }

  abort(task: Task, reason: unknown): void {
    this.#tellError(TO_WORKER.abort, task.id, reason);
  }

  retire(): boolean {
    this.tell([TO_WORKER.retire]);
    this.wake(); // the worker may block, and then hears no messages
    return false;
  }

  stop(): void {
    this.tell([TO_WORKER.stop]);
    this.wake();
  }

  /** Throws, and sends nothing, when the message cannot be cloned. */
  tell(message: MessageToWorker | readonly unknown[], transfer?: readonly unknown[]): void {
    if (!this.isClosed) this.line.post(message, transfer);
  }

  drain(): void {
    if (!this.isClosed) this.line.drain();
  }

  close(): void {
    this.isClosed = true;
    this.line.close();
  }

  /** Sends an error, or else why it cannot be sent: it is too long for a pipe, for instance. @param number of the task, or of the host call */
  #tellError(type: keyof typeof WHAT, number: number, error: unknown): void {
    const { clone } = this.platform;
    try {
      this.tell([type, number, encodeError(error, clone)]);
    } catch (cause) {
      this.tell([type, number, encodeError(notCloneable(cause, undefined, WHAT[type], [], clone), clone)]);
    }
  }

  #about(id: number, tell: (task: Task) => void): void {
    const task = this.taskOf(id);
    if (task !== undefined) tell(task);
  }

  async #callHost(call: number, name: string, args: readonly unknown[]): Promise<void> {
    try {
      const value = await this.events.hostCall(name, args);
      try {
        this.tell([TO_WORKER.hostReply, call, null, value]);
      } catch (cause) {
        throw notCloneable(cause, value, 'result', [], this.platform.clone);
      }
    } catch (error) {
      this.#tellError(TO_WORKER.hostReply, call, error);
    }
  }
}
