/** The workers of a pool: starts them, hears what they say, and ends them. */
import type { Link, LinkEvents, Measured, ModuleTraits, RemoteSizing, ThreadSpec } from '../contracts.js';
import type { Engine, Parts } from '../engine.js';
import { classNames } from '../options/classes.js';
import type { ExitReason } from '../events/hooks.js';
import type { Settlement, Task } from '../calls/task.js';
import { Allowance } from './allowance.js';
import { exited } from './exits.js';
import { loadsTooLong, reasonOf, sayLost } from './failures.js';
import { WorkerSlot } from './worker-slot.js';

/** How many milliseconds `teardown` may take. Then its thread is ended; on the calling thread it is no longer waited for. Chosen by hand. */
export const TEARDOWN_MS = 5000;

export class Workers {
  /** All that are not dead. */
  readonly slots: WorkerSlot[] = [];
  readonly #engine: Engine;
  readonly #parts: Parts;
  /** Prepared for another thread to start while this one is busy; among `slots` once they are started. */
  readonly #reserved = new Set<WorkerSlot>();
  /** How many tasks a worker runs before it is replaced. */
  readonly #mostTasks: number;
  #lastId = 0;
  #completed = 0;

  constructor(engine: Engine) {
    this.#engine = engine;
    this.#parts = engine.parts;
    this.#mostTasks = engine.parts.options.worker.recycle.afterTasks;
  }

  /** Those that are, or will be, there for tasks. */
  get serving(): WorkerSlot[] {
    return this.slots.filter((slot) => slot.serves);
  }

