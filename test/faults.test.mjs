// Bad input and faults: each gives a clear error with a code, loses nothing, and leaves the pool alive.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { before, describe, test } from 'node:test';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { createPool, isThreadwiseError, ThreadwiseError } from 'threadwise';
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
import { nested } from './fixtures/modules/nested.mjs';

const badUrl = (name) => new URL(`./fixtures/bad-modules/${name}`, import.meta.url);

describe('options', () => {
  const bad = [
    [{ thread: 2 }, /Unknown option 'thread'\. Did you mean 'threads'\?/],
    [{ worker: { dta: 1 } }, /Unknown option 'worker\.dta'\. Did you mean 'data'\?/],
    [{ threads: 0 }, /'threads': expected a whole number from 1 to 1024, got 0/],
    [{ threads: -1 }, /got -1/],
    [{ threads: Number.NaN }, /got NaN/],
    [{ threads: 1.5 }, /got 1\.5/],
    [{ threads: '2' }, /'threads'.*got "2"/],
    [{ threads: { min: 3, max: 2 } }, /min not larger than max, got "3 > 2"/],
    [{ threads: { minimum: 1 } }, /Did you mean 'min'/],
    [{ tasksPerWorker: 0 }, /tasksPerWorker/],
    [{ timeoutMs: -5 }, /timeoutMs/],
    [{ timeoutMs: 2 ** 40 }, /timeoutMs/],
    [{ queue: { limit: -1 } }, /queue\.limit/],
    [{ retries: 0.5 }, /retries/],
    [{ choose: 'least-bussy' }, /'least-busy'/],
    [{ choose: 7 }, /choose/],
    [{ transport: 'pigeon' }, /transport/],
    [{ placement: 'main' }, /placement/],
    [{ transport: 'message', dispatch: 'shared-queue' }, /dispatch/],
    [{ host: { f: 1 } }, /host\.f/],
    [{ worker: { resourceLimits: { maxOldGenerationSizeMb: -1 } } }, /maxOldGenerationSizeMb/],
    [{ worker: { execArgv: 'x' } }, /execArgv/],
    [{ name: '' }, /name/],
    ['threads', /options/],
  ];
  for (const [options, message] of bad) {
    test(`rejects ${JSON.stringify(options)}`, () => {
      assert.throws(() => createPool(tasksUrl, options), { code: 'ERR_OPTION', message });
    });
  }

  test('names the place in data that cannot be cloned', () => {
    const create = () => createPool(tasksUrl, { worker: { data: { log: { write() {} } } } });
    assert.throws(create, { code: 'ERR_NOT_CLONEABLE', path: 'worker.data.log.write' });
  });

  test('a module that is neither a URL nor a path is refused', () => {
    for (const module of [undefined, null, 7, '', new URL('https://example.com/x.js')]) {
      assert.throws(() => createPool(module), { code: 'ERR_OPTION' });
    }
  });

  test('options of a call: unknown, wrong type, negative', async (t) => {
    const pool = poolFor(t);
    for (const [options, message] of [
      [{ timeout: 5 }, /Did you mean 'timeoutMs'/],
      [{ timeoutMs: -1 }, /timeoutMs/],
      [{ priority: 'high' }, /priority/],
      [{ signal: {} }, /signal/],
      [{ signal: { aborted: false, addEventListener() {} } }, /signal/],
      [{ signal: { aborted: false, addEventListener: 5, removeEventListener() {} } }, /signal/],
      [{ transfer: 1 }, /transfer/],
      [5, /options/],
    ]) {
      const { error } = await outcome(pool.run('increment', [1], options));
      assert.equal(error.code, 'ERR_OPTION');
      assert.match(error.message, message);
    }
    assert.equal((await outcome(pool.run('increment', 1))).error.code, 'ERR_OPTION');
    assert.equal((await outcome(pool.run(undefined, []))).error.code, 'ERR_OPTION');
    assert.equal(await pool.run('increment', [1]), 2);
  });

  test('a strategy that throws or answers nonsense is reported once; the default takes over; no call is lost', async (t) => {
    for (const choose of [
      () => {
        throw new Error('no idea');
      },
      () => 'the third one',
    ]) {
      const pool = poolFor(t, { threads: 3, choose });
      const errors = [];
      pool.on('error', ({ error }) => errors.push(error));
      await pool.ready;
      const results = await Promise.all(Array.from({ length: 20 }, (_, i) => pool.run('increment', [i])));
      assert.deepEqual(
        results,
        results.map((_, i) => i + 1),
      );
      assert.equal(errors.length, 1);
    }
  });
});

