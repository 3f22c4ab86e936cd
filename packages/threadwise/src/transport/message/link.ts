/** The main side of a worker's line over a port. README.md beside this file has the protocol. */
import type { Link, LinkEvents, Platform, Port, Transport, Wire } from '../../core/contracts.js';
import { notCloneable } from '../../core/payload.js';
import type { Task } from '../../core/task.js';
import { decodeError, encodeError } from '../codec/error-codec.js';
import { BoardOwner, boardByteLength } from './claim-board.js';
import { type PostedTask, TO_MAIN, TO_WORKER, type ToMain, type ToWorker } from './protocol.js';

export const messageTransport: Transport = {
  name: 'message',
  connect: (platform, events, capacity) => new MessageLink(platform, events, capacity),
};

class MessageLink implements Link {
  readonly wire: Wire;
  readonly #port: Port;
  readonly #board: BoardOwner;
  readonly #platform: Platform;
  readonly #events: LinkEvents;
  /** Posted, and no last word heard: by task id. */
  readonly #posted = new Map<number, Task>();
  /** Gathered, to be posted in one message at the end of the turn. */
  #outbox: PostedTask[] = [];
  #isClosed = false;

  constructor(platform: Platform, events: LinkEvents, capacity: number) {
    const { near, far } = platform.channel();
    const board = platform.sharedMemory(boardByteLength(capacity));
    this.wire = { port: far, board };
    this.#port = near;
    this.#board = new BoardOwner(board);
    this.#platform = platform;
    this.#events = events;
    near.listen(
      (message) => this.#receive(message as ToMain),
      () => events.settledBatch(),
      (error) => events.broken(error),
    );
  }

  get room(): number {
    return this.#board.room;
  }

  send(task: Task): void {
    task.cell = this.#board.post();
    const isFirst = this.#posted.size === 0;
    this.#posted.set(task.id, task);
    const entry: PostedTask = [task.cell, task.id, task.name, task.payload.args];
    if (task.payload.transfer.length > 0) return this.#sendAlone(task, entry);
    this.#outbox.push(entry);
    // A worker with nothing to do is told at once: this turn may be long. The others can wait for its end.
    if (isFirst) this.flush();
    else if (this.#outbox.length === 1) this.#platform.defer(() => this.flush());
  }

  flush(): void {
    if (this.#outbox.length === 0) return;
    const tasks = this.#outbox;
    this.#outbox = [];
    this.#post([TO_WORKER.tasks, tasks]);
  }

  withdraw(task: Task): boolean {
    if (!this.#board.withdraw(task.cell)) return false;
    this.#posted.delete(task.id);
    task.cell = -1;
    return true;
  }

  startedAt(task: Task): number | undefined {
    return this.#board.beganAt(task.cell);
  }

  abort(task: Task, reason: unknown): void {
    this.#post([TO_WORKER.abort, task.id, this.#encode(reason)]);
    this.#board.abort(task.cell); // after the message, so that whoever sees the word finds the reason
  }

  drain(): void {
    if (!this.#isClosed) this.#port.drain();
  }

  stop(): void {
    this.#post([TO_WORKER.stop]);
  }

  close(): void {
    this.#isClosed = true;
    this.#outbox = [];
    this.#port.close();
  }

  #sendAlone(task: Task, entry: PostedTask): void {
    this.flush();
    this.#post([TO_WORKER.tasks, [entry]], task.payload.transfer);
  }

  #post(message: ToWorker, transfer?: readonly unknown[]): void {
    if (!this.#isClosed) this.#port.post(message, transfer);
  }

  #encode(error: unknown) {
    return encodeError(error, this.#platform.clone);
  }

  #receive(message: ToMain): void {
    if (this.#isClosed) return;
    switch (message[0]) {
      case TO_MAIN.done:
        return this.#finish(message[1], (task) => this.#events.done(task, message[2], message[3]));
      case TO_MAIN.failed:
        return this.#finish(message[1], (task) =>
          this.#events.failed(task, decodeError(message[2]), message[3]),
        );
      case TO_MAIN.progress:
        return this.#about(message[1], (task) => this.#events.progress(task, message[2]));
      case TO_MAIN.abortSeen:
        return this.#about(message[1], (task) => this.#events.abortSeen(task));
      case TO_MAIN.ready:
        return this.#events.ready(message[1]);
      case TO_MAIN.loadFailed:
        return this.#events.loadFailed(decodeError(message[1]));
      case TO_MAIN.hostCall:
        return void this.#callHost(message[1], message[2], message[3]);
      case TO_MAIN.memory:
        return this.#events.memory(message[1], message[2]);
      case TO_MAIN.stopped:
        return this.#events.stopped();
    }
  }

  #about(id: number, tell: (task: Task) => void): void {
    const task = this.#posted.get(id);
    if (task !== undefined) tell(task);
  }

  #finish(id: number, tell: (task: Task) => void): void {
    const task = this.#posted.get(id);
    if (task === undefined) return;
    this.#posted.delete(id);
    this.#board.release(task.cell);
    tell(task);
  }

  async #callHost(call: number, name: string, args: readonly unknown[]): Promise<void> {
    try {
      const value = await this.#events.hostCall(name, args);
      this.#replyWith(call, value);
    } catch (error) {
      this.#post([TO_WORKER.hostReply, call, this.#encode(error), undefined]);
    }
  }

  #replyWith(call: number, value: unknown): void {
    try {
      this.#post([TO_WORKER.hostReply, call, null, value]);
    } catch (cause) {
      throw notCloneable(cause, value, 'result', [], this.#platform.clone);
    }
  }
}
