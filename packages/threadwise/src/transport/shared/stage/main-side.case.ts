/** Main's side in a world without threads: what dispatch, canceller and workers do with a shared exchange, and no more. */

import assert from 'node:assert/strict';
import { Allowance } from '../../../core/workers/allowance.js';
import type { LinkEvents, Platform, TaskQueue, WorkerRecord } from '../../../core/contracts.js';
import type { PlainCalls } from '../../../core/calls/plain-calls.js';
import type { Task } from '../../../core/calls/task.js';
import { WorkerSlot } from '../../../core/workers/worker-slot.js';
import { MeasuredRecorder } from '../../../metrics/measured.js';
import { CoordinatedExchange } from '../../coordinator/exchange.js';
import { Call } from './call.case.js';
import { CellPayload } from '../main/cell-payload.js';
import { SharedExchange } from '../main/exchange.js';
import { Hand, type HandOptions, type Step, type Surroundings } from './hand.case.js';
import { CORES } from '../layout.js';
import type { SharedLink } from '../main/link.js';
import type { HandPort } from './stage.case.js';

/** One worker, as main and the world know it. */
export interface Line {
  readonly link: SharedLink;
  readonly slot: WorkerSlot;
  readonly hand: Hand;
  readonly near: HandPort;
  /** Calls for this worker alone that were not sent yet. */
  readonly lane: Call[];
  /** Its thread is gone, and main has done what there was to do. */
  isBuried: boolean;
}

export interface MainOptions extends HandOptions {
  readonly sizes: { readonly cells: number; readonly stream: number; readonly mail: number };
  readonly workers: number;
  /** Whether a worker that is gone, or on its way out, is replaced. */
  readonly replaces: boolean;
  readonly dispatch: 'shared-queue' | 'coordinator';
}

/** The lines' rooms are tried out with few mailed tasks. */
const CAPACITY_BEYOND = 2;

export class MainSide {
  readonly exchange: SharedExchange;
  readonly lines: Line[] = [];
  readonly calls = new Map<string, Call>();
  readonly queue: Call[] = [];
  readonly #byTask = new Map<Task, Call>();
  readonly #plain = new PlainTable(this);
  readonly #world: Surroundings;
  readonly #options: MainOptions;
  #triedAt = 0;

  constructor(platform: Platform, options: MainOptions, world: Surroundings) {
    this.exchange = exchangeFor(platform, options);
    this.exchange.pull.giveBack = (tasks) => this.#putBack(tasks.map((task) => this.callOf(task)!));
    this.#world = world;
    this.#options = options;
    // Main has had its first moment of idleness long ago.
    Atomics.store(this.exchange.board.words, CORES, platform.availableThreads());
    this.exchange.cells.plain = this.#plain as unknown as PlainCalls;
    for (let i = 0; i < options.workers; i++) this.connect();
  }

  /** Whose the cell is, without making a record of a plain call. */
  callIn(cell: number): Call | undefined {
    return this.#plain.peek(cell) ?? this.callOf(this.exchange.cells.taskIn(cell));
  }

  callOf(task: Task | undefined): Call | undefined {
    return task === undefined ? undefined : this.#byTask.get(task);
  }

  /** The lines to workers that live, or are not known to be dead. */
  get open(): Line[] {
    return this.lines.filter((line) => !line.isBuried);
  }

