/** The structures between real threads: waiting without blocking, threads that die, and bad input. */
import assert from 'node:assert/strict';
import { syncBuiltinESMExports } from 'node:module';
import { describe, type TestContext, test } from 'node:test';
import v8 from 'node:v8';
import { Worker } from 'node:worker_threads';
import { Channel, HEAD, pass } from './channel.js';
import { Counter } from './counter.js';
import { Barrier, COUNT, Latch } from './gates.js';
import { Mutex } from './mutex.js';

/**
 * A thread whose script has the structures, `buffers`, `say(value)`, `heard()` and `codeOf(run)`. Here, `heard()` gives its messages one
 * after the other.
 */
function thread(t: TestContext, buffers: readonly SharedArrayBuffer[], script: string) {
  const imports = ['channel', 'counter', 'gates', 'mutex'].map(
    (name) => `...(await import('${new URL(`./${name}.js`, import.meta.url).href}')),`,
  );
  const code = `
    const { workerData: buffers, parentPort } = await import('node:worker_threads');
    const { Barrier, Channel, Counter, Latch, Mutex } = { ${imports.join(' ')} };
    const say = (value) => parentPort.postMessage(value);
    const heard = () => new Promise((resolve) => parentPort.once('message', resolve));
    const codeOf = async (run) => { try { return await run(); } catch (error) { return error.code; } };
    ${script}
    parentPort.unref();
  `;
  const url = new URL(`data:text/javascript,${encodeURIComponent(code)}`);
  const worker = new Worker(url, { workerData: buffers });
  t.after(() => worker.terminate());
  const messages: unknown[] = [];
  const waiting: ((value: unknown) => void)[] = [];
  const failure = new Promise<never>((_, reject) => worker.once('error', reject));
  failure.catch(() => undefined);
  worker.on('message', (value) => {
    const next = waiting.shift();
    if (next === undefined) messages.push(value);
    else next(value);
  });
  const heard = (): Promise<unknown> => {
    if (messages.length > 0) return Promise.resolve(messages.shift());
    return Promise.race([new Promise((resolve) => waiting.push(resolve)), failure]);
  };
  const gone = new Promise((resolve) => worker.once('exit', resolve));
  return { worker, heard, gone };
}

