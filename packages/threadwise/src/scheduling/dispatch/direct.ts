/** Direct dispatch: the main thread chooses a worker for each task and hands it over. */
import type { Dispatch, DispatchContext, TaskQueue, TimerHandle, WorkerView } from '../../core/contracts.js';
import type { Task } from '../../core/calls/task.js';
import type { WorkerSlot } from '../../core/workers/worker-slot.js';
import { Affinity } from '../choice/affinity.js';
import { Prefetch } from './prefetch.js';

/**
 * A worker that holds unbegun tasks and has ended none for that long is behind a task longer than expected: they are
 * taken back. Milliseconds.
 */
const STALL_MS = 5;
/** How often a line without room is asked again. Milliseconds. */
const ROOM_MS = 1;
/** Between a lane and the queue, every so many picks age goes before priority, so that neither starves. */
const FAIR_INTERVAL = 16;

export class DirectDispatch implements Dispatch {
  readonly takesPlain = false;
  readonly name = 'direct';
  readonly offered = 0;
  readonly #context: DispatchContext;
  readonly #queue: TaskQueue<Task>;
  readonly #prefetch = new Prefetch();
  readonly #affinity = new Affinity<WorkerSlot>();
  /** Completed tasks of each worker when the stall timer was set; only workers that held unbegun tasks then. */
  #watched = new Map<WorkerSlot, number>();
  #stallTimer: TimerHandle | undefined;
  /** Completed tasks of workers when tasks were taken back from them. */
  readonly #stalled = new WeakMap<WorkerSlot, number>();
  #roomTimer: TimerHandle | undefined;
  #picks = 0;
  #state: 'open' | 'paused' = 'open';
  #isPumping = false;

  constructor(context: DispatchContext) {
    this.#context = context;
    this.#queue = context.newQueue();
  }

  get isPaused(): boolean {
    return this.#state === 'paused';
  }

  get queued(): number {
    return this.isPaused ? 0 : this.#queue.size;
  }

  get waiting(): number {
    return this.#context.slots().reduce((sum, slot) => {
      return sum + slot.lane.size + Math.max(0, slot.handed.size - this.#context.tasksPerWorker);
    }, this.#queue.size);
  }

  get hasRoom(): boolean {
    return (
      !this.isPaused && this.#context.slots().some((slot) => this.#isFree(slot, 0) && slot.link.room > 0)
    );
  }

  submit(task: Task): void {
    this.#queue.push(task, task.priority);
    this.pump();
  }

  submitTo(slot: WorkerSlot, task: Task): void {
    task.pinned = true;
    slot.lane.push(task, task.priority);
    this.pump();
  }

  putBack(tasks: readonly Task[]): void {
    for (const task of tasks.toSorted((a, b) => b.id - a.id)) {
      task.state = 'queued';
      this.#queue.pushFront(task, task.priority);
    }
  }

  remove(task: Task): boolean {
    return this.#queue.remove(task) || this.#context.slots().some((slot) => slot.lane.remove(task));
  }

  pause(): void {
    if (this.isPaused) return;
    this.#state = 'paused';
    const slots = this.#context.slots();
    this.putBack(slots.flatMap((slot) => [...takeMovable(slot), ...this.withdrawUnbegun(slot)]));
  }

  resume(): void {
    if (!this.isPaused) return;
    this.#state = 'open';
    this.pump();
  }

