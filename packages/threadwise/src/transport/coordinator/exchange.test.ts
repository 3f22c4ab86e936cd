/** A coordinator's pool with real threads: the suite of all transports, and what becomes of tasks when threads die. */
import assert from 'node:assert/strict';
import { describe, type TestContext, test } from 'node:test';
import type { MessagePort } from 'node:worker_threads';
import { Task } from '../../core/calls/task.js';
import type { LinkEvents, Platform, Thread, ThreadSpec } from '../../core/contracts.js';
import { plainRun } from '../../core/fake-platform.case.js';
import { newLease } from '../../core/lease.js';
import { promised } from '../../core/promised.js';
import { nodePlatform } from '../../platform/node/platform.js';
import { nodePort } from '../../platform/node/port.js';
import { type SmallOptions, smallPool } from '../small-pool.case.js';
import { ARRIVED, blockUntil, RAN, reached } from '../small-pool-words.case.js';
import { Mutex } from '../../sync/mutex.js';
import { transportConformance } from '../transport.case.js';
import { CELL_BYTES, MEASURES, POSTED, postedBy, type SharedMemory, STATE, state } from '../shared/layout.js';
import { ARGUMENTS } from '../shared/messages.js';
import { type HandPort, handPlatform, Memory } from '../shared/stage/stage.case.js';
import { CoordinatedExchange, coordinatedTransport } from './exchange.js';
import type { MessageToCoordinator, Settings } from './messages.js';

/** What a line says of a message that it could not read: `../line.ts`. */
const UNREAD = -2;

transportConformance({
  name: 'shared memory with a coordinator',
  transport: coordinatedTransport({
    tasksPerWorker: 1,
    choose: 'least-busy',
    idleTimeoutMs: 30_000,
    sendsMoved: false,
  }),
  platform: nodePlatform,
  farPort: (wire) => nodePort(wire.port as MessagePort),
});

const range = (count: number) => Array.from({ length: count }, (_, i) => i);
const codeOf = (call: Promise<unknown>) =>
  call.then(
    () => 'ok',
    (error) => (error as { code?: string }).code,
  );

/** Main's ends of the lines to the coordinators of a pool, and promises of what main hears that a coordinator wants. */
function listening() {
  let hear: () => void = () => undefined;
  const wishes = new Map<number, () => void>();
  const lines = {
    /** Resolves when main hears how many workers are wanted within the bounds that the coordinator was told last. */
    hasSpoken: Promise.resolve(),
    /** Resolves when main hears that so many workers are wanted. */
    wants: (count: number) => new Promise<void>((resolve) => wishes.set(count, resolve)),
    /** Main's ends of all lines, to workers too, that are open. */
    open: new Set<unknown>(),
    channel: () => {
      const ends = nodePlatform.channel();
      const { near } = ends;
      const [listen, post, close] = [near.listen.bind(near), near.post.bind(near), near.close.bind(near)];
      lines.open.add(near);
      near.close = () => {
        lines.open.delete(near);
        close();
      };
      near.listen = (handler, ...rest) => {
        const heard = (message: unknown) => {
          handler(message);
          const [type, count] = message as readonly unknown[];
          if (type !== 'wanted') return;
          hear();
          wishes.get(count as number)?.();
        };
        listen(heard, ...rest);
      };
      near.post = (message, transfer) => {
        const [type, settings] = message as MessageToCoordinator;
        if (type === 'set' && (settings as Partial<Settings>).bounds !== undefined)
          lines.hasSpoken = new Promise((resolve) => (hear = resolve));
        post(message, transfer);
      };
      return ends;
    },
  };
  return lines;
}

