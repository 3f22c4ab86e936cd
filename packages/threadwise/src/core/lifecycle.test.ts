/** The life of a pool: what closing waits for, what ends it at once, and what keeps the process alive meanwhile. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';

import { ThreadwiseError } from './options/errors.js';
import type { Engine } from './engine.js';
import { FakePlatform } from './fake-platform.case.js';
import { Lifecycle } from './lifecycle.js';

/** A pool that has that many open calls and workers; what the lifecycle asks of it is noted. */
function pool({
  open = 0,
  workers = 1,
  disposal,
}: {
  open?: number;
  workers?: number;
  disposal?: Promise<void>;
} = {}) {
  const platform = new FakePlatform();
  const noted = { ended: [] as string[], rejected: [] as ThreadwiseError[], disposed: 0 };
  let [openCalls, workerCount] = [open, workers];
  const engine = {
    parts: { platform },
    recycler: { isWorking: false },
    room: { isAwaited: false },
    ledger: {
      get size() {
        return openCalls;
      },
    },
    workers: {
      get slots() {
        return { length: workerCount };
      },
    },
    regate: () => undefined,
    pump: () => undefined,
    dispatch: { isPaused: false, resume: () => undefined },
    rejectAll: (error: ThreadwiseError) => {
      noted.rejected.push(error);
      while (openCalls > 0) settle();
    },
    endWorkers: (how: string) => noted.ended.push(how),
    dispose: async () => {
      noted.disposed++;
      await disposal;
    },
  };
  const lifecycle = new Lifecycle(engine as unknown as Engine);
  const settle = () => {
    openCalls--;
    lifecycle.settled();
  };
  const submit = () => {
    openCalls++;
    lifecycle.updateKeepAlive();
  };
  const loseWorker = () => {
    workerCount--;
    lifecycle.workerGone();
  };
  return { lifecycle, platform, noted, settle, submit, loseWorker };
}

/** Whether a promise has resolved, once everything that could resolve it has had its turn. */
async function isResolved(promise: Promise<unknown>): Promise<boolean> {
  let resolved = false;
  promise.then(() => {
    resolved = true;
  });
  await new Promise<void>((resolve) => setImmediate(resolve));
  return resolved;
}

const broken = new ThreadwiseError('ERR_MODULE_LOAD', 'cannot load');

/** The error anew: equal in what it says, and not the same object, whose stack belongs to somebody else. */
function assertSameAgain(refusal: unknown, error: ThreadwiseError): void {
  assert.ok(refusal instanceof ThreadwiseError);
  assert.notEqual(refusal, error);
  assert.deepEqual([refusal.code, refusal.message, refusal.cause], [error.code, error.message, error.cause]);
}