describe('modules', () => {
  const cases = [
    ['a missing file', new URL('./fixtures/none.mjs', import.meta.url), /Cannot find module/],
    ['a syntax error', badUrl('syntax.mjs'), /Unexpected token/],
    [
      'one that throws',
      badUrl('throws.mjs'),
      /Cannot load.*thrown while loading \(file:.*throws\.mjs:1:7\)$/,
    ],
    ['one that exports no function', badUrl('no-function.mjs'), /exports no function.*answer$/],
    ['one that exits', badUrl('exits.mjs'), /exit code 9 while it was starting$/],
    [
      'one whose setup throws',
      badUrl('setup-throws.mjs'),
      /^setup\(\) of the task module .* failed: Error: setup failed \(file:.*setup-throws\.mjs:1:36\)$/,
    ],
    ['one with a missing import', badUrl('missing-import.mjs'), /does-not-exist/],
  ];
  for (const [name, url, message] of cases) {
    test(`${name}: ready and every call are rejected with ERR_MODULE_LOAD and its cause`, async (t) => {
      const pool = poolFor(t, {}, url);
      const calls = [pool.ready, pool.run('f', []), pool.run('g', [])];
      const errors = (await Promise.all(calls.map(outcome))).map(({ error }) => error);
      errors.push((await outcome(pool.run('f', []))).error);
      for (const error of errors) {
        assert.equal(error.code, 'ERR_MODULE_LOAD');
        assert.match(error.message, message);
        assert.ok(error.cause instanceof Error);
      }
      await pool.close();
    });
  }

  for (const name of ['blocks.mjs', 'waits.mjs']) {
    test(`one that never ends loading (${name}) is given up after worker.startTimeoutMs`, async (t) => {
      const pool = poolFor(t, { worker: { startTimeoutMs: 200 } }, badUrl(name));
      const { error } = await outcome(pool.run('f', []));
      assert.equal(error.code, 'ERR_MODULE_LOAD');
      assert.match(error.message, /did not load within 200 ms \(option worker\.startTimeoutMs\)$/);
      assert.equal((await outcome(pool.ready)).error.code, 'ERR_MODULE_LOAD');
    });
  }

  test(
    'where the permission model allows no workers, the error names the option that does',
    { skip: apart },
    async () => {
      const isOld = !process.allowedNodeEnvironmentFlags.has('--permission');
      const args = [
        isOld ? '--experimental-permission' : '--permission',
        '--allow-fs-read=*',
        '--no-warnings',
      ];
      const source = `
      import { createPool } from 'threadwise';
      const pool = createPool(${JSON.stringify(tasksUrl)});
      await pool.ready.catch(({ code, message }) => console.log(code, message));`;
      const { stdout } = await runScript(source, { args });
      assert.match(stdout, /^ERR_MODULE_LOAD .*--allow-worker/s);
    },
  );

  test('a pool that is closing when its module does not load still ends, and its calls with it', async () => {
    const pool = createPool(badUrl('throws.mjs'), { threads: 2 });
    let starts = 0;
    pool.on('worker:start', () => starts++);
    const call = outcome(pool.run('f', []));
    await pool.close();
    assert.equal((await call).error.code, 'ERR_MODULE_LOAD');
    assert.equal(starts, 0, 'and none is started again');
  });

  test('destroy while it loads: ready and calls are rejected with ERR_POOL_CLOSED', async () => {
    const pool = createPool(badUrl('blocks.mjs'), { threads: 2 });
    const calls = [outcome(pool.ready), outcome(pool.run('f', []))];
    await pool.destroy();
    for (const { error } of await Promise.all(calls)) assert.equal(error.code, 'ERR_POOL_CLOSED');
  });

  test('TypeScript loads where the runtime strips types; elsewhere the error names the ways out', async (t) => {
    const pool = poolFor(t, {}, moduleUrl('typed.ts'));
    const { value, error } = await outcome(pool.run('triple', [2]));
    if (process.features.typescript) {
      assert.equal(value, 6);
    } else {
      assert.equal(error.code, 'ERR_MODULE_LOAD');
      assert.match(error.message, /Node\.js 22\.18.*compile.*'--import', '\.\/loader\.mjs'.*register\(\);$/s);
      assert.equal(error.cause.code, 'ERR_UNKNOWN_FILE_EXTENSION');
    }
  });

  test('CommonJS, default exports and data: URLs', async (t) => {
    const named = poolFor(t, {}, moduleUrl('named.cjs'));
    assert.equal(await named.run('double', [4]), 8);
    assert.equal(await named.run('computedName', []), 'found');
    assert.equal(await poolFor(t, {}, moduleUrl('function.cjs')).run('default', [4]), 12);
    assert.equal(await poolFor(t, {}, moduleUrl('default.mjs')).run('default', [4]), 16);
    const dataUrl = 'data:text/javascript,export const half = (x) => x / 2';
    assert.equal(await poolFor(t, {}, dataUrl).run('half', [4]), 2);
  });

  test('setup is awaited before the first task, teardown at the end', { skip: apart }, async (t) => {
    const shared = new SharedArrayBuffer(12);
    const options = { name: 'lifecycle', threads: 2, worker: { data: { shared } } };
    const pool = poolFor(t, options, moduleUrl('lifecycle.mjs'));
    await pool.ready;
    assert.deepEqual(await Promise.all([pool.run('work', []), pool.run('work', [])]), [true, true]);
    assert.equal((await outcome(pool.run('setup', []))).error.code, 'ERR_TASK_NOT_FOUND');
    await pool.close();
    assert.deepEqual([...new Int32Array(shared)], [2, 2, 0]);
  });
});

describe('what a worker prints before it ends is not lost', () => {
  for (const [name, way] of Object.entries(ways)) {
    test(name, async () => {
      const { stdout, stderr } = await runScript(`
        import { createPool } from 'threadwise';
        const way = ${JSON.stringify(way)};
        const pool = createPool(${JSON.stringify(moduleUrl('prints.mjs'))}, { threads: 1, ...way });
        await pool.run('work', []);
        await pool.close();`);
      const lines = ['work', 'teardown'].flatMap((what) =>
        Array.from({ length: 20 }, (_, i) => `${what} ${i}`),
      );
      assert.deepEqual(stdout.trim().split('\n'), lines);
      assert.deepEqual(stderr.trim().split('\n'), lines);
    });
  }
});

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

describe('crash loops', () => {
  test('a worker that dies idle again and again is given up, with the reason', async (t) => {
    const pool = poolFor(t, { threads: 1 }, moduleUrl('crash-when-idle.mjs'));
    let starts = 0;
    pool.on('worker:start', () => starts++);
    while (pool.stats().state !== 'broken') await event(pool, 'error');
    assert.ok(starts < 10, `${starts} workers were started`);
    const { error } = await outcome(pool.run('increment', [1]));
    assert.equal(error.code, 'ERR_MODULE_LOAD');
    assert.match(error.message, /idle crash/);
  });

  test(
    'a module that stops loading later does not take down the pool: the other workers go on',
    { skip: apart },
    async (t) => {
      const shared = new SharedArrayBuffer(4);
      const options = { threads: 2, worker: { data: { shared } } };
      const pool = poolFor(t, options, moduleUrl('flaky-load.mjs'));
      await pool.ready;
      new Int32Array(shared)[0] = 1;
      const reported = event(pool, 'error');
      assert.equal((await outcome(pool.run('exit', []))).error.code, 'ERR_WORKER_CRASHED');
      assert.match((await reported).error.message, /does not load/);
      assert.equal(await pool.run('increment', [1]), 2);
      new Int32Array(shared)[0] = 0;
    },
  );
});

describe('task names', () => {
  test('missing and inherited names are not found; the message lists what exists', async (t) => {
    const pool = poolFor(t);
    for (const name of ['incremnt', 'toString', '__proto__', 'constructor', 'hasOwnProperty', 'then']) {
      const { error } = await outcome(pool.run(name, []));
      assert.equal(error.code, 'ERR_TASK_NOT_FOUND', name);
      assert.match(error.message, /increment/);
    }
    assert.match((await outcome(pool.run('incremnt', []))).error.message, /Did you mean 'increment'/);
    assert.equal(await pool.tasks.increment(1), 2);
  });
});

