/** Whatever a scaling policy or a coordinator wants: where tasks wait and there may be workers, one is there or starting. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'threadwise-test/fast-check';
import { MeasuredRecorder } from '../../metrics/measured.js';
import { leastBusy } from '../../scheduling/choice/strategies.js';
import { FakePullQueue } from '../../scheduling/dispatch/bench.case.js';
import { DirectDispatch } from '../../scheduling/dispatch/direct.js';
import { SharedQueueDispatch } from '../../scheduling/dispatch/shared-queue.js';
import { PLACEMENTS } from '../../scheduling/placement/index.js';
import { PriorityQueue } from '../../scheduling/queue/priority.js';
import type { Exchange, LinkEvents, RemoteSizing, Scaling } from '../contracts.js';
import { Engine } from '../engine.js';
import { FakeLink, FakePlatform, FakeTransport, silentSink } from '../fake-platform.case.js';
import { resolveOptions } from '../options/options.js';
import { snapshot } from '../stats.js';
import type { Task } from '../calls/task.js';

/** A worker that dies later than that after its start is not reckoned to do so again, and replaced at once. Milliseconds. */
const OLD_MS = 10_001;

/** A worker that loads, begins and ends a task, and dies when it is told to. */
class Worker extends FakeLink {
  readonly running: Task[] = [];
  readonly #queue: WorkersQueue | undefined;
  state: 'loading' | 'ready' | 'leaving' | 'gone' = 'loading';

  constructor(events: LinkEvents, queue: WorkersQueue | undefined) {
    super(events);
    this.#queue = queue;
    Object.defineProperty(this, 'pulled', { get: () => queue?.heldBy(this).length ?? 0 });
  }

  /** One that still loads never takes anything from then on. */
  override readonly forestall = () => {
    if (this.state !== 'loading') return false;
    this.state = 'gone';
    return true;
  };

  /** It says so by itself when it has ended what it had begun. */
  override retire(): boolean {
    this.state = 'leaving';
    return false;
  }

  override withdraw(task: Task): boolean {
    if (this.#queue?.withdraw(task)) return true;
    const at = this.sent.indexOf(task);
    return at >= 0 && this.sent.splice(at, 1).length > 0;
  }

  override adopt(): readonly Task[] {
    return this.#queue?.adopt(this) ?? [];
  }

  /** Whatever it can do next: load, begin a task, end one, or leave. */
  work(now: number): void {
    if (this.state === 'gone') return;
    if (this.isStopped) return this.events.stopped();
    if (this.state === 'loading') {
      this.state = 'ready';
      return this.events.ready([], { functions: [], others: [] });
    }
    const ended = this.running.shift();
    if (ended === undefined) return this.#begin(now);
    this.#queue?.end(ended);
    this.events.done(ended, 'done', 1);
    this.events.settledBatch();
  }

  #begin(now: number): void {
    const pulls = this.state === 'ready';
    const task = this.sent.shift() ?? (pulls ? this.#queue?.take(this) : undefined);
    if (task === undefined) return pulls ? undefined : this.events.retired();
    this.begin(task, now);
    this.running.push(task);
  }
}

/** A queue that workers take from when they work. */
class WorkersQueue extends FakePullQueue {
  override carries({ key }: Task): boolean {
    return key === undefined;
  }
}

/** A thread that sizes the pool, and says what it is told to say. */
class Remote implements RemoteSizing {
  wanted: number | undefined;
  readonly isDown = false;
  onWanted: RemoteSizing['onWanted'] = () => undefined;

  drain(): void {}

  bound(): void {
    this.wanted = undefined;
  }

  reserve: RemoteSizing['reserve'] = (events, specOf) => {
    specOf(new FakeLink(events));
    return { terminate: async () => undefined, utilization: () => 0, cpu: () => undefined };
  };

  want(wanted: number): void {
    this.wanted = wanted;
    this.onWanted(undefined);
  }
}

type Way = 'direct' | 'shared-queue' | 'coordinator';

/** What happens next. The numbers choose among what there is. */
type Step =
  | { readonly do: 'call'; readonly keyed: boolean }
  | { readonly do: 'work' | 'die'; readonly who: number }
  | { readonly do: 'want'; readonly target: number; readonly isSated: boolean }
  | { readonly do: 'resize'; readonly min: number; readonly spare: number }
  | { readonly do: 'wait'; readonly ms: number }
  | { readonly do: 'pause' | 'resume' };

const step: fc.Arbitrary<Step> = fc.oneof(
  { arbitrary: fc.record({ do: fc.constant('call' as const), keyed: fc.boolean() }), weight: 6 },
  { arbitrary: fc.record({ do: fc.constant('work' as const), who: fc.nat(9) }), weight: 8 },
  { arbitrary: fc.record({ do: fc.constant('die' as const), who: fc.nat(9) }), weight: 2 },
  {
    arbitrary: fc.record({ do: fc.constant('want' as const), target: fc.nat(5), isSated: fc.boolean() }),
    weight: 4,
  },
  {
    arbitrary: fc.record({ do: fc.constant('resize' as const), min: fc.nat(1), spare: fc.nat(3) }),
    weight: 1,
  },
  { arbitrary: fc.record({ do: fc.constant('wait' as const), ms: fc.nat(2000) }), weight: 2 },
  { arbitrary: fc.record({ do: fc.constantFrom('pause' as const, 'resume' as const) }), weight: 2 },
);

class Scene {
  readonly platform = new FakePlatform();
  readonly engine: Engine;
  readonly calls: Promise<unknown>[] = [];
  readonly errors: unknown[] = [];
  readonly #workers: Worker[] = [];
  readonly #remote: Remote | undefined;
  #wish = { target: 0, isSated: true };

