// The nine promises of the design, each by name, over threads. Placement inline: faults/map.test.mjs.
import assert from 'node:assert/strict';
import { AsyncLocalStorage } from 'node:async_hooks';
import { getEventListeners } from 'node:events';
import { describe, test } from 'node:test';
import { setImmediate as nextTurn, setTimeout as later } from 'node:timers/promises';
import { createPool } from 'threadwise';
import {
  apart,
  event,
  gate,
  moduleUrl,
  outcome,
  poolFor,
  runScript,
  started,
  tasksUrl,
  ways,
} from './fixtures/helpers.mjs';
import { isHashTable, isSmall } from './fixtures/modules/v8-kinds.mjs';
import { spin } from './fixtures/tasks.mjs';

describe('promise 1: every call settles exactly once, whatever dies', () => {
  test('when the worker exits under the task', async (t) => {
    const pool = poolFor(t);
    const { error } = await outcome(pool.run('exit', [7]));
    assert.equal(error.code, 'ERR_WORKER_CRASHED');
    assert.equal(error.exitCode, 7);
    assert.equal(error.taskName, 'exit');
    assert.equal(await pool.run('increment', [1]), 2);
  });

  test('when an exception is thrown in a later tick, with the exception as the cause', async (t) => {
    const pool = poolFor(t);
    const { error } = await outcome(pool.run('crashWhileRunning', []));
    assert.equal(error.code, 'ERR_WORKER_CRASHED');
    assert.ok(error.cause instanceof RangeError);
    assert.equal(error.cause.message, 'out of tune');
    assert.equal(error.cause.code, 'E_TUNE');
  });

  test('when it waits for a worker that dies as its task ends: another one runs it', async (t) => {
    for (const [name, way] of Object.entries(ways)) {
      const pool = poolFor(t, { threads: 1, ...way });
      const { shared, open } = gate();
      await started(pool, 'throwAtEnd', [shared]);
      const call = outcome(pool.run('increment', [1])); // of a function whose name the worker has not read yet
      open();
      assert.deepEqual(await call, { value: 2 }, name);
    }
  });

  test('when a rejection is not handled', async (t) => {
    const pool = poolFor(t);
    const { error } = await outcome(pool.run('rejectUnhandled', []));
    assert.equal(error.code, 'ERR_WORKER_CRASHED');
    assert.match(error.cause.message, /nobody caught it/);
  });

  test('when no worker is left and a call comes, with a key or without', async (t) => {
    const pool = poolFor(t, { threads: { min: 0, max: 2 }, idleTimeoutMs: 1 });
    for (const run of [{}, { key: 'k' }, { key: 'k' }]) {
      const left = event(pool, 'worker:exit', () => pool.stats().threads.current === 0);
      assert.equal(await pool.run('increment', [1], run), 2);
      await left;
    }
  });

  test('when the pool is destroyed: running and waiting calls are rejected with ERR_POOL_CLOSED', async (t) => {
    const pool = poolFor(t, { threads: 1 });
    const { promise } = await started(pool, 'loopForEver');
    const waiting = Array.from({ length: 5 }, () => outcome(pool.run('increment', [1])));
    await pool.destroy();
    const all = [await outcome(promise), ...(await Promise.all(waiting))];
    assert.deepEqual(
      all.map(({ error }) => error?.code),
      new Array(6).fill('ERR_POOL_CLOSED'),
    );
  });

  test('when a getter of its arguments or its options ends the pool, the call is refused', async (t) => {
    const withGetter = (key, get) => Object.defineProperty({}, key, { enumerable: true, get });
    const calls = {
      argument: (pool, end) => pool.run('echo', [withGetter('first', end)]),
      timeoutMs: (pool, end) => pool.run('increment', [1], withGetter('timeoutMs', end)),
      priority: (pool, end) => pool.run('increment', [1], withGetter('priority', end)),
    };
    for (const how of ['close', 'destroy']) {
      for (const [where, call] of Object.entries(calls)) {
        const pool = poolFor(t, { threads: 1 });
        await pool.ready;
        let ended;
        const end = () => {
          ended ??= pool[how]();
          return 1000;
        };
        assert.equal((await outcome(call(pool, end))).error?.code, 'ERR_POOL_CLOSED', `${how}, ${where}`);
        await ended;
        assert.equal(pool.stats().tasks.open, 0);
      }
    }
  });

  test('when a getter of its arguments pauses the pool: it waits until the pool goes on', async (t) => {
    const pool = poolFor(t, { threads: 1 });
    await pool.ready;
    const item = {
      get first() {
        pool.pause();
        return 1;
      },
    };
    const call = pool.run('echo', [item]);
    await pool.broadcast('increment', [1]); // runs although the pool is paused, and after all that was handed out before
    assert.deepEqual([pool.stats().queue.size, pool.stats().tasks.open], [1, 1]);
    pool.resume();
    assert.deepEqual(await call, { first: 1 });
  });

  test('when the call before it is found to have ended as its timeout is looked at, after main was busy', async (t) => {
    for (const [name, way] of Object.entries({ ...ways, processes: { isolation: 'process' } })) {
      const pool = poolFor(t, { threads: 1, ...way });
      await pool.ready;
      await nextTurn(); // in whose next turn timers come first, and then what the worker has said
      const first = outcome(pool.run('increment', [1], { timeoutMs: 10 }));
      const second = pool.run('increment', [2]);
      spin(100);
      await first;
      assert.equal(await Promise.race([second, later(5000, 'it waits for ever')]), 3, name);
    }
  });

  test('when the queue has no length and no worker is there: the call has one started', async (t) => {
    for (const way of Object.values(ways)) {
      const pool = poolFor(t, { ...way, threads: { min: 0, max: 1 }, queue: { limit: 0 } });
      const [first, second] = await Promise.all([
        outcome(pool.run('increment', [1])),
        outcome(pool.run('increment', [1])),
      ]);
      assert.deepEqual([first.value, second.error?.code], [2, 'ERR_QUEUE_FULL']);
    }
  });

  test('whoever waits for room in a queue of no length hears that the pool has ended, or never began', async (t) => {
    const broken = 'throw new Error("no module")';
    const endings = {
      closed: [tasksUrl, (pool) => pool.close(), 'ERR_POOL_CLOSED'],
      broken: [new URL(`data:text/javascript,${broken}`), (pool) => outcome(pool.ready), 'ERR_MODULE_LOAD'],
    };
    for (const [name, [url, end, code]] of Object.entries(endings)) {
      const pool = poolFor(t, { threads: 1, queue: { limit: 0 } }, url);
      const early = pool.room();
      await end(pool);
      await early;
      await pool.room();
      const { error } = await outcome(pool.map('increment', [1]).next());
      assert.equal(error?.code, code, name);
    }
  });

  test('when the worker runs out of memory', async (t) => {
    const pool = poolFor(t, {
      threads: 1,
      worker: { resourceLimits: { maxOldGenerationSizeMb: 32, maxYoungGenerationSizeMb: 4 } },
    });
    const { error } = await outcome(pool.run('fillMemory', []));
    assert.equal(error.code, 'ERR_WORKER_MEMORY');
    assert.equal(await pool.run('increment', [1]), 2);
  });
});

