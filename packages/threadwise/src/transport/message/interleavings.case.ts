/** The claim board in every order: a plan of main's against a worker, with all decisions about which of them goes next. */
import assert from 'node:assert/strict';
import { type Choose, type Explored, everyWay, watchAtomics } from '../interleaving.case.js';
import { boardByteLength, ClaimBoard } from './claim-board.js';

export type Plan = readonly `${'post' | 'withdraw' | 'abort'} ${string}`[];

/** Runs a plan once for every sequence of decisions. Returns how often that was, and the different endings. */
export function explore(capacity: number, plan: Plan): Explored {
  let world: World | undefined;
  const restore = watchAtomics({ before: () => world?.between() });
  try {
    return everyWay((choose) => {
      world = new World(capacity, plan, choose);
      return world.run();
    });
  } finally {
    restore();
  }
}

interface Call {
  readonly name: string;
  readonly cell: number;
  runs: number;
  beganAt: number | undefined;
  isWithdrawn: boolean;
  isAborted: boolean;
  /** Whether main has seen the result. */
  isReleased: boolean;
}

type Side = 'main' | 'worker';

/** Main, worker and the messages between them. Every check that must hold in any order is made here. */
export class World {
  readonly #owner: ClaimBoard;
  readonly #reader: ClaimBoard;
  readonly #capacity: number;
  readonly #choose: Choose;
  readonly #plan: Plan;
  readonly #calls = new Map<string, Call>();
  /** Calls that were sent and that the worker has not passed. */
  readonly #toWorker: Call[] = [];
  readonly #results: Call[] = [];
  #running: Call | undefined;
  #at = 0;
  #time = 0;
  /** Whose steps are under way: while one side is in the middle of a step, only the other may take one. */
  readonly #busy = new Set<Side>();
  /** The call whose message the worker is passing: it may still touch its cell. */
  #passing: Call | undefined;

  constructor(capacity: number, plan: Plan, choose: Choose) {
    const memory = new SharedArrayBuffer(boardByteLength(capacity));
    this.#owner = new ClaimBoard(memory);
    this.#reader = new ClaimBoard(memory);
    this.#capacity = capacity;
    this.#plan = plan;
    this.#choose = choose;
  }