  constructor(way: Way) {
    const queue = way === 'direct' ? undefined : new WorkersQueue();
    this.#remote = way === 'coordinator' ? new Remote() : undefined;
    const { platform } = this;
    const exchange: Exchange = {
      ...new FakeTransport().open(platform),
      pull: queue,
      sizing: this.#remote,
      connect: (events) => {
        const worker = new Worker(events, queue);
        this.#workers.push(worker);
        return worker;
      },
    };
    const scaling: Scaling = {
      name: 'any',
      initial: undefined,
      decide: () => ({ ...this.#wish, why: 'somebody wants it', state: undefined, againMs: undefined }),
    };
    this.engine = new Engine({
      name: 'pool',
      moduleUrl: 'file:///tasks.js',
      options: resolveOptions(
        { threads: { min: 0, max: 3 }, worker: { startTimeoutMs: Number.POSITIVE_INFINITY } },
        { ...platform, choices: ['any'], builtInName: () => undefined },
      ),
      platform,
      exchange,
      newPlacement: PLACEMENTS.threads,
      newModuleHere: () => assert.fail('no call is to run here'),
      choices: ['any'],
      scaling,
      recorder: new MeasuredRecorder(),
      sink: silentSink,
      newQueue: () => new PriorityQueue<Task>(),
      newDispatch: (context) =>
        queue === undefined ? new DirectDispatch(context) : new SharedQueueDispatch(context, queue),
      newChoice: () => leastBusy,
    });
    // A worker that is told to end may die only when its time for that is over, which is told.
    this.engine.hooks.on('error', ({ error }) => {
      if (!/^Error: Worker \d+ did not end within/.test(String(error))) this.errors.push(error);
    });
  }

  async take(next: Step): Promise<void> {
    this.#do(next);
    await null; // what was put off to the end of this turn
    await null;
  }

  #do(next: Step): void {
    switch (next.do) {
      case 'call': {
        const call = this.engine.admission.enter('work', [], next.keyed ? { key: 'k' } : undefined);
        this.calls.push(call.catch((error: { code?: unknown }) => error.code));
        return;
      }
      case 'work':
        return this.#work(next.who % Math.max(1, this.#workers.length));
      case 'die':
        return this.#die(next.who);
      case 'want':
        this.#wish = { target: next.target, isSated: next.isSated };
        return this.#remote?.want(next.target);
      case 'resize':
        return this.engine.resize({ min: next.min, max: next.min + next.spare || 1 });
      case 'wait':
        return this.platform.advance(next.ms);
      default:
        return this.engine.lifecycle[next.do]();
    }
  }

  #work(at: number): void {
    if (this.platform.threads[at]?.isTerminated === false) this.#workers[at]?.work(this.platform.now());
  }

  #die(who: number): void {
    const living = this.#workers.filter(({ state }) => state === 'ready' || state === 'leaving');
    const worker = living[who % Math.max(1, living.length)];
    if (worker === undefined) return;
    this.platform.advance(OLD_MS);
    worker.state = 'gone';
    this.platform.threads[this.#workers.indexOf(worker)]!.exit();
  }

  check(): void {
    const { queue, threads: sized, state } = snapshot(this.engine);
    const isStranded = state === 'open' && queue.size > 0 && sized.current === 0;
    assert.ok(!isStranded, `${queue.size} tasks wait, and no worker is there or starting`);
  }

  /** Everybody does all that he can: by then every call must have settled. */
  async finish(): Promise<void> {
    await this.take({ do: 'resume' });
    for (let round = 0; snapshot(this.engine).tasks.open > 0 && round < 200; round++) {
      for (let who = 0; who < this.#workers.length; who++) await this.take({ do: 'work', who });
      this.check();
    }
    const left = snapshot(this.engine);
    assert.equal(left.tasks.open, 0, JSON.stringify([left.queue, left.threads]));
    for (const outcome of await Promise.all(this.calls)) {
      assert.ok(outcome === 'done' || outcome === 'ERR_WORKER_CRASHED', String(outcome));
    }
    assert.deepEqual(this.errors, []);
  }
}

describe('a pool that may have no workers, with a policy that wants anything', () => {
  for (const way of ['direct', 'shared-queue', 'coordinator'] as const) {
    test(`${way}: has one as long as tasks wait, and every call settles`, async () => {
      await fc.assert(
        fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 60 }), async (steps) => {
          const scene = new Scene(way);
          for (const next of steps) {
            await scene.take(next);
            scene.check();
          }
          await scene.finish();
        }),
        { numRuns: 150 },
      );
    });
  }

  test('coordinator: a worker that it did not want while main had not heard of the last result goes when main has', async () => {
    const scene = new Scene('coordinator');
    const steps: Step[] = [
      { do: 'call', keyed: true },
      { do: 'work', who: 0 }, // it is ready
      { do: 'work', who: 0 }, // it begins
      { do: 'want', target: 0, isSated: true },
    ];
    for (const next of steps) await scene.take(next);
    assert.equal(snapshot(scene.engine).threads.current, 1);
    await scene.take({ do: 'work', who: 0 }); // it ends
    assert.deepEqual(await Promise.all(scene.calls), ['done']);
    assert.equal(snapshot(scene.engine).threads.current, 0);
  });
});
