/** The conformance suite of the platform seam: channels, clones, timers, threads and limits. */
import assert from 'node:assert/strict';
import { AsyncLocalStorage } from 'node:async_hooks';
import { describe, type TestContext, test } from 'node:test';
import type { Platform, ThreadExit, ThreadSpec } from '../core/contracts.js';
import { isThreadwiseError } from '../core/options/errors.js';
import { channelSuite, movedBefore, receive } from './channel.case.js';

/** @param newBoard makes the memory of a claim board for one task, as a thread gets it */
export function platformConformance(
  platform: Platform,
  newBoard: () => unknown = () => platform.sharedMemory(12),
): void {
  const { name } = platform;
  describe(`platform ${name}: channels`, () => channelSuite(platform));
  describe(`platform ${name}: clones and memory`, () => cloneSuite(platform));
  describe(`platform ${name}: time`, () => timeSuite(platform));
  describe(`platform ${name}: threads`, () => threadSuite(platform, newBoard));
  describe(`platform ${name}: surroundings`, () => surroundingsSuite(platform));
}

function cloneSuite(platform: Platform): void {
  test('a clone is the runtime’s own: equal, and another object', () => {
    const value = { map: new Map([['k', new Set([1])]]), date: new Date(3), list: [1, 2n, 'x'] };
    const copy = platform.clone(value);
    assert.deepEqual(copy, value);
    assert.notEqual(copy.map, value.map);
  });

  test('a clone moves what is to be transferred, and throws before it moves anything', () => {
    const bytes = new Uint8Array([1, 2]);
    assert.throws(() => platform.clone([bytes, () => 1], [bytes.buffer]), { name: 'DataCloneError' });
    assert.equal(bytes.byteLength, 2);
    assert.deepEqual(platform.clone(bytes, [bytes.buffer]), new Uint8Array([1, 2]));
    assert.equal(bytes.byteLength, 0);
  });

  test('detaching takes all buffers, or throws and takes none', () => {
    const [first, second] = [new Uint8Array([1, 2]), new Uint8Array(2 ** 20)];
    const twice = [first.buffer, first.buffer, second.buffer];
    assert.throws(() => platform.detach(twice), { name: 'DataCloneError' });
    assert.deepEqual([first.byteLength, second.byteLength], [2, 2 ** 20]);
    platform.detach([first.buffer, second.buffer]);
    assert.deepEqual([first.byteLength, second.byteLength], [0, 0]);
    platform.detach([]);
  });

  test('a buffer that was transferred before is refused', () => {
    const bytes = new Uint8Array(8);
    platform.detach([bytes.buffer]);
    assert.throws(() => platform.clone(bytes.buffer, [bytes.buffer]), movedBefore);
    assert.throws(() => platform.detach([bytes.buffer]), movedBefore);
  });

  test('shared memory has the size asked for, is zero, and serves as a board', () => {
    const memory = platform.sharedMemory(24);
    assert.equal(memory.byteLength, 24);
    const words = new Int32Array(memory);
    assert.deepEqual([...words], [0, 0, 0, 0, 0, 0]);
    assert.equal(Atomics.compareExchange(words, 1, 0, 5), 0);
    assert.equal(Atomics.load(words, 1), 5);
  });
}