  /** Takes steps until none is left. Returns what happened to each task. */
  run(): string {
    while (this.#step());
    this.#checkEnd();
    return [...this.#calls.values()].map((call) => `${call.name}${call.isWithdrawn ? '-' : '+'}`).join(' ');
  }

  /** Before an access to a shared word: the other side may take any number of steps here. */
  between(): void {
    while (this.#busy.size === 1) {
      const steps = [...this.#mainSteps(), ...this.#workerSteps()];
      const chosen = steps.length === 0 ? 0 : this.#choose(steps.length + 1);
      if (chosen === 0) return;
      steps[chosen - 1]!();
    }
  }

  #step(): boolean {
    const steps = [...this.#mainSteps(), ...this.#workerSteps()];
    if (steps.length === 0) return false;
    steps[this.#choose(steps.length)]!();
    return true;
  }

  #as(side: Side, step: () => void): () => void {
    return () => {
      this.#busy.add(side);
      step();
      this.#busy.delete(side);
    };
  }

  #mainSteps(): (() => void)[] {
    if (this.#busy.has('main')) return [];
    const steps: (() => void)[] = [];
    if (this.#results.length > 0) steps.push(this.#as('main', () => this.#receive()));
    const planned = this.#plan[this.#at];
    if (planned !== undefined && this.#isPossible(planned)) {
      steps.push(this.#as('main', () => this.#do(planned)));
    }
    return steps;
  }

  /** A task is posted when there is room; the others of the plan wait behind it, as they do in a queue. */
  #isPossible(planned: Plan[number]): boolean {
    return !planned.startsWith('post') || this.#unwatched(() => this.#owner.room > 0);
  }

  /** A look from outside, in which nobody takes a step. */
  #unwatched<T>(look: () => T): T {
    const before = [...this.#busy];
    this.#busy.add('main').add('worker');
    try {
      return look();
    } finally {
      this.#busy.clear();
      for (const side of before) this.#busy.add(side);
    }
  }

  #do(planned: Plan[number]): void {
    this.#at++;
    const [what, name] = planned.split(' ') as ['post' | 'withdraw' | 'abort', string];
    if (what === 'post') return this.#post(name);
    const call = this.#calls.get(name);
    if (call === undefined || call.isWithdrawn || call.isReleased) return;
    if (what === 'withdraw') return this.#withdraw(call);
    const hadBegun = this.#owner.beganAt(call.cell) !== undefined;
    this.#owner.abort(call.cell);
    call.isAborted = hadBegun || call.runs > 0;
  }

  #post(name: string): void {
    const cell = this.#owner.post();
    const users = [...this.#toWorker, ...this.#results, this.#running, this.#passing];
    for (const user of users) {
      assert.notEqual(user?.cell, cell, `cell ${cell} was given to ${name} while ${user?.name} still has it`);
    }
    const call: Call = {
      name,
      cell,
      runs: 0,
      beganAt: undefined,
      isWithdrawn: false,
      isAborted: false,
      isReleased: false,
    };
    this.#calls.set(name, call);
    this.#toWorker.push(call);
  }

  #withdraw(call: Call): void {
    call.isWithdrawn = this.#owner.withdraw(call.cell);
    assert.equal(
      call.isWithdrawn && call.runs > 0,
      false,
      `${call.name} was withdrawn although it had begun`,
    );
    this.#look(call);
  }

  #receive(): void {
    const call = this.#results.shift()!;
    this.#look(call);
    this.#owner.release(call.cell);
    call.isReleased = true;
  }

  /** What main reads about a task must be about that task. */
  #look(call: Call): void {
    const beganAt = this.#owner.beganAt(call.cell);
    if (beganAt !== undefined) assert.equal(beganAt, call.beganAt, `when ${call.name} began`);
  }

  #workerSteps(): (() => void)[] {
    if (this.#busy.has('worker')) return [];
    if (this.#running !== undefined) return [this.#as('worker', () => this.#finish())];
    return this.#toWorker.length > 0 ? [this.#as('worker', () => this.#claim())] : [];
  }

  #claim(): void {
    const call = this.#toWorker.shift()!;
    this.#passing = call;
    const now = ++this.#time;
    // Set before the claim: main may look as soon as the word says that it runs.
    call.beganAt = now;
    const isClaimed = this.#reader.claim(call.cell, now);
    this.#passing = undefined;
    if (!isClaimed) {
      assert.equal(call.isWithdrawn, true, `${call.name} was neither claimed nor withdrawn`);
      return;
    }
    assert.equal(call.isWithdrawn, false, `${call.name} ran although it was withdrawn`);
    call.runs++;
    this.#running = call;
  }

  #finish(): void {
    const call = this.#running!;
    if (this.#reader.isAborting(call.cell)) {
      assert.ok(this.#isAbortPlanned(call), `${call.name} saw an abort that was for another`);
    }
    this.#running = undefined;
    this.#results.push(call);
  }

  #isAbortPlanned(call: Call): boolean {
    return this.#plan.slice(0, this.#at).includes(`abort ${call.name}`);
  }

  #checkEnd(): void {
    assert.equal(this.#at, this.#plan.length, 'main never waits for ever for room');
    let cells = 0;
    while (this.#owner.room > 0) cells += this.#owner.post() >= 0 ? 1 : 0;
    assert.equal(cells, this.#capacity, 'no cell is lost');
    for (const call of this.#calls.values()) {
      assert.equal(
        call.runs,
        call.isWithdrawn ? 0 : 1,
        `${call.name} runs once, or never if it was withdrawn`,
      );
    }
  }
}
