/** A platform for tests: its clock stands still until told to advance, its threads and lines only take notes. */

import { MeasuredRecorder } from '../metrics/measured.js';
import type {
  Exchange,
  KeepAlive,
  Link,
  LinkEvents,
  Platform,
  Port,
  RemoteSizing,
  Thread,
  ThreadExit,
  ThreadSpec,
  TimerHandle,
} from './contracts.js';
import type { EventSink } from './events/hooks.js';
import { capture, type Payload } from './calls/payload.js';
import type { ResolvedRun } from './calls/run-options.js';
import { type Settlement, Task } from './calls/task.js';
import { WorkerSlot } from './workers/worker-slot.js';

interface FakeTimer {
  readonly dueAt: number;
  readonly callback: () => void;
}

export interface FakeThread extends Thread {
  readonly spec: ThreadSpec;
  readonly exit: (exit?: Partial<ThreadExit>) => void;
  isTerminated: boolean;
}

type CloneOptions = Parameters<typeof structuredClone>[1];

export class FakePlatform implements Platform {
  readonly name = 'fake';
  /** What the process is kept alive by. */
  keptAlive: 'held' | 'released' | 'disposed' = 'released';
  readonly threads: FakeThread[] = [];
  /** Set: the next threads cannot be started. */
  spawnError: unknown;
  readonly #timers = new Set<FakeTimer>();
  #now = 1000;

  readonly now = (): number => this.#now;
  readonly burstNow = (): number => this.#now;
  readonly defer = (callback: () => void): void => queueMicrotask(callback);
  readonly nextTurn = (callback: () => void): void => void setImmediate(callback);
  readonly bind = <F extends (...args: never[]) => unknown>(callback: F): F => callback;
  readonly clone = <T>(value: T, transfer?: readonly unknown[]): T =>
    structuredClone(value, { transfer } as CloneOptions);
  readonly detach = () => undefined;
  readonly sharedMemory = (byteLength: number): ArrayBufferLike => new SharedArrayBuffer(byteLength);
  readonly collectShared = () => undefined;
  readonly collectSoon = () => undefined;
  readonly hasSharedMemory = true;
  readonly noProcesses = () => undefined;
  readonly availableThreads = (): number => 4;
  readonly threadCeiling = (): number => 64;
  memory: Platform['memory'] = () => undefined;
  readonly ownLoad = () => ({ utilization: 0.5, residentBytes: 2, heapUsedBytes: 1 });
  readonly env = (): string | undefined => undefined;
  readonly resolveModule = (specifier: unknown): string => String(specifier);