describe('close', () => {
  test('is not over before what was disposed of has ended, and keeps the process alive until then', async () => {
    let end: () => void = () => undefined;
    const disposal = new Promise<void>((resolve) => {
      end = resolve;
    });
    const { lifecycle, platform } = pool({ workers: 0, disposal });
    const closed = lifecycle.close();
    assert.equal(await isResolved(closed), false);
    assert.equal(platform.keptAlive, 'held');
    end();
    await closed;
    assert.equal(platform.keptAlive, 'disposed');
  });

  test('refuses calls at once, and says that the pool is closing, later closed', async () => {
    const { lifecycle, loseWorker } = pool();
    assert.equal(lifecycle.refusal, undefined);
    void lifecycle.close();
    const refusal = () => lifecycle.refusal as ThreadwiseError;
    assert.equal(refusal().code, 'ERR_POOL_CLOSED');
    assert.match(refusal().message, /closing/);
    loseWorker();
    assert.match(refusal().message, /closed/);
  });

  test('waits for the open calls, then ends the workers gently, and resolves when the last is gone', async () => {
    const { lifecycle, noted, settle, loseWorker } = pool({ open: 2, workers: 2 });
    const closed = lifecycle.close();
    settle();
    assert.deepEqual(noted.ended, []);
    settle();
    assert.deepEqual(noted.ended, ['gently']);
    loseWorker();
    assert.equal(await isResolved(closed), false);
    assert.equal(lifecycle.state, 'closing');
    loseWorker();
    assert.equal(await isResolved(closed), true);
    assert.equal(lifecycle.state, 'closed');
    assert.equal(noted.rejected.length, 0);
    assert.equal(noted.disposed, 1);
  });

  test('resolves at once when there is neither call nor worker', async () => {
    const { lifecycle, noted } = pool({ workers: 0 });
    assert.equal(await isResolved(lifecycle.close()), true);
    assert.equal(noted.disposed, 1);
  });

  test('does not end because workers are gone while calls are open', async () => {
    const { lifecycle, loseWorker } = pool({ open: 1 });
    const closed = lifecycle.close();
    loseWorker();
    assert.equal(await isResolved(closed), false);
    assert.equal(lifecycle.state, 'closing');
  });

  test('asked for twice is one close, whatever the second asks for', () => {
    const { lifecycle, platform, noted } = pool({ open: 1 });
    const closed = lifecycle.close({ timeoutMs: 1000 });
    assert.equal(lifecycle.close({ timeoutMs: 1 }), closed);
    platform.advance(999);
    assert.equal(noted.rejected.length, 0);
  });

  test('rejects the open calls and ends the workers at once when none settles for the timeout', async () => {
    const { lifecycle, platform, noted } = pool({ open: 2 });
    void lifecycle.close({ timeoutMs: 1000 });
    platform.advance(999);
    await turn();
    assert.equal(noted.rejected.length, 0);
    platform.advance(1);
    await turn();
    assert.deepEqual(
      noted.rejected.map(({ code }) => code),
      ['ERR_POOL_CLOSED'],
    );
    assert.match(noted.rejected[0]!.message, /1000 ms/);
    assert.equal(noted.ended.at(-1), 'now');
  });

  test('hears what has come before it gives up: when the timeout has passed, main may just have been busy', async () => {
    const { lifecycle, platform, noted, settle } = pool({ open: 2 });
    void lifecycle.close({ timeoutMs: 1000 });
    platform.advance(1000);
    settle(); // as Node.js handles timers before messages
    await turn();
    assert.equal(noted.rejected.length, 0);
    platform.advance(1000);
    await turn();
    assert.equal(noted.rejected.length, 1);
  });

  test('starts the timeout anew with every call that settles', async () => {
    const { lifecycle, platform, noted, settle } = pool({ open: 3 });
    void lifecycle.close({ timeoutMs: 1000 });
    for (let i = 0; i < 2; i++) {
      platform.advance(900);
      settle();
    }
    platform.advance(999);
    await turn();
    assert.equal(noted.rejected.length, 0);
    platform.advance(1);
    await turn();
    assert.equal(noted.rejected.length, 1);
  });

  test('waits for ever when the timeout is Infinity, and 30 seconds when there is none', async () => {
    const { lifecycle, platform, noted } = pool({ open: 1 });
    void lifecycle.close({ timeoutMs: Number.POSITIVE_INFINITY });
    platform.advance(10 * 24 * 3600 * 1000);
    await turn();
    assert.equal(noted.rejected.length, 0);
    const usual = pool({ open: 1 });
    void usual.lifecycle.close();
    usual.platform.advance(29_999);
    await turn();
    assert.deepEqual(usual.noted.rejected, []);
    usual.platform.advance(1);
    await turn();
    assert.equal(usual.noted.rejected.length, 1);
  });

  test('has no timeout any more once the calls are through: teardown has its own', () => {
    const { lifecycle, platform, noted, settle } = pool({ open: 1 });
    void lifecycle.close({ timeoutMs: 1000 });
    settle();
    platform.advance(5000);
    assert.equal(noted.rejected.length, 0);
    assert.deepEqual(noted.ended, ['gently']);
    assert.equal(platform.timerCount, 0);
  });

  test('with a timeout that is none is refused, and the pool stays open', async () => {
    const { lifecycle } = pool();
    await assert.rejects(async () => lifecycle.close({ timeoutMs: -1 }), { code: 'ERR_OPTION' });
    assert.equal(lifecycle.state, 'open');
  });
});

describe('destroy', () => {
  test('rejects the open calls and ends the workers at once; resolves when they are gone', async () => {
    const { lifecycle, noted, loseWorker } = pool({ open: 2 });
    const destroyed = lifecycle.destroy();
    assert.equal(noted.rejected[0]?.code, 'ERR_POOL_CLOSED');
    assert.equal(noted.ended.at(-1), 'now');
    assert.equal(await isResolved(destroyed), false);
    loseWorker();
    assert.equal(await isResolved(destroyed), true);
    assert.equal(noted.disposed, 1);
  });

  test('during close rejects what is left; both promises resolve together', async () => {
    const { lifecycle, noted, platform, loseWorker } = pool({ open: 1 });
    const closed = lifecycle.close();
    const destroyed = lifecycle.destroy();
    assert.equal(noted.rejected.length, 1);
    assert.equal(noted.ended.at(-1), 'now');
    assert.equal(platform.timerCount, 0);
    loseWorker();
    assert.deepEqual([await isResolved(closed), await isResolved(destroyed)], [true, true]);
  });

  test('during the gentle end of the pool ends them at once', () => {
    const { lifecycle, noted } = pool();
    void lifecycle.close();
    void lifecycle.destroy();
    assert.deepEqual(noted.ended, ['gently', 'now']);
  });

  test('after close does nothing', async () => {
    const { lifecycle, noted } = pool({ workers: 0 });
    await lifecycle.close();
    await lifecycle.destroy();
    assert.equal(noted.disposed, 1);
    assert.equal(noted.rejected.length, 0);
  });
});