describe('promise 2: a crash takes down only the tasks that were running on that worker', () => {
  test('tasks that were handed over and had not begun run elsewhere', async (t) => {
    const pool = poolFor(t, { threads: 1 });
    // Teaches the pool that these tasks are tiny, so that it hands over many at a time.
    await Promise.all(Array.from({ length: 500 }, (_, i) => pool.run('increment', [i])));
    const results = Array.from({ length: 200 }, (_, i) =>
      outcome(i === 20 ? pool.run('exit', [1]) : pool.run('increment', [i])),
    );
    const settled = await Promise.all(results);
    settled.forEach(({ value, error }, i) => {
      if (i === 20) assert.equal(error.code, 'ERR_WORKER_CRASHED');
      else assert.equal(value, i + 1);
    });
  });

  test('tasks on other workers go on', async (t) => {
    const pool = poolFor(t);
    const { shared, open } = gate();
    const { promise } = await started(pool, 'waitFor', [shared]);
    assert.equal((await outcome(pool.run('exit', [1]))).error.code, 'ERR_WORKER_CRASHED');
    open();
    assert.equal(typeof (await promise), 'number');
  });

  test('with tasksPerWorker all that ran there are rejected, and each names itself', async (t) => {
    const pool = poolFor(t, { threads: 1, tasksPerWorker: 3 });
    const { shared } = gate();
    const [a, b] = [await started(pool, 'waitFor', [shared]), await started(pool, 'runUntilAborted')];
    const crashed = await outcome(pool.run('exit', [1]));
    const errors = [crashed, await outcome(a.promise), await outcome(b.promise)].map(({ error }) => error);
    assert.deepEqual(
      errors.map((error) => [error.code, error.taskName]),
      [
        ['ERR_WORKER_CRASHED', 'exit'],
        ['ERR_WORKER_CRASHED', 'waitFor'],
        ['ERR_WORKER_CRASHED', 'runUntilAborted'],
      ],
    );
  });

  test('a task that a listener gives up while its worker is buried does not run again, and settles once', async (t) => {
    // Which event's listener gives it up: that of its own retry, or that of the end of another task of the worker.
    const events = { 'task:retry': () => true, 'task:settle': ({ outcome }) => outcome === 'crashed' };
    for (const [name, way] of Object.entries(ways)) {
      for (const [heard, accept] of Object.entries(events)) {
        const pool = poolFor(t, { threads: 1, tasksPerWorker: 2, ...way });
        const controller = new AbortController();
        const { shared, open } = gate();
        const settled = [];
        pool.on(heard, (payload) => accept(payload) && controller.abort());
        pool.on('task:settle', ({ name: task, outcome: how }) => settled.push(`${task} ${how}`));
        const options = { retries: 1, signal: controller.signal };
        const { promise } = await started(pool, 'waitFor', [shared], options);
        const crashed = outcome(pool.run('exit', [1]));
        assert.equal((await outcome(promise)).error.code, 'ERR_TASK_ABORTED');
        assert.equal((await crashed).error.code, 'ERR_WORKER_CRASHED');
        assert.equal(await pool.run('increment', [1]), 2);
        open(); // were it run again, it would end now
        await pool.close();
        const all = ['exit crashed', 'increment completed', 'waitFor aborted'];
        assert.deepEqual(settled.sort(), all, `${name}: ${heard}`);
      }
    }
  });

  test('a task is run again only if its retries say so, and as often', async (t) => {
    const pool = poolFor(t, { threads: 1 });
    const retried = [];
    pool.on('task:retry', ({ name }) => retried.push(name));
    assert.equal((await outcome(pool.run('exit', [1]))).error.code, 'ERR_WORKER_CRASHED');
    assert.deepEqual(retried, []);
    assert.equal((await outcome(pool.run('exit', [1], { retries: 2 }))).error.code, 'ERR_WORKER_CRASHED');
    assert.deepEqual(retried, ['exit', 'exit']);
  });
});

