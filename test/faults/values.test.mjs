// Values that cannot cross, and what a task throws.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { createPool, isThreadwiseError, ThreadwiseError } from 'threadwise';
import {
  apart,
  event,
  gate,
  moduleUrl,
  outcome,
  poolFor,
  runScript,
  tasksUrl,
  ways,
} from '../fixtures/helpers.mjs';
import { nested } from '../fixtures/modules/nested.mjs';

describe('a thrown value that no text can be made of', () => {
  for (const placement of ['threads', 'inline']) {
    test(`by a module that loads (${placement}): ready and calls are rejected with ERR_MODULE_LOAD`, async (t) => {
      const url = 'data:text/javascript,throw { toString: 1, valueOf: 1 }; export const f = () => 1';
      const pool = poolFor(t, { placement }, url);
      const calls = [pool.ready, pool.run('f', [])].map(outcome);
      for (const { error } of await Promise.all(calls)) {
        assert.equal(error.code, 'ERR_MODULE_LOAD');
        assert.match(error.message, /an object \(toString, valueOf\)/);
      }
      await pool.close();
    });
  }

  test('by a listener: it is warned of, and the call settles', async () => {
    const { code, stdout, stderr } = await runScript(`
      import { createPool } from 'threadwise';
      const pool = createPool(${JSON.stringify(tasksUrl.href)}, { threads: 1 });
      pool.on('task:settle', () => { throw Object.create(null); });
      console.log(await pool.run('increment', [1]));
      await pool.close();
    `);
    assert.deepEqual([code, stdout], [0, '2\n'], stderr);
    assert.match(stderr, /ThreadwiseWarning/);
  });

  test('by a getter in arguments or in a result: ERR_NOT_CLONEABLE', async (t) => {
    const pool = poolFor(t, { threads: 1 });
    const argument = {
      get x() {
        throw Object.create(null);
      },
    };
    assert.equal((await outcome(pool.run('echo', [argument]))).error.code, 'ERR_NOT_CLONEABLE');
    assert.equal((await outcome(pool.run('makeThrowingGetter', []))).error.code, 'ERR_NOT_CLONEABLE');
    assert.equal(await pool.run('increment', [1]), 2);
  });

  for (const end of ['close', 'destroy']) {
    test(`by a list of arguments with a getter that calls ${end}: ERR_POOL_CLOSED`, async (t) => {
      const pool = poolFor(t, { threads: 1 });
      assert.equal(await pool.run('increment', [1]), 2);
      const args = [0];
      let ended;
      Object.defineProperty(args, 0, {
        get() {
          ended ??= pool[end]();
          return 1;
        },
      });
      assert.equal((await outcome(pool.run('increment', args))).error.code, 'ERR_POOL_CLOSED');
      await ended;
    });
  }
});

describe('an uncaught error that the thread of the pool cannot read', () => {
  for (const how of ['deep', 'selfCaused', 'deepValue', 'noText']) {
    test(`costs its task and its worker, and not the process: ${how}`, async () => {
      const { code, stdout, stderr } = await runScript(`
        import { createPool } from 'threadwise';
        const pool = createPool(${JSON.stringify(tasksUrl.href)}, { threads: 1 });
        const error = await pool.run('crashUnreadably', ['${how}']).catch((e) => e);
        console.log(error.code, await pool.run('increment', [1]));
        await pool.close();
      `);
      assert.deepEqual([code, stdout], [0, 'ERR_WORKER_CRASHED 2\n'], stderr);
    });
  }
});