/** A pool, and a function that kills its coordinator. `startError`: coordinators cannot be started. */
function coordinated(t: TestContext, options: SmallOptions & { readonly startError?: Error } = {}) {
  const { startError, ...rest } = options;
  const started: Thread[] = [];
  /** A promise for each thread that was started: it resolves when main has heard of its end. */
  const ends: Promise<void>[] = [];
  /** Tells main at once that the last coordinator has ended, before it hears the last messages of that. */
  let tellEnd: () => void = () => undefined;
  const lines = listening();
  const platform: Platform = {
    ...nodePlatform,
    channel: lines.channel,
    startHelper: (spec, onExit) => {
      if (startError !== undefined) throw startError;
      const end = promised();
      ends.push(end.promise);
      const thread = nodePlatform.startHelper(spec, (exit) => {
        onExit(exit);
        end.resolve();
      });
      tellEnd = () => onExit({ exitCode: 1, outOfMemory: false });
      started.push(thread);
      return thread;
    },
  };
  const small = smallPool(t, { dispatch: 'coordinator', ...rest, platform });
  const kill = () => {
    started.at(-1)!.terminate();
    return ends.at(-1);
  };
  /** Resolves when main has heard how many workers the coordinator wants. Until then main decides. */
  const hasSpoken = async () => {
    await small.pool.run('echo', [0]); // the coordinator is started by then
    await lines.hasSpoken;
  };
  const { open: openLines, wants } = lines;
  return { ...small, started, kill, hasSpoken, wants, openLines, endIsHeardFirst: () => tellEnd() };
}

