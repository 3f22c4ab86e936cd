/** A worker that is driven by hand: the real endpoint, and of the runner just what decides when it is asked. */
import assert from 'node:assert/strict';
import type { Allowance } from '../../../core/workers/allowance.js';
import type { Wire } from '../../../core/contracts.js';
import { nodePlatform } from '../../../platform/node/platform.js';
import { encodeError } from '../../codec/error-codec.js';
import { Line } from '../../line.js';
import { Given } from '../../coordinator/given.js';
import { TO_MAIN } from '../../messages.js';
import { SharedEndpoint } from '../worker/endpoint.js';
import type { SharedMemory } from '../layout.js';
import type { Ends, HandPort } from './stage.case.js';

/** The thread ends in the middle of what it does. */
export class Death extends Error {}

/** Something that a side can do next. */
export interface Step {
  readonly what: string;
  readonly take: () => void;
  /** Main does it on its own account. */
  readonly isPlanned?: boolean;
}

export interface Running {
  readonly cell: number;
  readonly id: number;
}

/** A thread beside main. */
export interface Actor {
  readonly name: string;
  readonly isAlive: boolean;
  steps(): Step[];
  die(): void;
}

/** What the world decides, and hears of. */
export interface Surroundings {
  readonly ends: Ends;
  now(): number;
  /** How many steps workers have taken. */
  steps(): number;
  /** It is as late as that now, or later. */
  wait(time: number): void;
  begun(hand: Hand, running: Running, args: readonly unknown[], fault: unknown): void;
  /** How the task ends; undefined: not yet. */
  endOf(hand: Hand, running: Running): End | undefined;
  /** Whether main wants this task to stop, as far as the worker can see. */
  aborts(hand: Hand, id: number): void;
}

export interface End {
  readonly value: unknown;
  readonly isError: boolean;
  readonly runMs: number;
  /** What it says over the port before. */
  readonly progress: unknown;
}

/**
 * looking: asks for the next task. resting: there was none. asleep: `tasks` will call. busy: may begin no more.
 * stopped: has said its last word. dead: gone, whatever it was doing.
 */
type State = 'looking' | 'resting' | 'asleep' | 'busy' | 'stopped' | 'dead';

export interface HandOptions {
  readonly tasksPerWorker: number;
  readonly maxTasks: number | undefined;
}

export class Hand implements Actor {
  readonly name: string;
  readonly seat: number;
  /** Memory that belongs to its seat. */
  readonly own: ArrayBufferLike;
  state: State = 'looking';
  isRetiring = false;
  begunCount = 0;
  readonly running: Running[] = [];
  readonly timers: { readonly dueAt: number; readonly callback: () => void }[] = [];
  readonly #endpoint: SharedEndpoint;
  readonly #port: HandPort;
  /** To a coordinator. */
  #line: HandPort | undefined;
  readonly #options: HandOptions;
  readonly #world: Surroundings;
  /** Tasks that have looked whether they are to stop: once is enough. */
  readonly #polled = new Set<number>();
  #hasRetired = false;
  #isTaking = false;

