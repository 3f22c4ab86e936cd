/** The parts together, on a platform that only takes notes: what becomes of calls when workers fail to start. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { LinkEvents, LoadedModule, ModuleHere, RemoteSizing, ReservedEvents } from './contracts.js';
import { MeasuredRecorder } from '../metrics/measured.js';
import { leastBusy } from '../scheduling/choice/strategies.js';
import { DirectDispatch } from '../scheduling/dispatch/direct.js';
import { PLACEMENTS } from '../scheduling/placement/index.js';
import { PriorityQueue } from '../scheduling/queue/priority.js';
import { measured } from '../scheduling/scaling/measured.js';
import { Engine } from './engine.js';
import { FakeLink, FakePlatform, FakeTransport, silentSink } from './fake-platform.case.js';
import { type PoolOptions, resolveOptions } from './options/options.js';
import { snapshot } from './stats.js';
import type { Task } from './calls/task.js';

function scene(
  given: PoolOptions = {},
  prepare: (platform: FakePlatform, transport: FakeTransport) => void = () => undefined,
  moduleHere: Partial<ModuleHere> = {},
) {
  const [platform, transport] = [new FakePlatform(), new FakeTransport()];
  prepare(platform, transport);
  const engine = new Engine({
    name: 'pool',
    moduleUrl: 'file:///tasks.js',
    options: resolveOptions(
      { threads: { min: 1, max: 1 }, ...given },
      { ...platform, choices: ['any'], builtInName: () => undefined },
    ),
    platform,
    exchange: transport.open(platform),
    newPlacement: (name) => PLACEMENTS[name](),
    newModuleHere: () => moduleHere as ModuleHere,
    choices: ['any'],
    scaling: measured,
    recorder: new MeasuredRecorder(),
    sink: silentSink,
    newQueue: () => new PriorityQueue<Task>(),
    newDispatch: (context) => new DirectDispatch(context),
    newChoice: () => leastBusy,
  });
  const lastLink = () => transport.links.at(-1)!;
  return { platform, transport, engine, lastLink };
}

const turn = () => new Promise<void>((resolve) => setImmediate(resolve));

/** What a promise comes to: its value, or its error's code. */
const outcomeOf = (promise: Promise<unknown>) => promise.catch((error: { code?: unknown }) => error.code);

/** What a promise has come to: its value, its error's code, or that it is open. */
const stateOf = (promise: Promise<unknown>) => Promise.race([outcomeOf(promise), turn().then(() => 'open')]);

/** The worker of that line ends its first task. */
function complete(link: FakeLink, value: unknown): void {
  const task = link.sent.shift()!;
  link.events.done(task, value, 1);
  link.events.settledBatch();
}