describe('mutex', () => {
  test('two threads and main add to the same number, which is no atomic one, and no addition is lost', async (t) => {
    const mutex = new Mutex();
    const numbers = new Int32Array(new SharedArrayBuffer(4), 0, 1);
    const script = (lock: string) => `
      const mutex = Mutex.from(buffers[0]);
      const numbers = new Int32Array(buffers[1]);
      for (let i = 0; i < 300; i++) ${lock};
      say('done');
    `;
    const threads = [
      thread(
        t,
        [mutex.buffer, numbers.buffer as SharedArrayBuffer],
        script('mutex.withLockSync(() => { numbers[0] = numbers[0] + 1; })'),
      ),
      thread(
        t,
        [mutex.buffer, numbers.buffer as SharedArrayBuffer],
        script(
          'await mutex.withLock(async () => { const seen = numbers[0]; await null; numbers[0] = seen + 1; })',
        ),
      ),
    ];
    for (let i = 0; i < 50; i++) {
      await mutex.withLock(async () => {
        const seen = numbers[0]!;
        await null;
        numbers[0] = seen + 1;
      });
    }
    for (const { heard } of threads) assert.equal(await heard(), 'done');
    assert.equal(numbers[0], 650);
  });

  test('main waits, and its event loop has its turns', async (t) => {
    const mutex = new Mutex();
    const { worker, heard } = thread(
      t,
      [mutex.buffer],
      `const hold = Mutex.from(buffers[0]).lockSync(); say('locked'); await heard(); hold.release();`,
    );
    assert.equal(await heard(), 'locked');
    assert.equal(mutex.tryLock(), undefined);
    const lock = mutex.lock();
    const turns = await new Promise((resolve) => {
      let count = 0;
      const turn = () => void (++count < 3 ? setImmediate(turn) : resolve(count));
      setImmediate(turn);
    });
    assert.equal(turns, 3);
    worker.postMessage('release');
    const hold = await lock;
    assert.equal(hold.isAbandoned, false);
    hold.release();
    hold.release();
    assert.notEqual(mutex.tryLock(), undefined);
  });

  for (const [how, end] of [
    ['is terminated while it computes', 'for (;;);'],
    ['exits', 'process.exit(0);'],
    [
      'throws',
      'setImmediate(() => { throw new Error("expected"); }); await new Promise(() => setInterval(() => 0, 1e6));',
    ],
  ] as const) {
    test(`a holder that ${how} is noticed, by main and by a thread that is blocked`, async (t) => {
      const mutex = new Mutex();
      const holder = thread(
        t,
        [mutex.buffer],
        `Mutex.from(buffers[0]).lockSync(); say('locked'); await heard(); ${end}`,
      );
      assert.equal(await holder.heard(), 'locked');
      const other = thread(
        t,
        [mutex.buffer],
        `say('here'); const hold = Mutex.from(buffers[0]).lockSync(); say(hold.isAbandoned); hold.release();`,
      );
      assert.equal(await other.heard(), 'here');
      const own = mutex.lock().then((hold) => {
        hold.release();
        return hold.isAbandoned;
      });
      holder.worker.postMessage('end');
      if (how === 'is terminated while it computes') await holder.worker.terminate();
      const told = await Promise.all([own, other.heard()]);
      assert.deepEqual(told.sort(), [false, true], 'the first one is told, once');
    });
  }

  test('a holder that ends together with the thread that has started it is noticed', async (t) => {
    const mutex = new Mutex();
    const { worker, heard } = thread(
      t,
      [mutex.buffer],
      `if (buffers.length === 1) {
        const { Worker } = await import('node:worker_threads');
        new Worker(new URL(import.meta.url), { workerData: [...buffers, 'the holder'] }).once('message', say);
      } else {
        Mutex.from(buffers[0]).lockSync();
        say('locked');
        await heard();
      }`,
    );
    assert.equal(await heard(), 'locked');
    await worker.terminate();
    assert.equal((await mutex.lock()).isAbandoned, true);
  });

  test('a wait that is over says so, and the lock is as it was', async () => {
    const mutex = new Mutex();
    const hold = mutex.tryLock()!;
    await assert.rejects(mutex.lock({ timeoutMs: 1 }), { code: 'ERR_TASK_TIMEOUT', name: 'TimeoutError' });
    await assert.rejects(mutex.lock({ timeoutMs: 0 }), { code: 'ERR_TASK_TIMEOUT' });
    hold.release();
    assert.equal((await mutex.lock({ timeoutMs: 0 })).isAbandoned, false);
  });

  test('a try that fails leaves nobody behind whom the holder would wake', () => {
    const mutex = new Mutex();
    const hold = mutex.tryLock()!;
    const [, held] = new Int32Array(mutex.buffer);
    assert.equal(mutex.tryLock(), undefined);
    assert.equal(new Int32Array(mutex.buffer)[1], held);
    hold.release();
  });

  test('what throws inside lets go', async () => {
    const mutex = new Mutex();
    const broken = mutex.withLock(() => {
      throw new RangeError('mine');
    });
    await assert.rejects(broken, RangeError);
    assert.equal(await mutex.withLock((isAbandoned) => isAbandoned), false);
  });

  test('a thread that would wait for itself is told', async (t) => {
    const { heard } = thread(
      t,
      [new Mutex().buffer],
      `const mutex = Mutex.from(buffers[0]); mutex.lockSync(); say(await codeOf(() => mutex.lockSync()));`,
    );
    assert.equal(await heard(), 'ERR_OPTION');
  });

  test('a function that goes on after the lock is released is told, and the lock is free', async (t) => {
    const mutex = new Mutex();
    const { heard } = thread(
      t,
      [mutex.buffer],
      `say(await codeOf(() => Mutex.from(buffers[0]).withLockSync(async () => 'late')));`,
    );
    assert.equal(await heard(), 'ERR_OPTION');
    mutex.tryLock()!.release();
  });
});

describe('counter', () => {
  test('two threads and main count: each number is given once', async (t) => {
    const [counter, given] = [new Counter(5), new Int32Array(new SharedArrayBuffer(4 * 3010), 0, 3010)];
    const script = `
      const [counter, given] = [Counter.from(buffers[0]), new Int32Array(buffers[1])];
      for (let i = 0; i < 1000; i++) Atomics.add(given, counter.add(), 1);
      say('done');
    `;
    const buffers = [counter.buffer, given.buffer as SharedArrayBuffer];
    const threads = [thread(t, buffers, script), thread(t, buffers, script)];
    for (let i = 0; i < 1000; i++) Atomics.add(given, counter.add(), 1);
    for (const { heard } of threads) await heard();
    assert.equal(counter.value, 3005);
    assert.ok(given.subarray(5, 3005).every((times) => times === 1));
  });

  test('it counts beyond 32 bits, and down', () => {
    const counter = new Counter(2 ** 40);
    assert.equal(counter.add(-1), 2 ** 40);
    assert.equal(Counter.from(counter.buffer).value, 2 ** 40 - 1);
    counter.value = -7;
    assert.equal(counter.value, -7);
  });
});

