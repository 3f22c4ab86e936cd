/** Direct dispatch: the main thread chooses a worker for each task and hands it over. */
import type { Dispatch, DispatchContext, TaskQueue, TimerHandle } from '../../core/contracts.js';
import { oldestSubmittedAt, type Task } from '../../core/calls/task.js';
import type { WorkerSlot } from '../../core/workers/worker-slot.js';
import { Affinity } from '../choice/affinity.js';
import { Prefetch } from './prefetch.js';

/** If a worker ends no task for this many milliseconds, it runs one that is longer than expected: its unbegun ones are taken back. */
const STALL_MS = 5;
/** How many milliseconds pass before main looks for room again, where no event tells of it. */
const ROOM_MS = 1;
/** One pick in this many takes the older one of a lane's and the queue's next tasks, by age and not by priority: so neither starves. */
const FAIR_INTERVAL = 16;

export class DirectDispatch implements Dispatch {
  readonly name: string = 'direct';
  isPaused = false;
  protected readonly context: DispatchContext;
  readonly #queue: TaskQueue<Task>;
  readonly #prefetch = new Prefetch();
  readonly #affinity = new Affinity<WorkerSlot>();
  /** How many tasks a worker had completed when tasks were last taken back from it. */
  readonly #stalled = new WeakMap<WorkerSlot, number>();
  /** The lowest priority among the tasks that were left ahead with workers since none was left ahead. */
  #lowestAhead = Number.POSITIVE_INFINITY;
  #stallTimer: TimerHandle | undefined;
  #roomTimer: TimerHandle | undefined;
  #picks = 0;
  #isPumping = false;

  constructor(context: DispatchContext) {
    this.context = context;
    this.#queue = context.newQueue();
  }

  get takesPlain() {
    return false;
  }

  get offered() {
    return 0;
  }

  get queued(): number {
    return this.isPaused ? 0 : this.#queue.size;
  }

  get waiting(): number {
    return this.#slots.reduce((sum, { lane }) => sum + lane.size, this.#queue.size + this.ahead);
  }

  /** How many tasks lie with workers and cannot have begun. */
  protected get ahead(): number {
    return this.#slots.reduce((sum, slot) => sum + this.#aheadOf(slot), 0);
  }

  get hasRoom(): boolean {
    return !this.isPaused && this.#slots.some((slot) => this.#isFree(slot) && slot.link.room > 0);
  }

  submit(task: Task): void {
    this.enqueue(task);
  }

  submitTo(slot: WorkerSlot, task: Task): void {
    task.pinned = true;
    slot.lane.push(task, task.priority);
    this.handOver();
  }

  putBack(tasks: readonly Task[]): void {
    this.requeue(tasks);
  }

  remove(task: Task): boolean {
    return this.#queue.remove(task) || this.#slots.some((slot) => slot.lane.remove(task));
  }