  readonly timer = (ms: number, callback: () => void): TimerHandle => {
    const timer = { dueAt: this.#now + ms, callback };
    this.#timers.add(timer);
    return { cancel: () => void this.#timers.delete(timer) };
  };

  get timerCount(): number {
    return this.#timers.size;
  }

  /** Lets time pass, timer by timer: each goes off at its own time, those that it sets as well. */
  advance(ms: number): void {
    const end = this.#now + ms;
    for (let next = this.#next(end); next !== undefined; next = this.#next(end)) {
      this.#timers.delete(next);
      this.#now = next.dueAt;
      next.callback();
    }
    this.#now = end;
  }

  #next(end: number): FakeTimer | undefined {
    return [...this.#timers].filter(({ dueAt }) => dueAt <= end).sort((a, b) => a.dueAt - b.dueAt)[0];
  }

  keepAlive(): KeepAlive {
    const become = (state: 'held' | 'released' | 'disposed') => () => {
      this.keptAlive = state;
    };
    return { hold: become('held'), release: become('released'), dispose: become('disposed') };
  }

  channel(): { near: Port; far: unknown } {
    throw new Error('The fake platform has no channels');
  }

  channelEnds(): readonly [unknown, unknown] {
    throw new Error('The fake platform has no channels');
  }

  port(): Port {
    throw new Error('The fake platform has no channels');
  }

  readonly recipe = (spec: ThreadSpec) => ({ data: spec, transfer: [] });
  readonly cpuOf = () => undefined;
  readonly atExit = () => () => undefined;

  startHelper(): Thread {
    throw new Error('The fake platform has no helpers');
  }

  readonly spawn = (spec: ThreadSpec, onExit: (exit: ThreadExit) => void): Thread => {
    if (this.spawnError !== undefined) throw this.spawnError;
    let hasExited = false;
    const thread: FakeThread = {
      spec,
      isTerminated: false,
      exit: (exit = {}) => {
        if (!hasExited) onExit({ exitCode: 1, outOfMemory: false, ...exit });
        hasExited = true;
      },
      terminate: async () => {
        thread.isTerminated = true;
        queueMicrotask(() => thread.exit());
      },
      utilization: () => 0.5,
      cpu: () => undefined,
    };
    this.threads.push(thread);
    return thread;
  };
}

/** A line whose worker begins a task when told to, and says what it is told to say. */
export class FakeLink implements Link {
  readonly wire = { transport: 'fake', port: undefined, memory: undefined };
  room = 100;
  readonly hasRoomFor = () => this.room > 0;
  forestall = () => true;
  pulled = 0;
  readonly sent: Task[] = [];
  readonly aborted: { readonly task: Task; readonly reason: unknown }[] = [];
  /** What the worker has said already, and the main side has not handled. */
  unheard: (() => void)[] = [];
  isStopped = false;
  /** What main said of its place when it retired. */
  isReplaced: boolean | undefined;
  readonly events: LinkEvents;
  readonly #begun = new Map<Task, number>();

  constructor(events?: LinkEvents) {
    this.events = events as LinkEvents;
  }

  /** The worker begins a task at that time. */
  begin(task: Task, at: number): void {
    this.#begun.set(task, at);
  }

  send(task: Task): void {
    this.sent.push(task);
  }

  withdraw(task: Task): boolean {
    return !this.#begun.has(task);
  }

  wake(): void {}

  startedAt(task: Task): number | undefined {
    return this.#begun.get(task);
  }

  abort(task: Task, reason: unknown): void {
    this.aborted.push({ task, reason });
  }

  drain(): void {
    const words = this.unheard;
    this.unheard = [];
    for (const word of words) word();
  }

  retire(isReplaced = false): boolean {
    this.isReplaced = isReplaced;
    return true;
  }

  adopt(): readonly Task[] {
    return [];
  }

  bury(): void {}

  stop(): void {
    this.isStopped = true;
  }

  close(): void {}
}

export class FakeTransport {
  readonly links: FakeLink[] = [];
  /** Set: the next workers cannot be connected. */
  connectError: unknown;
  sizing: RemoteSizing | undefined;

  open(platform: Platform): Exchange {
    return {
      name: 'fake',
      pull: undefined,
      leaseMemory: undefined,
      sizing: this.sizing,
      capture: (_name, args, run) => capture(args, run.transfer, platform.clone),
      connect: (events) => {
        if (this.connectError !== undefined) throw this.connectError;
        const link = new FakeLink(events);
        this.links.push(link);
        return link;
      },
      close: () => undefined,
    };
  }
}

/** Nobody listens to the diagnostics channels. */
export const silentSink: EventSink = {
  channel: () => ({ hasSubscribers: false, publish: () => undefined }),
};

/** What a call without options asks for. */
export const plainRun: ResolvedRun = {
  signal: undefined,
  timeoutMs: undefined,
  priority: 0,
  key: undefined,
  transfer: [],
  retries: 0,
  onProgress: undefined,
};
const noPayload: Payload = { args: [], transfer: [], onSettled: undefined };
let lastTaskId = 0;

/** A task and everything that its caller was told. */
export function makeTask(run: Partial<ResolvedRun> = {}): { task: Task; told: Settlement[] } {
  const told: Settlement[] = [];
  const task = new Task(++lastTaskId, 'work', noPayload, { ...plainRun, ...run }, 0, (_task, settlement) => {
    told.push(settlement);
  });
  return { task, told };
}

/** A worker that is ready, on a line of its own. Its lane is none: nothing may be put there. */
export function makeSlot(id: number, now = 0): { slot: WorkerSlot; link: FakeLink } {
  const lane = { size: 0 } as WorkerSlot['lane'];
  const slot = new WorkerSlot(id, lane, now);
  const link = new FakeLink();
  slot.link = link;
  slot.record = new MeasuredRecorder().worker();
  slot.thread = { terminate: async () => undefined, utilization: () => 0.5, cpu: () => undefined };
  slot.transition('ready');
  return { slot, link };
}
