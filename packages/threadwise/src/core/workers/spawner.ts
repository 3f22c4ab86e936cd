/** How workers begin: started by this thread, or prepared for another one to start while this one is busy. */
import { Allowance } from './allowance.js';
import type { Link, LinkEvents, RemoteSizing, ThreadExit } from '../contracts.js';
import type { WorkersContext } from './workers.js';
import { WorkerSlot } from './worker-slot.js';

/** What becomes of those who were hired. */
export interface SpawnerEvents {
  /** The workers that there are. */
  readonly slots: WorkerSlot[];
  eventsOf(slot: WorkerSlot): LinkEvents;
  loadFailed(slot: WorkerSlot, error: unknown): void;
  exited(slot: WorkerSlot, exit: ThreadExit): void;
}

export class Spawner {
  readonly #context: WorkersContext;
  readonly #events: SpawnerEvents;
  /** Prepared for another thread to start; not there for anybody yet. */
  readonly #reserved = new Set<WorkerSlot>();
  #lastId = 0;

  constructor(context: WorkersContext, events: SpawnerEvents) {
    this.#context = context;
    this.#events = events;
  }

  /** Starts a worker. Its failure to start is told like a failure to load. */
  start(): void {
    const { platform, exchange } = this.#context;
    const slot = this.#newSlot();
    slot.link = exchange.connect(this.#events.eventsOf(slot));
    this.#enlist(slot);
    try {
      slot.thread = platform.spawn(this.#specOf(slot), (exit) => this.#events.exited(slot, exit));
    } catch (error) {
      platform.defer(() => this.#neverStarted(slot, error));
    }
  }

  /** Has that many workers prepared, that another thread can start while this one is busy. */
  reserve(count: number): void {
    const { sizing } = this.#context.exchange;
    while (sizing !== undefined && this.#reserved.size < count) this.#reserveOne(sizing);
  }

  /** None will be started by another thread any more. */
  dropReserved(): void {
    for (const slot of this.#reserved) void slot.thread?.terminate();
  }

  /** A worker speaks: where it was prepared, who has started it has said so, and why, which is to be heard before. */
  heard(slot: WorkerSlot): void {
    if (!this.#reserved.has(slot)) return;
    this.#context.exchange.sizing?.drain();
    this.#activate(slot);
  }

  /** A worker that was prepared has been started. */
  #activate(slot: WorkerSlot): void {
    if (this.#reserved.delete(slot)) this.#enlist(slot);
  }

  #reserveOne(sizing: RemoteSizing): void {
    const slot = this.#newSlot();
    const specOf = (link: Link) => {
      slot.link = link;
      return this.#specOf(slot);
    };
    const { thread } = sizing.reserve(this.#events.eventsOf(slot), specOf, {
      started: () => this.#activate(slot),
      exited: (exit) => {
        if (this.#reserved.delete(slot)) this.#forget(slot);
        else this.#events.exited(slot, exit);
      },
    });
    slot.thread = thread;
    this.#reserved.add(slot);
  }

  /** Inverse of `#newSlot`, for one that never was there. */
  #forget(slot: WorkerSlot): void {
    this.#context.recorder.forget(slot.record);
    slot.link.bury();
    slot.link.close();
  }

  #newSlot(): WorkerSlot {
    const { platform, recorder, newQueue, options } = this.#context;
    const slot = new WorkerSlot(++this.#lastId, newQueue(), platform.now());
    slot.record = recorder.worker();
    slot.allowance = Allowance.of(options.recycleAfterTasks, platform.sharedMemory);
    return slot;
  }

  #enlist(slot: WorkerSlot): void {
    const { hooks, poolName, platform, options } = this.#context;
    this.#events.slots.push(slot);
    hooks.emit('worker:start', { pool: poolName, workerId: slot.id });
    slot.deadline = platform.timer(options.startTimeoutMs, () => this.#startedTooLate(slot));
  }

  #startedTooLate(slot: WorkerSlot): void {
    if (!slot.link.forestall()) return slot.link.drain(); // at the last moment
    const { startTimeoutMs } = this.#context.options;
    const message = `It did not load within ${startTimeoutMs} ms (option worker.startTimeoutMs)`;
    this.#events.loadFailed(slot, new Error(message));
  }

  #neverStarted(slot: WorkerSlot, error: unknown): void {
    this.#events.loadFailed(slot, error);
    this.#events.exited(slot, { exitCode: 1, error, outOfMemory: false });
  }

  #specOf(slot: WorkerSlot) {
    const { poolName, moduleUrl, options } = this.#context;
    const { tasksPerWorker, worker } = options;
    const { wire }: Link = slot.link;
    const allowance = slot.allowance.memory;
    return { workerId: slot.id, poolName, moduleUrl, tasksPerWorker, allowance, wire, settings: worker };
  }
}