describe('a pool', () => {
  test('gives a call to its worker as soon as that has loaded, and its result to the caller', async () => {
    const { engine, lastLink } = scene();
    const call = engine.admission.enter('work', [1], undefined);
    assert.equal(await stateOf(call), 'open');
    lastLink().events.ready([], { functions: [], others: [] });
    complete(lastLink(), 'result');
    assert.equal(await stateOf(call), 'result');
    await engine.lifecycle.ready;
  });

  test('hears a worker that had loaded in time while main was busy, and does not count it as too late', async () => {
    const { engine, platform, lastLink } = scene();
    const call = engine.admission.enter('work', [1], undefined);
    const { events } = lastLink();
    lastLink().unheard = [() => events.ready([], { functions: [], others: [] })];
    platform.advance(10_000);
    complete(lastLink(), 'result');
    assert.equal(await stateOf(call), 'result');
  });

  test('has a worker torn down that was ready when the pool closed, though main had not heard so', async () => {
    const { engine, lastLink } = scene();
    const { events } = lastLink();
    lastLink().unheard = [() => events.ready([], { functions: [], others: [] })];
    const closed = engine.lifecycle.close();
    assert.equal(lastLink().isStopped, true);
    events.stopped();
    await closed;
  });

  test('sets no timer for a worker that could not load when the pool closed, though main had not heard so', async () => {
    const { engine, platform, transport, lastLink } = scene({ threads: 2 });
    transport.links[0]!.events.ready([], { functions: [], others: [] });
    const { events } = lastLink();
    lastLink().unheard = [() => events.loadFailed(new Error('no such file'))];
    const closed = engine.lifecycle.close();
    transport.links[0]!.events.stopped();
    await closed;
    assert.equal(platform.timerCount, 0);
  });

  test('starts a worker for tasks that are taken back from one that does not get on', async () => {
    const { engine, platform, transport, lastLink } = scene({ threads: { min: 1, max: 2 } });
    lastLink().events.ready([], { functions: [], others: [] });
    const call = () => engine.admission.enter('work', [1], undefined).catch(() => undefined);
    for (let i = 0; i < 100; i++) {
      void call();
      const task = lastLink().sent.shift()!;
      lastLink().events.done(task, i, 0.001);
      lastLink().events.settledBatch();
    }
    platform.advance(1000); // nobody looks at the size any more
    for (let i = 0; i < 5; i++) void call();
    lastLink().begin(lastLink().sent[0]!, platform.now());
    assert.equal(engine.dispatch.queued, 0, 'all lie with the one worker');
    platform.advance(20);
    assert.equal(transport.links.length, 2);
    await engine.lifecycle.destroy();
  });

  test('rejects every call when the module cannot be loaded the first time', async () => {
    const { engine, lastLink } = scene();
    const call = engine.admission.enter('work', [1], undefined);
    lastLink().events.loadFailed(new Error('no such file'));
    assert.equal(await stateOf(call), 'ERR_MODULE_LOAD');
    assert.equal(await stateOf(engine.lifecycle.ready), 'ERR_MODULE_LOAD');
    assert.equal(await stateOf(engine.admission.enter('work', [1], undefined)), 'ERR_MODULE_LOAD');
  });

  test('names the keys of an object that was thrown instead of an error', async () => {
    const { engine, lastLink } = scene();
    lastLink().events.setsUp();
    lastLink().events.loadFailed({ code: 5, reason: 'no licence' });
    await assert.rejects(engine.lifecycle.ready, { message: /failed: an object \(code, reason\)$/ });
  });

  for (const [what, setsUp, message] of [
    ['its module', false, /^Cannot load the task module .* It did not load within 10000 ms \(/],
    ['its setup', true, /^setup\(\) of the task module .* failed: Error: It did not end within 10000 ms \(/],
  ] as const) {
    test(`says of a worker that takes too long to start that it was ${what}`, async () => {
      const { engine, platform, lastLink } = scene();
      if (setsUp) lastLink().events.setsUp();
      platform.advance(10_000);
      await assert.rejects(engine.lifecycle.ready, { code: 'ERR_MODULE_LOAD', message });
    });

    test(`says of the calling thread that it was ${what}`, async () => {
      const never = () => new Promise<never>(() => undefined);
      const module = { setup: never } as Partial<LoadedModule> as LoadedModule;
      const load = setsUp ? () => Promise.resolve(module) : never;
      const { engine, platform } = scene({ placement: 'inline' }, undefined, {
        load,
        leave: () => undefined,
      });
      await turn();
      platform.advance(10_000);
      await assert.rejects(engine.lifecycle.ready, { code: 'ERR_MODULE_LOAD', message });
    });
  }

  test('does not count the time in which a worker that starts has no core', async () => {
    const { engine, platform } = scene();
    let waitedMs = 9_000;
    Object.assign(platform.threads.at(-1)!, { cpu: () => ({ usedMs: 1_000, waitedMs }) });
    platform.advance(10_000);
    waitedMs = 12_000;
    platform.advance(9_000);
    platform.advance(2_999);
    assert.equal(await stateOf(engine.lifecycle.ready), 'open');
    platform.advance(1);
    await assert.rejects(engine.lifecycle.ready, { code: 'ERR_MODULE_LOAD' });
  });

  test('says that it was setup, also of a worker that dies there and of one after others have loaded the module', async () => {
    const { engine, platform, lastLink } = scene();
    lastLink().events.ready([], { functions: [], others: [] });
    platform.threads.at(-1)!.exit();
    const waiting = engine.admission.enter('work', [1], undefined);
    waiting.catch(() => undefined); // it is asked for below
    for (let i = 0; i < 20 && engine.lifecycle.state === 'open'; i++) {
      lastLink().events.setsUp();
      platform.threads.at(-1)!.exit();
      await turn();
      platform.advance(2000);
    }
    await assert.rejects(waiting, { code: 'ERR_MODULE_LOAD', message: /^setup\(\) of the task module / });
  });

  test('rejects every call when the system has no memory for what a worker shares with main', async () => {
    const { engine } = scene({ worker: { recycle: { afterTasks: 1 } } }, (platform) => {
      Object.assign(platform, {
        sharedMemory: () => {
          throw new RangeError('no memory');
        },
      });
    });
    const call = engine.admission.enter('work', [1], undefined);
    assert.equal(await stateOf(call), 'ERR_MODULE_LOAD');
    assert.equal(await stateOf(engine.lifecycle.close()), undefined);
  });

  test('gives up when a module that once loaded does not load again and again', async () => {
    const { platform, transport, engine, lastLink } = scene();
    lastLink().events.ready([], { functions: [], others: [] });
    const first = engine.admission.enter('work', [1], undefined);
    complete(lastLink(), 'result');
    assert.equal(await stateOf(first), 'result');
    platform.threads.at(-1)!.exit();
    const waiting = engine.admission.enter('work', [1], undefined);
    waiting.catch(() => undefined); // it is asked for below
    for (let i = 0; i < 20 && engine.lifecycle.state === 'open'; i++) {
      const link = lastLink();
      link.events.loadFailed(new Error('the file is gone'));
      await turn();
      if (lastLink() === link) platform.advance(2000);
    }
    assert.equal(engine.lifecycle.state, 'broken');
    assert.equal(await stateOf(waiting), 'ERR_MODULE_LOAD');
    assert.ok(transport.links.length <= 7, `${transport.links.length} workers were started`);
  });

  test('starts fewer and fewer workers that do not load, while another one ends tasks', async () => {
    const { platform, transport, engine } = scene({ threads: { min: 2, max: 2 } });
    const [working, failing] = [transport.links[0]!, transport.links[1]!];
    working.events.ready([], { functions: [], others: [] });
    failing.events.loadFailed(new Error('not this time'));
    await turn();
    for (let ms = 0; ms < 3000; ms += 50) {
      const call = engine.admission.enter('work', [1], undefined);
      complete(working, 'result');
      assert.equal(await stateOf(call), 'result');
      const before = transport.links.length;
      platform.advance(50);
      if (transport.links.length === before) continue;
      transport.links.at(-1)!.events.loadFailed(new Error('not this time'));
      await turn();
    }
    assert.equal(transport.links.length - 2, 5, 'after 50, 150, 350, 750 and 1550 ms');
    assert.equal(engine.lifecycle.state, 'open');
  });

  test('is ready with those that load, though one does not load again and again', async () => {
    const { platform, transport, engine } = scene({ threads: { min: 2, max: 2 } });
    transport.links[0]!.events.ready([], { functions: [], others: [] });
    for (let i = 0; i < 6; i++) {
      assert.equal(await stateOf(engine.lifecycle.ready), 'open');
      transport.links.at(-1)!.events.loadFailed(new Error('not this time'));
      await turn();
      platform.advance(2000);
    }
    assert.equal(await stateOf(engine.lifecycle.ready), undefined);
  });

  test('tells why it ended a worker that had nothing to do, and how one ended that nobody had ended', async () => {
    for (const [end, message] of [
      ['broken', 'a cell that cannot be'],
      ['exit', 'The worker ended with exit code 3 while it had nothing to do'],
    ] as const) {
      const { platform, engine, lastLink } = scene();
      const errors: unknown[] = [];
      engine.hooks.on('error', ({ error }) => errors.push(error));
      lastLink().events.ready([], { functions: [], others: [] });
      if (end === 'broken') lastLink().events.broken(new Error(message));
      else platform.threads[0]!.exit({ exitCode: 3 });
      await turn();
      assert.deepEqual(
        errors.map((error) => (error as Error).message),
        [message],
      );
    }
  });

  test('rejects every call when there is no memory for its first worker', async () => {
    const { engine } = scene({ threads: { min: 3, max: 3 } }, (_platform, transport) => {
      transport.connectError = new RangeError('no memory');
    });
    const isBroken = { code: 'ERR_MODULE_LOAD', message: /RangeError: no memory/ };
    await assert.rejects(engine.lifecycle.ready, isBroken);
    await assert.rejects(engine.admission.enter('work', [1], undefined), isBroken);
  });

  for (const way of ['throws', 'exits', 'says so'] as const) {
    const shortage = Object.assign(new Error('spawn EAGAIN'), { code: 'EAGAIN' });
    /** The newest worker fails for want of a process; where its start throws, it has failed by itself. */
    const failing = (of: ReturnType<typeof scene>) => {
      if (way === 'exits') of.platform.threads.at(-1)!.exit({ error: shortage });
      if (way === 'says so') of.lastLink().events.loadFailed(shortage);
      return turn();
    };
    const begin = () =>
      scene({}, (platform) => {
        if (way === 'throws') platform.spawnError = shortage;
      });

    test(`pauses when the system has no process for its very first worker, and has it when there is: it ${way}`, async () => {
      const begun = begin();
      const { engine, platform, lastLink } = begun;
      const errors: unknown[] = [];
      engine.hooks.on('error', ({ error }) => errors.push(error));
      const call = engine.admission.enter('work', [1], undefined);
      await failing(begun);
      assert.deepEqual([errors, engine.lifecycle.state], [[shortage], 'open']);
      platform.spawnError = undefined;
      platform.advance(50);
      lastLink().events.ready([], { functions: [], others: [] });
      complete(lastLink(), 'result');
      assert.equal(await stateOf(call), 'result');
      await engine.lifecycle.ready;
    });

    test(`gives up when the system has none again and again: it ${way}`, async () => {
      const begun = begin();
      const { engine, platform, transport } = begun;
      const call = outcomeOf(engine.admission.enter('work', [1], undefined));
      for (let i = 0; i < 20 && engine.lifecycle.state === 'open'; i++) {
        await failing(begun);
        platform.advance(2000);
      }
      assert.deepEqual([await call, transport.links.length], ['ERR_MODULE_LOAD', 6]);
    });
  }

  test('is not ready without a worker, though its two fail again and again', async () => {
    const shortage = Object.assign(new Error('spawn EAGAIN'), { code: 'EAGAIN' });
    const { platform, transport, engine } = scene({ threads: { min: 2, max: 2 } });
    for (let i = 0; i < 6; i++) {
      platform.advance(2000);
      for (const thread of platform.threads.slice(-2)) {
        assert.equal(await stateOf(engine.lifecycle.ready), 'open');
        thread.exit({ error: shortage });
        await turn();
      }
    }
    assert.deepEqual(
      [transport.links.length, engine.lifecycle.state, await stateOf(engine.lifecycle.ready)],
      [12, 'broken', 'ERR_MODULE_LOAD'],
    );
  });

  test('pauses when there is no memory for one more worker, and has it when there is', async () => {
    const { platform, transport, engine } = scene({ threads: { min: 0, max: 3 } });
    const errors: unknown[] = [];
    engine.hooks.on('error', ({ error }) => errors.push(error));
    const early = engine.admission.enter('work', [0], undefined);
    transport.links[0]!.events.ready([], { functions: [], others: [] });
    complete(transport.links[0]!, 'early');
    assert.equal(await stateOf(early), 'early');
    platform.threads[0]!.exit();
    transport.connectError = new RangeError('no memory');
    const calls = [1, 2, 3].map((n) => engine.admission.enter('work', [n], undefined));
    assert.deepEqual(errors, [transport.connectError]);
    platform.advance(50);
    assert.deepEqual(errors, [transport.connectError, transport.connectError]);
    transport.connectError = undefined;
    platform.advance(100);
    assert.deepEqual([engine.lifecycle.state, snapshot(engine).workers.length], ['open', 3]);
    const late = transport.links.slice(1);
    for (const { events } of late) events.ready([], { functions: [], others: [] });
    for (const link of late) complete(link, 'late');
    assert.deepEqual(await Promise.all(calls.map(stateOf)), ['late', 'late', 'late']);
  });

  test('pauses when there is no memory for workers that another thread may start, and is ready without them', async () => {
    const none = () => undefined;
    let attempts = 0;
    const { platform, engine, lastLink } = scene({ threads: { min: 1, max: 3 } }, (_platform, transport) => {
      const reserve = () => {
        attempts++;
        throw new RangeError('no memory');
      };
      transport.sizing = { wanted: 1, isDown: false, bound: none, drain: none, onWanted: none, reserve };
    });
    lastLink().events.ready([], { functions: [], others: [] });
    assert.equal(await stateOf(engine.lifecycle.ready), undefined);
    engine.pump();
    assert.equal(attempts, 1);
    platform.advance(50);
    assert.equal(attempts, 2);
  });

  test('counts the age of a worker that another thread has started from then on', () => {
    const none = () => undefined;
    let startIt: (() => void) | undefined;
    let reserved: LinkEvents | undefined;
    const { platform, engine, lastLink } = scene({ threads: { min: 1, max: 2 } }, (_platform, transport) => {
      const reserve: RemoteSizing['reserve'] = (events, specOf, { started }) => {
        [reserved, startIt] = [events, started];
        specOf(new FakeLink(events));
        return { terminate: () => Promise.resolve(), utilization: () => 0, cpu: none };
      };
      transport.sizing = { wanted: 1, isDown: false, bound: none, drain: none, onWanted: none, reserve };
    });
    lastLink().events.ready([], { functions: [], others: [] });
    engine.pump();
    const startMs: number[] = [];
    engine.hooks.on('worker:ready', (event) => startMs.push(event.startMs));
    platform.advance(60_000);
    startIt!();
    platform.advance(20);
    reserved!.ready([], { functions: [], others: [] });
    assert.deepEqual(startMs, [20]);
  });

  test('does not take a worker for one that crashed that another thread had started when the pool was destroyed', () => {
    const none = () => undefined;
    let callbacks: ReservedEvents | undefined;
    const { platform, engine, lastLink } = scene({ threads: { min: 1, max: 2 } }, (_platform, transport) => {
      const reserve: RemoteSizing['reserve'] = (events, specOf, given) => {
        callbacks = given;
        specOf(new FakeLink(events));
        return { terminate: () => Promise.resolve(), utilization: () => 0, cpu: none };
      };
      transport.sizing = { wanted: 1, isDown: false, bound: none, drain: none, onWanted: none, reserve };
    });
    lastLink().events.ready([], { functions: [], others: [] });
    engine.pump();
    const told: unknown[] = [];
    engine.hooks.on('error', ({ error }) => told.push(error));
    engine.hooks.on('worker:exit', ({ workerId, reason }) => told.push([workerId, reason]));
    void engine.lifecycle.destroy();
    callbacks!.started(); // main was busy, and hears it only now
    callbacks!.exited({ exitCode: 1, outOfMemory: false });
    platform.threads[0]!.exit();
    assert.deepEqual(told, [
      [2, 'closed'],
      [1, 'closed'],
    ]);
    assert.equal(snapshot(engine).crashes, 0);
  });

  test('leaves no timer behind when a listener that hears of a call ends it', async () => {
    const { platform, engine } = scene();
    engine.hooks.on('task:submit', () => void engine.lifecycle.destroy());
    const call = engine.admission.enter('work', [1], undefined);
    await assert.rejects(call, { code: 'ERR_POOL_CLOSED' });
    await engine.lifecycle.destroy();
    assert.equal(platform.timerCount, 0);
  });

  test('settles a call, and counts it, when its signal throws', async () => {
    const throwing = () => {
      throw new Error('the signal throws');
    };
    const signal = { aborted: false, reason: undefined, addEventListener() {}, removeEventListener() {} };
    let reads = 0;
    const aborted = { get: () => reads++ > 0 && throwing() };
    for (const [own, outcome] of [
      [{ ...signal, addEventListener: throwing }, 'rejected'],
      [Object.defineProperty({ ...signal }, 'aborted', aborted), 'rejected'],
      [{ ...signal, removeEventListener: throwing }, 'completed'],
    ] as const) {
      const { engine, lastLink } = scene();
      lastLink().events.ready([], { functions: [], others: [] });
      const call = engine.admission.enter('work', [1], { signal: own });
      if (outcome === 'rejected') await assert.rejects(call, /the signal throws/);
      else complete(lastLink(), 'result');
      const { submitted, open, [outcome]: count } = snapshot(engine).tasks;
      assert.deepEqual({ submitted, open, count }, { submitted: 1, open: 0, count: 1 });
    }
  });

  test('has counted a crash when it tells of it', () => {
    const { platform, engine, lastLink } = scene();
    const counts: number[] = [];
    engine.hooks.on('worker:exit', () => counts.push(snapshot(engine).crashes));
    lastLink().events.ready([], { functions: [], others: [] });
    platform.threads[0]!.exit();
    assert.deepEqual(counts, [1]);
  });

  test('tells of a crash that ends the last call of a closing pool, and is closed only then', async () => {
    const { platform, engine, lastLink } = scene();
    const told: string[] = [];
    engine.hooks.on('worker:exit', ({ reason }) => told.push(reason));
    engine.hooks.on('pool:close', () => told.push('closed'));
    lastLink().events.ready([], { functions: [], others: [] });
    const call = engine.admission.enter('work', [1], undefined);
    lastLink().begin(lastLink().sent[0]!, platform.now());
    const closed = engine.lifecycle.close();
    platform.threads[0]!.exit();
    await assert.rejects(call, { code: 'ERR_WORKER_CRASHED' });
    await closed;
    assert.deepEqual(told, ['crashed', 'closed']);
    assert.equal(snapshot(engine).crashes, 1);
  });

  test('says of a broadcast whose worker died before it began that it had not begun', async () => {
    const { platform, engine, lastLink } = scene({ threads: { min: 0, max: 1 } });
    engine.admission.enter('work', [1], undefined).catch(() => undefined);
    lastLink().events.ready([], { functions: [], others: [] });
    lastLink().begin(lastLink().sent[0]!, platform.now());
    const broadcast = engine.admission.enter('other', [], undefined, { to: engine.workers.slots[0]! });
    platform.threads[0]!.exit({ exitCode: 7 });
    await assert.rejects(broadcast, {
      code: 'ERR_WORKER_CRASHED',
      message: "Worker 1 ended before it began task 'other'",
      exitCode: 7,
      workerId: 1,
      taskName: 'other',
    });
  });

  test('can be asked for its stats when its thread could not be started', async () => {
    const { engine } = scene({}, (platform) => {
      platform.spawnError = new Error('bad execArgv');
    });
    const { workers } = snapshot(engine);
    assert.deepEqual(
      workers.map(({ state, utilization }) => [state, utilization]),
      [['starting', 0]],
    );
    assert.equal(await stateOf(engine.lifecycle.ready), 'ERR_MODULE_LOAD');
  });

  test('replaces the worker whose heap has grown when the limit of memory is near, unless its size is fixed', () => {
    const recycledWith = (max: number) => {
      const { engine, lastLink } = scene({ threads: { min: 1, max } }, (platform) => {
        platform.memory = () => ({ usedBytes: 96, limitBytes: 100 });
      });
      const { events } = lastLink();
      events.ready([], { functions: [], others: [] });
      for (const mib of [10, 80]) events.memory(mib * 2 ** 20, 4096 * 2 ** 20);
      return snapshot(engine).recycled;
    };
    assert.deepEqual([recycledWith(2), recycledWith(1)], [1, 0]);
  });

  test('goes on with those that are left when the replacement for one of them does not load', async () => {
    const { platform, transport, engine } = scene({ threads: { min: 3, max: 3 } });
    const isReady = [[], { functions: [], others: [] }] as const;
    for (const { events } of transport.links) events.ready(...isReady);
    const recycled = engine.recycler.begin();
    const again = engine.recycler.begin();
    const cause = new Error('broken on disk');
    transport.links[3]!.events.loadFailed(cause);
    for (const promise of [recycled, again])
      await assert.rejects(promise, { code: 'ERR_MODULE_LOAD', cause });
    assert.equal(engine.recycler.isWorking, false);
    assert.deepEqual(
      transport.links.map(({ isStopped }) => isStopped),
      [true, false, false, false],
    );
    // Asked for again, it retires nobody before what is missing has loaded.
    const next = engine.recycler.begin();
    transport.links[4]!.events.loadFailed(cause);
    await assert.rejects(next, { code: 'ERR_MODULE_LOAD' });
    assert.deepEqual(
      transport.links.map(({ isStopped }) => isStopped),
      [true, false, false, false, false],
    );
    platform.advance(100);
    transport.links[5]!.events.ready(...isReady);
    const last = engine.recycler.begin();
    for (let i = 6; i < 9; i++) {
      for (const [at, link] of transport.links.entries()) if (link.isStopped) platform.threads[at]!.exit();
      transport.links[i]!.events.ready(...isReady);
    }
    for (const [at, link] of transport.links.entries()) if (link.isStopped) platform.threads[at]!.exit();
    await last;
    assert.deepEqual([engine.lifecycle.state, snapshot(engine).threads.current], ['open', 3]);
  });

  test('says of a worker that retires whether another one is started in its place right after', () => {
    const retired = (act: (engine: Engine, link: FakeLink) => unknown) => {
      const { engine, lastLink } = scene();
      const link = lastLink();
      link.events.ready([], { functions: [], others: [] });
      act(engine, link);
      return link.isReplaced;
    };
    assert.equal(
      retired((engine) => engine.recycler.begin()),
      true,
    );
    assert.equal(
      retired((_, link) => link.events.memory(90, 100)),
      false,
      'no task waits',
    );
    assert.equal(
      retired((engine) => engine.scaler.resize({ min: 0, max: 0, cores: 1 })),
      false,
    );
  });

  test('keeps a worker with too large a heap while no other one can be started in its place', async () => {
    const { platform, transport } = scene({ threads: { min: 2, max: 2 } });
    const { links } = transport;
    for (const { events } of links) events.ready([], { functions: [], others: [] });
    const isRetired = (link: FakeLink) => {
      link.events.memory(90, 100);
      return link.isStopped;
    };
    assert.equal(isRetired(links[0]!), true);
    links[2]!.events.loadFailed(new Error('broken on disk'));
    assert.equal(isRetired(links[1]!), false, 'within the pause');
    await turn();
    platform.advance(50);
    assert.equal(isRetired(links[1]!), false, 'while the next one starts');
    links[3]!.events.ready([], { functions: [], others: [] });
    assert.equal(isRetired(links[1]!), true);
  });

  test('refuses what goes beyond the limit of its queue, and takes it when there is room', async () => {
    const { engine, lastLink } = scene({ queue: { limit: 1 } });
    lastLink().events.ready([], { functions: [], others: [] });
    const calls = [1, 2, 3].map((n) => engine.admission.enter('work', [n], undefined));
    assert.deepEqual(await Promise.all(calls.map(stateOf)), ['open', 'open', 'ERR_QUEUE_FULL']);
    const room = engine.room.wait();
    assert.equal(await stateOf(room), 'open');
    complete(lastLink(), 'one');
    assert.equal(await stateOf(room), undefined);
    assert.equal(await stateOf(engine.admission.enter('work', [3], undefined)), 'open');
  });

  test('takes the call of who has waited for room until the only worker died', async () => {
    const { platform, engine, lastLink } = scene({ queue: { limit: 0 } });
    lastLink().events.ready([], { functions: [], others: [] });
    const lost = engine.admission.enter('work', [1], undefined);
    lastLink().begin(lastLink().sent[0]!, platform.now());
    const next = engine.room.wait().then(() => engine.admission.enter('work', [2], undefined));
    platform.threads[0]!.exit();
    await assert.rejects(lost, { code: 'ERR_WORKER_CRASHED' });
    assert.equal(await stateOf(next), 'open');
    assert.equal(await stateOf(engine.admission.enter('work', [3], undefined)), 'ERR_QUEUE_FULL');
    lastLink().events.ready([], { functions: [], others: [] });
    complete(lastLink(), 'two');
    assert.equal(await next, 'two');
  });

  test('keeps the process alive while somebody waits for room', async () => {
    const { platform, engine, lastLink } = scene({ queue: { limit: 0 } });
    lastLink().events.ready([], { functions: [], others: [] });
    engine.lifecycle.pause();
    assert.equal(platform.keptAlive, 'released');
    const room = engine.room.wait();
    assert.equal(platform.keptAlive, 'held');
    engine.lifecycle.resume();
    await room;
    assert.equal(platform.keptAlive, 'released');
  });

  for (const [limit, why] of [
    [0, 'no worker is free, and no task may wait (option queue.limit)'],
    [1, '1 task waits already (option queue.limit)'],
    [2, '2 tasks wait already (option queue.limit)'],
  ] as const) {
    test(`says why it refuses a task beyond a limit of ${limit}`, async () => {
      const { engine, lastLink } = scene({ queue: { limit } });
      lastLink().events.ready([], { functions: [], others: [] });
      const calls = Array.from({ length: limit + 2 }, () => engine.admission.enter('work', [], undefined));
      const message = `Task 'work' was refused: ${why}. See pool.room()`;
      await assert.rejects(calls.at(-1)!, { code: 'ERR_QUEUE_FULL', message });
    });
  }

  test('runs the task of a worker that died before it began it on the next one', async () => {
    const { platform, engine, transport, lastLink } = scene();
    lastLink().events.ready([], { functions: [], others: [] });
    const call = engine.admission.enter('work', [1], undefined);
    platform.threads[0]!.exit();
    platform.advance(50);
    assert.equal(transport.links.length, 2);
    lastLink().events.ready([], { functions: [], others: [] });
    complete(lastLink(), 'second time');
    assert.equal(await stateOf(call), 'second time');
  });

  test('rejects the call that a worker had begun when it died, and says who, what and why', async () => {
    const { platform, engine, lastLink } = scene();
    lastLink().events.ready([], { functions: [], others: [] });
    const call = engine.admission.enter('work', [1], undefined);
    const link = lastLink();
    link.begin(link.sent[0]!, platform.now());
    platform.threads[0]!.exit({ exitCode: 7 });
    await assert.rejects(call, {
      code: 'ERR_WORKER_CRASHED',
      message: /Worker 1 ended while it ran task 'work' \(exit code 7\)/,
      exitCode: 7,
      workerId: 1,
      taskName: 'work',
    });
  });
});