describe('coordinator: a pool with one', () => {
  test('tasks run, and each gets its own result', async (t) => {
    const { pool } = coordinated(t, { cells: 4 });
    assert.deepEqual(await Promise.all(range(50).map((i) => pool.run('echo', [i]))), range(50));
  });

  test('a call that is made before there is any thread is answered', async (t) => {
    const { pool, started } = coordinated(t, { threads: { min: 0, max: 1 } });
    await pool.ready;
    assert.equal(started.length, 0);
    assert.equal(await pool.run('echo', [1]), 1);
  });

  test('what is moved arrives, and is gone from main', async (t) => {
    const { pool } = coordinated(t);
    const bytes = new Uint8Array([1, 2, 3]);
    assert.equal(await pool.run('sum', [bytes], { transfer: [bytes.buffer] }), 6);
    assert.equal(bytes.byteLength, 0);
  });

  test('a main thread that is blocked starves nobody', async (t) => {
    const { pool, words } = coordinated(t, { cells: 64 });
    await pool.ready;
    const calls = range(30).map((i) => pool.run('mark', [i]));
    // Main does nothing but wait here, and still all of them run.
    blockUntil(words, RAN, 30);
    assert.deepEqual(await Promise.all(calls), range(30));
  });

  test('it decides how many workers there are, and the log says why', async (t) => {
    const { pool, words, open, hasSpoken, wants } = coordinated(t, {
      threads: { min: 1, max: 3 },
      idleTimeoutMs: 1,
    });
    await pool.ready;
    await hasSpoken();
    const isWanted = wants(3);
    const calls = range(3).map(() => pool.run('hold', []));
    await isWanted;
    blockUntil(words, ARRIVED, 3);
    const { decisions } = pool.stats().sizing;
    assert.ok(
      decisions.some(({ by, to, why }) => by === 'coordinator' && to === 3 && /waits? for/.test(why)),
    );
    const released = new Promise<void>((resolve) => {
      pool.on('worker:exit', () => {
        if (pool.stats().threads.current === 1) resolve();
      });
    });
    open();
    await Promise.all(calls);
    await released;
    const last = pool.stats().sizing.decisions.at(-1)!;
    assert.deepEqual({ by: last.by, to: last.to }, { by: 'coordinator', to: 1 });
  });

  test('it starts workers by itself while main is blocked; they are like all others', async (t) => {
    const { pool, words, open, hasSpoken } = coordinated(t, { threads: { min: 1, max: 4 } });
    await hasSpoken();
    const calls = range(4).map((i) => pool.run('hold', [i]));
    blockUntil(words, ARRIVED, 4); // main does nothing but wait until all four run
    open();
    assert.deepEqual(await Promise.all(calls), range(4));
    const { threads, workers, sizing } = pool.stats();
    assert.equal(threads.current, 4);
    for (const { state, cpu } of workers) {
      assert.equal(state, 'ready');
      assert.ok(cpu === null || cpu.usedMs > 0);
    }
    assert.equal(sizing.decisions.at(-1)?.by, 'coordinator');
    assert.deepEqual((await pool.broadcast('echo', [1])).length, 4);
    pool.resize(1);
    assert.equal(await pool.run('echo', [2]), 2);
    await pool.close();
  });

  test('their results may be heard before it is heard that they were started: none of them has to go for that', async (t) => {
    const { pool, words, hasSpoken } = coordinated(t, { threads: { min: 1, max: 4 }, cells: 64 });
    await hasSpoken();
    const exits: unknown[] = [];
    pool.on('worker:exit', (exit) => exits.push(exit));
    // All four have ended a task when they meet again: their results are in shared memory before main gets to its ports.
    const calls = [4, 8].flatMap((many) => range(4).map(() => pool.run('meet', [many])));
    blockUntil(words, ARRIVED, 8);
    await Promise.all(calls);
    const states = pool.stats().workers.map(({ state }) => state);
    assert.deepEqual(states, ['ready', 'ready', 'ready', 'ready']);
    assert.deepEqual(exits, []);
  });

  test('a worker that it had started and that dies takes down what it ran, no more, and is replaced', async (t) => {
    const { pool, words, open, hasSpoken } = coordinated(t, { threads: { min: 1, max: 2 } });
    await hasSpoken();
    const held = range(2).map((i) => codeOf(pool.run('hold', [i])));
    const started = new Promise<void>((resolve) => pool.on('worker:start', () => resolve()));
    blockUntil(words, ARRIVED, 2);
    await started;
    const waiting = range(5).map((i) => pool.run('echo', [i]));
    const dying = codeOf(pool.run('exit', [3], { priority: 1 }));
    open();
    assert.equal(await dying, 'ERR_WORKER_CRASHED');
    assert.deepEqual(await Promise.all(held), ['ok', 'ok']);
    assert.deepEqual(await Promise.all(waiting), range(5));
    assert.equal(pool.stats().crashes, 1);
  });

  for (const how of ['when it dies', 'when both die together']) {
    test(`what a worker that it had started holds of a shared structure is not held for ever ${how}`, async (t) => {
      const { pool, words, open, kill, hasSpoken } = coordinated(t, { threads: { min: 1, max: 2 } });
      await hasSpoken();
      const mutexes = [new Mutex(), new Mutex()];
      const locks = mutexes.map(({ buffer }) => buffer);
      const calls = mutexes.map(() => codeOf(pool.run('lockAndExit', locks)));
      blockUntil(words, ARRIVED, 2); // main starts one of them, the coordinator the other
      if (how === 'when both die together') await kill();
      open();
      const holds = await Promise.all(mutexes.map((mutex) => mutex.lock()));
      assert.deepEqual(
        holds.map(({ isAbandoned }) => isAbandoned),
        [true, true],
      );
      assert.deepEqual(await Promise.all(calls), ['ERR_WORKER_CRASHED', 'ERR_WORKER_CRASHED']);
    });
  }

  test('workers that it had started end with it: what they ran is rejected, what waited runs elsewhere', async (t) => {
    const { pool, words, open, kill, hasSpoken } = coordinated(t, { threads: { min: 1, max: 2 } });
    await hasSpoken();
    const held = range(2).map((i) => codeOf(pool.run('hold', [i])));
    const waiting = range(5).map((i) => pool.run('echo', [i]));
    blockUntil(words, ARRIVED, 2);
    await kill();
    open();
    assert.deepEqual((await Promise.all(held)).sort(), ['ERR_WORKER_CRASHED', 'ok']);
    assert.deepEqual(await Promise.all(waiting), range(5));
    assert.equal(pool.stats().crashes, 1);
  });

  test('so do those that main had not yet been told of when it hears of the end', async (t) => {
    const { pool, words, open, kill, endIsHeardFirst, hasSpoken } = coordinated(t, {
      threads: { min: 1, max: 2 },
    });
    await hasSpoken();
    const held = range(2).map((i) => codeOf(pool.run('hold', [i])));
    blockUntil(words, ARRIVED, 2);
    const killed = kill();
    endIsHeardFirst();
    await killed;
    open();
    assert.deepEqual((await Promise.all(held)).sort(), ['ERR_WORKER_CRASHED', 'ok']);
    assert.equal(await pool.run('echo', [1]), 1);
    assert.equal(pool.stats().crashes, 1);
  });

  test('its utilisation is in the statistics', async (t) => {
    const { pool } = coordinated(t);
    await pool.run('echo', [1]);
    const { coordinator } = pool.stats();
    assert.equal(coordinator?.restarts, 0);
    assert.ok(coordinator.utilization >= 0 && coordinator.utilization <= 1);
  });

  test('close ends its thread', async (t) => {
    const { pool, started, kill } = coordinated(t);
    await pool.run('echo', [1]);
    await pool.close();
    await kill(); // it has ended by then: asking again changes nothing
    assert.equal(started.length, 1);
  });
});