describe('promise 3: timeouts count running time only; an abort touches nobody else', () => {
  test('waiting does not count', async (t) => {
    const pool = poolFor(t, { threads: 1 });
    const { shared, open } = gate();
    const blocker = await started(pool, 'waitFor', [shared]);
    const waiting = pool.run('increment', [1], { timeoutMs: 200 });
    // Waits for longer than the timeout, measured by a task's clock on another pool.
    const other = poolFor(t, { threads: 1 });
    await other.run('spin', [400]);
    open();
    await blocker.promise;
    assert.equal(await waiting, 2);
  });

  test('warm-up does not count', async (t) => {
    // The module takes longer to load than the timeout, which is longer than a busy machine delays a thread.
    const slow =
      'await new Promise((resolve) => setTimeout(resolve, 400)); export const increment = (n) => n + 1;';
    const pool = poolFor(t, { threads: 1 }, new URL(`data:text/javascript,${slow}`));
    assert.equal(await pool.run('increment', [1], { timeoutMs: 200 }), 2);
  });

  test('an endless loop is ended, and the pool works on', async (t) => {
    const pool = poolFor(t, { threads: 1 });
    const { error } = await outcome(pool.run('loopForEver', [], { timeoutMs: 20 }));
    assert.equal(error.code, 'ERR_TASK_TIMEOUT');
    assert.equal(await pool.run('increment', [1]), 2);
  });

  test('a call that moves its arguments and waits behind an endless loop runs on the next thread', async (t) => {
    for (const [name, way] of Object.entries(ways)) {
      for (const key of [undefined, 'k']) {
        const pool = poolFor(t, { threads: 1, ...way });
        await pool.run('increment', [0]);
        const loop = outcome(pool.run('loopForEver', [], { timeoutMs: 20 }));
        const buffer = new ArrayBuffer(2 ** 21);
        const moved = outcome(pool.run('increment', [1, buffer], { transfer: [buffer], key }));
        const later = pool.run('increment', [2]);
        assert.equal((await loop).error.code, 'ERR_TASK_TIMEOUT');
        assert.deepEqual(await moved, { value: 2 }, `${name}, key ${key}`);
        assert.equal(await later, 3);
      }
    }
  });

  test('a queued task that is aborted never runs', async (t) => {
    const pool = poolFor(t, { threads: 1 });
    const { shared, open } = gate();
    const blocker = await started(pool, 'waitFor', [shared]);
    const controller = new AbortController();
    const aborted = outcome(pool.run('countCalls', [], { signal: controller.signal }));
    const other = pool.run('countCalls', []);
    const reason = new Error('changed my mind');
    controller.abort(reason);
    const { error } = await aborted;
    assert.equal(error.code, 'ERR_TASK_ABORTED');
    assert.equal(error.name, 'AbortError');
    assert.equal(error.cause, reason);
    open();
    await blocker.promise;
    assert.equal(await other, 1);
  });

  test('a running task sees its signal, with the reason, and its worker lives on', async (t) => {
    const pool = poolFor(t, { threads: 1 });
    const before = await pool.run('workerId', []);
    for (const name of ['runUntilAborted', 'loopPolitely', 'throwPolitely']) {
      const controller = new AbortController();
      const { promise } = await started(pool, name, [], { signal: controller.signal });
      controller.abort(new Error('enough'));
      assert.equal((await outcome(promise)).error.code, 'ERR_TASK_ABORTED');
      assert.equal(await pool.run('workerId', []), before);
    }
  });

  test('a task that looks at its signal and then listens to it misses no abort', async (t) => {
    const pool = poolFor(t, { threads: 1 });
    const before = await pool.run('workerId', []);
    const { shared, open } = gate();
    const controller = new AbortController();
    const { promise } = await started(pool, 'listenLate', [shared], { signal: controller.signal });
    controller.abort(new Error('enough'));
    open();
    assert.equal((await outcome(promise)).error.code, 'ERR_TASK_ABORTED');
    assert.equal(await pool.run('workerId', []), before);
  });

  test('a listener to the signal of a task is code of that task, also where several run on a thread', async (t) => {
    for (const [name, way] of Object.entries({ ...ways, inline: { placement: 'inline' } })) {
      const noted = [];
      const host = { note: (mark) => void noted.push(mark) };
      const pool = poolFor(t, { threads: 1, tasksPerWorker: 2, host, ...way });
      const controller = new AbortController();
      const { promise } = await started(pool, 'noteAbort', [name], { signal: controller.signal });
      controller.abort();
      assert.equal((await outcome(promise)).error.code, 'ERR_TASK_ABORTED');
      await pool.close(); // waits for the task, which is aborted and has not ended
      assert.deepEqual(noted, [name]);
    }
  });

  test('a task that ignores its signal loses its thread after the grace period; its neighbour ends first', async (t) => {
    const pool = poolFor(t, { threads: 1, tasksPerWorker: 2 });
    const { shared, open } = gate();
    const neighbour = await started(pool, 'waitFor', [shared]);
    const controller = new AbortController();
    const stubborn = await started(pool, 'ignoreAbort', [], { signal: controller.signal });
    const retired = event(pool, 'worker:start');
    controller.abort();
    assert.equal((await outcome(stubborn.promise)).error.code, 'ERR_TASK_ABORTED');
    await retired; // the replacement starts once the worker gets no more tasks
    const ended = event(pool, 'worker:exit');
    open();
    assert.equal(typeof (await neighbour.promise), 'number');
    assert.equal((await ended).reason, 'interrupted');
    assert.equal(await pool.run('increment', [1]), 2);
  });

  test('aborting after the end changes nothing and leaves no listener', async (t) => {
    const pool = poolFor(t);
    let listeners = 0;
    const { signal } = new AbortController();
    const counted = {
      get aborted() {
        return signal.aborted;
      },
      get reason() {
        return signal.reason;
      },
      addEventListener: (...args) => {
        listeners++;
        signal.addEventListener(...args);
      },
      removeEventListener: (...args) => {
        listeners--;
        signal.removeEventListener(...args);
      },
    };
    assert.equal(await pool.run('increment', [1], { signal: counted }), 2);
    assert.equal(listeners, 0);
  });

  test('a signal of another kind aborts when it says so, even if it does not say that it is aborted', async (t) => {
    for (const [name, way] of Object.entries(ways)) {
      const pool = poolFor(t, { threads: 1, ...way });
      let abort;
      const signal = {
        aborted: false,
        reason: 'its own',
        addEventListener: (_, listener) => (abort = listener),
        removeEventListener: () => undefined,
      };
      const { promise } = await started(pool, 'runUntilAborted', [], { signal });
      const waiting = pool.run('increment', [1], { signal });
      abort();
      for (const call of [promise, waiting])
        assert.equal((await outcome(call)).error?.code, 'ERR_TASK_ABORTED', name);
    }
  });

  test('a signal that can be listened to only once is followed to the end, also where the pool is changed meanwhile', async (t) => {
    for (const [name, way] of Object.entries(ways)) {
      const pool = poolFor(t, { threads: 1, ...way });
      const { shared, open } = gate();
      const listeners = [];
      const follow = () => ({
        aborted: false,
        reason: 'its own',
        addEventListener(_, listener) {
          if (this.abort !== undefined) throw new Error('listened to twice');
          this.abort = listener;
          listeners.push(listener);
        },
        removeEventListener: () => undefined,
      });
      const { promise } = await started(pool, 'waitFor', [shared]);
      const [goesOn, aborted] = [0, 1].map((x) => pool.run('increment', [x], { signal: follow() }));
      pool.pause();
      listeners[1]();
      assert.equal((await outcome(aborted)).error?.code, 'ERR_TASK_ABORTED', name);
      pool.resume();
      open();
      assert.equal(await goesOn, 1, name);
      await promise;
      const { completed, aborted: given, submitted } = pool.stats().tasks;
      assert.deepEqual([completed, given, submitted], [2, 1, 3], name);
    }
  });

  test(
    'a queued task never runs that is aborted by the same signal as the one before it',
    { skip: apart },
    async (t) => {
      for (const [name, way] of Object.entries(ways)) {
        const pool = poolFor(t, { threads: 1, ...way });
        const ran = new Int32Array(new SharedArrayBuffer(4));
        let abort;
        const signal = {
          aborted: false,
          get reason() {
            Atomics.wait(ran, 0, 0, 50); // main is held up between the two: the worker has time to end the first one
            return 'stop';
          },
          addEventListener: (_, listener) => (abort = listener),
          removeEventListener: () => undefined,
        };
        const { promise } = await started(pool, 'runUntilAborted', [], { signal });
        const waiting = pool.run('addOne', [ran.buffer], { signal });
        abort();
        for (const call of [promise, waiting])
          assert.equal((await outcome(call)).error?.code, 'ERR_TASK_ABORTED', name);
        await pool.close();
        assert.equal(ran[0], 0, name);
      }
    },
  );

  test('a signal whose reason throws aborts all the same, and what it throws is the reason', async (t) => {
    for (const [name, way] of Object.entries(ways)) {
      const pool = poolFor(t, { threads: 1, ...way });
      const aborts = [];
      const thrown = new Error('no reason');
      const signal = {
        aborted: false,
        get reason() {
          throw thrown;
        },
        addEventListener: (_, listener) => aborts.push(listener),
        removeEventListener: () => undefined,
      };
      const { promise } = await started(pool, 'runUntilAborted', [], { signal });
      const waiting = pool.run('increment', [1], { signal });
      const mapped = pool.map('increment', [1], { signal }).next();
      for (const abort of aborts) abort();
      for (const call of [promise, waiting, mapped]) {
        const { error } = await outcome(call);
        assert.equal(error?.code, 'ERR_TASK_ABORTED', name);
        assert.equal(error.cause, thrown, name);
      }
    }
  });

  test('a thousand calls may follow one signal: all are aborted, and there is one listener', async (t) => {
    const pool = poolFor(t, { threads: 1 });
    const controller = new AbortController();
    const { signal } = controller;
    const warnings = [];
    const onWarning = (warning) => warnings.push(warning.name);
    process.on('warning', onWarning);
    const blocker = await started(pool, 'runUntilAborted', [], { signal });
    const calls = Array.from({ length: 1000 }, () => outcome(pool.run('increment', [1], { signal })));
    controller.abort();
    const codes = new Set((await Promise.all(calls)).map(({ error }) => error?.code));
    assert.deepEqual([...codes], ['ERR_TASK_ABORTED']);
    await outcome(blocker.promise);
    await new Promise(setImmediate); // warnings are emitted in the next tick
    process.off('warning', onWarning);
    assert.deepEqual(warnings, []);
  });

  test('a signal that is aborted already rejects the call, which never runs', async (t) => {
    const pool = poolFor(t);
    const { error } = await outcome(pool.run('increment', [1], { signal: AbortSignal.abort('no') }));
    assert.equal(error.code, 'ERR_TASK_ABORTED');
    assert.equal(error.cause, 'no');
  });

  test('a call whose signal is aborted while it is made never runs', async (t) => {
    const ofPool = { 'a getter': () => ({}), onTaskStart: (abort) => ({ onTaskStart: abort }) };
    for (const [name, way] of Object.entries(ways)) {
      for (const where of ['a getter', 'onTaskStart', 'task:submit']) {
        const controller = new AbortController();
        const abort = () => void controller.abort();
        const pool = poolFor(t, { threads: 1, ...way, ...ofPool[where]?.(abort) });
        const settled = [];
        pool.on('task:settle', ({ name: task, outcome: how }) => settled.push(`${task} ${how}`));
        if (where === 'task:submit') pool.on(where, abort);
        const getter = { enumerable: true, get: abort };
        const args = where === 'a getter' ? [Object.defineProperty({}, 'first', getter)] : [];
        const { error } = await outcome(pool.run('countCalls', args, { signal: controller.signal }));
        assert.equal(error?.code, 'ERR_TASK_ABORTED', `${name}: ${where}`);
        assert.equal(await pool.run('countCalls', []), 1, `${name}: ${where}`);
        assert.deepEqual(settled, ['countCalls aborted', 'countCalls completed'], `${name}: ${where}`);
        assert.equal(pool.stats().tasks.open, 0);
      }
    }
  });

  test('a call that a getter of its arguments aborts, and makes others, never runs, and those do', async (t) => {
    for (const [name, way] of Object.entries(ways)) {
      const pool = poolFor(t, { threads: 1, ...way });
      await pool.ready;
      const { signal } = new AbortController();
      for (const deep of [false, true]) {
        const controller = new AbortController();
        const others = [];
        const get = () => {
          controller.abort();
          others.push(pool.run('increment', [1], { signal }), pool.run('increment', [2]));
          return 0;
        };
        const lazy = Object.defineProperty(deep ? {} : [], 0, { enumerable: true, get });
        const call = pool.run('countCalls', deep ? [lazy] : lazy, { signal: controller.signal });
        assert.equal((await outcome(call)).error?.code, 'ERR_TASK_ABORTED', name);
        assert.deepEqual(new Set(await Promise.all(others)), new Set([2, 3]), name);
      }
      assert.equal(await pool.run('countCalls', []), 1, name);
      assert.equal(getEventListeners(signal, 'abort').length, 0, name);
    }
  });

  test('a call whose pool is destroyed by a listener that hears of it never runs', async (t) => {
    for (const way of Object.values(ways)) {
      const pool = poolFor(t, { threads: 1, ...way });
      await pool.ready;
      const { signal } = new AbortController();
      pool.on('task:submit', () => void pool.destroy());
      assert.equal((await outcome(pool.run('increment', [1], { signal }))).error?.code, 'ERR_POOL_CLOSED');
      assert.deepEqual([pool.stats().queue.size, pool.stats().tasks.open], [0, 0]);
      assert.equal(getEventListeners(signal, 'abort').length, 0);
    }
  });
});