  pause(): void {
    this.isPaused = true;
    const now = this.context.platform.now();
    this.requeue(this.#slots.flatMap((slot) => [...slot.takeLane(), ...slot.withdrawAll(now)]));
  }

  resume(): void {
    this.isPaused = false;
    this.pump();
  }

  observe(task: Task, runMs: number): void {
    this.#prefetch.observe(task.name, runMs);
  }

  clear(): Task[] {
    return [...this.#queue.clear(), ...this.#slots.flatMap((slot) => slot.lane.clear())];
  }

  oldestSubmittedAt(): number | undefined {
    return oldestSubmittedAt(this.unbegun());
  }

  /** Tasks that no worker has begun: in the queue, in lanes, and at workers. */
  protected *unbegun(): Generator<Task> {
    yield* this.#queue;
    for (const slot of this.#slots) {
      yield* slot.lane;
      for (const task of slot.handed) if (!task.settled && !slot.hasBegun(task)) yield task;
    }
  }

  pump(): void {
    this.handOver();
  }

  /**
   * Leaves a task with a worker that has others or, as long as no worker is ready, with one that starts: main may be blocked before it
   * hears that a worker is free. Not if other tasks wait: then main decides which one is next.
   */
  protected submitAhead(task: Task): void {
    this.enqueue(task);
    if (task.moves || this.#isPumping || this.#first !== task || this.#queue.size > 1) return;
    if (task.priority > this.#lowestAhead) {
      // Tasks that lie with workers are less urgent: they go back into the queue, behind this one.
      this.#lowestAhead = Number.POSITIVE_INFINITY;
      for (const slot of this.#holders()) this.#takeBack(slot);
      return this.handOver();
    }
    const wanted = this.#isAnyReady ? 'ready' : 'starting';
    const slot = this.#choose(task, ({ state, allowance, link }) => {
      return state === wanted && allowance.left > 0 && link.hasRoomFor(task);
    });
    const lowest = this.ahead === 0 ? task.priority : Math.min(this.#lowestAhead, task.priority);
    if (slot === undefined || !this.#handFirst(task, slot)) return;
    this.#lowestAhead = lowest;
    this.#watchForStalls();
  }

  protected handOver(): void {
    // A strategy or a listener of the user's may submit a task: the pump that runs will find it.
    if (this.#isPumping) return;
    this.#isPumping = true;
    try {
      do this.#pumpLanes();
      while (this.#pumpQueue() || this.#takeForIdle());
    } finally {
      this.#isPumping = false;
    }
    this.#watchForStalls();
    if (this.#roomTimer === undefined && this.#slots.some((slot) => this.#isHeldUp(slot))) this.pumpSoon();
  }

  /** Pumps again after ROOM_MS, as long as tasks wait for room: no event tells of it. */
  protected pumpSoon(): void {
    this.#roomTimer ??= this.context.platform.timer(ROOM_MS, () => {
      this.#roomTimer = undefined;
      this.pump();
    });
  }

  protected enqueue(task: Task): void {
    this.#queue.push(task, task.priority);
    // A task behind another one waits for as long as that one does: main need not look for a worker.
    if (this.#first === task) this.handOver();
  }

  get #slots(): readonly WorkerSlot[] {
    return this.context.slots();
  }

  /** The next task that any worker could take. */
  get #first(): Task | undefined {
    return this.isPaused ? undefined : this.#queue.peek();
  }

  /**
   * Whether a worker could run its next task, but its line is full of tasks that were taken back, or it has taken the rest of its allowance
   * by itself, and may give some of that back.
   */
  #isHeldUp(slot: WorkerSlot): boolean {
    const { state, handed, lane, link, allowance } = slot;
    const next = lane.peek() ?? this.#first;
    const free = this.context.tasksPerWorker - handed.size;
    if (state !== 'ready' || free <= 0 || next === undefined) return false;
    return allowance.left <= 0 ? link.pulled < free : !link.hasRoomFor(next);
  }

  /** Hands over the first task of the queue, if a worker has room for it. Returns whether one had. */
  #pumpQueue(): boolean {
    const task = this.#first;
    if (task === undefined) return false;
    if (task.key !== undefined) return this.#moveToLane(task);
    const slot = this.#choose(task, (each) => this.#isFree(each, task) && each.link.hasRoomFor(task));
    if (slot !== undefined) this.#handFirst(task, slot);
    return slot !== undefined;
  }

  /** Hands over a task of the queue. False: the worker has just taken its last task by itself, or the task is gone. */
  #handFirst(task: Task, slot: WorkerSlot): boolean {
    if (slot.allowance.take() === 0) return false;
    const isThere = this.#queue.take(task); // the strategy may have submitted another one, or aborted this one
    if (isThere) this.#hand(task, slot);
    else slot.allowance.give();
    return isThere;
  }

  /** Moves a task with a key to the lane of the key's worker, which is chosen only while the key has none. */
  #moveToLane(task: Task): boolean {
    const slot = this.#affinity.find(task.key) ?? this.#choose(task, ({ serves }) => serves);
    if (slot === undefined) return false;
    this.#affinity.assign(task.key, slot);
    if (this.#queue.take(task)) slot.lane.push(task, task.priority);
    return true;
  }

  #choose(task: Task, isCandidate: (slot: WorkerSlot) => boolean): WorkerSlot | undefined {
    const candidates = this.#slots.filter(isCandidate);
    if (candidates.length <= 1) return candidates[0];
    const slot = this.context.choice.choose(task, candidates) as WorkerSlot;
    return isCandidate(slot) ? slot : this.#slots.find(isCandidate); // a strategy of the user's may have retired it
  }