describe('ready', () => {
  test('resolves when the pool becomes ready', async () => {
    const { lifecycle } = pool();
    assert.equal(await isResolved(lifecycle.ready), false);
    lifecycle.becomeReady();
    assert.equal(await isResolved(lifecycle.ready), true);
  });

  test('rejects when the pool is closed before, with no call to wait for', async () => {
    const { lifecycle } = pool();
    void lifecycle.close();
    await assert.rejects(lifecycle.ready, { code: 'ERR_POOL_CLOSED' });
  });

  test('can still resolve when the pool closes and calls wait for the workers', async () => {
    const { lifecycle, settle } = pool({ open: 1 });
    void lifecycle.close();
    lifecycle.becomeReady();
    settle();
    await lifecycle.ready;
  });

  test('rejects when the pool is destroyed before', async () => {
    const { lifecycle } = pool({ open: 1 });
    void lifecycle.destroy();
    await assert.rejects(lifecycle.ready, { code: 'ERR_POOL_CLOSED' });
  });

  test('rejects with what broke the pool', async () => {
    const { lifecycle } = pool();
    lifecycle.break(broken);
    await assert.rejects(lifecycle.ready, broken);
  });
});

describe('a pool that breaks', () => {
  test('rejects what is open and whatever comes, with what broke it', () => {
    const { lifecycle, noted } = pool({ open: 2 });
    lifecycle.break(broken);
    assert.equal(lifecycle.state, 'broken');
    assert.deepEqual(noted.rejected, [broken]);
    assert.deepEqual(noted.ended, ['now']);
    assertSameAgain(lifecycle.refusal, broken);
  });

  test('can be closed, and still refuses calls with what broke it', async () => {
    const { lifecycle, loseWorker } = pool();
    lifecycle.break(broken);
    loseWorker();
    assert.equal(await isResolved(lifecycle.close()), true);
    assert.equal(lifecycle.state, 'closed');
    assertSameAgain(lifecycle.refusal, broken);
  });

  test('while it closes ends with its calls rejected', async () => {
    const { lifecycle, noted, loseWorker } = pool({ open: 1 });
    const closed = lifecycle.close();
    lifecycle.break(broken);
    assert.deepEqual(noted.rejected, [broken]);
    loseWorker();
    assert.equal(await isResolved(closed), true);
    await assert.rejects(lifecycle.ready, broken);
  });

  test('breaks no more once it is closed', () => {
    const { lifecycle, noted } = pool({ workers: 0 });
    void lifecycle.close();
    lifecycle.break(broken);
    assert.equal(lifecycle.state, 'closed');
    assert.equal(noted.rejected.length, 0);
  });
});

describe('the process stays alive', () => {
  test('while the pool is not ready, and no longer', () => {
    const { lifecycle, platform } = pool();
    assert.equal(platform.keptAlive, 'held');
    lifecycle.becomeReady();
    assert.equal(platform.keptAlive, 'released');
  });

  test('while a call is open, and no longer', () => {
    const { lifecycle, platform, submit, settle } = pool();
    lifecycle.becomeReady();
    submit();
    submit();
    assert.equal(platform.keptAlive, 'held');
    settle();
    assert.equal(platform.keptAlive, 'held');
    settle();
    assert.equal(platform.keptAlive, 'released');
  });

  test('while the pool closes, until it is closed', async () => {
    const { lifecycle, platform, loseWorker } = pool();
    lifecycle.becomeReady();
    const closed = lifecycle.close();
    assert.equal(platform.keptAlive, 'held');
    loseWorker();
    await closed;
    assert.equal(platform.keptAlive, 'disposed');
  });

  test('not for a pool that broke', () => {
    const { lifecycle, platform } = pool({ open: 1 });
    lifecycle.break(broken);
    assert.equal(platform.keptAlive, 'released');
  });
});