describe('promise 4: close always ends and leaves nothing; only a pending call keeps the process alive', () => {
  test('close finishes what was accepted, refuses what comes later, and is idempotent', async (t) => {
    const pool = poolFor(t, { threads: 1 });
    const accepted = Array.from({ length: 50 }, (_, i) => pool.run('increment', [i]));
    const closed = pool.close();
    assert.equal(pool.close(), closed);
    assert.equal((await outcome(pool.run('increment', [1]))).error.code, 'ERR_POOL_CLOSED');
    assert.deepEqual(
      await Promise.all(accepted),
      accepted.map((_, i) => i + 1),
    );
    await closed;
    assert.equal(pool.stats().state, 'closed');
    assert.deepEqual(pool.stats().workers, []);
  });

  test('close in every state: before ready, idle, busy, after a crash, after close, after destroy', async () => {
    for (const prepare of [
      () => undefined,
      (pool) => pool.ready,
      (pool) => void pool.run('spin', [20]).catch(() => undefined),
      (pool) => outcome(pool.run('exit', [1])),
      (pool) => pool.close(),
      (pool) => pool.destroy(),
    ]) {
      for (const end of ['close', 'destroy']) {
        const pool = createPool(tasksUrl, { threads: 2 });
        pool.on('task:settle', () => undefined);
        await prepare(pool);
        await pool[end]();
        assert.deepEqual(pool.stats().workers, [], `${prepare} then ${end}`);
      }
    }
  });

  test('close, destroy and resize by a listener that hears of a new worker leave no thread', async (t) => {
    for (const [name, way] of Object.entries(ways)) {
      for (const heard of ['worker:start', 'pool:size']) {
        for (const how of ['close', 'destroy', 'resize']) {
          const pool = createPool(tasksUrl, { threads: 1, ...way });
          t.after(() => pool.destroy());
          await pool.ready;
          let starts = 0;
          let ended;
          pool.on('worker:start', () => starts++);
          pool.on(heard, () => {
            ended ??= how === 'resize' ? (pool.resize(1), true) : pool[how]();
          });
          pool.resize(3);
          assert.ok(ended, `${name}: ${heard}`);
          await ended;
          const most = heard === 'worker:start' ? 1 : 2;
          assert.ok(starts <= most, `${name}: ${how} at ${heard}: ${starts} workers were started`);
          if (how === 'resize') assert.equal(pool.stats().threads.current, 1);
          await pool.close();
          assert.deepEqual(pool.stats().workers, []);
        }
      }
    }
  });

  test('close gives up on a task that never ends, after its timeout', async (t) => {
    const pool = poolFor(t, { threads: 1 });
    const { promise } = await started(pool, 'loopForEver');
    await pool.close({ timeoutMs: 10 });
    assert.equal((await outcome(promise)).error.code, 'ERR_POOL_CLOSED');
  });

  test('disposal closes', async () => {
    const pool = createPool(tasksUrl, { threads: 1 });
    await pool[Symbol.asyncDispose]();
    assert.equal(pool.stats().state, 'closed');
  });

  test('after close no thread, port or timer is left', async () => {
    const script = `
      import { poolFor } from './helpers.mjs';
      for (const end of ['close', 'destroy']) {
        const pool = poolFor({ after() {} });
        await Promise.all([pool.run('increment', [1], { timeoutMs: 1000 }), pool.run('spin', [5])]);
        await pool[end]();
      }
      await new Promise(setImmediate);
      console.log(JSON.stringify(process.getActiveResourcesInfo()));`;
    const { stdout, code } = await runScript(script);
    // Only these types are checked: the script's own pipes may be there or not.
    const left = JSON.parse(stdout).filter((name) => /Worker|MessagePort|Timeout|Immediate/.test(name));
    assert.deepEqual([code, left], [0, []]);
  });

  test('an idle pool lets the process end; a pending call does not', async () => {
    const idle = await runScript(`
      import { poolFor } from './helpers.mjs';
      const pool = poolFor({ after() {} });
      console.log(await pool.run('increment', [1]));`);
    assert.deepEqual([idle.code, idle.stdout], [0, '2\n']);
    const pending = await runScript(`
      import { poolFor } from './helpers.mjs';
      poolFor({ after() {} }).run('spin', [100]).then((ms) => console.log('ended', ms));`);
    assert.deepEqual([pending.code, pending.stdout], [0, 'ended 100\n']);
    const room = await runScript(`
      import { createPool } from 'threadwise';
      const pool = createPool(new URL('./tasks.mjs', import.meta.url), { threads: 1, queue: { limit: 1 } });
      await pool.ready;
      for (let i = 0; i < 5; i++) await pool.room();
      console.log('there was room');
    `);
    assert.deepEqual([room.code, room.stdout], [0, 'there was room\n']);
  });

  test('a pool that was never used lets the process end', async () => {
    const { code } = await runScript(`
      import { poolFor } from './helpers.mjs';
      poolFor({ after() {} });`);
    assert.equal(code, 0);
  });
});

