/** One measurement of a server on its way: its time, its processes, and what was left out. */
import { fileURLToPath } from 'node:url';
import type { ServerSamples } from '../findings/samples.js';
import { Child } from './child.js';
import type { ServerEvents, ServerPlan } from './contract.js';
import type { AppTalk, LoadTalk, Talk } from './protocol.js';
import { clamp } from './schedule.js';

const APP = fileURLToPath(new URL('../app/process.js', import.meta.url));
const LOAD = fileURLToPath(new URL('../load/process.js', import.meta.url));

type Skipped = ServerSamples['skipped'][number];

export class Session {
  readonly plan: ServerPlan;
  readonly skipped: Skipped[] = [];
  readonly notes: string[] = [];
  readonly #events: ServerEvents;
  readonly #begin = performance.now();
  readonly #children = new Set<{ kill(): Promise<void> }>();
  #isShort = false;

  constructor(plan: ServerPlan, events: ServerEvents) {
    this.plan = plan;
    this.#events = events;
  }

  get remainingMs(): number {
    return Math.max(0, this.plan.budgetMs - (performance.now() - this.#begin));
  }

  get isAborted(): boolean {
    return this.plan.signal.aborted;
  }

  /** Something is missing because the time was over, or somebody ended it. */
  get isCutShort(): boolean {
    return this.#isShort || this.isAborted;
  }

  say(what: string): void {
    this.#events.progress({ what, done: clamp(1 - this.remainingMs / this.plan.budgetMs, 0, 1) });
  }

  skip(what: string, why: string): void {
    this.skipped.push({ what, why });
  }

  /** Not everything could be done. */
  cutShort(): void {
    this.#isShort = true;
  }

  startApp(): Child<AppTalk> {
    return this.#start<AppTalk>(APP);
  }

  startLoad(): Child<LoadTalk> {
    return this.#start<LoadTalk>(LOAD);
  }

  /** Ends whatever still runs. */
  async close(): Promise<void> {
    await Promise.all([...this.#children].map((child) => child.kill()));
  }

  #start<T extends { [K in keyof T]: Talk[string] }>(file: string): Child<T> {
    const child = new Child<T>(file, this.plan.signal);
    this.#children.add(child);
    return child;
  }
}
