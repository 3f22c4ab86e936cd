// Workers in processes, one or several in each: a process that ends costs only the tasks that ran there, and leaves nothing behind.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync } from 'node:fs';
import { BlockList } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { setImmediate as turn, setTimeout as sleep } from 'node:timers/promises';
import { event, moduleUrl, outcome, poolFor, runScript } from './fixtures/helpers.mjs';

const url = moduleUrl('apart.mjs');
function folder(t) {
  const dir = mkdtempSync(join(tmpdir(), 'threadwise-isolation-'));
  t.after(() => rmSync(dir, { recursive: true }));
  return dir;
}

/** Whether a process runs. One that has ended stays in the list as a zombie until its parent asks for its exit code. */
function isThere(pid) {
  try {
    return !/\) [ZX] /.test(readFileSync(`/proc/${pid}/stat`, 'latin1'));
  } catch {
    return false;
  }
}
/** The processes that this one has started. */
const children = () =>
  readFileSync(`/proc/self/task/${process.pid}/children`, 'utf8').split(' ').filter(Boolean).map(Number);
const linuxOnly = process.platform !== 'linux' && 'only Linux tells of processes in files';

/** Tests that hold for any number of workers in a process. */
function suite(form, isolation) {
  const apart = (t, options = {}) => poolFor(t, { threads: 1, isolation, ...options }, url);
  const given = JSON.stringify(isolation);

  test(`${form}: the coverage of its tasks is written`, async (t) => {
    const dir = folder(t);
    const source = `
      import { createPool } from 'threadwise';
      const pool = createPool(${JSON.stringify(url.href)}, { threads: 1, isolation: ${given} });
      await pool.run('twice', [3]);
      await pool.close();`;
    const { stderr } = await runScript(source, { env: { NODE_V8_COVERAGE: dir } });
    const covered = readdirSync(dir).flatMap(
      (name) => JSON.parse(readFileSync(join(dir, name), 'utf8')).result,
    );
    const twice = covered.filter((script) => script.url === url.href).flatMap(({ functions }) => functions);
    assert.ok(
      twice.some(({ functionName, ranges }) => functionName === 'twice' && ranges[0].count === 1),
      stderr,
    );
  });

  describe(`${form}: what ends a process costs the task that ran there`, () => {
    for (const [name, args, options, expected] of [
      ['kill', ['SIGABRT'], {}, /killed by SIGABRT/],
      ['kill', ['SIGKILL'], {}, /process \d+ was killed by SIGKILL/],
      ['kill', ['SIGSEGV'], {}, /killed by SIGSEGV/],
      ['throwLater', [], {}, /uncaught RangeError: late/],
      ['throwLater', [null], {}, /uncaught null/],
    ]) {
      test(`${name}(${args})`, async (t) => {
        const pool = apart(t, options);
        const before = await pool.run('pid', []);
        const [{ error }, next] = await Promise.all([outcome(pool.run(name, args)), pool.run('twice', [4])]);
        assert.equal(error.code, 'ERR_WORKER_CRASHED');
        assert.match(error.message, expected);
        assert.equal(error.taskName, name);
        assert.equal(next, 8);
        if (name === 'kill') assert.notEqual(await pool.run('pid', []), before);
        assert.equal(pool.stats().crashes, 1);
      });
    }

    for (const code of ['EAGAIN', 'ENOMEM']) {
      test(`the very first one, which the system does not start (${code}): it is tried again`, async (t) => {
        const childProcess = process.getBuiltinModule('node:child_process');
        const { spawn } = childProcess;
        const refused = (file, args, options) => {
          // Node.js throws where there is no memory. The other failures are told by an event, as that of a folder that is not there.
          if (code === 'ENOMEM') throw Object.assign(new Error('spawn ENOMEM'), { code });
          const child = spawn(file, args, { ...options, cwd: '/nowhere at all' });
          return child.once('error', (error) => Object.assign(error, { code }));
        };
        t.mock.method(childProcess, 'spawn', refused, { times: 1 });
        const pool = apart(t);
        const codes = [];
        pool.on('error', ({ error }) => codes.push(error.code));
        assert.equal(await pool.run('twice', [4]), 8);
        assert.deepEqual(codes, [code]);
      });
    }

    test(
      'while it starts: another one is started, as nothing is wrong with the module',
      { skip: linuxOnly },
      async (t) => {
        const before = children();
        const pool = apart(t);
        const result = pool.run('twice', [4]);
        let started = [];
        while (started.length === 0) {
          await turn();
          started = children().filter((pid) => !before.includes(pid));
        }
        for (const pid of started) process.kill(pid, 'SIGKILL');
        assert.equal(await result, 8);
      },
    );

    test('an uncaught error arrives with its class and fields', async (t) => {
      const { error } = await outcome(apart(t).run('throwLater', []));
      assert.ok(error.cause instanceof RangeError);
      assert.equal(error.cause.code, 'E_LATE');
    });

    test('an uncaught error that the task has a handler for ends nothing', async (t) => {
      const pool = apart(t);
      assert.equal(await pool.run('throwInDomain', []), 'caught');
      assert.equal(pool.stats().crashes, 0);
    });

    const noLimit = isolation !== 'process' && 'of a thread, it depends on the version of Node.js';
    test(
      'memory without end: ERR_WORKER_MEMORY, within the limit that was given',
      { skip: noLimit },
      async () => {
        const source = `
      import { createPool } from 'threadwise';
      const worker = { resourceLimits: { maxOldGenerationSizeMb: 24 } };
      const pool = createPool(${JSON.stringify(url.href)}, { threads: 1, isolation: ${given}, worker });
      const [lost, next] = await Promise.allSettled([pool.run('allocate', []), pool.run('twice', [4])]);
      console.log(lost.reason.code, next.value, pool.stats().tasks.crashed);
      await pool.close();`;
        const { stdout, stderr } = await runScript(source);
        assert.equal(stdout.trim(), 'ERR_WORKER_MEMORY 8 1', stderr);
        assert.match(stderr, /heap out of memory/, 'what a process writes to stderr is passed on');
      },
    );

    for (const mib of [24, 1]) {
      const name = `memory without end while it starts, in ${mib} MiB: one start, whose error says so`;
      test(name, { skip: noLimit }, async () => {
        const module = 'for (const kept = [];;) kept.push({ number: kept.length });';
        const source = `
      import { createPool } from 'threadwise';
      const worker = { resourceLimits: { maxOldGenerationSizeMb: ${mib} } };
      const pool = createPool('data:text/javascript,${module}', { threads: 1, isolation: ${given}, worker });
      let starts = 1;
      pool.on('worker:exit', () => console.log(starts++));
      await pool.ready.catch(({ code, message }) => console.log(code, message));
      await pool.close();`;
        const { stdout, stderr } = await runScript(source);
        const expected =
          /^1\nERR_MODULE_LOAD .* was killed by SIG[A-Z]+, as its memory was full while it was starting\n$/;
        assert.match(stdout, expected, stderr);
      });
    }

    test('every task begins once, whoever dies beside it; only those that died are rejected', async (t) => {
      const pool = apart(t, { threads: 2 });
      const file = join(folder(t), 'begun');
      const ways = { 30: 'abort', 61: 'kill', 90: 'kill' };
      const calls = Array.from({ length: 120 }, (_, i) =>
        outcome(pool.run('note', [file, i, ways[i] ?? 'work'])),
      );
      const lost = [];
      for (const [i, { value, error }] of (await Promise.all(calls)).entries()) {
        if (error === undefined) assert.equal(value, i);
        else assert.equal(error.code, 'ERR_WORKER_CRASHED');
        if (error !== undefined) lost.push(i);
      }
      const beside = lost.filter((i) => ways[i] === undefined);
      assert.equal(lost.length - beside.length, 3);
      // Where two workers share a process, one call at a time runs beside the one that ends it.
      assert.ok(beside.length <= (isolation === 'process' ? 0 : 3), `${beside}`);
      const begun = readFileSync(file, 'utf8').trim().split('\n').map(Number);
      // Of the calls that ended with their process, nobody knows whether they had begun.
      assert.deepEqual(
        [...begun, ...beside.filter((i) => !begun.includes(i))].sort((a, b) => a - b),
        calls.map((_, i) => i),
      );
    });

    test('a task that is to be retried is, and once', async (t) => {
      const pool = apart(t, { retries: 1 });
      const file = join(folder(t), 'begun');
      const { error } = await outcome(pool.run('note', [file, 7, 'kill']));
      assert.equal(error.code, 'ERR_WORKER_CRASHED');
      assert.equal(readFileSync(file, 'utf8'), '7\n7\n');
      assert.equal(pool.stats().tasks.retried, 1);
    });
  });

  describe(`${form}: a process that is stopped`, { skip: linuxOnly }, () => {
    test('is killed when its task has had its time', async (t) => {
      const pool = apart(t);
      const { error } = await outcome(pool.run('kill', ['SIGSTOP'], { timeoutMs: 50 }));
      assert.equal(error.code, 'ERR_TASK_TIMEOUT');
      assert.equal(await pool.run('twice', [2]), 4);
    });

    test('is noticed, and replaced, also where its task may take for ever', async (t) => {
      const pool = apart(t);
      const { error } = await outcome(pool.run('kill', ['SIGSTOP']));
      assert.equal(error.code, 'ERR_WORKER_CRASHED');
      assert.match(error.message, /process \d+ had been stopped by a signal/);
      assert.equal(await pool.run('twice', [2]), 4);
    });

    test('is noticed as well where a task has closed the descriptor by which it hears', async (t) => {
      const pool = apart(t);
      assert.equal(await pool.run('closeFd', [3]), 'closed');
      assert.equal(await pool.run('twice', [2]), 4);
      await pool.close();
    });
  });

  describe(`${form}: timeouts, aborts`, () => {
    test('a task that loops for ever costs its process, after its timeout', async (t) => {
      const pool = apart(t);
      const { error } = await outcome(pool.run('loop', [], { timeoutMs: 50 }));
      assert.equal(error.code, 'ERR_TASK_TIMEOUT');
      assert.equal(await pool.run('twice', [2]), 4);
      assert.equal(pool.stats().interrupted, 1);
    });

    test('a task that never leaves its turn sees that it is aborted; its process lives on', async (t) => {
      const pool = apart(t);
      const controller = new AbortController();
      const before = await pool.run('pid', []);
      const onProgress = () => controller.abort();
      const { error } = await outcome(
        pool.run('loopPolitely', [], { signal: controller.signal, onProgress }),
      );
      assert.equal(error.code, 'ERR_TASK_ABORTED');
      assert.equal(await pool.run('pid', []), before);
    });
  });

  describe(`${form}: what crosses`, () => {
    test('results, moved buffers, leases, host functions, streams, calls within calls, maps, broadcasts', async (t) => {
      const pool = apart(t, { threads: 2, host: { half: (x) => x / 2 } });
      const bytes = new Uint8Array(2 ** 20);
      const filled = await pool.run('fill', [bytes], { transfer: [bytes.buffer] });
      assert.equal(bytes.byteLength, 0, 'it is not here any more');
      assert.ok(filled.byteLength === 2 ** 20 && filled.every((byte) => byte === 9));
      const lease = pool.lease(100);
      lease.bytes.fill(1);
      const { bytes: own } = lease;
      const { error: refused } = await outcome(pool.run('fill', [lease], { transfer: [own.buffer] }));
      assert.deepEqual([refused.code, own.length], ['ERR_NOT_CLONEABLE', 100]);
      assert.deepEqual(await pool.run('fill', [lease]), new Uint8Array(100).fill(9));
      assert.ok(
        own.every((byte) => byte === 1),
        'a process gets a copy',
      );
      assert.equal(await pool.run('ask', [8]), 4);
      const streamed = [];
      for await (const value of pool.stream('upTo', [50])) streamed.push(value);
      assert.deepEqual(
        streamed,
        Array.from({ length: 50 }, (_, i) => i),
      );
      assert.equal(await pool.run('sumOf', [10]), 90);
      const mapped = [];
      for await (const value of pool.map('twice', [1, 2, 3])) mapped.push(value);
      assert.deepEqual(mapped, [2, 4, 6]);
      assert.equal((await pool.broadcast('pid', [])).length, 2);
    });

    test('shared memory and ports are refused with the path to them', async (t) => {
      const pool = apart(t);
      const { port1 } = new MessageChannel();
      for (const [value, path] of [
        [{ list: [new SharedArrayBuffer(1)] }, 'args[0].list[0]'],
        [{ port: port1 }, 'args[0].port'],
      ]) {
        const { error } = await outcome(pool.run('twice', [value]));
        assert.deepEqual([error.code, error.path], ['ERR_NOT_CLONEABLE', path]);
        assert.match(error.message, /another process/);
      }
      port1.close();
    });

    test('what structured clone alone can copy is refused with the path to it, and not emptied', async (t) => {
      const pool = apart(t);
      class Own {
        constructor(value) {
          this.value = value;
        }
      }
      const blob = new Blob(['abc']);
      for (const [value, path] of [
        [blob, 'args[0]'],
        [[new Map([[1, new Own(blob)]])], 'args[0]'],
        [{ list: new BlockList() }, 'args[0].list'],
        [new Error('why', { cause: blob }), 'args[0]'],
      ]) {
        const { error } = await outcome(pool.run('same', [value]));
        assert.equal(error?.code, 'ERR_NOT_CLONEABLE');
        assert.ok(error.path.startsWith(path), error.path);
      }
      const { error } = await outcome(pool.run('blob', []));
      assert.deepEqual([error?.code, error?.path], ['ERR_NOT_CLONEABLE', 'result']);
      const value = [new Own(new Set([/x/, new Own(new Date(7))])), new Error('why'), Object('text')];
      assert.deepEqual(await pool.run('same', [value]), structuredClone(value));
    });

    test('env, argv, execArgv and cwd are those of the process', async (t) => {
      const cwd = realpathSync(folder(t));
      const settings = { cwd, argv: ['a', 'b'], execArgv: ['--no-deprecation'] };
      const pool = apart(t, { worker: { ...settings, env: { THREADWISE_TEST: 'here' } } });
      assert.deepEqual(await pool.run('surroundings', []), { ...settings, env: 'here' });
    });

    test('a folder that is not there, or is a file, is a failure to load that names it', async (t) => {
      for (const [cwd, code] of [
        ['/nowhere at all', 'ENOENT'],
        [process.execPath, 'ENOTDIR'],
      ]) {
        const { error } = await outcome(apart(t, { worker: { cwd } }).run('twice', [1]));
        assert.deepEqual([error.code, error.cause.code], ['ERR_MODULE_LOAD', code]);
        assert.ok(error.message.includes(`in ${cwd} (worker.cwd)`), error.message);
      }
    });

    // Node.js kills the whole process group when it is told to kill a process that it could not start.
    test('a pool that is destroyed before it knows that its processes do not start', async () => {
      const source = `
      import { createPool } from 'threadwise';
      const worker = { cwd: '/nowhere at all' };
      const pool = createPool(${JSON.stringify(url.href)}, { threads: 2, isolation: ${given}, worker });
      const call = pool.run('twice', [1]).catch(({ code }) => code);
      await pool.destroy();
      console.log(await call);`;
      const { stdout, stderr, signal } = await runScript(source, { detached: true });
      assert.deepEqual([stdout, signal], ['ERR_POOL_CLOSED\n', null], stderr);
    });

    test('stats tell the memory of each process', { skip: linuxOnly }, async (t) => {
      const pool = apart(t, { threads: 2 });
      await pool.ready;
      for (const { residentBytes } of pool.stats().workers)
        assert.ok(residentBytes > 2 ** 20, `${residentBytes}`);
    });
  });

  describe(`${form}: nothing is left`, () => {
    test(
      'of a worker that cannot be started, as its data cannot be cloned any more',
      { skip: linuxOnly },
      async (t) => {
        const data = {};
        const pool = apart(t, { worker: { data } });
        const pid = await pool.run('pid', []);
        data.late = () => 1;
        const failed = event(pool, 'error', ({ error }) => /could not be cloned/.test(error));
        process.kill(pid, 'SIGKILL');
        await failed;
        await pool.destroy();
        while (children().length > 0) await sleep(10);
      },
    );

    test('after close, and after destroy in the middle of a task', async (t) => {
      for (const end of ['close', 'destroy']) {
        const pool = apart(t, { threads: 2 });
        const pids = await pool.broadcast('pid', []);
        if (end === 'destroy') outcome(pool.run('loop', []));
        await pool[end]();
        for (const pid of pids) assert.throws(() => process.kill(pid, 0), { code: 'ESRCH' }, end);
      }
    });

    test(
      'an idle pool does not keep the program alive, nor does its process outlive it',
      { skip: linuxOnly },
      async () => {
        const source = `
      import { createPool } from 'threadwise';
      const pool = createPool(${JSON.stringify(url.href)}, { threads: 1, isolation: ${given} });
      console.log(await pool.run('pid', []));`;
        const { code, stdout, stderr } = await runScript(source);
        assert.equal(code, 0, stderr);
        while (isThere(Number(stdout))) await sleep(10);
      },
    );

    for (const [state, call] of [
      ['idle', "tell(await pool.run('pid', []))"],
      ['in a task that blocks it', "pool.run('loop', [], { onProgress: tell })"],
    ]) {
      test(`when the program is killed while the process is ${state}`, { skip: linuxOnly }, async () => {
        const source = `
        import { createPool } from 'threadwise';
        const pool = createPool(${JSON.stringify(url.href)}, { threads: 1, isolation: ${given} });
        setInterval(() => undefined, 1000);
        const tell = (pid) => console.log(pid);
        ${call};`;
        const parent = spawn(process.execPath, ['--input-type=module', '--eval', source], {
          cwd: new URL('.', import.meta.url),
          stdio: ['ignore', 'pipe', 'inherit'],
        });
        const [text] = await once(parent.stdout, 'data');
        const pid = Number(text);
        assert.ok(isThere(pid));
        parent.kill('SIGKILL');
        await once(parent, 'exit');
        while (isThere(pid)) await sleep(10);
      });

      test(
        `when the thread of its pool ends while the process is ${state}`,
        { skip: linuxOnly },
        async (t) => {
          const inThread = `
        import { parentPort } from 'node:worker_threads';
        import { createPool } from 'threadwise';
        const pool = createPool(${JSON.stringify(url.href)}, { threads: 1, isolation: ${given} });
        const tell = (pid) => parentPort.postMessage(pid);
        ${call};`;
          const source = `
        import { Worker } from 'node:worker_threads';
        setInterval(() => undefined, 1000);
        const thread = new Worker(${JSON.stringify(inThread)}, { eval: true });
        thread.once('message', async (pid) => {
          await thread.terminate();
          console.log(pid);
        });`;
          const program = spawn(process.execPath, ['--input-type=module', '--eval', source], {
            cwd: new URL('.', import.meta.url),
            stdio: ['ignore', 'pipe', 'inherit'],
          });
          t.after(() => program.kill('SIGKILL'));
          const [text] = await once(program.stdout, 'data');
          while (isThere(Number(text))) await sleep(10);
          assert.equal(program.exitCode, null);
        },
      );
    }

    test('a signal that a terminal sends to all is for the program: its process goes on', async (t) => {
      const pool = apart(t);
      const pid = await pool.run('pid', []);
      for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGQUIT']) process.kill(pid, signal);
      assert.equal(await pool.run('twice', [3]), 6);
      assert.equal(await pool.run('pid', []), pid);
    });
  });
}
suite('a process for each worker', 'process');
suite('processes for two workers each', { threads: 2 });