describe("promise 5: the worker's own event loop lives", () => {
  test('its timers go off between tasks and while a burst of short tasks runs', async (t) => {
    const pool = poolFor(t, { threads: 1 });
    await pool.run('startTicking', []);
    const before = await pool.run('ticksSeen', []);
    await Promise.all(Array.from({ length: 40 }, () => pool.run('spin', [2])));
    // 80 ms of short tasks in a row, a timer every 5 ms: it must have gone off, if not each time.
    assert.ok((await pool.run('ticksSeen', [])) - before >= 4);
  });

  test('a task that awaits does not block the tasks beside it', async (t) => {
    const pool = poolFor(t, { threads: 1, tasksPerWorker: 2 });
    const { shared, open } = gate();
    const { promise } = await started(pool, 'waitFor', [shared]);
    assert.equal(await pool.run('increment', [1]), 2);
    open();
    await promise;
  });
});

describe('promise 6: the queue is bounded if asked, fair, and first in first out within a priority', () => {
  test('first in, first out; higher priorities first', async (t) => {
    const pool = poolFor(t, { threads: 1 });
    const { shared, open } = gate();
    const blocker = await started(pool, 'waitFor', [shared]);
    const order = [];
    const calls = [
      ['a', 0],
      ['b', 5],
      ['c', 0],
      ['d', 5],
      ['e', -1],
    ].map(([mark, priority]) => pool.run('echo', [mark], { priority }).then((value) => order.push(value)));
    open();
    await Promise.all([blocker.promise, ...calls]);
    assert.deepEqual(order, ['b', 'd', 'a', 'c', 'e']);
  });

  test('a call does not get the turn of one that was aborted before it began', async (t) => {
    const pool = poolFor(t, { threads: 1 });
    const { shared, open } = gate();
    const blocker = await started(pool, 'waitFor', [shared]);
    const order = [];
    const call = (mark, run) => pool.run('echo', [mark], run).then((value) => order.push(value));
    const controller = new AbortController();
    const aborted = call('a', { signal: controller.signal });
    const before = call('b');
    controller.abort();
    const after = ['c', 'd'].map((mark) => call(mark));
    await assert.rejects(aborted, { code: 'ERR_TASK_ABORTED' });
    open();
    await Promise.all([blocker.promise, before, ...after]);
    assert.deepEqual(order, ['b', 'c', 'd']);
  });

  test('one task too many is refused with ERR_QUEUE_FULL, and loses nothing', async (t) => {
    const pool = poolFor(t, { threads: 1, queue: { limit: 2 } });
    const { shared, open } = gate();
    const blocker = await started(pool, 'waitFor', [shared]);
    const accepted = [pool.run('increment', [1]), pool.run('increment', [2])];
    const buffer = new ArrayBuffer(8);
    const { error } = await outcome(pool.run('byteLength', [buffer], { transfer: [buffer] }));
    assert.equal(error.code, 'ERR_QUEUE_FULL');
    assert.equal(buffer.byteLength, 8, 'a refused call has moved nothing');
    const room = pool.room();
    open();
    await room;
    assert.equal(await pool.run('byteLength', [buffer], { transfer: [buffer] }), 8);
    assert.equal(buffer.byteLength, 0, 'an accepted one has');
    assert.deepEqual(await Promise.all(accepted), [2, 3]);
    await blocker.promise;
  });

  test('a low priority gets its turn under an endless flood of higher ones', async (t) => {
    const pool = poolFor(t, { threads: 1 });
    let isFlooding = true;
    const flood = async () => {
      while (isFlooding) await pool.run('increment', [1], { priority: 10 });
    };
    const floods = Array.from({ length: 50 }, flood);
    assert.equal(await pool.run('echo', ['low'], { priority: -10 }), 'low');
    isFlooding = false;
    await Promise.all(floods);
  });
});