  connect(): Line {
    const id = this.lines.length;
    const events = this.#events(() => line);
    const link = this.exchange.connect(events);
    const slot = new WorkerSlot(id, undefined as unknown as TaskQueue<Task>, 0);
    slot.link = link;
    slot.transition('ready');
    const far = link.wire.port as HandPort;
    const { maxTasks = Number.POSITIVE_INFINITY } = this.#options;
    slot.allowance = Allowance.of(maxTasks, this.exchange.platform.sharedMemory);
    const hand = new Hand(`w${id}`, link.wire, slot.allowance, this.#options, this.#world);
    const line: Line = { link, slot, hand, near: far.other, lane: [], isBuried: false };
    this.lines.push(line);
    return line;
  }

  /** What has happened and main has not attended to. */
  steps(): Step[] {
    const again = { what: 'tries again', take: () => this.#tryAgain() };
    const steps = this.#isWaiting && this.#hasChanged ? [again] : [];
    for (const line of this.open) steps.push(...this.#stepsOf(line));
    return steps;
  }

  #stepsOf(line: Line): Step[] {
    return [
      ...(line.hand.isAlive ? [] : [{ what: `buries ${line.hand.name}`, take: () => this.#exited(line) }]),
      ...(line.near.hasMessages ? [{ what: `hears ${line.hand.name}`, take: () => line.near.arrive() }] : []),
    ];
  }

  /** Calls wait, and no end of a task will have main look for room: then a timer does. */
  get #isWaiting(): boolean {
    return (
      this.exchange.cells.outCount === 0 &&
      (this.queue.length > 0 || this.open.some(({ lane }) => lane.length > 0))
    );
  }

  /** Whether a worker has come further since it was tried last: the timer goes off again and again. */
  get #hasChanged(): boolean {
    return this.#triedAt !== this.#world.steps();
  }

  #tryAgain(): void {
    this.#triedAt = this.#world.steps();
    this.pump();
  }

  // --- what a plan can ask for ---

  /** One thing, or several at once. */
  do(planned: string): void {
    for (const one of planned.split('; ')) this.#do(one);
  }

  #do(planned: string): void {
    const [what = '', name = '', ...words] = planned.split(' ');
    switch (what) {
      case 'offer':
        this.queue.push(this.#enter(name, words));
        return this.pump();
      case 'mail': {
        const line = this.#ready(Number(words[0]));
        if (line === undefined) return;
        const call = this.#enter(name, words);
        call.only = line.hand;
        line.lane.push(call);
        return this.pump();
      }
      case 'abort':
        return this.#abort(this.calls.get(name));
      case 'reorder':
        return this.#reorder();
      case 'drain':
        for (const { link } of this.open) link.drain();
        return;
      case 'hire':
        this.connect();
        return this.pump();
      case 'retire':
      case 'kill':
      case 'crash': {
        const line = this.#ready(Number(name));
        if (line === undefined) return;
        if (what === 'crash') return line.hand.die(); // main hears of it later
        return what === 'retire' ? this.#retire(line) : this.#kill(line);
      }
      default:
        assert.fail(`no such plan: ${planned}`);
    }
  }

  /** Hands over whatever can be. */
  pump(): void {
    for (let [call] = this.queue; call !== undefined; [call] = this.queue) {
      assert.equal(call.task.settled, false, `${call} is in the queue`);
      const isGone = this.#isForOne(call) ? this.#sendByPort(call) : this.#offer(call);
      if (!isGone) break;
      this.queue.shift();
    }
    for (const { slot, lane, link } of this.open) {
      while (lane.length > 0 && slot.state === 'ready' && link.room > 0 && slot.allowance.take() > 0) {
        slot.hand(lane.shift()!.task);
      }
    }
  }

  /** Not only those: where no cell was free, nobody has yet found out that a call can only be sent. */
  #isForOne(call: Call): boolean {
    const { exchange } = this;
    const isMoved = call.kind === 'moved';
    if (!(exchange instanceof CoordinatedExchange)) return isMoved || call.kind === 'port';
    return exchange.thread.isDown || (isMoved && exchange.options.sendsMoved);
  }

  /** Every other call is a plain one, as long as nothing else is asked of it. */
  #offer(call: Call): boolean {
    const { payload, id } = call.task;
    const isPlain = id % 2 === 1 && call.begins === 0 && !call.wasPosted && call.flags.size === 0;
    if (!isPlain || !(payload instanceof CellPayload)) return this.exchange.pull.offer(call.task);
    this.#plain.enter(payload.cell, call);
    this.exchange.hint(this.exchange.cells.post(payload.cell, id, -1));
    this.exchange.drain.expect();
    return true;
  }