describe('a name with a NUL, which marks names that cross', () => {
  for (const [way, options] of Object.entries({ ...ways, inline: { placement: 'inline' } })) {
    test(`is not found: ${way}`, async (t) => {
      const pool = poolFor(t, { threads: 1, ...options });
      for (const isReady of [false, true]) {
        if (isReady) await pool.ready;
        for (const name of ['increment\0', 'upTo\0stream', '\0']) {
          for (const args of [
            [name, [1, 2]],
            [name, [1, 2], { priority: 1 }],
          ]) {
            const { error } = await outcome(pool.run(...args));
            assert.equal(error?.code, 'ERR_TASK_NOT_FOUND', JSON.stringify(name));
          }
        }
      }
      assert.equal(await pool.run('increment', [1]), 2);
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
  for (const [args, path] of cases) {
    test(`the path is named: ${path}`, async (t) => {
      const pool = poolFor(t, { threads: 1 });
      const { error } = await outcome(pool.run('echo', args));
      assert.equal(error.code, 'ERR_NOT_CLONEABLE');
      assert.equal(error.path, path);
      assert.ok(error.message.includes(path));
      assert.equal(await pool.run('increment', [1]), 2);
    });
  }

  test('in a result, too', async (t) => {
    const pool = poolFor(t, { threads: 1 });
    const { error } = await outcome(pool.run('makeFunction', []));
    assert.deepEqual([error.code, error.path], ['ERR_NOT_CLONEABLE', 'result.handlers[0]']);
    assert.ok(isThreadwiseError(error));
    assert.equal((await outcome(pool.run('makeSymbol', []))).error.path, 'result');
    assert.equal(await pool.run('increment', [1]), 2);
  });

  for (const placement of ['threads', 'inline']) {
    test(`a result whose transfer list is none: placement ${placement}`, async (t) => {
      const pool = poolFor(t, { threads: 1, placement });
      for (const isAsync of [false, true]) {
        for (const list of [5, 'x', new ArrayBuffer(3)]) {
          const { error } = await outcome(pool.run('transferWith', [list, isAsync]));
          assert.equal(error.code, 'ERR_NOT_CLONEABLE');
        }
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

describe('leases', () => {
  for (const dispatch of ['shared-queue', 'direct']) {
    test(`${dispatch}: more than fit are refused, calls go on, and what is given back is there again`, async (t) => {
      const pool = poolFor(t, { transport: 'shared', dispatch });
      const bytes = 2 ** 30; // never touched, so it takes no memory
      const leases = [];
      let error;
      while (error === undefined) {
        try {
          leases.push(pool.lease(bytes));
        } catch (thrown) {
          error = thrown;
        }
      }
      assert.equal(error.code, 'ERR_LEASE_MEMORY');
      assert.match(error.message, new RegExp(`${bytes} bytes`));
      assert.deepEqual(await pool.run('echo', [new Uint8Array(5000).fill(1)]), new Uint8Array(5000).fill(1));
      for (const lease of leases) lease.release();
      const small = pool.lease(2 ** 20);
      small.bytes.fill(7);
      assert.equal((await pool.run('echo', [small])).length, 2 ** 20);
    });
  }

  test('a lease inside another argument is refused, with its path; its bytes pass', async (t) => {
    const pool = poolFor(t);
    const lease = pool.lease(4);
    lease.bytes.fill(3);
    assert.equal((await outcome(pool.run('echo', [{ lease }]))).error.path, 'args[0].lease.release');
    assert.deepEqual([...(await pool.run('echo', [{ inside: lease.bytes }])).inside], [3, 3, 3, 3]);
    lease.release();
    assert.equal((await outcome(pool.run('echo', [lease]))).error.code, 'ERR_LEASE_RELEASED');
    assert.throws(() => pool.lease(-1), { code: 'ERR_OPTION' });
  });

  test('memory goes round, but not while a task that was given up may still write to it', async (t) => {
    const pool = poolFor(t, { threads: 1 });
    const first = pool.lease(8);
    const { buffer: memory, byteOffset: at } = first.bytes;
    const isThere = ({ bytes }) => bytes.buffer === memory && bytes.byteOffset === at;
    await pool.run('sum', [first]);
    const second = pool.lease(8);
    assert.ok(isThere(second));
    const { error } = await outcome(pool.run('loopForEver', [second], { timeoutMs: 20 }));
    assert.equal(error.code, 'ERR_TASK_TIMEOUT');
    assert.ok(!isThere(pool.lease(8)));
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
    assert.match(error.stack, /theCaller.*faults\.test\.mjs/);
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

describe('the owner and the task speak to each other', () => {
  test('host functions are awaited; their errors arrive; missing ones are named', async (t) => {
    const host = {
      add: async (a, b) => a + b,
      refuse: () => {
        throw Object.assign(new TypeError('not today'), { code: 'E_LATER' });
      },
      give: () => () => 1,
    };
    const pool = poolFor(t, { host });
    assert.equal(await pool.run('callHost', ['add', 1, 2]), 3);
    const refused = (await outcome(pool.run('callHost', ['refuse']))).error;
    assert.deepEqual([refused instanceof TypeError, refused.code], [true, 'E_LATER']);
    const missing = (await outcome(pool.run('callHost', ['nothing']))).error;
    assert.match(missing.message, /Offered: add, refuse, give/);
    assert.equal((await outcome(pool.run('callHost', ['give']))).error.code, 'ERR_NOT_CLONEABLE');
  });

  test('progress reaches the call and the pool; a listener that throws is reported', async (t) => {
    const pool = poolFor(t, { threads: 1 });
    const [own, all, errors] = [[], [], []];
    pool.on('task:progress', ({ value }) => all.push(value));
    pool.on('error', ({ error }) => errors.push(error.message));
    await pool.run('report', [[1, 2]], { onProgress: (value) => own.push(value) });
    assert.deepEqual(
      [own, all],
      [
        [1, 2],
        [1, 2],
      ],
    );
    const onProgress = () => {
      throw new Error('bad listener');
    };
    assert.equal(await pool.run('report', [[1]], { onProgress }), 1);
    assert.deepEqual(errors, ['bad listener']);
  });

  test('progress may move what it reports, as a result may', async (t) => {
    for (const placement of ['threads', 'inline']) {
      const pool = poolFor(t, { threads: 1, placement });
      const values = [];
      assert.equal(
        await pool.run('reportMoved', [3], { onProgress: (value) => values.push(value) }),
        0,
        placement,
      );
      assert.deepEqual(values, [new Uint8Array([7, 7, 7])], placement);
    }
  });

  test('a broadcast runs once on every worker; a worker that dies is replaced first', async (t) => {
    const pool = poolFor(t, { threads: 3 });
    await pool.ready;
    assert.equal(new Set(await pool.broadcast('workerId')).size, 3);
    assert.deepEqual(await pool.broadcast('countCalls'), [1, 1, 1]);
    const { promise } = await started(pool, 'loopForEver', [], { timeoutMs: 20 });
    const all = pool.broadcast('workerId');
    assert.equal((await outcome(promise)).error.code, 'ERR_TASK_TIMEOUT');
    assert.equal(new Set(await all).size, 3);
    assert.equal((await outcome(pool.broadcast('fail', ['x']))).error.message, 'x');
  });

  for (const [way, options] of Object.entries(ways)) {
    test(`a broadcast runs on no worker twice, also where the pool needs no replacement for one that dies: ${way}`, async (t) => {
      const pool = poolFor(t, options);
      await pool.ready;
      pool.resize({ min: 1, max: 2 });
      const { promise } = await started(pool, 'loopForEver', [], { timeoutMs: 20 });
      const all = pool.broadcast('countCalls');
      assert.equal((await outcome(promise)).error.code, 'ERR_TASK_TIMEOUT');
      assert.deepEqual(await all, [1, 1]);
    });

    test(`a broadcast runs on no worker twice, also where several die together: ${way}`, async (t) => {
      const pool = poolFor(t, options);
      await pool.ready;
      const controller = new AbortController();
      const { signal } = controller;
      const running = [];
      for (let i = 0; i < 2; i++) running.push(await started(pool, 'loopForEver', [], { signal }));
      const all = pool.broadcast('countCalls');
      controller.abort();
      for (const { promise } of running)
        assert.equal((await outcome(promise)).error.code, 'ERR_TASK_ABORTED');
      assert.deepEqual(await all, [1, 1]);
    });

    for (const [what, leave] of [
      ['is released', (pool) => pool.resize(1)],
      ['is recycled', (pool) => void pool.recycle()],
    ]) {
      test(`a broadcast runs on no worker twice, also where more of them wait than there is room for at one that ${what}: ${way}`, async (t) => {
        const pool = poolFor(t, options);
        await pool.ready;
        const held = gate();
        const running = [];
        for (let i = 0; i < 2; i++) running.push(await started(pool, 'blockUntil', [held.shared]));
        const all = Array.from({ length: 300 }, () => pool.broadcast('workerId'));
        leave(pool);
        held.open();
        for (const { promise } of running) await promise;
        const ids = (await Promise.all(all)).map((list) => list.toSorted((a, b) => a - b));
        assert.deepEqual([...new Set(ids.map(String))], ['1,2']);
      });
    }
  }

  test('a broadcast that is aborted when its worker has died settles once, and never runs', async (t) => {
    for (const [name, way] of Object.entries(ways)) {
      for (const when of ['while the death is told', 'while the next worker starts']) {
        const pool = poolFor(t, { threads: 1, tasksPerWorker: 2, ...way });
        const { promise } = await started(pool, 'loopForEver', [], { timeoutMs: 20 });
        const controller = new AbortController();
        const all = outcome(pool.broadcast('countCalls', [], { signal: controller.signal }));
        const died = event(pool, 'worker:exit', () => {
          if (when === 'while the death is told') controller.abort();
          return true;
        });
        assert.equal((await outcome(promise)).error.code, 'ERR_TASK_TIMEOUT');
        await died;
        controller.abort();
        assert.equal((await all).error?.code, 'ERR_TASK_ABORTED', `${name}, ${when}`);
        assert.deepEqual(await pool.broadcast('countCalls'), [1], `${name}, ${when}`);
        const { open, completed, aborted } = pool.stats().tasks;
        assert.deepEqual({ open, completed, aborted }, { open: 0, completed: 1, aborted: 1 });
      }
    }
  });

  test('a broadcast to several workers refuses to move anything; to one it moves', async (t) => {
    const made = new Uint8Array([1, 2, 3]);
    const transfer = [made.buffer];
    const two = poolFor(t);
    const { error } = await outcome(two.broadcast('sum', [made], { transfer }));
    assert.equal(error.code, 'ERR_OPTION');
    assert.match(
      error.message,
      /'transfer': expected nothing in a broadcast to 2 workers, got an array of 1/,
    );
    assert.equal(made.length, 3);
    assert.deepEqual(await two.broadcast('sum', [made], { transfer: [] }), [6, 6]);
    assert.deepEqual(await poolFor(t, { threads: 1 }).broadcast('sum', [made], { transfer }), [6]);
    assert.equal(made.length, 0);
  });

  test('worker options arrive: data, env, argv, execArgv', async (t) => {
    const env = { ...process.env, THREADWISE_TEST: 'yes' };
    const worker = { env, argv: ['a', 'b'], execArgv: ['--no-warnings'] };
    const seen = await poolFor(t, { threads: 1, worker }).run('environment', []);
    assert.deepEqual([seen.argv, seen.env, seen.execArgv], [['a', 'b'], 'yes', ['--no-warnings']]);
  });

  test('--import and --require run in workers, by execArgv and by NODE_OPTIONS, with and without a coordinator', async (t) => {
    const [esm, cjs] = ['preload.mjs', 'preload.cjs'].map((name) => fileURLToPath(moduleUrl(name)));
    const execArgv = ['--import', moduleUrl('preload.mjs').href, '--require', cjs];
    const env = { ...process.env, NODE_OPTIONS: `--import=${pathToFileURL(esm).href} --require=${cjs}` };
    for (const worker of [{ execArgv }, { env }]) {
      for (const dispatch of ['shared-queue', 'coordinator']) {
        const pool = poolFor(t, { threads: 1, transport: 'shared', dispatch, worker });
        assert.deepEqual(await pool.run('preloaded', []), [true, true]);
        await pool.close();
      }
    }
  });

  test('--import of the process, on its command line or in NODE_OPTIONS, runs in its workers, too', async () => {
    const script = fileURLToPath(new URL('./fixtures/prints-preloaded.mjs', import.meta.url));
    const preload = `--import=${moduleUrl('preload.mjs').href}`;
    for (const [args, env] of [
      [[preload], {}],
      [[], { NODE_OPTIONS: preload }],
    ]) {
      const options = { env: { ...process.env, ...env } };
      const { stdout } = await promisify(execFile)(process.execPath, [...args, script], options);
      assert.equal(stdout.trim(), '[true,false]');
    }
  });

  test('what --import cannot load is a module load error with its reason', async (t) => {
    const execArgv = ['--import', moduleUrl('there-is-none.mjs').href];
    const { error } = await outcome(poolFor(t, { threads: 1, worker: { execArgv } }).run('increment', [1]));
    assert.equal(error.code, 'ERR_MODULE_LOAD');
    assert.match(String(error.cause), /there-is-none/);
  });

  test('stacks end with the task also where --import is used', async (t) => {
    const execArgv = ['--import', moduleUrl('preload.mjs').href];
    const { error } = await outcome(poolFor(t, { threads: 1, worker: { execArgv } }).run('fail', ['custom']));
    assert.doesNotMatch(error.stack, /worker eval|data:text/);
  });

  test('what is put on Object.prototype is no option of anything', async () => {
    const source = `
      import { createPool } from 'threadwise';
      import { readFile } from 'threadwise/files';
      import { fileURLToPath } from 'node:url';
      const names = ['name', 'threads', 'transport', 'dispatch', 'placement', 'loopBudgetMs', 'isolation', 'choose', 'tasksPerWorker', 'queue',
        'timeoutMs', 'retries', 'worker', 'idleTimeoutMs', 'host', 'onTaskStart', 'onTaskEnd', 'data', 'env', 'argv', 'execArgv', 'resourceLimits',
        'recycle', 'startTimeoutMs', 'afterTasks', 'aboveMemoryMiB', 'limit', 'min', 'max', 'priority', 'key', 'transfer', 'onProgress',
        'concurrency', 'ordered', 'eval', 'stdin', 'stdout', 'stderr', 'trackUnmanagedFds', 'workerData', 'transferList', 'maxOldGenerationSizeMb',
        'syncBytes', 'aheadBytes', 'onError', 'cause', 'list', 'processes'];
      for (const name of names) Object.prototype[name] = ['--polluted'];
      const { signal } = new AbortController();
      const transport = 'shared';
      for (const way of [{ transport, dispatch: 'shared-queue' }, { transport, dispatch: 'coordinator' }, { transport, dispatch: 'direct' },
        { isolation: 'process' }, { isolation: { threads: 2 } }]) {
        const pool = createPool('./tasks.mjs', { ...way, threads: { min: 1, max: 1 }, queue: {}, worker: { recycle: {}, resourceLimits: {} } });
        await pool.run('increment', [1]);
        await pool.run('increment', [1], { signal });
        for await (const _ of pool.map('increment', [1], {}));
        await pool.broadcast('increment', [1]);
        pool.configure({ queue: {} });
        await pool.recycle();
        const moved = new ArrayBuffer(8);
        await pool.run('byteLength', [moved], { transfer: [moved] });
        await pool.close({});
      }
      await readFile(fileURLToPath(new URL('./tasks.mjs', 'file://' + process.cwd() + '/')), {});
      for (const name of names) delete Object.prototype[name];
      console.log('all of it works');`;
    const { stdout, stderr } = await runScript(source);
    assert.equal(stdout.trim(), 'all of it works', stderr);
  });

  for (const placement of ['threads', 'inline']) {
    test(`an Error.prepareStackTrace that throws hides no error: placement '${placement}'`, async () => {
      const source = `
        import { createPool } from 'threadwise';
        const pool = createPool('./tasks.mjs', { threads: 1, placement: '${placement}' });
        await pool.ready;
        Error.prepareStackTrace = () => { throw new Error('it makes none'); };
        const calls = [pool.run('none', []), pool.broadcast('none', []), pool.map('none', [1]).next(), pool.stream('none', []).next(),
          pool.run('increment', [() => 1])];
        const codes = await Promise.all(calls.map((call) => call.catch(({ code }) => code)));
        console.log(codes.join(' '));
        await pool.close();`;
      const { stdout, stderr } = await runScript(source);
      const found = 'ERR_TASK_NOT_FOUND';
      assert.equal(stdout.trim(), `${found} ${found} ${found} ${found} ERR_NOT_CLONEABLE`, stderr);
    });
  }

  test('a timeout or a signal on Object.prototype is none of a call, of a map or of a stream', async (t) => {
    const pool = poolFor(t, { threads: 1 });
    await pool.ready;
    Object.prototype.timeoutMs = 1;
    Object.prototype.signal = AbortSignal.abort();
    const call = pool.run('spin', [100], {});
    const results = pool.map('spin', [100], {});
    const values = pool.stream('spin', [100], {});
    const firsts = Promise.allSettled([call, results.next(), values.next()]);
    delete Object.prototype.timeoutMs;
    delete Object.prototype.signal;
    const [ran, mapped, streamed] = await firsts;
    assert.deepEqual([ran.status, mapped.status], ['fulfilled', 'fulfilled']);
    assert.equal(streamed.reason.code, 'ERR_NOT_ITERABLE', 'it ran');
  });

  for (const [way, options] of Object.entries(ways)) {
    test(`a task that replaces every global does no harm to the worker that runs it: ${way}`, async (t) => {
      const pool = poolFor(t, { threads: 1, ...options });
      await pool.run('replaceGlobals', []);
      assert.equal(await pool.run('increment', [1]), 2);
      assert.deepEqual(await pool.run('echo', [{ text: 'x'.repeat(5000), bytes: new Uint8Array(5000) }]), {
        text: 'x'.repeat(5000),
        bytes: new Uint8Array(5000),
      });
      assert.equal((await outcome(pool.run('nobody', []))).error.code, 'ERR_TASK_NOT_FOUND');
      const running = await started(pool, 'loopPolitely', [], { timeoutMs: 100 });
      assert.equal((await outcome(running.promise)).error.code, 'ERR_TASK_TIMEOUT');
      assert.equal(await pool.run('increment', [1]), 2);
      assert.equal(pool.stats().crashes, 0);
      await pool.close();
    });
  }

  test('execArgv that Node refuses is a module load error with its reason', async (t) => {
    const pool = poolFor(t, {
      worker: { execArgv: [apart ? '--no-such-option' : '--max-old-space-size=100'] },
    });
    const { error } = await outcome(pool.ready);
    assert.equal(error.code, 'ERR_MODULE_LOAD');
    if (apart) assert.match(error.message, /bad option: --no-such-option/);
    else assert.equal(error.cause.code, 'ERR_WORKER_INVALID_EXEC_ARGV');
  });
});

describe('sizing', () => {
  /** Takes as long as a teardown may take: the other tests run meanwhile. */
  let hangingTeardown;
  before(() => {
    hangingTeardown = outcome(closeThoughTeardownHangs());
  });
  async function closeThoughTeardownHangs() {
    const pool = createPool(moduleUrl('teardown-hangs.mjs'), { threads: 1 });
    assert.equal(await pool.run('increment', [1]), 2);
    await pool.close();
  }

  test('grows on demand to the maximum, and releases idle workers down to the minimum', async (t) => {
    const pool = poolFor(t, { threads: { min: 1, max: 3 }, idleTimeoutMs: 20 });
    await pool.ready;
    assert.equal(pool.stats().threads.current, 1);
    const { shared, open } = gate();
    const running = await Promise.all(
      [0, 1, 2, 3].map(() => pool.run('waitFor', [shared]).catch((e) => e)).map(async (p) => ({ p })),
    );
    while (pool.stats().threads.current < 3) await event(pool, 'worker:ready');
    const released = [];
    pool.on('worker:exit', ({ reason }) => released.push(reason));
    open();
    await Promise.all(running.map(({ p }) => p));
    // On a busy machine a worker may be released before it gets its call, and another one started.
    const isLarge = () => pool.stats().threads.current > 1;
    while (isLarge() || released.length < 2) await event(pool, 'worker:exit');
    assert.deepEqual(new Set(released), new Set(['released']));
    assert.equal(await pool.run('increment', [1]), 2);
  });

  test('with a minimum of 0 the last worker goes too, and the next call gets a new one', async (t) => {
    const pool = poolFor(t, { threads: { min: 0, max: 1 }, idleTimeoutMs: 10 });
    await pool.ready;
    assert.equal(pool.stats().threads.current, 0);
    for (const i of [1, 2, 3]) {
      const gone = event(pool, 'worker:exit');
      assert.equal(await pool.run('increment', [i]), i + 1);
      assert.equal((await gone).reason, 'released');
    }
  });

  test('a call that comes while a worker is released is not lost', async (t) => {
    const pool = poolFor(t, { threads: { min: 0, max: 2 }, idleTimeoutMs: 0 });
    let starts = 0;
    pool.on('worker:start', () => starts++);
    for (let i = 0; i < 50; i++) assert.equal(await pool.run('increment', [i]), i + 1);
    assert.ok(starts <= 50, `${starts} workers for 50 calls: one that has a task is not idle`);
  });

  test('resize while running, up and down, loses nothing', async (t) => {
    const pool = poolFor(t, { threads: 1 });
    const calls = [];
    for (const threads of [4, 1, { min: 2, max: 3 }, 1, 3]) {
      for (let i = 0; i < 50; i++)
        calls.push(pool.run('increment', [i]).then((value) => assert.equal(value, i + 1)));
      pool.resize(threads);
      await calls.at(-50);
    }
    await Promise.all(calls);
    assert.throws(() => pool.resize(0), { code: 'ERR_OPTION' });
    assert.throws(() => pool.resize({ min: 2, max: 1 }), { code: 'ERR_OPTION' });
    await pool.close();
    assert.throws(() => pool.resize(2), { code: 'ERR_POOL_CLOSED' });
  });

  test('a broadcast to workers that are released while they start runs there before they go', async (t) => {
    for (const [name, way] of Object.entries(ways)) {
      const pool = poolFor(t, { threads: 3, ...way });
      const reasons = [];
      const left = event(pool, 'worker:exit', ({ reason }) => reasons.push(reason) === 2);
      const all = pool.broadcast('countCalls');
      pool.resize(1);
      assert.equal(pool.stats().threads.current, 1);
      assert.deepEqual((await outcome(all)).value, [1, 1, 1], name);
      await left;
      assert.deepEqual([reasons, pool.stats().workers.length], [['released', 'released'], 1], name);
    }
  });

  test('resize in every state: loading, idle, after a crash, inline, broken, closing, closed', async (t) => {
    const loading = poolFor(t, { threads: 1 });
    loading.resize(2);
    assert.deepEqual(await Promise.all([1, 2].map((x) => loading.run('increment', [x]))), [2, 3]);
    await outcome(loading.run('exit', [1]));
    loading.resize({ min: 0, max: 1 });
    assert.equal(await loading.run('increment', [1]), 2);

    const inline = poolFor(t, { placement: 'inline' });
    inline.resize(4);
    assert.equal(await inline.run('increment', [1]), 2);
    assert.equal(inline.stats().threads.current, 0);

    const broken = poolFor(t, {}, badUrl('throws.mjs'));
    await outcome(broken.ready);
    assert.throws(() => broken.resize(2), { code: 'ERR_MODULE_LOAD' });

    const closing = loading.close();
    assert.throws(() => loading.resize(2), { code: 'ERR_POOL_CLOSED' });
    await closing;
    assert.throws(() => loading.resize(2), { code: 'ERR_POOL_CLOSED' });
  });

  test('recycling after a number of tasks loses none', async (t) => {
    const pool = poolFor(t, { threads: 2, worker: { recycle: { afterTasks: 10 } } });
    const results = await Promise.all(Array.from({ length: 300 }, (_, i) => pool.run('increment', [i])));
    assert.deepEqual(
      results,
      results.map((_, i) => i + 1),
    );
    // Two workers may remain that have not run ten tasks.
    assert.ok(pool.stats().recycled >= 29);
    assert.equal(pool.stats().tasks.crashed, 0);
  });

  for (const [way, options] of Object.entries(ways)) {
    for (const afterTasks of [1, 3]) {
      test(`no worker runs more than ${afterTasks} tasks where it is replaced after so many: ${way}`, async (t) => {
        const pool = poolFor(t, { threads: 2, ...options, worker: { recycle: { afterTasks } } });
        const shared = apart ? new Map() : new SharedArrayBuffer(4); // makes the arguments go by port
        const call = (i) => {
          const moved = new ArrayBuffer(8);
          if (i % 8 === 1) return pool.run('countCalls', [moved], { transfer: [moved] });
          if (i % 8 === 3) return pool.run('countCalls', [shared]);
          if (i % 8 === 5) return pool.run('countCalls', [], { key: `key ${i % 3}` });
          return pool.run('countCalls', []);
        };
        const counts = await Promise.all(Array.from({ length: 16 }, (_, i) => call(i)));
        assert.ok(Math.max(...counts) <= afterTasks, `calls of a worker: ${counts}`);
        assert.equal(pool.stats().tasks.crashed, 0);
      });
    }

    test(`aborted calls do not use up what a worker may run: ${way}`, async (t) => {
      const pool = poolFor(t, { threads: 1, ...options, worker: { recycle: { afterTasks: 2 } } });
      const { open, shared } = gate();
      const first = await started(pool, 'blockUntil', [shared]);
      for (const run of [{}, { key: 'a' }]) {
        const controller = new AbortController();
        const aborted = pool.run('countCalls', [], { ...run, signal: controller.signal });
        controller.abort();
        assert.equal((await outcome(aborted)).error.code, 'ERR_TASK_ABORTED');
      }
      open();
      await first.promise;
      assert.equal(await pool.run('countCalls', []), 1); // the second task of that worker, its first run of `countCalls`
      assert.equal(await pool.run('countCalls', []), 1);
    });
  }

  test('recycling above a memory limit replaces the worker', async (t) => {
    const pool = poolFor(t, { threads: 1, worker: { recycle: { aboveMemoryMiB: 1 } } });
    const gone = event(pool, 'worker:exit');
    await pool.run('spin', [300]); // heap use is checked a few times a second
    assert.equal((await gone).reason, 'recycled');
    assert.equal(await pool.run('increment', [1]), 2);
  });

  test('keys: the same key goes to the same worker as long as it lives', async (t) => {
    const pool = poolFor(t, { threads: 3 });
    await pool.ready;
    const homes = new Map();
    for (let i = 0; i < 60; i++) {
      const key = `user-${i % 6}`;
      const id = await pool.run('workerId', [], { key });
      assert.equal(id, homes.get(key) ?? id);
      homes.set(key, id);
    }
    await outcome(pool.run('exit', [1], { key: 'user-0' }));
    const home = await pool.run('workerId', [], { key: 'user-0' });
    assert.notEqual(home, homes.get('user-0'));
    assert.equal(await pool.run('workerId', [], { key: 'user-0' }), home);
  });

  for (const [way, options] of Object.entries({ ...ways, inline: { placement: 'inline' } })) {
    test(`teardown that throws is told by the event error: ${way}`, async (t) => {
      const pool = poolFor(t, { threads: 1, ...options }, moduleUrl('teardown-throws.mjs'));
      const errors = [];
      pool.on('error', ({ error }) => errors.push(`${error.name}: ${error.message}`));
      await pool.ready;
      await pool.close();
      assert.deepEqual(errors, ['RangeError: the log was not written']);
    });
  }

  test('teardown that hangs does not keep close from ending', async () => {
    assert.deepEqual(await hangingTeardown, { value: undefined });
  });

  test('the environment overrides the defaults', async () => {
    const script = `
      import { createPool } from 'threadwise';
      const pool = createPool(process.cwd() + '/tasks.mjs');
      const { threads, choose } = pool.stats();
      console.log(threads.min, threads.max, choose);
      await pool.close();`;
    const ask = (env) => runScript(script, { env });
    assert.equal(
      (await ask({ THREADWISE_THREADS: '3', THREADWISE_CHOOSE: 'random' })).stdout,
      '3 3 random\n',
    );
    assert.equal((await ask({ THREADWISE_THREADS: '1-5' })).stdout, '1 5 least-busy\n');
    const wrong = await ask({ THREADWISE_THREADS: 'many' });
    assert.match(wrong.stderr, /THREADWISE_THREADS.*"many"/);
  });
});

describe('map', () => {
  test('ordered and as completed; backpressure; early break cancels the rest and closes the input', async (t) => {
    const pool = poolFor(t, { threads: 2 });
    let [read, closed] = [0, false];
    async function* input() {
      try {
        for (;;) yield read++;
      } finally {
        closed = true;
      }
    }
    const results = [];
    for await (const value of pool.map('increment', input(), { concurrency: 5 })) {
      results.push(value);
      assert.ok(read <= results.length + 5, `${read} read, ${results.length} taken`);
      if (results.length === 50) break;
    }
    assert.deepEqual(
      results,
      results.map((_, i) => i + 1),
    );
    assert.ok(closed);
    while (pool.stats().tasks.open > 0) await event(pool, 'task:settle');
    const unordered = [];
    for await (const value of pool.map('increment', [1, 2, 3], { ordered: false })) unordered.push(value);
    assert.deepEqual(unordered.sort(), [2, 3, 4]);
  });

  test('an abort ends what runs and keeps what waits from running', async (t) => {
    for (const timeoutMs of [undefined, 60_000]) {
      const pool = poolFor(t, { threads: 1 });
      const ran = [];
      const controller = new AbortController();
      const onProgress = (mark) => {
        ran.push(mark);
        controller.abort('why');
      };
      const { signal } = controller;
      const results = pool.map('runUntilAborted', [0, 1, 2], { timeoutMs, onProgress, signal });
      const { error } = await outcome(results.next());
      assert.deepEqual([error.code, error.cause, ran], ['ERR_TASK_ABORTED', 'why', [0]]);
      assert.equal(await pool.run('increment', [1]), 2, 'the worker is free again');
      const { aborted, completed } = pool.stats().tasks;
      assert.deepEqual([aborted, completed], [3, 1]);
    }
  });

  test('the first error ends it; an aborted signal ends it; a bad input is refused', async (t) => {
    const pool = poolFor(t);
    const drain = async (results) => {
      for await (const _ of results);
    };
    assert.equal((await outcome(drain(pool.map('fail', ['frozen'])))).error.message, 'cold');
    const unordered = { ordered: false, concurrency: 1 };
    for (const options of [{}, unordered]) {
      const { error } = await outcome(drain(pool.map('failAbove2', [1, 2, 3, 4], options)));
      assert.match(error.stack, /--- called from ---\n {4}at item 2 of the map, counted from 0\n/);
    }
    const controller = new AbortController();
    async function* never() {
      controller.abort();
      await new Promise(() => undefined);
    }
    const aborted = await outcome(drain(pool.map('increment', never(), { signal: controller.signal })));
    assert.equal(aborted.error.code, 'ERR_TASK_ABORTED');
    assert.throws(() => pool.map('increment', 7), { code: 'ERR_OPTION' });
    assert.throws(() => pool.map('increment', [], { concurrency: 0 }), { code: 'ERR_OPTION' });
    const throwing = (function* () {
      yield 1;
      throw new Error('input broke');
    })();
    assert.equal((await outcome(drain(pool.map('increment', throwing)))).error.message, 'input broke');
    const iterator = {
      next: () => ({ done: false, value: 'frozen' }),
      return() {
        throw new Error('closing broke');
      },
    };
    const failing = { [Symbol.iterator]: () => iterator };
    const { error } = await outcome(drain(pool.map('fail', failing)));
    assert.equal(error.message, 'cold', 'the first error counts, as in a loop');
  });

  test('several share a bounded queue, also where their inputs are awaited', async (t) => {
    const pool = poolFor(t, { threads: 1, queue: { limit: 1 } });
    async function* input() {
      for (let i = 0; i < 20; i++) {
        await new Promise(setImmediate);
        yield i;
      }
    }
    const take = async () => {
      const values = [];
      for await (const value of pool.map('increment', input())) values.push(value);
      return values.length;
    };
    assert.deepEqual(await Promise.all([take(), take(), take()]), [20, 20, 20]);
  });

  test('a bounded queue slows it down and refuses nothing', async (t) => {
    const pool = poolFor(t, { threads: 1, queue: { limit: 2 } });
    const inputs = Array.from({ length: 100 }, (_, i) => i);
    const results = [];
    for await (const value of pool.map('increment', inputs, { concurrency: 20 })) results.push(value);
    assert.deepEqual(
      results,
      inputs.map((i) => i + 1),
    );
  });
});

describe("placement 'inline'", () => {
  test('the same interface on the calling thread: values, errors, context, progress, host, map, broadcast', async (t) => {
    const pool = poolFor(t, { placement: 'inline', threads: 4, host: { add: (a, b) => a + b } });
    await pool.ready;
    assert.equal(await pool.run('increment', [1]), 2);
    assert.equal((await outcome(pool.run('fail', ['custom']))).error.code, 'E_SHAPE');
    assert.equal((await outcome(pool.run('makeFunction', []))).error.code, 'ERR_NOT_CLONEABLE');
    assert.equal((await outcome(pool.run('nothing', []))).error.code, 'ERR_TASK_NOT_FOUND');
    assert.equal(await pool.run('callHost', ['add', 1, 2]), 3);
    assert.deepEqual(await pool.broadcast('increment', [1]), [2]);
    const value = { list: [1] };
    assert.notEqual(await pool.run('echo', [value]), value, 'cloned, as across threads');
    const { promise } = await started(pool, 'runUntilAborted', [], { timeoutMs: 10 });
    assert.equal((await outcome(promise)).error.code, 'ERR_TASK_TIMEOUT');
    const results = [];
    for await (const n of pool.map('increment', [1, 2, 3])) results.push(n);
    assert.deepEqual(results, [2, 3, 4]);
    assert.equal(pool.stats().threads.current, 0);
    await pool.close();
  });

  test('a module that does not load is told the same way', async (t) => {
    const pool = poolFor(t, { placement: 'inline' }, badUrl('throws.mjs'));
    assert.equal((await outcome(pool.ready)).error.code, 'ERR_MODULE_LOAD');
    assert.equal((await outcome(pool.run('f', []))).error.code, 'ERR_MODULE_LOAD');
  });
});

test('an error that belongs to no call, and that nobody listens for, is a process warning', async (t) => {
  const warned = new Promise((resolve) => process.once('warning', resolve));
  const choose = () => {
    throw new Error('no idea');
  };
  const pool = poolFor(t, { threads: 2, name: 'unwatched', choose });
  await pool.ready;
  assert.equal(await pool.run('increment', [1]), 2);
  const warning = await warned;
  assert.equal(warning.name, 'ThreadwiseWarning');
  assert.match(warning.message, /'unwatched'.*no idea/);
});

test('diagnostics channels tell what happens, by documented names', async (t) => {
  const { subscribe, unsubscribe } = await import('node:diagnostics_channel');
  const seen = [];
  const names = ['task:submit', 'task:settle', 'worker:ready', 'pool:close'];
  const listeners = names.map((name) => {
    const listener = (message) => seen.push([name, message.pool]);
    subscribe(`threadwise:${name}`, listener);
    return () => unsubscribe(`threadwise:${name}`, listener);
  });
  const pool = poolFor(t, { threads: 1, name: 'watched' });
  await pool.run('increment', [1]);
  await pool.close();
  for (const stop of listeners) stop();
  assert.deepEqual(
    seen.filter(([, pool]) => pool === 'watched').map(([name]) => name),
    ['task:submit', 'worker:ready', 'task:settle', 'pool:close'],
  );
});

describe('functions of the user that throw each time', () => {
  const throwing = (message) => () => {
    throw new Error(message);
  };
  const increments = (pool, count) =>
    Promise.all(Array.from({ length: count }, async (_, i) => (await pool.run('increment', [i])) === i + 1));
  const waysToRun = [
    ['shared-queue', { dispatch: 'shared-queue', transport: 'shared' }],
    ['direct', { dispatch: 'direct' }],
    ['coordinator', { dispatch: 'coordinator' }],
    ['inline', { placement: 'inline' }],
  ];

  for (const [what, asChoose] of [
    ['a function', (choose) => choose],
    ['an object', (choose) => ({ name: 'mine', choose })],
  ]) {
    test(`a strategy, ${what}, that fails after a while: once reported, never asked again, no call is lost`, async (t) => {
      let asked = 0;
      const choose = asChoose((_task, workers) => {
        if (++asked > 4) throw new Error('no idea any more');
        return workers.at(-1);
      });
      const pool = poolFor(t, { threads: 3, choose });
      const errors = [];
      pool.on('error', ({ error }) => errors.push(error.message));
      await pool.ready;
      // One call after the other, so that all workers are free: where only one is, `choose` is not called.
      for (let i = 0; i < 5; i++) assert.equal(await pool.run('increment', [i]), i + 1);
      assert.deepEqual([asked, errors], [5, ['no idea any more']]);
      assert.deepEqual(new Set(await increments(pool, 50)), new Set([true]));
      const { shared, open } = gate();
      // Three run at a time only if the default strategy uses all workers.
      const held = await Promise.all([1, 2, 3].map(() => started(pool, 'waitFor', [shared])));
      open();
      assert.equal(new Set(await Promise.all(held.map(({ promise }) => promise))).size, 3);
      assert.deepEqual([asked, errors], [5, ['no idea any more']]);
    });
  }

  for (const [where, options] of waysToRun) {
    test(`both hooks and a listener of every event, ${where}: reported, and each call ends as it should`, async (t) => {
      const hooks = { onTaskStart: throwing('onTaskStart'), onTaskEnd: throwing('onTaskEnd') };
      const pool = poolFor(t, { ...options, ...hooks });
      const reported = new Set();
      pool.on('error', ({ error }) => reported.add(error.message));
      const events = ['task:submit', 'task:settle', 'task:progress', 'pool:close'];
      const ofWorkers = ['worker:start', 'worker:ready', 'worker:exit'];
      for (const name of [...events, ...ofWorkers, 'pool:size']) pool.on(name, throwing(name));
      const aborting = new AbortController();
      const onProgress = throwing('onProgress');
      const ends = [
        [pool.run('report', [[1, 2]], { onProgress }), 2],
        [pool.run('noSuchTask', []), 'ERR_TASK_NOT_FOUND'],
        [pool.run('increment', [() => 1]), 'ERR_NOT_CLONEABLE'],
        [pool.run('fail', ['custom']), 'E_SHAPE'],
        [pool.run('increment', [1], { signal: aborting.signal }), 'ERR_TASK_ABORTED'],
        [pool.run('runUntilAborted', [], { timeoutMs: 20 }), 'ERR_TASK_TIMEOUT'],
      ].map(async ([call, expected]) => {
        const { value, error } = await outcome(call);
        assert.equal(error?.code ?? value, expected);
      });
      aborting.abort();
      assert.deepEqual(new Set(await increments(pool, 50)), new Set([true]));
      await Promise.all(ends);
      const isInline = options.placement === 'inline';
      if (!isInline) {
        const ready = event(pool, 'worker:ready');
        assert.equal((await outcome(pool.run('exit', [3]))).error.code, 'ERR_WORKER_CRASHED');
        await ready;
      }
      assert.deepEqual(new Set(await increments(pool, 50)), new Set([true]));
      await pool.close();
      assert.equal(pool.stats().tasks.open, 0);
      const expected = ['onTaskStart', 'onTaskEnd', 'onProgress', ...events, ...(isInline ? [] : ofWorkers)];
      const missing = expected.filter((name) => !reported.has(name));
      assert.deepEqual(missing, []);
    });

    test(`also where the listener of errors throws, ${where}`, async (t) => {
      const hooks = { onTaskStart: throwing('onTaskStart'), onTaskEnd: throwing('onTaskEnd') };
      const pool = poolFor(t, { ...options, ...hooks });
      let heard = 0;
      pool.on('error', () => {
        heard++;
        throw new Error('not even this');
      });
      assert.deepEqual(new Set(await increments(pool, 50)), new Set([true]));
      assert.ok(heard > 0);
      await pool.close();
    });
  }
});