describe('promise 7: nothing is copied that can be moved or shared', () => {
  test('shared memory passes by reference, in arguments and results', { skip: apart }, async (t) => {
    const pool = poolFor(t);
    const shared = new SharedArrayBuffer(4);
    await Promise.all([pool.run('addOne', [shared]), pool.run('addOne', [shared])]);
    assert.equal(new Int32Array(shared)[0], 2);
    const returned = await pool.run('echo', [shared]);
    new Int32Array(returned)[0] = 9;
    assert.equal(new Int32Array(shared)[0], 9);
  });

  test('transfer lists move arguments and results', async (t) => {
    const pool = poolFor(t);
    const buffer = new ArrayBuffer(1024);
    assert.equal(await pool.run('byteLength', [buffer], { transfer: [buffer] }), 1024);
    assert.equal(buffer.byteLength, 0);
    const made = await pool.run('bytes', [16]);
    assert.deepEqual([...made], new Array(16).fill(7));
  });

  for (const [name, options] of Object.entries(ways)) {
    for (const kind of ['that moves', 'with its key']) {
      test(
        `${name}: a worker gets the next call ${kind} before the caller of the last one goes on`,
        { skip: apart },
        async (t) => {
          const pool = poolFor(t, { threads: 1, ...options });
          const count = new Int32Array(new SharedArrayBuffer(4));
          const bytes = [1, 2].map(() => new ArrayBuffer(2 ** 21));
          const [first, second] = bytes.map((buffer) =>
            kind === 'that moves' ? { transfer: [buffer] } : { key: 'a' },
          );
          const calls = [
            pool.run('spin', [1, bytes[0]], first),
            pool.run('addOne', [count.buffer, bytes[1]], second),
          ];
          await calls[0];
          const giveUpAt = performance.now() + 10_000;
          while (Atomics.load(count, 0) === 0 && performance.now() < giveUpAt); // main is blocked
          assert.equal(Atomics.load(count, 0), 1);
          await calls[1];
        },
      );
    }
  }

  test('what a task moves to a host function has moved', async (t) => {
    const host = { take: (name, bytes) => [name, ...bytes] };
    assert.deepEqual(await poolFor(t, { threads: 1, host }).run('moveToHost', ['take']), [
      ['bytes', 1, 2, 3],
      0,
    ]);
  });

  test('a lease is filled here and read there without a copy', async (t) => {
    const pool = poolFor(t);
    const lease = pool.lease(5);
    lease.bytes.set([1, 2, 3, 4, 5]);
    assert.equal(await pool.run('sum', [lease]), 15);
    assert.throws(() => lease.bytes, { code: 'ERR_LEASE_RELEASED' });
  });

  test('arguments are captured when the call is made', async (t) => {
    const pool = poolFor(t, { threads: 1 });
    const value = { list: [1] };
    const calls = [1, 2, 3].map((n) => {
      value.list[0] = n;
      return pool.run('echo', [value]);
    });
    assert.deepEqual(
      (await Promise.all(calls)).map((v) => v.list[0]),
      [1, 2, 3],
    );
  });
});