  /** The next task that any worker could take. */
  get #first(): Task | undefined {
    return this.isPaused ? undefined : this.#queue.peek();
  }

  /** Workers take nothing by themselves. */
  holder(): undefined {
    return undefined;
  }

  observe(task: Task, runMs: number): void {
    this.#prefetch.observe(task.name, runMs);
  }

  clear(): Task[] {
    return [...this.#queue.clear(), ...this.#context.slots().flatMap((slot) => slot.lane.clear())];
  }

  oldestSubmittedAt(): number | undefined {
    let oldest: number | undefined;
    const look = (task: Task) => {
      oldest = Math.min(oldest ?? task.submittedAt, task.submittedAt);
    };
    for (const task of this.#queue) look(task);
    for (const slot of this.#context.slots()) {
      for (const task of slot.lane) look(task);
      for (const task of unbegun(slot)) look(task);
    }
    return oldest;
  }

  pump(): void {
    // A strategy or a listener of the user's may submit a task: the pump that runs will find it.
    if (this.#isPumping) return;
    this.#isPumping = true;
    try {
      const now = this.#context.platform.now();
      do this.#pumpLanes(now);
      while (this.#pumpQueue(now));
    } finally {
      this.#isPumping = false;
    }
    this.#watchForStalls();
    this.#watchForRoom();
  }

  /** Nobody tells when a line has room again that was full of tasks taken back: then it is asked, as long as tasks wait. */
  #watchForRoom(): void {
    if (this.#roomTimer !== undefined || !this.#context.slots().some((slot) => this.#isHeldUp(slot))) return;
    this.#roomTimer = this.#context.platform.timer(ROOM_MS, () => {
      this.#roomTimer = undefined;
      this.pump();
    });
  }

  /** Whether only the line keeps it from getting a task, or what it has taken by itself and may give back. */
  #isHeldUp(slot: WorkerSlot): boolean {
    if (slot.state !== 'ready' || slot.handed.size >= this.#context.tasksPerWorker) return false;
    const next = slot.lane.peek() ?? this.#first;
    if (next === undefined) return false;
    const isSpent = slot.allowance.left <= 0;
    if (isSpent) return slot.handed.size + slot.link.pulled < this.#context.tasksPerWorker;
    return !slot.link.hasRoomFor(next);
  }

  /** Hands over the first task of the queue, if a worker has room for it. Returns whether it did. */
  #pumpQueue(now: number): boolean {
    const task = this.#first;
    if (task === undefined) return false;
    if (task.key !== undefined) return this.#moveToLane(task);
    // A task that moves its arguments cannot be sent twice, so it is not left lying unbegun at a worker.
    const depth = task.moves ? 0 : this.#prefetch.depth(task.name);
    const candidates = this.#context.slots().filter((slot) => this.#hasRoom(slot, task, depth));
    if (candidates.length === 0) return false;
    const slot = this.#choose(task, candidates);
    if (slot.allowance.take() === 0) return true; // the worker has just taken its last task by itself
    if (this.#take(task)) this.#hand(task, slot, now);
    else slot.allowance.give();
    return true;
  }

  /** A task with a key waits for its own worker; which one that is, is decided once, while none is known. */
  #moveToLane(task: Task): boolean {
    const slot = this.#affinity.find(task.key) ?? this.#newHome(task);
    if (slot === undefined) return false;
    if (this.#take(task)) slot.lane.push(task, task.priority);
    return true;
  }

  /** Out of the queue with it, wherever it stands now: the strategy may have submitted another, or aborted this one. */
  #take(task: Task): boolean {
    if (this.#queue.peek() !== task) return this.#queue.remove(task);
    this.#queue.shift();
    return true;
  }

  #newHome(task: Task): WorkerSlot | undefined {
    const candidates = this.#context.slots().filter((slot) => slot.serves);
    if (candidates.length === 0) return undefined;
    const slot = this.#choose(task, candidates);
    this.#affinity.assign(task.key, slot);
    return slot;
  }

  #choose(task: Task, candidates: readonly WorkerSlot[]): WorkerSlot {
    if (candidates.length === 1) return candidates[0]!;
    return this.#context.choice.choose(task, candidates as readonly WorkerView[]) as WorkerSlot;
  }

  #pumpLanes(now: number): void {
    for (const slot of this.#context.slots()) {
      for (let task = this.#nextOfLane(slot); task !== undefined; task = this.#nextOfLane(slot)) {
        if (slot.allowance.take() === 0) break;
        slot.lane.shift();
        this.#hand(task, slot, now);
      }
    }
  }

  /** The head of the lane, if the worker has room and the head goes before that of the queue. */
  #nextOfLane(slot: WorkerSlot): Task | undefined {
    const own = slot.lane.peek();
    if (own === undefined || !this.#hasRoom(slot, own, 0)) return undefined;
    const shared = this.#first;
    return shared === undefined || this.#goesBefore(own, shared) ? own : undefined;
  }

  #goesBefore(a: Task, b: Task): boolean {
    const byAge = this.#picks++ % FAIR_INTERVAL === FAIR_INTERVAL - 1;
    return byAge || a.priority === b.priority ? a.id < b.id : a.priority > b.priority;
  }

  #hasRoom(slot: WorkerSlot, task: Task, depth: number): boolean {
    return this.#isFree(slot, depth) && slot.link.hasRoomFor(task);
  }

  #isFree(slot: WorkerSlot, depth: number): boolean {
    if (slot.state !== 'ready' || slot.allowance.left <= 0) return false;
    // What was taken back from a worker that does not get on is not left lying with it again.
    const ahead = this.#stalled.get(slot) === slot.completed ? 0 : depth;
    return slot.handed.size < this.#context.tasksPerWorker + ahead;
  }

  #hand(task: Task, slot: WorkerSlot, now: number): void {
    slot.hand(task, now);
    this.#context.onHand(task, slot);
  }

  /** As long as any worker holds unbegun tasks, looks every STALL_MS whether it got on. */
  #watchForStalls(): void {
    if (this.#stallTimer !== undefined) return;
    const holders = this.#holders();
    if (holders.length === 0) return;
    this.#watched = new Map(holders.map((slot) => [slot, slot.completed]));
    this.#stallTimer = this.#context.platform.timer(STALL_MS, () => this.#takeBackFromStalled());
  }

  #holders(): WorkerSlot[] {
    return this.#context.slots().filter((slot) => slot.handed.size > this.#context.tasksPerWorker);
  }

  #takeBackFromStalled(): void {
    this.#stallTimer = undefined;
    const watched = this.#watched; // a drain may pump, and then others are watched
    for (const slot of this.#holders()) slot.link.drain();
    const stalled = this.#holders().filter((slot) => watched.get(slot) === slot.completed);
    for (const slot of stalled) this.#stalled.set(slot, slot.completed);
    this.putBack(stalled.flatMap((slot) => this.withdrawUnbegun(slot)));
    this.pump();
  }

  /** Takes from a worker every task that it has not begun and that another worker may run. */
  withdrawUnbegun(slot: WorkerSlot): Task[] {
    const now = this.#context.platform.now();
    const movable = [...slot.handed].filter(
      (task) => !task.settled && !task.pinned && !task.moves && task.key === undefined,
    );
    const withdrawn = movable.filter((task) => slot.withdraw(task, now));
    for (const task of withdrawn) this.#context.onWithdraw(task);
    return withdrawn;
  }
}

/** Tasks of a lane that are not for this worker and no other. */
function takeMovable({ lane }: WorkerSlot): Task[] {
  return [...lane].filter((task) => !task.pinned && lane.remove(task));
}

/** Tasks that a worker was handed and has not begun. */
function unbegun(slot: WorkerSlot): Task[] {
  return [...slot.handed].filter((task) => !task.settled && slot.link.startedAt(task) === undefined);
}