  /** What the sizing policy measures. Asks the system about each thread. */
  measure(): Measured {
    const ready = this.slots.filter((slot) => slot.state === 'ready');
    const workers = ready.map(({ id, load, completed, runMs, thread }) => {
      return { id, isBusy: load > 0, completed, runMs, cpu: thread?.cpu() };
    });
    return { completed: this.#completed, workers, memory: this.#parts.platform.memory() };
  }

  // --- how a worker begins ---

  /** Starts a worker. Its failure to start is told like a failure to load. */
  start(): void {
    const { platform, exchange, recorder } = this.#parts;
    const slot = this.#newSlot();
    try {
      slot.link = exchange.connect(this.#eventsOf(slot));
      slot.thread = platform.spawn(this.#specOf(slot), (exit) => exited(this.#engine, slot, exit));
    } catch (thrown) {
      const error = thrown as Error;
      error.stack = String(error); // it would lead into the library, and a message would name that as the place of the error
      if (slot.link === undefined) {
        recorder.forget(slot.record); // there is no memory for what it shares with main
        return this.#engine.workerFailed(slot, error, 'loading');
      }
      platform.defer(() => {
        this.#loadFailed(slot, error);
        exited(this.#engine, slot, { exitCode: 1, error, outOfMemory: false });
      });
    }
    this.#begins(slot);
  }

  /** Prepares workers that another thread can start, until there are `count` of them. */
  reserve(sizing: RemoteSizing, count: number): void {
    while (this.#reserved.size < count) {
      const slot = this.#newSlot();
      const specOf = (link: Link) => {
        slot.link = link;
        return this.#specOf(slot);
      };
      try {
        slot.thread = sizing.reserve(this.#eventsOf(slot), specOf, {
          started: () => this.#started(slot),
          exited: (exit) => {
            if (!this.#reserved.delete(slot)) return exited(this.#engine, slot, exit);
            this.#parts.recorder.forget(slot.record);
            slot.link.bury();
            slot.link.close();
          },
        });
      } catch (error) {
        this.#parts.recorder.forget(slot.record); // as in `start`
        return this.#engine.scaler.failed(error, slot);
      }
      this.#reserved.add(slot);
    }
  }

  /** Gives up the prepared workers: no other thread starts one any more. */
  dropReserved(): void {
    for (const slot of this.#reserved) {
      slot.exitReason = 'closed'; // another thread may have started it, and main hears of that later
      slot.terminate();
    }
  }

  /** Another thread has started a worker that was prepared. */
  #started(slot: WorkerSlot): void {
    if (!this.#reserved.delete(slot)) return;
    slot.startedAt = this.#parts.platform.now(); // the slot may have been made long before
    this.#begins(slot);
  }

  /** To be called last: a listener may end the worker, whose thread has to be there by then. */
  #begins(slot: WorkerSlot): void {
    this.slots.push(slot);
    this.#limitStart(slot);
    this.#engine.hooks.emit('worker:start', { workerId: slot.id });
  }

  #newSlot(): WorkerSlot {
    const { platform, recorder, newQueue } = this.#parts;
    const slot = new WorkerSlot(++this.#lastId, newQueue(), platform.now());
    slot.record = recorder.worker();
    return slot;
  }

  /**
   * Gives a worker `startTimeoutMs` to start, without the time in which its thread had no core: many threads that start at once, or a
   * container's small share of a CPU, are no reason to give up a module. Nor is what main takes to start it.
   */
  #limitStart(slot: WorkerSlot, from?: number): void {
    const { platform, options } = this.#parts;
    const { startTimeoutMs: ms } = options.worker;
    const now = platform.now(); // read once: the turn in which a worker is started never ends it, however long main had to wait for a core
    from ??= now;
    const leftMs = from + ms + slot.waitedMs - now;
    if (leftMs > 0) slot.deadline = platform.timer(leftMs, () => this.#limitStart(slot, from));
    else if (this.#stillStarts(slot)) this.#loadFailed(slot, loadsTooLong(ms, slot.stage));
  }

  #specOf(slot: WorkerSlot): ThreadSpec {
    const { name: poolName, moduleUrl, options, platform } = this.#parts;
    const { tasksPerWorker, worker: settings } = options;
    slot.allowance = Allowance.of(this.#mostTasks, platform.sharedMemory); // here, where it is caught if it throws
    const own = { workerId: slot.id, allowance: slot.allowance.memory, wire: slot.link.wire };
    return { ...own, poolName, moduleUrl, tasksPerWorker, classes: classNames(options.classes), settings };
  }

  // --- what a worker says ---

  #eventsOf(slot: WorkerSlot): LinkEvents {
    const engine = this.#engine;
    const { platform } = this.#parts;
    return {
      record: slot.record,
      ready: (names, traits) => this.#ready(slot, names, traits),
      awaits: (name) => engine.here?.awaits(name),
      setsUp: () => void (slot.stage = 'setup'),
      loadFailed: (error) => this.#loadFailed(slot, error),
      done: (task, value, runMs) =>
        this.#ended(slot, task, { outcome: 'completed', value, runMs, by: slot.record }),
      failed: (task, error, runMs) => {
        sayLost(task, error);
        this.#ended(slot, task, { outcome: 'failed', error, runMs, by: slot.record });
      },
      ranPlain: (count, runMs) => this.#counted(slot, count, runMs),
      progress: (task, value) => {
        if (!task.settled) engine.ledger.tellProgress(task.id, task.name, value, task.run);
      },
      hostCall: (name, args) => engine.callHost(slot, name, args),
      abortSeen: (task) => engine.canceller.noticed(task),
      memory: (used, limit) => engine.recycler.heapMeasured(slot, used, limit),
      retired: () => {
        slot.link.drain(); // hears of the tasks that the worker ended before
        slot.pulls = false;
        this.#stopIfDone(slot);
      },
      stopped: () => slot.terminate(),
      error: engine.hooks.report,
      broken: (error) => this.kill(slot, 'crashed', error),
      settledBatch: () => {
        slot.idleSince = platform.now();
        engine.batchEnded();
      },
    };
  }

  #ready(slot: WorkerSlot, names: readonly string[], traits: ModuleTraits): void {
    if (this.#reserved.has(slot)) {
      this.#parts.exchange.sizing?.drain(); // hears first why the other thread has started it
      this.#started(slot);
    }
    if (slot.state !== 'starting') return;
    slot.transition('ready');
    slot.stage = 'ready';
    slot.idleSince = this.#parts.platform.now();
    const startMs = slot.idleSince - slot.startedAt;
    this.#engine.hooks.emit('worker:ready', { workerId: slot.id, startMs });
    this.#stopIfDone(slot);
    this.#engine.workerReady(names, traits);
  }

  #loadFailed(slot: WorkerSlot, error: unknown): void {
    if (slot.state !== 'starting') return;
    slot.transition('stopping'); // so that it does not count among the workers that are left
    this.#engine.workerFailed(slot, error, 'loading'); // before `kill`, so that its replacement is not started at once
    this.kill(slot, 'load-failed', error);
  }

  #counted(slot: WorkerSlot, count: number, runMs: number): void {
    if (slot.completed === 0) this.#engine.scaler.succeeded(slot.startedAt);
    slot.completed += count;
    slot.runMs += runMs;
    this.#completed += count;
    this.#engine.meter.settled(count);
    if (slot.completed >= this.#mostTasks) this.#engine.recycler.recycle(slot);
    this.#stopIfDone(slot);
  }

  #ended(slot: WorkerSlot, task: Task, settlement: Settlement): void {
    const runMs = settlement.runMs!;
    if (slot.handed.size > 0) {
      slot.release(task, this.#parts.platform.burstNow());
      this.#engine.dispatch.observe(task, runMs);
    }
    this.#engine.canceller.ended(task);
    this.#counted(slot, 1, runMs);
    task.settle(settlement);
  }

  // --- how a worker ends ---

  /** Lets a worker end what it has begun, then ends it. @param isReplaced whether another one is started in its place right after this */
  retire(slot: WorkerSlot, reason: ExitReason, isReplaced = false): void {
    if (slot.state === 'starting') {
      // Broadcasts are for this worker alone: it stays until it has loaded, and there was room for all of them.
      if ([...slot.lane, ...slot.handed].some(({ pinned }) => pinned)) return void (slot.leaves = reason);
      if (this.#stillStarts(slot)) return this.kill(slot, reason);
    }
    if (slot.state !== 'ready') return;
    this.#takeBack(slot);
    const { dispatch, canceller } = this.#engine;
    const { lane, link } = slot;
    dispatch.putBack(slot.takeLane());
    for (let task = lane.peek(); task !== undefined && link.hasRoomFor(task); task = lane.peek()) {
      lane.shift();
      slot.hand(task);
      canceller.handed(task, slot);
    }
    // A worker that is interrupted ends soon, and its broadcasts go to the worker that replaces it.
    if (lane.size > 0 && reason !== 'interrupted') return void (slot.leaves = reason);
    slot.exitReason = reason;
    slot.transition('retiring');
    slot.pulls = !link.retire(isReplaced);
    this.#stopIfDone(slot);
  }

  /** Whether a worker that was not heard to be ready still starts: main may have been busy. If so, it takes no task by itself from now on. */
  #stillStarts(slot: WorkerSlot): boolean {
    slot.link.drain();
    if (slot.link.forestall()) return slot.state === 'starting';
    slot.link.drain(); // it is ready, and may have taken a task
    return false;
  }

  /** Ends a worker now. What it runs is rejected with `cause`; what it has not begun runs elsewhere. */
  kill(slot: WorkerSlot, reason: ExitReason, cause?: unknown): void {
    if (slot.state === 'dead') return;
    if (slot.state === 'ready') slot.transition('retiring');
    if (slot.state !== 'stopping') slot.transition('stopping');
    slot.exitReason = reason;
    slot.exitCause = cause;
    this.#takeBack(slot);
    slot.terminate();
    this.#engine.workerGone();
  }

  #stopIfDone(slot: WorkerSlot): void {
    if (slot.state === 'ready' && slot.leaves !== undefined) this.retire(slot, slot.leaves);
    if (slot.state !== 'retiring' || slot.pulls || slot.handed.size > 0) return;
    slot.transition('stopping');
    slot.link.stop();
    slot.deadline = this.#parts.platform.timer(TEARDOWN_MS, () => {
      const message = `Worker ${slot.id} did not end within ${TEARDOWN_MS} ms, 'teardown' included, and was ended`;
      this.#engine.hooks.report(reasonOf(message));
      slot.terminate();
    });
  }

  /** Takes back what the worker has not begun; it is on its way out. */
  #takeBack(slot: WorkerSlot): void {
    this.#engine.dispatch.putBack(slot.withdrawAll(this.#parts.platform.now()));
  }
}