for (const [name, options] of Object.entries(ways)) {
  test(`a whole number is one for V8, too, in arguments and results: ${name}`, async (t) => {
    const pool = poolFor(t, options, moduleUrl('v8-kinds.mjs'));
    await pool.ready;
    for (const whole of [0, 1, -1, 2 ** 20, -(2 ** 30)]) {
      assert.equal(isSmall(whole), true, 'so it was here');
      assert.equal(await pool.run('isSmall', [whole]), true, `argument ${whole}`);
      assert.equal(isSmall(await pool.run('give', [whole])), true, `result ${whole}`);
    }
    assert.deepEqual(await pool.run('areSmall', [{ first: 1, list: [2] }, 3]), [true, true, true]);
    for (const other of [-0, 0.5, -1.5, 2 ** 31, -(2 ** 31) - 1, 2 ** 53, NaN, Infinity, -Infinity]) {
      assert.equal(isSmall(other), false);
      assert.equal(await pool.run('isSmall', [other]), false, `argument ${other}`);
      assert.ok(Object.is(await pool.run('give', [other]), other), `result ${other}`);
    }
  });
}

for (const [name, options] of Object.entries(ways)) {
  test(`an object of many names is no hash table for V8, in arguments and results, from the first one on: ${name}`, async (t) => {
    const pool = poolFor(t, options, moduleUrl('v8-kinds.mjs'));
    await pool.ready;
    for (const count of [5, 19, 20, 33, 100, 255, 300]) {
      for (let round = 0; round < 5; round++) {
        const keys = Array.from({ length: count }, (_, i) => `of${count}_${i}`);
        const object = Object.fromEntries(keys.map((key) => [key, round]));
        if (round === 4) object[keys[0]] = [object]; // objects that are in themselves are made another way
        assert.equal(isHashTable(object), false, 'so it was here');
        const which = `the ${round + 1}. of ${count} keys`;
        assert.equal(await pool.run('isHashTable', [object]), false, `argument: ${which}`);
        const result = await pool.run('give', [object]);
        assert.equal(isHashTable(result), false, `result: ${which}`);
        assert.deepEqual(result, object);
      }
    }
  });
}

