/** A link with a real runner at its far end, on one thread, and a record of everything that the worker says. */

import assert from 'node:assert/strict';
import { AsyncLocalStorage } from 'node:async_hooks';
import type { TestContext } from 'node:test';
import { setImmediate } from 'node:timers';
import type {
  Exchange,
  Link,
  LinkEvents,
  ModuleTraits,
  Platform,
  Port,
  Transport,
  Wire,
} from '../core/contracts.js';
import { isThreadwiseError } from '../core/options/errors.js';
import { plainRun } from '../core/fake-platform.case.js';
import { Task } from '../core/calls/task.js';
import { MeasuredRecorder } from '../metrics/measured.js';
import { openEndpoint } from '../runner/endpoints.js';
import { Runner } from '../runner/runner.js';
import type { Endpoint } from './endpoint.js';

/** What a transport is tested on. */
export interface Ground {
  readonly name: string;
  readonly transport: Transport;
  readonly platform: Platform;
  /** The worker's port, out of what the wire carries. */
  farPort(wire: Wire): Port;
  /** Where the runner's own choice of an endpoint is not meant. */
  readonly openEndpoint?: (wire: Wire, far: Port) => Endpoint;
  /** Why tests that share memory are left out. */
  readonly sharesNoMemory?: string;
}

export interface RigOptions {
  readonly capacity?: number;
  readonly tasksPerWorker?: number;
  /** What the worker loads. A promise that rejects is a module that does not load. */
  readonly module: Record<string, unknown> | Promise<Record<string, unknown>>;
  readonly host?: (name: string, args: readonly unknown[]) => Promise<unknown>;
}

/** One thing that the worker said. */
export type Said =
  | { readonly what: 'done'; readonly task: Task; readonly value: unknown; readonly runMs: number }
  | { readonly what: 'failed'; readonly task: Task; readonly error: unknown; readonly runMs: number }
  | { readonly what: 'progress'; readonly task: Task; readonly value: unknown }
  | { readonly what: 'abortSeen'; readonly task: Task }
  | { readonly what: 'ready'; readonly names: readonly string[]; readonly traits: ModuleTraits }
  | { readonly what: 'awaits'; readonly name: string }
  | { readonly what: 'loadFailed'; readonly error: unknown }
  | { readonly what: 'memory'; readonly used: number; readonly limit: number }
  | { readonly what: 'setsUp' | 'retired' | 'stopped' | 'batch' }
  | { readonly what: 'error' | 'broken'; readonly error: unknown };

export class Rig {
  readonly said: Said[] = [];
  readonly link: Link;
  readonly #waiting = new Set<() => void>();
  readonly #exchange: Exchange;
  readonly #far: Port;
  readonly #keepAlive;
  #lastId = 0;

  constructor(ground: Ground, { capacity = 16, tasksPerWorker = 1, module, host }: RigOptions) {
    const { platform, transport } = ground;
    this.#keepAlive = platform.keepAlive();
    this.#keepAlive.hold();
    this.#exchange = transport(platform, capacity);
    this.link = this.#exchange.connect(this.#events(host));
    this.#far = ground.farPort(this.link.wire);
    const { wire } = this.link;
    const endpoint = ground.openEndpoint?.(wire, this.#far) ?? openEndpoint(wire, this.#far, platform);
    const runner = new Runner(
      { workerId: 1, poolName: 'rig', tasksPerWorker, data: undefined, endpoint },
      {
        now: platform.now,
        atExit: () => undefined,
        nextTurn: setImmediate,
        clone: platform.clone,
        load: async () => module,
        trimStack: (stack) => stack,
        flush: async () => undefined,
        memory: () => ({ usedBytes: 3, limitBytes: 7 }),
        store: new AsyncLocalStorage(),
      },
    );
    void runner.start();
  }

  /** Sends a call of `name`; throws if the line has no room, as a dispatch would not. */
  send(name: string, args: readonly unknown[] = [], transfer: readonly unknown[] = []): Task {
    if (this.link.room <= 0) throw new Error('no room');
    const task = this.task(name, args, transfer);
    this.link.send(task);
    return task;
  }

  /** A call that is not sent yet. */
  task(name: string, args: readonly unknown[] = [], transfer: readonly unknown[] = []): Task {
    const payload = { args, transfer, onSettled: undefined };
    return new Task(++this.#lastId, name, payload, plainRun, 0, () => undefined);
  }

  all<W extends Said['what']>(what: W): Extract<Said, { what: W }>[] {
    return this.said.filter((said): said is Extract<Said, { what: W }> => said.what === what);
  }

  /** The first thing said that fits, now or as soon as it is said. */
  async heard<W extends Said['what']>(
    what: W,
    fits: (said: Extract<Said, { what: W }>) => boolean = () => true,
  ): Promise<Extract<Said, { what: W }>> {
    for (;;) {
      const found = this.all(what).find(fits);
      if (found !== undefined) return found;
      await new Promise<void>((resolve) => this.#waiting.add(resolve));
    }
  }

  /** The end of a task: what it gave or what it threw. */
  async ended(task: Task): Promise<unknown> {
    const isIts = (said: { task: Task }) => said.task === task;
    const first = await Promise.race([this.heard('done', isIts), this.heard('failed', isIts)]);
    return first.what === 'done' ? first.value : first.error;
  }

  close(): void {
    this.link.stop();
    this.link.close();
    void this.#exchange.close();
    this.#far.close();
    this.#keepAlive.dispose();
  }

  #events(host: RigOptions['host']): LinkEvents {
    const say = (said: Said) => {
      this.said.push(said);
      for (const wake of this.#waiting) wake();
      this.#waiting.clear();
    };
    return {
      done: (task, value, runMs) => say({ what: 'done', task, value, runMs }),
      failed: (task, error, runMs) => say({ what: 'failed', task, error, runMs }),
      progress: (task, value) => say({ what: 'progress', task, value }),
      abortSeen: (task) => say({ what: 'abortSeen', task }),
      record: new MeasuredRecorder().worker(),
      ranPlain: () => undefined,
      ready: (names, traits) => say({ what: 'ready', names, traits }),
      awaits: (name) => say({ what: 'awaits', name }),
      setsUp: () => say({ what: 'setsUp' }),
      loadFailed: (error) => say({ what: 'loadFailed', error }),
      memory: (used, limit) => say({ what: 'memory', used, limit }),
      retired: () => say({ what: 'retired' }),
      stopped: () => say({ what: 'stopped' }),
      error: (error) => say({ what: 'error', error }),
      broken: (error) => say({ what: 'broken', error }),
      settledBatch: () => say({ what: 'batch' }),
      hostCall: (name, args) => (host ?? (() => Promise.reject(new Error('no host'))))(name, args),
    };
  }
}

/** Connects, waits until the worker is ready, and closes when the test is over. */
export type Connect = (t: TestContext, options: RigOptions) => Promise<Rig>;

export function assertCode(error: unknown, code: string): asserts error is Error & { path?: string } {
  assert.ok(isThreadwiseError(error), `${error}`);
  assert.equal(error.code, code);
}

/** A promise and what resolves it. */
export function gate<T = void>(): { readonly opened: Promise<T>; readonly open: (value: T) => void } {
  let open: (value: T) => void = () => undefined;
  const opened = new Promise<T>((resolve) => {
    open = resolve;
  });
  return { opened, open };
}
