/** The seam to one worker's line. Implemented in `transport/<name>/link.ts`. */
import type { Task } from '../task.js';
import type { Platform, Wire } from './platform.js';

/** What a worker says. The link has decoded it. */
export interface LinkEvents {
  ready(taskNames: readonly string[]): void;
  loadFailed(error: unknown): void;
  done(task: Task, value: unknown, runMs: number): void;
  failed(task: Task, error: unknown, runMs: number): void;
  progress(task: Task, value: unknown): void;
  /** Resolves to the host function's result. */
  hostCall(name: string, args: readonly unknown[]): Promise<unknown>;
  abortSeen(task: Task): void;
  memory(heapUsedBytes: number, heapLimitBytes: number): void;
  stopped(): void;
  /** Something the worker said cannot be read, so some call of it would wait for ever. */
  broken(error: unknown): void;
  /** A batch of messages has been handled: the moment to hand over more work. */
  settledBatch(): void;
}

/** The main side of the line to one worker. `send` and `withdraw` are inverse of each other. */
export interface Link {
  readonly wire: Wire;
  /** How many more tasks the line can carry. */
  readonly room: number;
  send(task: Task): void;
  /** Hands over what `send` has gathered. */
  flush(): void;
  /** Takes a task back that has not begun. True: it never will begin there. */
  withdraw(task: Task): boolean;
  /** When the task began, on the platform's clock; undefined as long as it has not. */
  startedAt(task: Task): number | undefined;
  /** Raises the task's signal in the worker. */
  abort(task: Task, reason: unknown): void;
  /** Handles now what the worker has said already. */
  drain(): void;
  /** Asks the worker to run `teardown` and say `stopped`. */
  stop(): void;
  close(): void;
}

export interface Transport {
  readonly name: string;
  connect(platform: Platform, events: LinkEvents, capacity: number): Link;
}