describe('coordinator: it dies', () => {
  test('what runs goes on, what waits runs under the next one', async (t) => {
    const { pool, arrived, open, started, kill } = coordinated(t, { threads: 2 });
    const held = range(2).map((i) => pool.run('hold', [i]));
    await arrived(2);
    const waiting = range(20).map((i) => pool.run('echo', [i]));
    await kill();
    open();
    assert.deepEqual(await Promise.all(held), [0, 1]);
    assert.deepEqual(await Promise.all(waiting), range(20));
    assert.equal(started.length, 2);
    assert.equal(pool.stats().coordinator?.restarts, 1);
  });

  test('before it has begun anything', async (t) => {
    const { pool, kill } = coordinated(t);
    const calls = range(10).map((i) => pool.run('echo', [i]));
    await kill();
    assert.deepEqual(await Promise.all(calls), range(10));
  });

  test('the workers stay: the next one says nothing about their number before it knows of them', async (t) => {
    const { pool, kill, hasSpoken } = coordinated(t, { threads: 3 }); // main starts all of them: none ends with the coordinator
    await pool.ready;
    pool.resize({ min: 1, max: 3 });
    await hasSpoken();
    await kill();
    await hasSpoken();
    assert.deepEqual(
      pool.stats().workers.map(({ id, state }) => [id, state]),
      range(3).map((i) => [i + 1, 'ready']),
    );
  });

  test('in the middle of a burst, again and again: every call is answered, and none runs twice', async (t) => {
    const { pool, words, kill } = coordinated(t);
    await pool.ready;
    for (let round = 1; round <= 2; round++) {
      const calls = range(200).map((i) => pool.run('mark', [i]));
      await calls[20];
      await kill();
      assert.deepEqual(await Promise.all(calls), range(200));
      assert.equal(Atomics.load(words, RAN), 200 * round);
    }
  });

  test('while it is paused: the next one is paused as well', async (t) => {
    const { pool, arrived, open, kill } = coordinated(t, { threads: 1 });
    const held = pool.run('hold', [0]);
    await arrived(1);
    pool.pause();
    let state = 'waits';
    const bytes = new Uint8Array([4]);
    const late = pool.run('sum', [bytes], { transfer: [bytes.buffer] }).finally(() => {
      state = 'ran';
    });
    await kill();
    open();
    await held;
    await pool.broadcast('echo', [1]); // a broadcast is not held up
    assert.equal(state, 'waits');
    pool.resume();
    assert.equal(await late, 4);
  });

  test('arguments that were moved to it and had not begun are lost, and their callers are told', async (t) => {
    const { pool, arrived, open, kill } = coordinated(t, { threads: 1 });
    const held = pool.run('hold', [0]);
    await arrived(1);
    const bytes = new Uint8Array(8);
    const moved = pool.run('sum', [bytes], { transfer: [bytes.buffer] });
    const copied = pool.run('sum', [new Uint8Array([4])]);
    const outcome = codeOf(moved);
    await kill();
    open();
    assert.equal(await outcome, 'ERR_WORKER_CRASHED');
    await assert.rejects(
      moved,
      /The coordinator ended before it began task 'sum', whose arguments had been moved/,
    );
    assert.equal(await copied, 4);
    assert.equal(await held, 0);
  });

  test('calls that a listener aborts meanwhile do not run under the next one', async (t) => {
    const { pool, words, arrived, open, kill } = coordinated(t, { threads: 1 });
    const held = pool.run('hold', [0]);
    await arrived(1);
    const bytes = new Uint8Array(8);
    const moved = codeOf(pool.run('sum', [bytes], { transfer: [bytes.buffer] }));
    const controller = new AbortController();
    const { signal } = controller;
    const aborted = range(2).map((i) => codeOf(pool.run('mark', [i], { signal })));
    pool.on('task:settle', ({ outcome }) => {
      if (outcome === 'crashed') controller.abort();
    });
    await kill();
    open();
    assert.equal(await moved, 'ERR_WORKER_CRASHED');
    assert.deepEqual(await Promise.all(aborted), ['ERR_TASK_ABORTED', 'ERR_TASK_ABORTED']);
    assert.equal(await held, 0);
    assert.equal(await pool.run('echo', [1]), 1);
    assert.equal(Atomics.load(words, RAN), 0);
  });

  test('a worker that is about to leave leaves', async (t) => {
    const { pool, arrived, open, kill } = coordinated(t, { threads: 2 });
    const held = range(2).map((i) => pool.run('hold', [i]));
    await arrived(2);
    const left = new Promise((resolve) => pool.on('worker:exit', resolve));
    pool.resize(1);
    await kill();
    open();
    await Promise.all(held);
    await left;
    assert.equal(await pool.run('echo', [1]), 1);
  });

  test('time after time: main takes over', async (t) => {
    const { pool, started, kill } = coordinated(t);
    for (let i = 0; i < 3; i++) {
      await pool.run('echo', [i]);
      await kill();
    }
    assert.deepEqual(await Promise.all(range(20).map((i) => pool.run('echo', [i]))), range(20));
    assert.equal(started.length, 3);
    pool.resize(1);
    assert.equal(await pool.run('echo', [1]), 1);
    await pool.close();
  });

  test('it cannot be started at all: main takes over', async (t) => {
    const { pool, openLines } = coordinated(t, { startError: new Error('no thread for you'), threads: 1 });
    const calls = range(20).map((i) => pool.run('echo', [i]));
    assert.deepEqual(await Promise.all(calls), range(20));
    pool.resize({ min: 1, max: 3 });
    assert.equal(openLines.size, 1, 'no worker is prepared for anybody');
    await pool.close();
    assert.equal(openLines.size, 0);
  });
});

