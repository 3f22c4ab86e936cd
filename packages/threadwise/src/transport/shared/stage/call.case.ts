/** One call in a world without threads: what it asks for, what must come of it, and where it stands. */
import assert from 'node:assert/strict';
import type { Outcome } from '../../../core/contracts.js';
import { plainRun } from '../../../core/fake-platform.case.js';
import { Task } from '../../../core/calls/task.js';
import type { SharedExchange } from '../main/exchange.js';
import type { End, Hand } from './hand.case.js';

/** How its arguments and its result cross: large ones lie outside of the cell, the last two kinds go by port. */
const KINDS = ['none', 'number', 'text', 'large', 'port', 'moved'] as const;
export type Kind = (typeof KINDS)[number];

/** long: ends only when everything else is quiet. retry: runs again when its worker dies. fails, speaks: as it ends. */
const FLAGS = ['long', 'retry', 'fails', 'speaks'] as const;
type Flag = (typeof FLAGS)[number];

/** Bytes that need not fit into a cell. */
const LARGE = 300;

/**
 * waiting: with main. posted: some worker may begin it. running: one has. over: main has heard of its end, or of that of
 * its worker.
 */
type State = 'waiting' | 'posted' | 'running' | 'over';

export class Call {
  readonly name: string;
  readonly kind: Kind;
  readonly task: Task;
  readonly flags: ReadonlySet<Flag>;
  /** The one worker that it is for. */
  only: Hand | undefined;
  state: State = 'waiting';
  /** Who has begun it. */
  holder: Hand | undefined;
  /** What its caller was told. */
  readonly told: Outcome[] = [];
  begins = 0;
  wasPosted = false;
  isAborted = false;

  constructor(exchange: SharedExchange, id: number, name: string, words: readonly string[]) {
    this.name = name;
    this.kind = KINDS.find((kind) => words.includes(kind)) ?? 'number';
    this.flags = new Set(FLAGS.filter((flag) => words.includes(flag)));
    const args = argsOf(this.kind, name, id);
    const transfer = this.kind === 'moved' ? [(args[0] as Uint8Array).buffer] : [];
    const run = { ...plainRun, retries: this.flags.has('retry') ? 1 : 0, transfer };
    const payload = exchange.capture('work', args, run);
    this.task = new Task(id, 'work', payload, run, 0, (task, { outcome }) => {
      this.told.push(outcome);
      task.payload.onSettled?.(task.stillRuns);
    });
  }

  /** What it comes to, as its worker ends it. */
  get end(): End {
    const { id } = this.task;
    const runMs = this.flags.has('long') ? 50 : 0.001;
    const progress = this.flags.has('speaks') ? `${this.name} speaks` : undefined;
    return { value: resultOf(this.kind, this.name, id), isError: this.flags.has('fails'), runMs, progress };
  }

  /** Main makes it beginnable. */
  posted(): void {
    assert.equal(this.state, 'waiting', `${this} was posted`);
    assert.equal(this.task.settled, false, `${this} was posted although its caller knows how it ended`);
    this.state = 'posted';
    this.wasPosted = true;
  }

  withdrawn(): void {
    assert.equal(this.state, 'posted', `${this} was withdrawn`);
    this.state = 'waiting';
  }

  begun(hand: Hand): void {
    assert.equal(this.state, 'posted', `${this} was begun by ${hand.name}`);
    assert.ok(
      this.only === undefined || this.only === hand,
      `${this} was begun by ${hand.name}, not its own`,
    );
    this.state = 'running';
    this.holder = hand;
    this.begins++;
  }

  /** Its worker has it, and can read it. */
  checkArgs(args: readonly unknown[], fault: unknown): void {
    assert.equal(fault, undefined, `the arguments of ${this} could not be read`);
    assert.deepEqual(args, argsOf(this.kind, this.name, this.task.id), `the arguments of ${this}`);
  }

  heard(hand: Hand, value: unknown): void {
    this.#over(hand, 'ended');
    assert.equal(this.flags.has('fails'), false, `${this} was to fail`);
    assert.deepEqual(value, resultOf(this.kind, this.name, this.task.id), `the result of ${this}`);
  }

  heardError(hand: Hand, error: unknown): void {
    this.#over(hand, 'failed');
    assert.ok(error instanceof Error, `the error of ${this}`);
    assert.equal(error.message, String(resultOf(this.kind, this.name, this.task.id)), `the error of ${this}`);
  }

  /** Its worker died under it. */
  crashed(hand: Hand): void {
    this.#over(hand, 'crashed');
  }

  /** It is to be run again. */
  again(): void {
    assert.equal(this.state, 'over');
    this.state = 'waiting';
  }

  toString(): string {
    const on = this.holder === undefined ? '' : ` at ${this.holder.name}`;
    return `${this.name} (task ${this.task.id}, ${this.state}${on})`;
  }

  #over(hand: Hand, how: string): void {
    assert.equal(this.state, 'running', `${this} has ${how}`);
    assert.equal(this.holder, hand, `${this} has ${how} at ${hand.name}`);
    this.state = 'over';
  }
}

function argsOf(kind: Kind, name: string, id: number): readonly unknown[] {
  switch (kind) {
    case 'none':
      return [];
    case 'number':
      return [id + 0.5];
    case 'text':
      return [name, id];
    case 'large':
      return [name, `${id} `.repeat(LARGE)];
    case 'port':
      return [new RegExp(`${name} ${id}`)];
    case 'moved':
      return [new Uint8Array([id])];
  }
}

function resultOf(kind: Kind, name: string, id: number): unknown {
  switch (kind) {
    case 'none':
      return undefined;
    case 'number':
      return id - 0.5;
    case 'text':
      return `${name} ended`;
    case 'large':
      return `${name} ${id} `.repeat(LARGE / 8);
    case 'port':
      return new RegExp(`${id} ${name}`);
    case 'moved':
      return id;
  }
}