  /** Arguments that can only go over a port go to one worker, whichever that is. */
  #sendByPort(call: Call): boolean {
    const line = this.#ready(call.task.id);
    if (line === undefined) return false;
    call.only = line.hand;
    line.lane.push(call);
    return true;
  }

  #ready(index: number): Line | undefined {
    const ready = this.open.filter(({ slot }) => slot.state === 'ready');
    return ready[index % Math.max(1, ready.length)];
  }

  #enter(name: string, words: readonly string[]): Call {
    const call = new Call(this.exchange, this.calls.size + 1, name, words);
    assert.equal(this.calls.has(name), false, `two calls are named ${name}`);
    this.calls.set(name, call);
    this.#byTask.set(call.task, call);
    return call;
  }

  /** As the canceller does it. */
  #abort(call: Call | undefined): void {
    if (call === undefined || call.task.settled) return;
    call.isAborted = true;
    this.#plain.inflateCall(call);
    const { task } = call;
    const handed = this.open.find(({ slot }) => slot.handed.has(task));
    if (handed === undefined && this.#remove(call)) {
      task.settle(aborted);
      return this.pump();
    }
    const line = handed ?? this.#holder(task);
    assert.ok(line !== undefined, `${call} was to be aborted, and nobody has it`);
    if (line.slot.withdraw(task, 0)) {
      task.settle(aborted);
      return this.pump();
    }
    line.link.abort(task, new Error('that is enough'));
    task.stillRuns = true;
    task.settle(aborted);
  }

  #remove(call: Call): boolean {
    if (this.exchange.pull.withdraw(call.task)) return true;
    for (const list of [this.queue, ...this.lines.map(({ lane }) => lane)]) {
      const at = list.indexOf(call);
      if (at >= 0) return list.splice(at, 1).length > 0;
    }
    return false;
  }

  #holder(task: Task): Line | undefined {
    const link = this.exchange.pull.holder(task);
    const line = this.open.find((each) => each.link === link);
    line?.slot.adopt();
    return line;
  }

  /** What lies ready comes back, and goes out the other way round. */
  #reorder(): void {
    const tasks = this.exchange.pull.withdrawAll();
    for (const task of tasks) {
      const call = this.callOf(task)!;
      assert.equal(call.only, undefined, `${call} is for one worker, and was taken back from all`);
      this.queue.unshift(call);
    }
    this.pump();
  }

  #retire(line: Line): void {
    const back = this.#takeBack(line);
    line.slot.transition('retiring');
    line.slot.pulls = !line.link.retire();
    this.#stopIfDone(line);
    this.#replace(back);
  }

  #kill(line: Line): void {
    line.slot.transition('retiring');
    line.slot.transition('stopping');
    const back = this.#takeBack(line);
    line.hand.die();
    this.#replace(back);
  }

  /** What the worker has not begun, in order. */
  #takeBack({ slot, lane }: Line): Call[] {
    const withdrawn = [...slot.handed].filter((task) => !task.settled && slot.withdraw(task, 0));
    return [...withdrawn.map((task) => this.callOf(task)!), ...lane.splice(0)];
  }

  #replace(back: readonly Call[]): void {
    if (this.#options.replaces) this.connect();
    this.#putBack(back);
  }

  #putBack(calls: readonly Call[]): void {
    for (const call of calls) call.only = undefined;
    this.queue.unshift(...calls);
    this.pump();
  }

  // --- what a worker says ---

  #events(lineOf: () => Line): LinkEvents {
    const retireIfDue = (line: Line) => {
      const { maxTasks } = this.#options;
      if (maxTasks !== undefined && line.slot.completed >= maxTasks && line.slot.state === 'ready') {
        this.#retire(line);
      }
      this.#stopIfDone(line);
    };
    const released = (task: Task) => {
      const line = lineOf();
      line.slot.completed++;
      if (line.slot.handed.size > 0) line.slot.release(task, 0);
      if (task.stillRuns) endAtLast(task);
      retireIfDue(line);
    };
    const call = (task: Task) => this.callOf(task) ?? assert.fail(`nobody knows task ${task.id}`);
    const record = new MeasuredRecorder().worker();
    this.#plain.hands.set(record, () => lineOf().hand);
    return {
      record,
      ranPlain: (count) => {
        const line = lineOf();
        line.slot.completed += count;
        retireIfDue(line);
      },
      ready: () => undefined,
      awaits: () => undefined,
      setsUp: () => undefined,
      loadFailed: () => assert.fail('nothing was loaded'),
      error: () => assert.fail('everything can be read'),
      done: (task, value, runMs) => {
        call(task).heard(lineOf().hand, value);
        released(task);
        task.settle({ outcome: 'completed', value, runMs });
      },
      failed: (task, error, runMs) => {
        call(task).heardError(lineOf().hand, error);
        released(task);
        task.settle({ outcome: 'failed', error, runMs });
      },
      progress: (task, value) => {
        assert.equal(value, `${call(task).name} speaks`);
        assert.equal(call(task).holder, lineOf().hand, `${call(task)} speaks to another line`);
        assert.equal(call(task).state, 'running', `${call(task)} speaks`);
      },
      abortSeen: (task) => assert.ok(call(task).isAborted, `${call(task)} saw an abort`),
      hostCall: () => assert.fail('nobody asked the host'),
      memory: () => undefined,
      retired: () => {
        const line = lineOf();
        line.link.drain();
        line.slot.pulls = false;
        this.#stopIfDone(line);
      },
      stopped: () => lineOf().hand.die(),
      broken: (error) => {
        throw error;
      },
      settledBatch: () => this.pump(),
    };
  }

  #stopIfDone({ slot, link }: Line): void {
    if (slot.state !== 'retiring' || slot.pulls || slot.handed.size > 0) return;
    slot.transition('stopping');
    link.stop();
  }

  /** As the pool does it when a thread is gone. */
  #exited(line: Line): void {
    const { link, slot, hand } = line;
    const wasReady = slot.state === 'ready';
    link.drain();
    slot.adopt();
    link.bury();
    slot.transition('dead');
    const again = [...slot.handed].flatMap((task) => this.#settleHeld(line, this.callOf(task)!));
    slot.handed.clear();
    link.close();
    line.isBuried = true;
    for (const call of [...this.calls.values()]) {
      const isLost = call.state === 'running' && call.holder === hand;
      assert.equal(isLost, false, `${call} ran at a worker that died, and nobody has said so`);
    }
    const back = [...again, ...line.lane.splice(0)];
    if (wasReady) this.#replace(back);
    else this.#putBack(back);
  }

  /** Returns what is to be run elsewhere. */
  #settleHeld({ link, hand }: Line, call: Call): Call[] {
    const { task } = call;
    const hasBegun = link.startedAt(task) !== undefined;
    assert.equal(hasBegun, call.state === 'running', `${call} has begun, or has not: main says ${hasBegun}`);
    if (hasBegun) call.crashed(hand);
    if (task.stillRuns) endAtLast(task);
    if (task.settled) return [];
    if (!hasBegun) return [call];
    if (!task.moves && task.retriesLeft-- > 0) {
      call.again();
      return [call];
    }
    task.settle({ outcome: 'crashed', error: undefined });
    return [];
  }
}

