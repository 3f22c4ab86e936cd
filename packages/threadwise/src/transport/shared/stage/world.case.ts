/** Main and workers on one stage: who takes the next step is decided from outside, also in the middle of another's step. */
import assert from 'node:assert/strict';
import { CoordinatorHand } from '../../coordinator/coordinator-hand.case.js';
import type { Board } from '../board.js';
import type { Access } from '../../interleaving.case.js';
import type { Call } from './call.case.js';
import {
  type Actor,
  Death,
  type End,
  Hand,
  type Running,
  type Step,
  type Surroundings,
} from './hand.case.js';
import {
  CELL_BYTES,
  DOZING,
  PARKED,
  POSTED,
  phaseOf,
  RESERVED,
  RUNNING,
  SPINNING,
  STATE,
} from '../layout.js';
import { type Line, MainSide } from './main-side.case.js';
import { Ends, handPlatform, Memory, Sleepers } from './stage.case.js';
import { wordName } from './word-names.case.js';

export interface WorldOptions {
  readonly cells?: number;
  readonly workers?: number;
  readonly tasksPerWorker?: number;
  /** Tasks after which a worker takes no more by itself, and main replaces it. */
  readonly maxTasks?: number;
  /** How many workers may look for tasks before they sleep. */
  readonly spinners?: number;
  readonly dispatch?: 'shared-queue' | 'coordinator';
  /** How many workers and coordinators die, at the most, at any moment. */
  readonly deaths?: number;
  /** Whether workers that are gone, or on their way out, are replaced. */
  readonly replaces?: boolean;
  /** What the clock moves on by whenever it is looked at, in milliseconds. */
  readonly tick?: number;
  /** What main does, in this order: see `MainSide.do`. */
  readonly plan: readonly string[];
}

/** Whoever is at work: main, or a worker. */
type Side = 'main' | Actor;

/** Who is next. */
export interface Decisions {
  /** Between two steps, these are possible: the first is the usual one. */
  next(steps: readonly Step[]): number;
  /** In the middle of a worker's step: whether it dies here. */
  dies(): boolean;
  /** In the middle of a step: whether to look what others could do. */
  asks(): boolean;
  /** Then: 0 to go on, or one of `count` steps of theirs. */
  other(count: number): number;
  /** From now on it is only looked whether everything still works. */
  rest(): void;
  /** What main does while the worker that is at work spins. */
  interlude(): string | undefined;
}

/** More steps than any run can need: it would not come to an end. */
const MAX_STEPS = 5000;
const MAIL = 4;
/** Small enough to be full at times, larger than the smallest piece that is used. */
const STREAM_BYTES = 1024;
const CELL_WORDS = CELL_BYTES / 4;