describe('a transfer to a task that does not exist', () => {
  for (const placement of ['threads', 'inline']) {
    test(`is refused, and moves nothing, as soon as a worker has loaded the module: placement ${placement}`, async (t) => {
      const pool = poolFor(t, { threads: 1, placement });
      await pool.ready;
      await pool.run('increment', [1]); // by then the inline worker is ready, too
      const buffer = new ArrayBuffer(8);
      const { error } = await outcome(pool.run('incremant', [buffer], { transfer: [buffer] }));
      assert.equal(error.code, 'ERR_TASK_NOT_FOUND');
      assert.match(error.message, /Did you mean 'increment'\?/);
      assert.equal(buffer.byteLength, 8);
    });
  }

  for (const placement of ['threads', 'inline']) {
    test(`says what is lost, where no worker had loaded the module by then: placement ${placement}`, async (t) => {
      const pool = poolFor(t, { threads: 1, placement });
      const buffer = new ArrayBuffer(8);
      const { error } = await outcome(pool.run('incremant', [buffer], { transfer: [buffer] }));
      assert.equal(error.code, 'ERR_TASK_NOT_FOUND');
      assert.match(error.message, /What the call transferred is lost/);
      assert.match(error.stack, /What the call transferred is lost/);
      assert.equal(buffer.byteLength, 0);
    });
  }
});

describe('arguments and results that cannot be cloned', () => {
  const socketLike = new (class Connection {
    socket = { handle: { onread() {} } };
  })();
  const cases = [
    [[() => 1], 'args[0]'],
    [[1, Symbol('x')], 'args[1]'],
    [[{ a: { 'b c': [0, () => 1] } }], 'args[0].a["b c"][1]'],
    [[socketLike], 'args[0].socket.handle.onread'],
    [[new Map([['k', { f() {} }]])], 'args[0].get("k").f'],
    [[new Set([1, () => 1])], 'args[0].values()[1]'],
    [[new WeakMap()], 'args[0]'],
  ];
  test('the path is named', async (t) => {
    const pool = poolFor(t, { threads: 1 });
    for (const [args, path] of cases) {
      const { error } = await outcome(pool.run('echo', args));
      assert.deepEqual([error?.code, error?.path], ['ERR_NOT_CLONEABLE', path]);
      assert.ok(error.message.includes(path));
      assert.equal(await pool.run('increment', [1]), 2, path);
    }
  });

  test('in a result, too', async (t) => {
    const pool = poolFor(t, { threads: 1 });
    const { error } = await outcome(pool.run('makeFunction', []));
    assert.deepEqual([error.code, error.path], ['ERR_NOT_CLONEABLE', 'result.handlers[0]']);
    assert.ok(isThreadwiseError(error));
    assert.equal((await outcome(pool.run('makeSymbol', []))).error.path, 'result');
    assert.equal(await pool.run('increment', [1]), 2);
  });

  for (const placement of ['threads', 'inline']) {
    test(`a result whose transfer list is none, or whose value cannot be cloned: placement ${placement}`, async (t) => {
      const pool = poolFor(t, { threads: 1, placement });
      for (const isAsync of [false, true]) {
        for (const list of [5, 'x', new ArrayBuffer(3)]) {
          const { error } = await outcome(pool.run('transferWith', [list, isAsync]));
          assert.equal(error.code, 'ERR_NOT_CLONEABLE');
        }
        const { error } = await outcome(pool.run('transferWith', [[], isAsync]));
        assert.deepEqual([error.code, error.path], ['ERR_NOT_CLONEABLE', 'result.f']);
      }
      assert.equal(await pool.run('increment', [1]), 2);
    });
  }

  for (const placement of ['threads', 'auto', 'inline']) {
    test(`a proxy that was revoked, as an argument, as the arguments and as a result: placement ${placement}`, async (t) => {
      const pool = poolFor(t, { threads: 1, placement });
      await pool.ready;
      const { proxy, revoke } = Proxy.revocable([], {});
      revoke();
      const code = async (call) => (await outcome(call)).error?.code;
      assert.equal(await code(pool.run('echo', [proxy])), 'ERR_NOT_CLONEABLE');
      assert.equal(await code(pool.run('echo', [{ proxy }])), 'ERR_NOT_CLONEABLE');
      assert.equal(await code(pool.run('echo', proxy)), 'ERR_OPTION');
      assert.equal(await code(pool.run('makeRevoked', [])), 'ERR_NOT_CLONEABLE');
      assert.equal(await pool.run('increment', [1]), 2);
    });
  }

  for (const placement of ['threads', 'inline']) {
    test(`a proxy that was revoked, as progress and as an argument of a host function: placement ${placement}`, async (t) => {
      const pool = poolFor(t, { threads: 1, placement, host: { take: () => assert.fail('it has come') } });
      for (const name of ['reportRevoked', 'giveRevokedToHost'])
        assert.equal((await outcome(pool.run(name, []))).error?.code, 'ERR_NOT_CLONEABLE', name);
      assert.equal(await pool.run('increment', [1]), 2);
    });
  }

  for (const placement of ['threads', 'inline']) {
    test(`a result of a host function: the task hears of it, with the path: placement ${placement}`, async (t) => {
      const host = { make: () => ({ handlers: [() => 1] }) };
      const { error } = await outcome(poolFor(t, { threads: 1, placement, host }).run('callHost', ['make']));
      assert.deepEqual([error.code, error.path], ['ERR_NOT_CLONEABLE', 'result.handlers[0]']);
    });
  }

  test('where none of 200,000 records can be ruled out, the search ends', async (t) => {
    const pool = poolFor(t, { threads: 1 });
    const records = Array.from({ length: 200_000 }, (_, id) => ({ id }));
    const { error } = await outcome(pool.run('echo', [[...records, () => 1]]));
    assert.deepEqual([error.code, error.path], ['ERR_NOT_CLONEABLE', 'args']);
    assert.match(error.message, /not found among the first 10,000 values/);
  });

  test('a call that is refused has moved nothing', async (t) => {
    const pool = poolFor(t);
    const buffer = new ArrayBuffer(8);
    await outcome(pool.run('echo', [buffer, () => 1], { transfer: [buffer] }));
    assert.equal(buffer.byteLength, 8);
  });
});