/** `PlainCalls` as far as an exchange asks it, with a `Call` in each slot. */
class PlainTable {
  /** By what is measured of a worker: the worker. */
  readonly hands = new Map<WorkerRecord, () => Hand>();
  readonly #main: MainSide;
  runMs = 0;
  readonly #calls = new Map<number, Call>();

  constructor(main: MainSide) {
    this.#main = main;
  }

  enter(slot: number, call: Call): void {
    assert.equal(this.#calls.has(slot), false, `${call} gets slot ${slot}, which another plain call has`);
    this.#calls.set(slot, call);
  }

  peek(slot: number): Call | undefined {
    return this.#calls.get(slot);
  }

  has(slot: number): boolean {
    return this.#calls.has(slot);
  }

  idOf(slot: number): number {
    return this.#calls.get(slot)!.task.id;
  }

  beginBatch(): void {}

  endBatch(): void {}

  completed(slot: number, value: unknown, by: WorkerRecord): void {
    const call = this.#take(slot);
    call.heard(this.hands.get(by)!(), value);
    call.task.settle({ outcome: 'completed', value, runMs: this.runMs });
  }

  failed(): void {
    assert.fail('plain calls do not fail here');
  }

  inflate(slot: number): Task {
    const { task } = this.#take(slot);
    this.#main.exchange.cells.keep(slot, task);
    return task;
  }

  inflateCall(call: Call): void {
    for (const [slot, each] of this.#calls) if (each === call) this.inflate(slot);
  }

  #take(slot: number): Call {
    const call = this.#calls.get(slot) ?? assert.fail(`slot ${slot} has no plain call`);
    this.#calls.delete(slot);
    return call;
  }
}

function exchangeFor(
  platform: Platform,
  { sizes, tasksPerWorker, maxTasks, dispatch }: MainOptions,
): SharedExchange {
  const capacity = tasksPerWorker + CAPACITY_BEYOND;
  if (dispatch === 'shared-queue') return new SharedExchange(platform, sizes, capacity);
  const options = {
    tasksPerWorker,
    choose: 'least-busy',
    cores: 2,
    idleTimeoutMs: Number.POSITIVE_INFINITY,
    sendsMoved: maxTasks !== undefined,
  };
  return new CoordinatedExchange(platform, sizes, capacity, options);
}

const aborted = { outcome: 'aborted', error: undefined } as const;

function endAtLast(task: Task): void {
  task.stillRuns = false;
  task.payload.onSettled?.(false);
}