export class World implements Surroundings {
  readonly main: MainSide;
  readonly ends = new Ends();
  /** Those that main does not know to be dead. */
  readonly #coordinators: CoordinatorHand[] = [];
  readonly #options: Required<Omit<WorldOptions, 'maxTasks' | 'plan'>> & Pick<WorldOptions, 'maxTasks'>;
  readonly #decisions: Decisions;
  readonly #memory = new Memory();
  readonly #sleepers = new Sleepers<Side>(
    () => this.#atWork.at(-1) ?? 'main',
    (access, args) => this.before(access, args),
  );
  /** Who is in the middle of a step, the last of them at work. */
  readonly #atWork: Side[] = [];
  readonly #trace: string[] = [];
  /** What main is still to do. */
  #plan: readonly string[];
  #isWatching = false;
  #steps = 0;
  /** Of workers. */
  #workersSteps = 0;
  #deaths = 0;
  #time = 1000;
  /** Long tasks that may end now. */
  readonly #released = new Set<Call>();

  constructor(options: WorldOptions, decisions: Decisions) {
    const defaults = {
      cells: 4,
      workers: 2,
      tasksPerWorker: 1,
      spinners: 0,
      deaths: 0,
      replaces: true,
      tick: 0.03,
      dispatch: 'shared-queue' as const,
    };
    this.#options = { ...defaults, ...options };
    this.#plan = options.plan;
    this.#decisions = decisions;
    const { cells, spinners, ...rest } = this.#options;
    const platform = handPlatform({
      memory: this.#memory,
      spinners,
      ends: this.ends,
      startHelper: (spec, onExit) => {
        const told = () => {
          this.#coordinators.shift();
          onExit({ exitCode: 1, outOfMemory: false });
        };
        const coordinator = new CoordinatorHand(spec, told, this);
        this.#coordinators.push(coordinator);
        return coordinator;
      },
      now: () => this.now(),
      later: (callback) => this.#sleepers.add('turn', callback),
    });
    const sizes = { cells, stream: STREAM_BYTES, mail: MAIL };
    this.main = new MainSide(platform, { maxTasks: undefined, ...rest, sizes }, this);
  }

  /** Takes steps until none is left. Returns what has become of the calls. */
  run(): string {
    const restore = this.#sleepers.install();
    this.#isWatching = true;
    try {
      this.#settleDown();
      this.#decisions.rest();
      // Seats are taken again, and the last stale hints are passed.
      while (this.main.open.length < this.#options.workers) this.main.connect();
      this.#plan = ['offer last number', ...this.main.open.map((_, i) => `mail last${i} ${i} text`)];
      this.#settleDown();
      this.#isWatching = false;
      this.#checkEnd();
      return [...this.main.calls.values()].map(({ name, told }) => `${name} ${told}`).join(', ');
    } catch (error) {
      if (error instanceof Error) error.message = `${error.message}\n${this.#trace.join('\n')}`;
      throw error;
    } finally {
      this.#isWatching = false;
      restore();
      this.main.exchange.close();
      this.#memory.giveBack();
    }
  }

  now(): number {
    this.#time += this.#options.tick;
    const side = this.#atWork.at(-1);
    if (side instanceof Hand && this.#spins(side)) {
      const wanted = this.#decisions.interlude();
      if (wanted !== undefined) this.#find(wanted).take();
    }
    return this.#time;
  }

  #spins(hand: Hand): boolean {
    const wasWatching = this.#isWatching;
    this.#isWatching = false;
    const spins = isSet(this.main.exchange.board, SPINNING, hand.seat);
    this.#isWatching = wasWatching;
    return spins;
  }

  #find(wanted: string): Step {
    return stepOf(this.#stepsOfOthers(), wanted);
  }

  steps(): number {
    return this.#workersSteps;
  }

  wait(time: number): void {
    this.#time = Math.max(this.#time, time);
  }

  /** Before an access to a shared word: others may take any number of steps here, or it is the last thing it does. */
  before(access: string, args: readonly unknown[]): void {
    const side = this.#atWork.at(-1);
    if (!this.#isWatching || side === undefined) return;
    if (side !== 'main' && !side.isAlive) throw new Death();
    const where = () => `before ${access} of ${this.#nameOf(args)}:`;
    if (side !== 'main' && this.#deaths < this.#options.deaths && this.#decisions.dies()) {
      this.#note(where());
      this.#die(side);
      throw new Death();
    }
    while (this.#decisions.asks()) {
      const steps = this.#stepsOfOthers();
      const chosen = steps.length === 0 ? 0 : this.#decisions.other(steps.length);
      if (chosen === 0) return;
      this.#note(where());
      steps[chosen - 1]!.take();
      if (side !== 'main' && !side.isAlive) throw new Death(); // killed meanwhile
    }
  }

  after(access: Access, args: readonly unknown[], result: unknown): void {
    if (!this.#isWatching) return;
    const [words, at, first, second] = args as [Int32Array, number, number, number];
    const { cells } = this.main.exchange;
    if (words.buffer !== cells.words.buffer || at % CELL_WORDS !== STATE) return;
    const call = this.main.callIn((at - STATE) / CELL_WORDS);
    if (access === 'store' && phaseOf(first) === POSTED) call!.posted();
    if (access !== 'compareExchange' || result !== first || phaseOf(first) !== POSTED) return;
    assert.ok(call !== undefined, 'a cell was posted, and main knows of no task in it');
    if (phaseOf(second) === RUNNING) call.begun(this.#atWork.at(-1) as Hand);
    else if (phaseOf(second) !== POSTED) call.withdrawn();
  }

  // --- what workers ask and tell ---

  begun(hand: Hand, running: Running, args: readonly unknown[], fault: unknown): void {
    if (!hand.isAlive) return;
    const call = this.#callOf(running);
    assert.equal(call.holder, hand, `${hand.name} has begun ${call}`);
    assert.equal(call.state, 'running', `${hand.name} has begun ${call}`);
    call.checkArgs(args, fault);
    const { maxTasks = Number.POSITIVE_INFINITY } = this.#options;
    hand.begunCount++;
    assert.ok(hand.begunCount <= maxTasks, `${hand.name} has begun ${hand.begunCount} tasks, with ${call}`);
  }

  endOf(_hand: Hand, running: Running): End | undefined {
    const call = this.#callOf(running);
    return call.flags.has('long') && !this.#released.has(call) ? undefined : call.end;
  }

  aborts(hand: Hand, id: number): void {
    assert.ok(
      this.#callOf({ id, cell: -1 }).isAborted,
      `${hand.name} was to abort task ${id}, and main was not`,
    );
  }

  #callOf({ id }: Running): Call {
    for (const call of this.main.calls.values()) if (call.task.id === id) return call;
    return assert.fail(`there is no task ${id}`);
  }

  // --- steps ---

  #die(actor: Actor): void {
    this.#deaths++;
    this.#note(`${actor.name} dies`);
    actor.die();
    this.#sleepers.forget(actor);
  }

  /** Everything but the ends of long tasks; then these, one after the other. */
  #settleDown(): void {
    for (;;) {
      for (let steps = this.#stepsOfOthers(); steps.length > 0; steps = this.#stepsOfOthers()) {
        steps[this.#decisions.next(steps)]!.take();
      }
      this.#isWatching = false;
      this.#checkQuiet();
      this.#isWatching = true;
      const held = [...this.main.calls.values()].find(
        (call) => call.state === 'running' && !this.#released.has(call),
      );
      if (held === undefined) return;
      this.#note(`${held} may end`);
      this.#released.add(held);
    }
  }

  /** What can be done by those who are not in the middle of something: main's plan is last. */
  #stepsOfOthers(): Step[] {
    const { main } = this;
    const steps: Step[] = [];
    for (const actor of [...main.open.map(({ hand }) => hand), ...this.#coordinators]) {
      if (this.#atWork.includes(actor) || !actor.isAlive) continue;
      for (const { what, take } of [...actor.steps(), ...this.#due(actor)]) {
        steps.push(this.#as(actor, what, take));
      }
    }
    if (this.#atWork.includes('main')) return steps;
    for (const { mainsSteps } of [...this.#coordinators]) {
      for (const { what, take } of mainsSteps()) steps.push(this.#as('main', what, take));
    }
    for (const { what, take } of [...main.steps(), ...this.#due('main')]) {
      steps.push(this.#as('main', what, take));
    }
    const [planned, ...later] = this.#plan;
    if (planned === undefined) return steps;
    const plan = () => {
      this.#plan = later;
      main.do(planned);
    };
    steps.push({ ...this.#as('main', planned, plan), isPlanned: true });
    return steps;
  }

  #due(side: Side): Step[] {
    const { due } = this.#sleepers;
    return due
      .filter((each) => each.side === side)
      .map((each) => ({
        what: each.what,
        take: () => {
          due.splice(due.indexOf(each), 1);
          each.call();
        },
      }));
  }

  #as(side: Side, does: string, step: () => void): Step {
    const what = `${side === 'main' ? side : side.name} ${does}`;
    const take = () => {
      assert.ok(++this.#steps < MAX_STEPS, 'it comes to no end');
      this.#note(what);
      if (side !== 'main') this.#workersSteps++;
      this.#atWork.push(side);
      try {
        step();
      } catch (error) {
        if (!(error instanceof Death) || side === 'main') throw error;
      } finally {
        this.#atWork.pop();
      }
      if (side !== 'main' && !side.isAlive) this.#sleepers.forget(side);
    };
    return { what, take };
  }

  #nameOf([words, at]: readonly unknown[]): string {
    const { exchange, lines } = this.main;
    return wordName(
      (words as Int32Array).buffer,
      at as number,
      exchange,
      lines.map(({ hand }) => hand.own),
    );
  }

  #note(what: string): void {
    this.#trace.push(`${'  '.repeat(this.#atWork.length)}${what}`);
  }

  // --- what must hold ---

  /** Nobody has anything to do but to wait for long tasks. */
  #checkQuiet(): void {
    const { main } = this;
    const idle = main.open.filter(({ hand }) => hand.state === 'asleep');
    // One that has nothing left of its allowance waits for its last tasks to end.
    const mayBegin = ({ hand, slot }: Line) =>
      hand.serves && slot.state === 'ready' && slot.allowance.left > 0;
    const ready = idle.filter(mayBegin);
    for (const { hand, link } of main.open) {
      assert.equal(link.hasDone, false, `main sleeps, and results of ${hand.name} lie there`);
      assert.ok(link.pulled >= 0, `${hand.name} runs ${link.pulled} tasks out of the ring`);
    }
    for (const call of main.calls.values()) {
      if (call.state !== 'posted') continue;
      const seat = main.exchange.cells.assignedTo(call.task.cell);
      const sleepers = idle.filter(({ hand }) => hand === call.only || hand.seat === seat);
      const who = call.only === undefined && seat < 0 ? ready : sleepers;
      assert.deepEqual(names(who), [], `${call} lies there, and these sleep`);
    }
    // As long as a task is out, main will look again when it ends; without a worker there is nothing to look for.
    if (main.exchange.cells.outCount > 0 || ready.length === 0) return;
    const waiting = [...main.queue, ...main.open.flatMap(({ lane }) => lane)];
    assert.deepEqual(waiting.map(String), [], 'calls wait with main, and nothing is out');
  }

  #checkEnd(): void {
    const { calls, exchange, open } = this.main;
    const { cells, board, arena, sizes } = exchange;
    for (const call of calls.values()) {
      assert.equal(call.told.length, 1, `${call} was told ${call.told.join(', ') || 'nothing'}`);
      assert.ok(call.state === 'over' || call.begins === 0 || call.isAborted, `${call} has ended`);
    }
    assert.equal(cells.outCount, 0, 'outCount');
    assert.equal(cells.offeredCount, 0, 'offeredCount');
    assert.equal(arena.usedBytes, 0, 'bytes of the arena in use');
    for (const { link, hand, slot } of open) {
      assert.equal(link.pulled, 0, `pulled of ${hand.name}`);
      assert.equal(slot.handed.size, 0, `tasks handed to ${hand.name}`);
    }
    const seats = open.map(({ hand }) => hand.seat);
    for (let seat = 0; seat < this.main.lines.length; seat++) {
      if (seats.includes(seat)) continue;
      for (const [name, mask] of Object.entries({ PARKED, RESERVED, SPINNING, DOZING })) {
        assert.equal(isSet(board, mask, seat), false, `${name} of seat ${seat}, which nobody has`);
      }
    }
    let free = 0;
    while (free <= sizes.cells && cells.reserve() >= 0) free++;
    assert.equal(free, sizes.cells, 'free cells');
  }
}

function isSet({ words }: Board, mask: number, seat: number): boolean {
  return (Atomics.load(words, mask + (seat >>> 5)) & (1 << (seat & 31))) !== 0;
}

function names(lines: readonly Line[]): string[] {
  return lines.map(({ hand }) => hand.name);
}

/** The step of that name. */
export function stepOf(steps: readonly Step[], wanted: string): Step {
  const all = steps.map(({ what }) => what).join(', ');
  return (
    steps.find(({ what }) => what === wanted) ?? assert.fail(`'${wanted}' cannot be done; these can: ${all}`)
  );
}