test('isolation: what processes need is not loaded by a program without them', async () => {
  const source = `
    import { createPool } from 'threadwise';
    const pool = createPool('data:text/javascript,export const one = () => 1', { threads: 1, isolation: 'thread' });
    await pool.run('one', []);
    const needed = ['NativeModule child_process', 'NativeModule v8'];
    console.log(process.moduleLoadList.filter((name) => needed.includes(name)).join());
    await pool.close();`;
  const { stdout, stderr } = await runScript(source);
  assert.equal(stdout.trim(), '', stderr);
});

test('isolation: processes work where the intrinsics are frozen', async () => {
  const source = `
    import { createPool } from 'threadwise';
    const pool = createPool('data:text/javascript,export const one = () => 1', { threads: 1, isolation: 'process' });
    console.log(await pool.run('one', []));
    await pool.close();`;
  const { stdout, stderr } = await runScript(source, { args: ['--frozen-intrinsics'] });
  assert.equal(stdout.trim(), '1', stderr);
});

test('isolation: recycling replaces a process, and loses no call', async (t) => {
  const worker = { recycle: { afterTasks: 3 } };
  const pool = poolFor(t, { threads: 1, isolation: 'process', worker }, url);
  const exited = event(pool, 'worker:exit', ({ reason }) => reason !== 'crashed');
  const pids = await Promise.all(Array.from({ length: 7 }, () => pool.run('pid', [])));
  assert.equal((await exited).exitCode, 1, 'as of a thread: 137 would look like a kill by the system');
  assert.equal(new Set(pids).size, 3);
  assert.equal(pool.stats().crashes, 0);
});