  /** If a worker is idle and nothing waits, takes back the oldest task that lies with a starting worker or is not known to be short. Returns whether it did. */
  #takeForIdle(): boolean {
    if (this.isPaused || this.#queue.size > 0) return false;
    if (!this.#slots.some((slot) => slot.handed.size === 0 && this.#isFree(slot))) return false;
    const lying = this.#holders().flatMap((slot) => {
      const isWorthIt = ({ name }: Task) => slot.state === 'starting' || this.#prefetch.depth(name) === 0;
      const tasks = [...slot.handed].filter(
        (task) => isWorthIt(task) && isForAny(task) && !slot.hasBegun(task),
      );
      return tasks.map((task) => ({ slot, task }));
    });
    const [oldest] = lying.sort((a, b) => a.task.id - b.task.id);
    return oldest !== undefined && this.#takeBack(oldest.slot, [oldest.task]) > 0;
  }

  #pumpLanes(): void {
    for (const slot of this.#slots) {
      for (let task = this.#nextOfLane(slot); task !== undefined; task = this.#nextOfLane(slot)) {
        if (slot.leaves === undefined && slot.allowance.take() === 0) break;
        slot.lane.shift();
        this.#hand(task, slot);
      }
    }
  }

  /** The head of the lane, if the worker has room and the head goes before that of the queue. */
  #nextOfLane(slot: WorkerSlot): Task | undefined {
    const own = slot.lane.peek();
    if (own === undefined || !slot.link.hasRoomFor(own)) return undefined;
    if (slot.leaves === undefined ? !this.#isFree(slot, own) : slot.state !== 'ready') return undefined;
    const shared = this.#first;
    // A worker that leaves gets only the tasks that are for it alone, however few it may run otherwise.
    if (shared === undefined || slot.leaves !== undefined) return own;
    const byAge = this.#picks++ % FAIR_INTERVAL === FAIR_INTERVAL - 1 || own.priority === shared.priority;
    return (byAge ? own.id < shared.id : own.priority > shared.priority) ? own : undefined;
  }

  /** @param next the task that it would get, perhaps ahead; undefined: one that it begins at once */
  #isFree(slot: WorkerSlot, next?: Task): boolean {
    if (slot.state !== 'ready' || slot.leaves !== undefined || slot.allowance.left <= 0) return false;
    if (next?.moves) return this.canBegin(slot, next);
    // Tasks that were taken back from a worker that ends none are not handed to it ahead again.
    const isAhead = next?.isMovable && this.#stalled.get(slot) !== slot.completed;
    return slot.handed.size < this.context.tasksPerWorker + (isAhead ? this.#prefetch.depth(next.name) : 0);
  }

  /** Whether a worker has nothing to end before a task that moves its arguments: that cannot be taken back. */
  protected canBegin({ handed }: WorkerSlot, _moving: Task): boolean {
    return handed.size < this.context.tasksPerWorker;
  }

  #hand(task: Task, slot: WorkerSlot): void {
    slot.hand(task);
    this.context.canceller.handed(task, slot);
  }

  /** Looks every STALL_MS whether the workers that hold unbegun tasks make progress. */
  #watchForStalls(): void {
    if (this.#stallTimer !== undefined) return;
    const holders = this.#holders();
    if (holders.length === 0) return;
    const watched = new Map(holders.map((slot) => [slot, slot.completed]));
    this.#stallTimer = this.context.platform.timer(STALL_MS, () => {
      this.#stallTimer = undefined;
      for (const slot of this.#holders()) slot.link.drain();
      for (const slot of this.#holders()) {
        // Where no worker is ready, nobody else could run them.
        if (watched.get(slot) !== slot.completed || !this.#isAnyReady) continue;
        this.#stalled.set(slot, slot.completed);
        this.#takeBack(slot);
      }
      this.context.batchEnded();
    });
  }

  /** Workers with tasks that they cannot have begun. */
  #holders(): WorkerSlot[] {
    return this.#slots.filter((slot) => this.#aheadOf(slot) > 0);
  }

  /** A task whose call has settled does not wait: it was begun, and has perhaps ended. */
  #aheadOf({ state, handed }: WorkerSlot): number {
    const most = state === 'starting' ? handed.size : handed.size - this.context.tasksPerWorker;
    let ahead = 0;
    for (const task of handed) {
      if (ahead >= most) break;
      if (!task.settled) ahead++;
    }
    return ahead;
  }

  get #isAnyReady(): boolean {
    return this.#slots.some(({ state }) => state === 'ready');
  }

  /** Takes back those of the tasks that the worker has not begun and that another one may run. Returns how many. */
  #takeBack(slot: WorkerSlot, tasks: Iterable<Task> = slot.handed): number {
    const withdrawn = slot.withdrawAll(this.context.platform.now(), [...tasks].filter(isForAny));
    this.requeue(withdrawn);
    return withdrawn.length;
  }

  /** Puts tasks back, the youngest first: if all are older than those in the queue, each finds its place at once. */
  protected requeue(tasks: readonly Task[], queue = this.#queue): void {
    for (const task of tasks.toSorted((a, b) => b.id - a.id)) {
      this.context.canceller.release(task);
      task.state = 'queued';
      queue.push(task, task.priority);
    }
  }
}

/** Whether any worker may run the task, even while the one that has it lives. */
function isForAny(task: Task): boolean {
  return task.isMovable && task.key === undefined;
}