function timeSuite(platform: Platform): void {
  test('the clock is in milliseconds since the epoch and never goes back', () => {
    const [first, second] = [platform.now(), platform.now()];
    assert.ok(second >= first);
    assert.ok(Math.abs(first - Date.now()) < 60_000);
  });

  test('timers go off in the order of their delays', async () => {
    const order: string[] = [];
    const keepAlive = platform.keepAlive();
    keepAlive.hold();
    await new Promise<void>((resolve) => {
      // 200 ms apart, so that a pause of the process between the two lines does not change their order.
      platform.timer(200, () => {
        order.push('later');
        resolve();
      });
      platform.timer(1, () => order.push('sooner'));
    });
    keepAlive.dispose();
    assert.deepEqual(order, ['sooner', 'later']);
  });

  test('a timer that was cancelled does not go off; cancelling again does no harm', async () => {
    const keepAlive = platform.keepAlive();
    keepAlive.hold();
    const cancelled = platform.timer(1, () => assert.fail('it went off'));
    cancelled.cancel();
    cancelled.cancel();
    await new Promise<void>((resolve) => platform.timer(2, resolve));
    keepAlive.dispose();
  });

  test('what is deferred comes after the code that runs, before timers and immediates, in order', async () => {
    const order: string[] = [];
    const done = new Promise<void>((resolve) => {
      setImmediate(() => {
        order.push('immediate');
        resolve();
      });
    });
    platform.defer(() => order.push('first'));
    platform.defer(() => order.push('second'));
    order.push('now');
    await done;
    assert.deepEqual(order, ['now', 'first', 'second', 'immediate']);
  });

  test('a bound callback runs in the async context in which it was bound, with its arguments and result', () => {
    const storage = new AsyncLocalStorage<string>();
    const bound = storage.run('inside', () => {
      return platform.bind((a: number, b: number) => [storage.getStore(), a + b]);
    });
    assert.deepEqual(
      storage.run('outside', () => bound(1, 2)),
      ['inside', 3],
    );
  });
}

/** A module that sends nothing by itself: the port carries only what the worker's runner says. */
const quietModule = 'data:text/javascript,export const run = () => 1';
const endingModule = 'data:text/javascript,export const run = () => 1; setImmediate(() => process.exit(7))';
const throwingModule =
  'data:text/javascript,export const run = () => 1; setImmediate(() => { throw Object.assign(new RangeError("out"), { code: "E_OUT" }) })';

function threadSuite(platform: Platform, newBoard: () => unknown): void {
  /** Starts a thread. Returns it, its exits, and its first message. */
  function start(t: TestContext, moduleUrl: string) {
    const keepAlive = platform.keepAlive();
    keepAlive.hold();
    const { near, far } = platform.channel();
    const exits: ThreadExit[] = [];
    const settings = {
      data: undefined,
      env: undefined,
      argv: undefined,
      execArgv: undefined,
      resourceLimits: undefined,
    };
    const spec: ThreadSpec = {
      workerId: 1,
      poolName: 'case',
      moduleUrl,
      tasksPerWorker: 1,
      classes: [],
      allowance: undefined,
      wire: { transport: 'message', port: far, memory: newBoard() },
      settings,
    };
    let onExit: (exit: ThreadExit) => void = () => undefined;
    const exited = new Promise<ThreadExit>((resolve) => {
      onExit = resolve;
    });
    const spoke = receive(near, 1);
    const thread = platform.spawn(spec, (exit) => {
      exits.push(exit);
      onExit(exit);
    });
    t.after(async () => {
      thread.terminate();
      await exited;
      near.close();
      keepAlive.dispose();
    });
    return { thread, exits, exited, spoke };
  }

  test('a thread loads its module and speaks over its port', async (t) => {
    const [message] = await start(t, quietModule).spoke;
    assert.deepEqual((message as unknown[])[1], ['run']);
  });

  test('terminate ends the thread, and its exit is told', async (t) => {
    const { thread, exits, exited, spoke } = start(t, quietModule);
    await spoke;
    assert.equal(exits.length, 0);
    thread.terminate();
    await exited;
    assert.equal(exits.length, 1);
    assert.equal(exits[0]!.outOfMemory, false);
    assert.equal(exits[0]!.error, undefined);
  });

  test('terminate while it loads, twice, and after the end: the exit is told once', async (t) => {
    const { thread, exits, exited } = start(t, quietModule);
    thread.terminate();
    thread.terminate();
    await exited;
    thread.terminate();
    assert.equal(exits.length, 1);
  });

  test('terminate, however often: the runtime warns of no leak', async (t) => {
    const { thread, exited } = start(t, quietModule);
    const warnings: string[] = [];
    const onWarning = ({ message }: Error) => warnings.push(message);
    process.on('warning', onWarning);
    t.after(() => process.off('warning', onWarning));
    for (let i = 0; i < 20; i++) thread.terminate();
    await exited;
    assert.deepEqual(warnings, []);
  });

  test('a thread that exits tells its code', async (t) => {
    const exit = await start(t, endingModule).exited;
    assert.equal(exit.exitCode, 7);
    assert.equal(exit.error, undefined);
  });

  test('a thread that dies of an exception tells the exception', async (t) => {
    const exit = await start(t, throwingModule).exited;
    assert.equal(exit.exitCode, 1);
    assert.ok(exit.error instanceof RangeError);
    assert.equal((exit.error as { code?: string }).code, 'E_OUT');
  });

  test('CPU time only grows while the thread lives; it may be unknown', async (t) => {
    const { thread, exited, spoke } = start(t, quietModule);
    await spoke;
    const [first, second] = [thread.cpu(), thread.cpu()];
    thread.terminate();
    await exited;
    assert.equal(first === undefined, second === undefined);
    if (first === undefined || second === undefined) return;
    assert.ok(first.usedMs > 0 && first.waitedMs >= 0);
    assert.ok(second.usedMs >= first.usedMs && second.waitedMs >= first.waitedMs);
    assert.equal(thread.cpu(), undefined, 'of a thread that is gone');
  });

  test('utilisation is a share from 0 to 1, whenever and however often one looks, also after the end', async (t) => {
    const { thread, exited, spoke } = start(t, quietModule);
    const shares = [thread.utilization(), thread.utilization()];
    const look = async () => {
      // One look per turn of the event loop, while the thread's loop begins, works and falls idle.
      for (let i = 0; i < 50; i++) {
        shares.push(thread.utilization());
        await new Promise((resolve) => setImmediate(resolve));
      }
    };
    await Promise.all([spoke, look()]);
    await look();
    thread.terminate();
    await exited;
    shares.push(thread.utilization());
    const wrong = shares.filter((share) => !(share >= 0 && share <= 1));
    assert.deepEqual(wrong, []);
  });
}