const NO_EVENTS = new Proxy({} as LinkEvents, { get: () => () => undefined });

/**
 * An exchange without threads, and a worker. `ends`: for each coordinator that was started, what tells its end. `heard`: what the last one hears.
 * `pass`: all timers go off.
 */
function byHand() {
  const ends: (() => void)[] = [];
  let port: HandPort | undefined;
  const timers: (() => void)[] = [];
  const platform = handPlatform({
    memory: new Memory(),
    spinners: 0,
    now: () => 0,
    later: (callback) => void timers.push(callback),
    startHelper: (spec, onExit) => {
      port = spec.port as HandPort;
      ends.push(() => onExit({ exitCode: 1, outOfMemory: false }));
      return { terminate: async () => undefined, utilization: () => 0, cpu: () => undefined };
    },
  });
  const options = {
    tasksPerWorker: 1,
    choose: 'least-busy',
    idleTimeoutMs: 1,
    sendsMoved: false,
  };
  const exchange = new CoordinatedExchange(platform, { cells: 4, stream: 1024 }, 4, options);
  const link = exchange.connect(NO_EVENTS);
  const heard = () => {
    const messages: MessageToCoordinator[] = [];
    port!.listen((message) => void messages.push(message as MessageToCoordinator));
    port!.drain();
    return messages;
  };
  /** The last coordinator says this to main, over the bare port. */
  const say = (message: unknown) => {
    port!.post(message);
    exchange.thread.drain();
  };
  const pass = () => {
    for (const timer of timers.splice(0)) timer();
  };
  return { exchange, link, ends, heard, say, pass };
}

test('coordinator: workers measure their utilisation from when a strategy that goes by it is chosen', () => {
  const { exchange, link } = byHand();
  const { own } = link.wire.memory as SharedMemory;
  const words = new Int32Array(own);
  assert.equal(words[MEASURES], 0);
  exchange.choose('least-elu');
  assert.equal(words[MEASURES], 1);
});

test('coordinator: it hears that a worker retires, and whether another one is started in its place', () => {
  for (const [isReplaced, type] of [
    [undefined, 'retire'],
    [true, 'replace'],
  ] as const) {
    const { exchange, link, heard } = byHand();
    exchange.thread.ensureStarted();
    assert.equal(link.retire(isReplaced), false);
    assert.deepEqual(heard().at(-1), [type, link.seat]);
  }
});

test('coordinator: prepared workers, whose ports nobody reads, are dropped when memory is given back that these know of', () => {
  const { exchange, heard, pass } = byHand();
  const lease = newLease(exchange.leaseMemory, 8);
  const dropped = () => heard().filter(([type]) => type === 'drop').length;
  lease.release();
  assert.equal(exchange.arena.segments.length, 1);
  pass();
  assert.deepEqual([exchange.arena.reservedBytes > 0, dropped()], [true, 0]);
  pass();
  assert.deepEqual([exchange.arena.reservedBytes > 0, dropped()], [false, 1]);
});