describe('values that one thread can write and another cannot read', () => {
  /** How deep a value is nested that a worker can write, and no thread with a stack of the usual size, a smaller one, can read. */
  const LEVELS = 3000;
  /** How deep a value is nested that main can read, and a worker with a small stack cannot. */
  const FEWER = 1000;
  const SMALL_STACK = { resourceLimits: { stackSizeMb: 0.5 } };
  const nestedUrl = moduleUrl('nested.mjs');
  /** Asserts that the call is rejected and the worker lives on. */
  async function isRefused(pool, call, message) {
    const { value, error } = await outcome(call);
    assert.equal(error?.code, 'ERR_NOT_CLONEABLE', `${value} ${error}`);
    assert.match(error.message, message);
    assert.equal(await pool.run('increment', [1]), 2);
    assert.equal(pool.stats().crashes, 0);
  }

  for (const name of ['nested', 'moved', 'throwing']) {
    const skip = name === 'throwing' && apart && 'both threads have stacks of the same size: it can be read';
    test(`a result, moved or thrown: ${name}`, { skip }, async (t) => {
      const pool = poolFor(t, { threads: 1 }, nestedUrl);
      // Several in a row, with other calls between them.
      const calls = [1, 2, 3].flatMap(() => [outcome(pool.run(name, [LEVELS])), pool.run('increment', [1])]);
      const settled = await Promise.all(calls);
      for (const one of [0, 2, 4]) assert.equal(settled[one].error?.code, 'ERR_NOT_CLONEABLE');
      for (const one of [1, 3, 5]) assert.equal(settled[one], 2);
      await isRefused(pool, pool.run(name, [LEVELS]), name === 'throwing' ? /thrown/ : /result/);
    });
  }

  test(
    'a result of which the worker cannot say that it was not read, as it has died: its call has ended all the same',
    { skip: apart && 'a process does not say that a task has ended before it says how' },
    async (t) => {
      const pool = poolFor(t, { threads: 1, retries: 1 }, nestedUrl);
      const { error } = await outcome(pool.run('nestedAndExit', [LEVELS]));
      assert.equal(error?.code, 'ERR_NOT_CLONEABLE', `${error}`);
      assert.equal(pool.stats().tasks.retried, 0);
      assert.equal(await pool.run('increment', [1]), 2);
    },
  );

  test('an error that is part of its own cause: read, or refused', async (t) => {
    const pool = poolFor(t, { threads: 1 }, nestedUrl);
    const { value, error } = await outcome(pool.run('selfCaused', []));
    if (error === undefined) assert.equal(value.error.cause.error, value.error);
    else assert.equal(error.code, 'ERR_NOT_CLONEABLE');
    assert.equal(pool.stats().crashes, 0);
  });

  test('progress: the call is rejected when it ends', async (t) => {
    const host = { levelsOf: () => 0 };
    const pool = poolFor(t, { threads: 1, tasksPerWorker: 2, host }, nestedUrl);
    const { shared, open } = gate();
    const call = pool.run('reporting', [LEVELS, shared]);
    // Messages from main arrive in order: once the worker has this answer, it knows that its progress was not read.
    assert.equal(await pool.run('asking', [1]), 0);
    open();
    await isRefused(pool, call, /progress/);
  });

  test('the last progress of a task that has ended by then: told by the event error', async (t) => {
    const pool = poolFor(t, { threads: 1 }, nestedUrl);
    const told = event(pool, 'error');
    assert.equal(await pool.run('reportingAtLast', [LEVELS]), 'ended');
    const { error } = await told;
    assert.equal(error.code, 'ERR_NOT_CLONEABLE');
    assert.match(error.message, /progress/);
    assert.equal(await pool.run('increment', [1]), 2);
    assert.equal(pool.stats().crashes, 0);
  });

  test('a value of a stream', { skip: apart }, async (t) => {
    const pool = poolFor(t, { threads: 1 }, nestedUrl);
    await isRefused(pool, pool.stream('yielding', [LEVELS]).next(), /^Cannot read value in/);
  });

  test('arguments of a host function, and its result', async (t) => {
    const host = { levelsOf: () => 0, nested };
    const pool = poolFor(t, { threads: 1, host }, nestedUrl);
    await isRefused(pool, pool.run('asking', [LEVELS]), /arguments of task\.host\.levelsOf/);
    const small = poolFor(t, { threads: 1, host, worker: SMALL_STACK }, nestedUrl);
    await isRefused(small, small.run('answered', [FEWER]), /result of a host function/);
  });

  test('arguments, among others that can be read', async (t) => {
    const pool = poolFor(t, { threads: 1, worker: SMALL_STACK }, nestedUrl);
    const calls = [1, 2, 3].map(() => [
      outcome(pool.run('levelsOf', [nested(FEWER)])),
      outcome(pool.run('levelsOf', [nested(3)])),
    ]);
    const settled = await Promise.all(calls.flat());
    for (const one of [0, 2, 4]) assert.equal(settled[one].error?.code, 'ERR_NOT_CLONEABLE');
    for (const one of [1, 3, 5]) assert.equal(settled[one].value, 1);
    const buffer = new ArrayBuffer(8);
    const moved = pool.run('levelsOf', [nested(FEWER), buffer], { transfer: [buffer] });
    await isRefused(pool, moved, /args/);
    await isRefused(pool, pool.run('levelsOf', [nested(FEWER)], { key: 'k' }), /args/);
  });

  test('in a broadcast and in a map', async (t) => {
    const pool = poolFor(t, { threads: 2 }, nestedUrl);
    await pool.ready;
    await isRefused(pool, pool.broadcast('nested', [LEVELS]), /result/);
    const mapped = async () => {
      for await (const _ of pool.map('nested', [1, LEVELS]));
    };
    await isRefused(pool, mapped(), /result/);
  });
});