function surroundingsSuite(platform: Platform): void {
  test('has a name', () => {
    assert.match(platform.name, /^[\w-]+$/);
  });

  test('memory: what is used is less than what there is; it may be unknown', () => {
    const memory = platform.memory();
    if (memory !== undefined) assert.ok(memory.usedBytes > 0 && memory.usedBytes < memory.limitBytes);
  });

  test('at least one thread is allowed', () => {
    const threads = platform.availableThreads();
    assert.ok(Number.isInteger(threads) && threads >= 1, String(threads));
  });

  test('reads the environment', () => {
    process.env.THREADWISE_CASE = 'value';
    assert.equal(platform.env('THREADWISE_CASE'), 'value');
    delete process.env.THREADWISE_CASE;
    assert.equal(platform.env('THREADWISE_CASE'), undefined);
  });

  test('a module is a URL, a URL’s text, or a path from the working directory', () => {
    const url = new URL('./tasks.js', import.meta.url);
    assert.equal(platform.resolveModule(url), url.href);
    assert.equal(platform.resolveModule(url.href), url.href);
    assert.equal(platform.resolveModule('data:text/javascript,1'), 'data:text/javascript,1');
    assert.equal(platform.resolveModule('FILE:///tasks.js'), 'file:///tasks.js');
    const byPath = platform.resolveModule('some dir/tasks#1.js');
    assert.equal(byPath, new URL('some%20dir/tasks%231.js', `file://${process.cwd()}/`).href);
  });

  test('a module that is none of these is ERR_OPTION', () => {
    for (const bad of [
      undefined,
      null,
      '',
      5,
      {},
      [],
      new URL('https://example.org/x.js'),
      'node:fs',
      'blob:x',
      'https://',
      'file://[',
      'HTTPS://example.org/x.js',
    ]) {
      assert.throws(
        () => platform.resolveModule(bad),
        (error) => isThreadwiseError(error) && error.code === 'ERR_OPTION',
        String(bad),
      );
    }
  });

  test('keeping alive may be asked for, given up and ended in any order, any number of times', () => {
    const keepAlive = platform.keepAlive();
    for (const step of [
      'release',
      'hold',
      'hold',
      'release',
      'release',
      'hold',
      'dispose',
      'dispose',
    ] as const) {
      keepAlive[step]();
    }
  });
}