test('coordinator: when it cannot read arguments, their call fails, unless main has taken its task back by then', () => {
  const { exchange, heard, say } = byHand();
  const errors: unknown[] = [];
  const offer = (id: number) => {
    const payload = exchange.capture('work', [/only by port/], plainRun);
    const task = new Task(id, 'work', payload, plainRun, 0, (_task, end) => {
      errors.push(end.outcome === 'failed' ? (end.error as Error).message : end.outcome);
    });
    assert.ok(exchange.pull.offer(task));
    return task;
  };
  const first = offer(1);
  const { cell } = first;
  const posted = heard().findIndex(([type]) => type === ARGUMENTS);
  assert.ok(exchange.pull.withdraw(first));
  const second = offer(2);
  assert.equal(second.cell, cell);
  assert.equal(heard().length, 1);
  say([UNREAD, posted, 'no reason']);
  assert.deepEqual(errors, [], 'that was about the first');
  say([UNREAD, posted + 1, 'it has no end']);
  assert.match(errors.join(), /^Cannot read args in the thread that it was sent to: it has no end\. /);
  assert.equal(exchange.cells.outCount, 0);
  say([UNREAD, posted + 1, 'it has no end']);
  assert.equal(errors.length, 1);
});

describe('coordinator: it dies, and a listener that hears of a lost call', () => {
  /** Returns how many coordinators were started in all, and what the last one hears. */
  const startedWhen = (act: (exchange: CoordinatedExchange) => void) => {
    const { exchange, link, ends, heard } = byHand();
    const { buffer } = new Uint8Array(8);
    const run = { ...plainRun, transfer: [buffer] };
    const payload = exchange.capture('work', [buffer], run);
    const outcomes: string[] = [];
    const task = new Task(1, 'work', payload, run, 0, (_task, { outcome }) => {
      outcomes.push(outcome);
      act(exchange);
    });
    assert.ok(exchange.pull.offer(task));
    // The coordinator has assigned it to a worker, which has died.
    const at = task.cell * (CELL_BYTES / 4) + STATE;
    const hint = Atomics.load(exchange.cells.words, at);
    Atomics.store(exchange.cells.words, at, postedBy(hint, state(POSTED, link.seat)));
    link.close();
    ends[0]!();
    assert.deepEqual(outcomes, ['crashed']);
    return { started: ends.length, heard: heard() };
  };

  test('and makes another one: one other coordinator is started', () => {
    assert.equal(startedWhen(({ thread }) => thread.ensureStarted()).started, 2);
  });

  test('and has a worker prepared: the next one may start it', () => {
    const told: string[] = [];
    const { heard } = startedWhen(({ thread }) => {
      thread.reserve(NO_EVENTS, () => ({}) as ThreadSpec, {
        started: () => void told.push('started'),
        exited: () => void told.push('exited'),
      });
    });
    assert.deepEqual(told, []);
    assert.equal(heard.filter(([type, , , , recipe]) => type === 'hire' && recipe !== undefined).length, 1);
  });

  test('and has the pool closed: none is', () => {
    assert.equal(startedWhen((exchange) => void exchange.close()).started, 1);
  });
});

describe('coordinator: a worker dies', () => {
  test('its running task is rejected, what it had not begun runs elsewhere', async (t) => {
    const { pool } = coordinated(t, { threads: 1 });
    const before = range(5).map((i) => pool.run('echo', [i]));
    const exit = pool.run('exit', [3]);
    const after = range(20).map((i) => pool.run('echo', [i]));
    assert.equal(await codeOf(exit), 'ERR_WORKER_CRASHED');
    assert.deepEqual(await Promise.all(before), range(5));
    assert.deepEqual(await Promise.all(after), range(20));
  });

  test('with retries it runs again, and takes the next one down as well', async (t) => {
    const { pool, words } = coordinated(t, { threads: 1 });
    assert.equal(await codeOf(pool.run('exit', [3], { retries: 2 })), 'ERR_WORKER_CRASHED');
    await reached(words, ARRIVED, 3);
    assert.equal(await pool.run('echo', ['still here']), 'still here');
  });
});