describe('a promise with a `then` of its own is awaited, as the language does, and settles its call once', () => {
  for (const [way, options] of Object.entries({ ...ways, inline: { placement: 'inline' } })) {
    test(way, { timeout: 20_000 }, async (t) => {
      const pool = poolFor(t, { threads: 1, ...options });
      for (const values of [[], ['a', 'b']]) {
        assert.equal(await pool.run('ownThen', values), 'awaited');
        assert.equal(await pool.run('increment', [1]), 2);
      }
      assert.equal(await pool.run('callableThen', []), 'awaited');
      assert.equal(pool.stats().tasks.open, 0);
    });
  }
});

describe('what a task throws', () => {
  test('own classes arrive as their built-in class, with name, message, code, cause, own fields and both stacks', async (t) => {
    const pool = poolFor(t);
    async function theCaller() {
      return await pool.run('fail', ['custom']);
    }
    const { error } = await outcome(theCaller());
    assert.ok(error instanceof RangeError);
    const { name, message, code, corners } = error;
    assert.deepEqual(
      { name, message, code, corners },
      { name: 'ShapeError', message: 'not a square', code: 'E_SHAPE', corners: 5 },
    );
    assert.ok(error.cause instanceof TypeError);
    assert.equal(error.cause.message, 'five corners');
    assert.match(error.stack, /tasks\.mjs/);
    assert.match(error.stack, /theCaller.*values\.test\.mjs/);
    assert.doesNotMatch(error.stack, /worker eval/, "the runner's own frames are left out");
  });

  test('a stack without frames arrives as it is, whatever the message says', async (t) => {
    const module = `data:text/javascript,
      export const f = () => { throw Object.assign(new Error(), { stack: 'Error: in [worker eval]' }) }`;
    const pool = createPool(module, { threads: 1 });
    t.after(() => pool.destroy());
    const { error } = await outcome(pool.run('f', []));
    assert.equal(error.stack.split('\n')[0], 'Error: in [worker eval]');
  });

  test('AggregateError, DOMException and system errors', async (t) => {
    const pool = poolFor(t);
    const aggregate = (await outcome(pool.run('fail', ['aggregate']))).error;
    assert.ok(aggregate instanceof AggregateError);
    assert.ok(aggregate.errors[1] instanceof RangeError);
    const dom = (await outcome(pool.run('fail', ['dom']))).error;
    assert.ok(dom instanceof DOMException);
    assert.deepEqual([dom.name, dom.code], ['QuotaExceededError', 22]);
    const system = (await outcome(pool.run('fail', ['system']))).error;
    assert.deepEqual([system.code, system.syscall, system.path], ['ENOENT', 'open', '/no/such/file']);
  });

  test('whatever is no error arrives as it is', async (t) => {
    const pool = poolFor(t);
    assert.equal((await outcome(pool.run('fail', ['undefined']))).error, undefined);
    await assert.rejects(pool.run('fail', ['undefined']), (thrown) => thrown === undefined);
    assert.equal((await outcome(pool.run('fail', ['string']))).error, 'just text');
    assert.deepEqual((await outcome(pool.run('fail', ['object']))).error, { reason: 'plain' });
  });

  test('a frozen error, one whose getter throws, and a function do no harm', async (t) => {
    const pool = poolFor(t);
    assert.equal((await outcome(pool.run('fail', ['frozen']))).error.message, 'cold');
    assert.equal((await outcome(pool.run('fail', ['getter']))).error.message, 'trap');
    assert.equal((await outcome(pool.run('fail', ['function']))).error.code, 'ERR_NOT_CLONEABLE');
    assert.equal(await pool.run('increment', [1]), 2);
  });

  test('errors of the library are of its class in every copy of it', () => {
    const error = new ThreadwiseError('ERR_OPTION', 'x');
    assert.deepEqual(Object.keys(error), ['code']);
    assert.ok(isThreadwiseError(error));
    assert.ok(!isThreadwiseError(new Error('x')));
    assert.ok(!isThreadwiseError(undefined));
  });
});