test('promise 8: the default thread count respects the CPU affinity of the process', async () => {
  const { stdout } = await runScript(`
    import { availableThreads } from 'threadwise';
    import { createPool } from 'threadwise';
    const pool = createPool(new URL('./tasks.mjs', 'file://' + process.cwd() + '/'));
    console.log(availableThreads(), pool.stats().threads.max);
    await pool.close();`);
  const [available, max] = stdout.trim().split(' ').map(Number);
  assert.ok(available >= 1);
  assert.equal(max, available);
});

test('promise 9: what the numbers say is what happened', async (t) => {
  const pool = poolFor(t, { threads: 2 });
  await Promise.all(Array.from({ length: 20 }, (_, i) => pool.run('increment', [i])));
  await outcome(pool.run('fail', ['x']));
  await outcome(pool.run('exit', [1]));
  await outcome(pool.run('loopForEver', [], { timeoutMs: 10 }));
  await outcome(pool.run('increment', [1], { signal: AbortSignal.abort() })); // refused: does not count as a task
  await pool.run('spin', [30]);
  const stats = pool.stats();
  assert.deepEqual(JSON.parse(JSON.stringify(stats)), stats, 'plain JSON');
  const { submitted, completed, failed, crashed, timedOut, aborted, open } = stats.tasks;
  assert.deepEqual(
    { submitted, completed, failed, crashed, timedOut, aborted, open },
    { submitted: 24, completed: 21, failed: 1, crashed: 1, timedOut: 1, aborted: 0, open: 0 },
  );
  assert.equal(stats.runMs.count, 22);
  assert.ok(stats.runMs.max >= 30, 'run time is measured in the worker');
  assert.equal(stats.queue.size, 0);
});

test('the async context of the caller is kept in its continuation', async (t) => {
  const pool = poolFor(t);
  const storage = new AsyncLocalStorage();
  const seen = await Promise.all(
    [1, 2, 3].map((id) =>
      storage.run(id, async () => {
        const inProgress = [];
        await pool.run('report', [['x']], { onProgress: () => inProgress.push(storage.getStore()) });
        return [storage.getStore(), ...inProgress];
      }),
    ),
  );
  assert.deepEqual(seen, [
    [1, 1],
    [2, 2],
    [3, 3],
  ]);
});

test('a host function runs in the async context of the pool, whichever call its worker was started for', async (t) => {
  const storage = new AsyncLocalStorage();
  const host = { lookUp: () => storage.getStore() };
  const pool = storage.run('pool', () => poolFor(t, { threads: { min: 0, max: 1 }, host }));
  for (const call of ['first', 'second'])
    assert.equal(await storage.run(call, () => pool.run('callHost', ['lookUp'])), 'pool');
});