  constructor(name: string, wire: Wire, allowance: Allowance, options: HandOptions, world: Surroundings) {
    const given = wire.memory as SharedMemory;
    const memory = { ...given, segments: [...given.segments] }; // as a clone would be: the worker's own list
    this.name = name;
    this.seat = memory.seat;
    this.own = memory.own;
    this.#options = options;
    this.#world = world;
    this.#port = wire.port as HandPort;
    const timer = (ms: number, callback: () => void) =>
      this.timers.push({ dueAt: world.now() + ms, callback });
    const port = (end: unknown) => {
      this.#line = world.ends.take(end);
      return this.#line;
    };
    const platform = {
      now: () => world.now(),
      clone: nodePlatform.clone,
      detach: nodePlatform.detach,
      timer,
      port,
      atExit: () => undefined,
      collectSoon: () => undefined,
    };
    const source = wire.transport === 'shared' ? undefined : new Given(memory, platform);
    this.#endpoint = new SharedEndpoint(new Line(this.#port), memory, platform, source);
    this.#endpoint.limit(allowance);
    this.#endpoint.listen({
      tasks: () => this.#called(),
      abort: (id) => this.#abort(id),
      hostReply: () => assert.fail('nobody asked the host'),
      retire: () => {
        this.isRetiring = true;
        this.#endpoint.retire();
        this.#look();
      },
      stop: () => {
        this.state = 'stopped';
        this.#endpoint.say([TO_MAIN.stopped]);
      },
      unread: () => assert.fail('everything can be read'),
    });
    this.#endpoint.say([TO_MAIN.ready, ['work'], { functions: [], others: [] }]);
  }

  get isAlive(): boolean {
    return this.state !== 'dead';
  }

  /** Whether it takes tasks that are for all. */
  get serves(): boolean {
    return this.isAlive && this.state !== 'stopped' && !this.isRetiring;
  }

  /** Whatever it can do now. Those that only end a task come last. */
  steps(): Step[] {
    if (!this.isAlive) return [];
    const steps: Step[] = [];
    if (this.#port.hasMessages) steps.push({ what: 'hears', take: () => this.#port.arrive() });
    const line = this.#line;
    if (line?.hasMessages) steps.push({ what: 'hears the coordinator', take: () => line.arrive() });
    if (this.state === 'stopped') return steps;
    if (this.state === 'looking') steps.push({ what: 'looks', take: () => this.#take() });
    if (this.state === 'resting') steps.push({ what: 'rests', take: () => this.#rest() });
    const [timer] = this.timers;
    if (timer !== undefined) steps.push({ what: 'timer', take: () => this.#goOff() });
    for (const running of this.running) {
      if (!this.#polled.has(running.id)) {
        steps.push({ what: `polls in ${running.id}`, take: () => this.#poll(running) });
      }
      const end = this.#world.endOf(this, running);
      if (end !== undefined) steps.push({ what: `ends ${running.id}`, take: () => this.#end(running, end) });
    }
    return steps;
  }

  die(): void {
    this.state = 'dead';
    this.running.length = 0;
    this.timers.length = 0;
    this.#port.cut();
    this.#line?.cut();
  }

  #look(): void {
    // It is looking already, and has come upon a message.
    if (this.state === 'stopped' || this.state === 'dead' || this.#isTaking) return;
    if (this.running.length < this.#options.tasksPerWorker) this.state = 'looking';
  }

  /** There may be tasks: looks for the next one until there is one, or sleeps. */
  #called(): void {
    if (this.#isTaking) return;
    this.#look();
    const { length } = this.running;
    while (this.running.length === length && (this.state === 'looking' || this.state === 'resting')) {
      if (this.state === 'looking') this.#take();
      else this.#rest();
    }
  }

  #take(): void {
    this.#isTaking = true;
    const begun = this.#endpoint.take(this.#world.now());
    this.#isTaking = false;
    if (begun?.fault instanceof Death) throw begun.fault; // it died while it read the arguments
    if (begun === undefined) {
      this.state = 'resting';
      return;
    }
    const running = { cell: begun.cell, id: begun.id };
    this.running.push(running);
    if (this.running.length >= this.#options.tasksPerWorker) this.state = 'busy';
    this.#world.begun(this, running, begun.args, begun.fault);
  }

  #rest(): void {
    if (this.#endpoint.rest(this.running.length === 0)) {
      this.state = 'looking';
      return;
    }
    this.state = 'asleep';
    if (!this.isRetiring || this.#hasRetired || this.running.length > 0 || !this.#endpoint.retire()) return;
    this.#hasRetired = true;
    this.#endpoint.say([TO_MAIN.retired]);
  }

  #goOff(): void {
    const { dueAt, callback } = this.timers.shift()!;
    this.#world.wait(dueAt);
    callback();
  }

  #poll(running: Running): void {
    this.#polled.add(running.id);
    if (this.#endpoint.isAborting(running.cell)) this.#endpoint.drain();
  }

  #abort(id: number): void {
    if (!this.running.some((running) => running.id === id)) return;
    this.#world.aborts(this, id);
    this.#endpoint.say([TO_MAIN.abortSeen, id]);
  }

  #end(running: Running, { value, isError, runMs, progress }: End): void {
    const { cell, id } = running;
    if (progress !== undefined) this.#endpoint.say([TO_MAIN.progress, id, progress]);
    if (isError) {
      const error = encodeError(new Error(String(value)), (it) => structuredClone(it));
      this.#endpoint.failed(cell, id, error, runMs);
    } else this.#endpoint.done(cell, id, value, undefined, runMs);
    this.running.splice(this.running.indexOf(running), 1);
    this.#polled.delete(id);
    this.#look();
  }
}