describe('barrier', () => {
  test('two threads that block and main that awaits go through rounds together', async (t) => {
    const [barrier, rounds] = [new Barrier(3), new Int32Array(new SharedArrayBuffer(12), 0, 3)];
    const script = (i: number) => `
      const [barrier, rounds] = [Barrier.from(buffers[0]), new Int32Array(buffers[1])];
      let firsts = 0;
      for (let round = 1; round <= 50; round++) {
        rounds[${i}] = round;
        if (barrier.waitSync()) firsts++;
        if (rounds.some((other) => other !== round)) say('wrong');
        barrier.waitSync();
      }
      say(firsts);
    `;
    const buffers = [barrier.buffer, rounds.buffer as SharedArrayBuffer];
    const threads = [thread(t, buffers, script(0)), thread(t, buffers, script(1))];
    let firsts = 0;
    for (let round = 1; round <= 50; round++) {
      rounds[2] = round;
      if (await barrier.wait()) firsts++;
      assert.deepEqual([...rounds], [round, round, round]);
      await barrier.wait();
    }
    for (const { heard } of threads) firsts += (await heard()) as number;
    assert.equal(firsts, 50, 'one of them is the last, in each round');
    assert.equal(barrier.parties, 3);
  });

  test('a member that dies breaks it for all who wait', async (t) => {
    const barrier = new Barrier(3);
    const script = `
      const barrier = Barrier.from(buffers[0]);
      barrier.waitSync();
      say('passed');
      say(await codeOf(() => barrier.waitSync()));
    `;
    const [stays, dies] = [
      thread(t, [barrier.buffer], script),
      thread(t, [barrier.buffer], script.replace(/say\(await.*/, 'for (;;);')),
    ];
    await barrier.wait();
    await Promise.all([stays.heard(), dies.heard()]);
    const wait = barrier.wait();
    await dies.worker.terminate();
    await assert.rejects(wait, { code: 'ERR_WORKER_CRASHED' });
    assert.equal(await stays.heard(), 'ERR_WORKER_CRASHED');
    await assert.rejects(barrier.wait(), { code: 'ERR_WORKER_CRASHED' }, 'for good');
  });

  test('so does one of more threads than the barrier has parties', async (t) => {
    const barrier = new Barrier(2);
    const script = `const barrier = Barrier.from(buffers[0]); await heard(); barrier.waitSync(); say('passed'); await heard();`;
    const threads = [0, 1, 2].map(() => thread(t, [barrier.buffer], script));
    for (const { worker, heard } of threads) {
      worker.postMessage('come');
      await barrier.wait();
      assert.equal(await heard(), 'passed');
    }
    const wait = barrier.wait();
    await threads[2]!.worker.terminate();
    await assert.rejects(wait, { code: 'ERR_WORKER_CRASHED' });
  });

  test('a member that never comes: the time is over for all', async () => {
    const barrier = new Barrier(3);
    const patient = barrier.wait();
    await assert.rejects(barrier.wait({ timeoutMs: 1 }), { code: 'ERR_TASK_TIMEOUT' });
    await assert.rejects(patient, { code: 'ERR_TASK_TIMEOUT' });
  });

  test('who fails says so to the others', async () => {
    const barrier = new Barrier(2);
    const wait = barrier.wait();
    Barrier.from(barrier.buffer).abort();
    await assert.rejects(wait, { code: 'ERR_TASK_ABORTED' });
  });
});

describe('latch', () => {
  test('main waits for what threads do', async (t) => {
    const latch = new Latch(3);
    const script =
      'const latch = Latch.from(buffers[0]); await heard(); latch.countDown(); latch.waitSync(); say("open");';
    const threads = [thread(t, [latch.buffer], script), thread(t, [latch.buffer], script)];
    const wait = latch.wait();
    for (const { worker } of threads) worker.postMessage('go');
    latch.countDown();
    await wait;
    for (const { heard } of threads) assert.equal(await heard(), 'open');
    assert.equal(latch.count, 0);
    await latch.wait({ timeoutMs: 0 });
    latch.abort();
    await latch.wait();
  });

  test('a thread that has joined and dies is missed; one that has counted down is not', async (t) => {
    const latch = new Latch(2);
    const script =
      'const done = Latch.from(buffers[0]).join(); say("joined"); await heard(); done(); done(); say("done");';
    const [counts, dies] = [thread(t, [latch.buffer], script), thread(t, [latch.buffer], script)];
    await Promise.all([counts.heard(), dies.heard()]);
    assert.throws(() => latch.join(), { code: 'ERR_OPTION' });
    counts.worker.postMessage('count');
    assert.equal(await counts.heard(), 'done');
    assert.equal(latch.count, 1);
    await counts.worker.terminate();
    await assert.rejects(latch.wait({ timeoutMs: 1 }), { code: 'ERR_TASK_TIMEOUT' });
    const wait = latch.wait();
    await dies.worker.terminate();
    await assert.rejects(wait, { code: 'ERR_WORKER_CRASHED' });
  });

  test('who fails says so', async () => {
    const latch = new Latch(2);
    const wait = latch.wait();
    latch.abort();
    await assert.rejects(wait, { code: 'ERR_TASK_ABORTED' });
    latch.countDown();
    assert.equal(latch.count, 0);
    await assert.rejects(latch.wait(), { code: 'ERR_TASK_ABORTED' });
  });
});

describe('channel', () => {
  test('values go from two threads through main to a third, each once, in the order of each sender', async (t) => {
    const [first, second] = [
      new Channel<[number, number]>({ capacity: 3 }),
      new Channel<[number, number]>({ capacity: 2 }),
    ];
    const sends = (who: number, send: string) =>
      thread(
        t,
        [first.buffer],
        `const channel = Channel.from(buffers[0]); for (let i = 0; i < 200; i++) ${send}([${who}, i]); say('sent');`,
      );
    const senders = [sends(0, 'channel.sendSync'), sends(1, 'await channel.send')];
    const receiver = thread(
      t,
      [second.buffer],
      'const got = []; for await (const value of Channel.from(buffers[0])) got.push(value); say(got);',
    );
    const closed = Promise.all(senders.map(({ heard }) => heard())).then(() => first.close());
    for await (const value of first) await second.send(value);
    await closed;
    second.close();
    const got = (await receiver.heard()) as [number, number][];
    for (const who of [0, 1]) {
      const own = got.filter(([from]) => from === who).map(([, i]) => i);
      assert.deepEqual(
        own,
        Array.from({ length: 200 }, (_, i) => i),
      );
    }
  });

  test('values of all kinds arrive as they were', async () => {
    const channel = new Channel<unknown>();
    const values = [
      0,
      '',
      null,
      -1.5,
      12n,
      'ä€😀',
      { a: [1, { b: new Date(5) }] },
      new Uint8Array([1, 2]),
      new Map([[1, new Set(['x'])]]),
    ];
    for (const value of values) {
      assert.equal(await channel.send(value), true);
      assert.deepEqual(await channel.receive(), value);
    }
  });

  test('each view has memory of its own, which can be moved on', async () => {
    const channel = new Channel<ArrayBufferView[]>();
    const views = [
      new Uint8Array([1]),
      new Float64Array([2]),
      Buffer.from('3'),
      new DataView(new ArrayBuffer(4)),
    ];
    await channel.send(views);
    const received = (await channel.receive())!;
    assert.deepEqual(received, views);
    for (const [i, view] of received.entries()) {
      assert.equal(view.buffer.byteLength, views[i]!.byteLength);
      structuredClone(view, { transfer: [view.buffer as ArrayBuffer] });
      assert.equal(view.buffer.byteLength, 0, 'it was moved');
    }
  });

  test('on a runtime whose deserializer cannot be extended, values arrive all the same', async (t) => {
    const { DefaultDeserializer } = v8;
    const use = (deserializer: unknown) => {
      Object.assign(v8, { DefaultDeserializer: deserializer });
      syncBuiltinESMExports();
    };
    t.after(() => use(DefaultDeserializer));
    use(
      class {
        constructor() {
          throw new Error('not implemented'); // as in Bun
        }
      },
    );
    const there = (await import(`${new URL('./channel.js', import.meta.url).href}?extensible=no`)) as {
      Channel: typeof Channel;
    };
    const channel = new there.Channel<unknown>();
    for (const value of [1, 'ä', { views: [new Uint8Array([1]), new Float64Array([2])] }, Buffer.from('3')]) {
      await channel.send(value);
      assert.deepEqual(await channel.receive(), value);
    }
  });

  test('what is full makes wait, what is closed says so, and gives what is left', async () => {
    const channel = new Channel<number>({ capacity: 1 });
    await channel.send(1);
    await assert.rejects(channel.send(2, { timeoutMs: 1 }), { code: 'ERR_TASK_TIMEOUT' });
    const [waits, closed] = [channel.send(3), new Channel<number>()];
    channel.close();
    assert.equal(await waits, false);
    assert.equal(await channel.send(4), false);
    assert.equal(await channel.receive(), 1);
    assert.equal(await channel.receive(), undefined);
    const receives = closed.receive();
    closed.close();
    assert.equal(await receives, undefined);
  });

  test('what cannot be sent is refused, and nothing is sent', async () => {
    const channel = new Channel<unknown>({ maxBytes: 100 });
    await assert.rejects(channel.send('x'.repeat(101)), { code: 'ERR_PAYLOAD_TOO_LARGE' });
    await assert.rejects(
      channel.send(() => 1),
      { code: 'ERR_NOT_CLONEABLE' },
    );
    // What structured clone copies, and a channel cannot.
    await assert.rejects(channel.send({ at: [new Blob(['abc'])] }), {
      code: 'ERR_NOT_CLONEABLE',
      path: 'value.at[0]',
    });
    const { WebAssembly: wasm } = globalThis as unknown as {
      WebAssembly: { Module: new (code: Uint8Array) => object };
    };
    const code = new wasm.Module(new Uint8Array([0, 97, 115, 109, 1, 0, 0, 0]));
    await assert.rejects(channel.send({ at: [code] }), {
      message: /\[object WebAssembly.Module\] cannot be/,
    });
    const withField = Object.assign([1], { at: new Blob(['abc']) });
    await assert.rejects(channel.send(withField), { code: 'ERR_NOT_CLONEABLE' });
    const cause = { at: new Blob(['abc']) };
    await assert.rejects(channel.send(new Error('', { cause })), { code: 'ERR_NOT_CLONEABLE' });
    await assert.rejects(channel.send(undefined), { code: 'ERR_OPTION' });
    await assert.rejects(channel.receive({ timeoutMs: 1 }), { code: 'ERR_TASK_TIMEOUT' });
  });

  test('a value that cannot be taken, for want of memory, stays there, and locks nobody out', async () => {
    const channel = new Channel<string>();
    await channel.send('large');
    const words = new Int32Array(channel.buffer, 0, channel.buffer.byteLength >>> 2);
    const noMemory = () => assert.fail('no memory');
    assert.throws(() => pass(words, 1, HEAD, noMemory).next(), /no memory/);
    assert.deepEqual(pass(words, 1, HEAD, () => 'taken').next(), { done: true, value: 'taken' });
  });

  test('without any time, one sends where there is room and receives what is there, also while another thread holds the lock', async () => {
    const channel = new Channel<string>({ capacity: 2 });
    await channel.send('first', { timeoutMs: 0 });
    await channel.send('second', { timeoutMs: 0 });
    await assert.rejects(channel.send('more', { timeoutMs: 0 }), { code: 'ERR_TASK_TIMEOUT' });
    const words = new Int32Array(channel.buffer, 0, channel.buffer.byteLength >>> 2);
    const whileLocked = <T>(run: () => Promise<T>) => pass(words, 1, HEAD, run).next().value as Promise<T>;
    assert.equal(await whileLocked(() => channel.receive({ timeoutMs: 0 })), 'second');
    await channel.send('third');
    assert.equal(await whileLocked(() => channel.send('fourth', { timeoutMs: 0 })), true);
    assert.equal(await channel.receive({ timeoutMs: 0 }), 'fourth');
    await assert.rejects(channel.receive({ timeoutMs: 0 }), { code: 'ERR_TASK_TIMEOUT' });
  });

  test('what cannot be read is told as such, and is gone', async () => {
    const channel = new Channel<string>();
    await channel.send('spoilt');
    new Uint8Array(channel.buffer, 40, 4).fill(0);
    await channel.send('next');
    await assert.rejects(channel.receive(), { code: 'ERR_NOT_CLONEABLE', message: /cannot be read/ });
    assert.equal(await channel.receive(), 'next');
  });
});

test('a thread that leaves while it awaits a structure waits for no word that others may notify', async (t) => {
  const latch = new Latch(1);
  const { heard } = thread(
    t,
    [latch.buffer],
    `void Latch.from(buffers[0]).wait();
    await new Promise((resolve) => setImmediate(resolve));
    const waiting = () => Atomics.notify(new Int32Array(buffers[0]), ${COUNT});
    process.on('exit', () => say(waiting())); // comes after the one of the structure
    process.exit(0);`,
  );
  assert.equal(await heard(), 0);
});
