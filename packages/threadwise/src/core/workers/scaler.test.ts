/** How many workers there are: grows on demand, lets the idle go, backs off from failures, and gives up. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { LoadView, RemoteSizing, Scaling } from '../contracts.js';
import type { Engine } from '../engine.js';
import { Hooks } from '../events/hooks.js';
import { FakePlatform, silentSink } from '../fake-platform.case.js';
import type { SizingDecision } from './sizer.js';
import { Scaler } from './scaler.js';
import type { WorkerSlot } from './worker-slot.js';

interface FakeSlot {
  readonly id: number;
  state: 'starting' | 'ready';
  load: number;
  idleSince: number;
  startedAt: number;
}

interface Settings {
  min?: number;
  max?: number;
  idleTimeoutMs?: number | undefined;
  /** Default: grows by what waits, lets go of one that is idle for too long. */
  target?: (load: LoadView) => number;
  remote?: RemoteSizing;
}

const usual = (load: LoadView): number => {
  if (load.queued > 0) return load.current + load.queued - load.starting - load.idle;
  return load.idle > 0 && load.longestIdleMs >= load.idleTimeoutMs ? load.current - 1 : load.current;
};

/** Workers that start when told to and are gone when let go. */
function scene({ min = 1, max = 4, idleTimeoutMs = 1000, target = usual, remote }: Settings = {}) {
  const platform = new FakePlatform();
  const slots: FakeSlot[] = [];
  const gone: [number, string][] = [];
  const waiting = { queued: 0, offered: 0, pump: () => undefined };
  const asked: LoadView[] = [];
  const noted = {
    errors: [] as unknown[],
    givenUp: [] as unknown[],
    decisions: [] as SizingDecision[],
    prepared: 0,
  };
  let lastId = 0;
  const workers = {
    slots,
    get serving() {
      return [...slots];
    },
    start: () =>
      slots.push({
        id: ++lastId,
        state: 'starting',
        load: 0,
        idleSince: platform.now(),
        startedAt: platform.now(),
      }),
    reserve: () => noted.prepared++,
    dropReserved: () => undefined,
    measure: () => ({ completed: 0, workers: [], memory: undefined }),
    retire: (slot: FakeSlot, reason: string) => {
      slots.splice(slots.indexOf(slot), 1);
      gone.push([slot.id, reason]);
    },
  };
  const scaling: Scaling = {
    name: 'test',
    initial: undefined,
    decide: (load) => {
      asked.push(load);
      const isWatched = load.current > load.min && Number.isFinite(load.idleTimeoutMs);
      const againMs = isWatched ? Math.max(1, load.idleTimeoutMs - load.longestIdleMs) : undefined;
      return { target: target(load), why: 'a test wants it', state: undefined, isSated: false, againMs };
    },
  };
  const hooks = new Hooks(silentSink, 'pool');
  hooks.on('pool:size', ({ pool: _pool, ...decision }) => noted.decisions.push(decision));
  hooks.on('error', ({ error }) => noted.errors.push(error));
  const threads = { min, max, cores: 4 };
  const engine = {
    threads,
    parts: {
      name: 'pool',
      platform,
      scaling,
      options: { tasksPerWorker: 1, idleTimeoutMs },
      exchange: { sizing: remote },
    },
    workers,
    dispatch: waiting,
    hooks,
    ledger: {
      get size() {
        return waiting.queued;
      },
    },
    moduleFailed: (error: unknown) => noted.givenUp.push(error),
  };
  const scaler = new Scaler(engine as unknown as Engine, threads);
  /** A worker fails before it did anything. */
  const fail = (slot: FakeSlot, error: unknown = new Error('failed')) => {
    slots.splice(slots.indexOf(slot), 1);
    scaler.failed(error, slot as unknown as WorkerSlot);
  };
  /** The worker that was started last fails. */
  const failLast = (error?: unknown) => fail(slots.at(-1)!, error);
  const ready = (load = 0) => {
    for (const slot of slots) Object.assign(slot, { state: 'ready', load, idleSince: platform.now() });
  };
  return { platform, scaler, slots, gone, waiting, asked, noted, fail, failLast, ready };
}

describe('scaler', () => {
  test('starts the minimum, though the policy should want fewer', () => {
    const { scaler, slots } = scene({ min: 2, target: () => 0 });
    scaler.adjust();
    assert.equal(slots.length, 2);
  });

  test('says why, where the bounds ask for more workers than there are: once', () => {
    const { scaler, noted } = scene({ min: 1, max: 1 });
    scaler.adjust();
    scaler.resize({ min: 3, max: 3, cores: 4 });
    scaler.adjust();
    assert.deepEqual(
      noted.decisions.map(({ by, from, to, why }) => ({ by, from, to, why })),
      [
        { by: 'pool', from: 0, to: 1, why: 'there must be at least 1' },
        { by: 'pool', from: 1, to: 3, why: 'there must be at least 3' },
      ],
    );
  });

  test('never goes above the maximum, whatever the policy wants', () => {
    const { scaler, slots } = scene({ max: 3, target: () => 100 });
    scaler.adjust();
    scaler.adjust();
    assert.equal(slots.length, 3);
  });

  test('grows as far as waiting tasks need, and not twice for the same', () => {
    const { scaler, slots, waiting } = scene({ max: 8 });
    scaler.adjust();
    waiting.queued = 3;
    scaler.adjust();
    scaler.adjust();
    assert.equal(slots.length, 3);
  });

  test('tells the policy how things are', () => {
    const { platform, scaler, slots, waiting, asked, ready } = scene({ min: 3 });
    scaler.adjust();
    ready();
    slots[0]!.load = 2;
    slots[1]!.state = 'starting';
    waiting.queued = 0;
    platform.advance(70);
    scaler.adjust();
    assert.deepEqual(asked.at(-1), {
      min: 3,
      max: 4,
      current: 3,
      starting: 1,
      idle: 1,
      queued: 0,
      tasksPerWorker: 1,
      longestIdleMs: 70,
      idleTimeoutMs: 1000,
      cores: 4,
      now: platform.now(),
      measured: undefined,
    });
  });

  test('lets the idle go one by one, the youngest first, down to the minimum', () => {
    const { platform, scaler, slots, gone, waiting, ready } = scene();
    waiting.queued = 3;
    scaler.adjust();
    waiting.queued = 0;
    ready();
    scaler.adjust();
    platform.advance(999);
    assert.deepEqual(gone, []);
    platform.advance(10_000);
    assert.deepEqual(gone, [
      [3, 'released'],
      [2, 'released'],
    ]);
    assert.deepEqual(
      slots.map(({ id }) => id),
      [1],
    );
    assert.equal(platform.timerCount, 0, 'nothing left to watch');
  });

  test('lets nobody go who works', () => {
    const { platform, scaler, gone, waiting, ready } = scene();
    waiting.queued = 2;
    scaler.adjust();
    waiting.queued = 0;
    ready(1);
    scaler.adjust();
    platform.advance(100_000);
    assert.deepEqual(gone, []);
  });

  test('lets nobody go where there is no idle timeout', () => {
    const never = scene({ idleTimeoutMs: Number.POSITIVE_INFINITY });
    never.waiting.queued = 2;
    never.scaler.adjust();
    never.waiting.queued = 0;
    never.ready();
    never.scaler.adjust();
    never.platform.advance(100_000_000);
    assert.deepEqual(never.gone, []);
  });

  test('shrinks to new bounds at once: the idle before those that work', () => {
    const { scaler, slots, gone, ready } = scene({ min: 4 });
    scaler.adjust();
    ready(1);
    slots[1]!.load = 0;
    scaler.resize({ min: 1, max: 2, cores: 4 });
    assert.deepEqual(
      gone.map(([id]) => id),
      [2, 4],
    );
  });

  test('passes on how many threads make sense: with new bounds they may be others', () => {
    const remote = new Remote();
    for (const given of [{}, { remote }]) {
      const { scaler, asked } = scene(given);
      scaler.adjust();
      scaler.resize({ min: 1, max: 8, cores: 7 });
      assert.equal(asked.at(-1)!.cores, 7);
    }
    assert.deepEqual(remote.bounds.at(-1), { min: 1, max: 8, cores: 7 });
  });

  test('neither starts nor lets go after close', () => {
    const { platform, scaler, slots, waiting, gone, ready } = scene();
    waiting.queued = 2;
    scaler.adjust();
    waiting.queued = 0;
    ready();
    scaler.adjust();
    scaler.close();
    waiting.queued = 5;
    scaler.adjust();
    platform.advance(100_000);
    assert.equal(slots.length, 2);
    assert.deepEqual(gone, []);
    assert.equal(platform.timerCount, 0);
  });
});

describe('where tasks wait and no worker is there', () => {
  test('one is started, though the policy wants none', () => {
    const { scaler, slots, waiting } = scene({ min: 0, target: () => 0 });
    scaler.adjust();
    assert.equal(slots.length, 0);
    waiting.queued = 1;
    assert.equal(scaler.canGrow, true);
    scaler.adjust();
    assert.equal(slots.length, 1);
  });

  test('one is started, though another thread wants none', () => {
    const remote = new Remote();
    const { scaler, slots, waiting } = scene({ min: 0, remote });
    remote.want(0);
    waiting.queued = 1;
    assert.equal(scaler.canGrow, true);
    scaler.adjust();
    assert.equal(slots.length, 1);
  });

  test('the last one stays as long as it holds a task, or is about to take one', () => {
    const { scaler, slots, waiting, ready } = scene({ min: 0, target: () => 0 });
    waiting.queued = 1;
    scaler.adjust();
    [waiting.queued, waiting.offered] = [0, 1];
    ready();
    scaler.adjust();
    waiting.offered = 0;
    ready(1);
    scaler.adjust();
    assert.equal(slots.length, 1);
    ready(0);
    scaler.adjust();
    assert.equal(slots.length, 0);
  });

  test('it is noticed, told with a code, and mended, though nobody should have asked for a worker', () => {
    const { platform, scaler, slots, waiting, noted } = scene({ min: 0 });
    scaler.watch();
    waiting.queued = 1;
    platform.advance(1000);
    assert.equal((noted.errors[0] as { code?: string }).code, 'ERR_NO_WORKER');
    assert.equal(slots.length, 1);
    platform.advance(5000);
    assert.equal(noted.errors.length, 1);
    waiting.queued = 0;
    platform.advance(1000);
    assert.equal(platform.timerCount, 0, 'nothing is watched while no call is open');
  });

  test('nobody is alarmed while the start waits for the pause after a failure', () => {
    const { platform, scaler, waiting, noted, failLast } = scene({ min: 0 });
    waiting.queued = 1;
    scaler.watch();
    scaler.adjust();
    for (let failures = 1; failures <= 5; failures++) {
      failLast('failed');
      platform.advance(50 * 2 ** (failures - 1));
    }
    assert.deepEqual(new Set(noted.errors), new Set(['failed']));
  });
});

/** A thread that sizes the pool: says what it is told to say. */
class Remote implements RemoteSizing {
  wanted: number | undefined;
  readonly isDown = false;
  readonly bounds: unknown[] = [];
  onWanted: RemoteSizing['onWanted'] = () => undefined;

  drain(): void {}

  bound(bounds: unknown): void {
    this.bounds.push(bounds);
  }

  reserve(): never {
    throw new Error('nothing is reserved here');
  }

  want(wanted: number | undefined, decision?: SizingDecision): void {
    this.wanted = wanted;
    this.onWanted(decision);
  }
}

describe('a pool that another thread sizes', () => {
  const decision: SizingDecision = {
    at: 1,
    by: 'coordinator',
    from: 1,
    to: 3,
    why: 'a test wants it',
    queued: 2,
    idle: 0,
  };

  test('has as many workers as that wants, whatever waits here, within the bounds', () => {
    const remote = new Remote();
    const { scaler, slots, waiting, asked, ready } = scene({ max: 4, remote });
    scaler.adjust();
    const before = asked.length;
    remote.want(3);
    assert.equal(slots.length, 3);
    waiting.queued = 10;
    scaler.adjust();
    assert.equal(slots.length, 3);
    remote.want(99);
    assert.equal(slots.length, 4);
    ready();
    remote.want(0);
    assert.equal(slots.length, 1);
    assert.equal(asked.length, before, 'its own policy was not asked');
  });

  test('is sized by its own policy until that has spoken, and when it is gone', () => {
    const remote = new Remote();
    const { scaler, slots, waiting } = scene({ remote });
    waiting.queued = 2;
    scaler.adjust();
    assert.equal(slots.length, 2);
    remote.want(1);
    remote.want(undefined);
    waiting.queued = 4;
    scaler.adjust();
    assert.equal(slots.length, 4);
  });

  test('tells it the bounds, each time that they change', () => {
    const remote = new Remote();
    const { scaler } = scene({ remote });
    scaler.resize({ min: 2, max: 3, cores: 4 });
    assert.deepEqual(remote.bounds, [
      { min: 1, max: 4, cores: 4 },
      { min: 2, max: 3, cores: 4 },
    ]);
  });

  test('has its decisions in the log, once each', () => {
    const remote = new Remote();
    const { noted } = scene({ min: 0, remote });
    remote.want(3, decision);
    remote.want(3);
    assert.deepEqual(noted.decisions, [decision]);
  });
});

describe('workers that fail', () => {
  test('are replaced after a pause that doubles with each failure', () => {
    const { platform, scaler, slots, failLast } = scene();
    scaler.adjust();
    for (const pauseMs of [50, 100, 200, 400, 800]) {
      failLast();
      scaler.adjust();
      platform.advance(pauseMs - 1);
      assert.equal(slots.length, 0, `still within ${pauseMs} ms`);
      platform.advance(1);
      assert.equal(slots.length, 1, `after ${pauseMs} ms`);
    }
  });

  test('are not replaced earlier because tasks wait', () => {
    const { scaler, slots, waiting, failLast } = scene();
    scaler.adjust();
    failLast();
    waiting.queued = 5;
    assert.equal(scaler.canGrow, false);
    scaler.adjust();
    assert.equal(slots.length, 0);
  });

  test('six times in a row, with none left, are given up with the last error', () => {
    const { platform, scaler, slots, noted, failLast } = scene();
    scaler.adjust();
    for (let i = 1; i <= 5; i++) {
      failLast(i);
      platform.advance(10_000);
    }
    assert.deepEqual(noted.givenUp, []);
    failLast(6);
    assert.deepEqual(noted.givenUp, [6]);
    platform.advance(100_000);
    assert.equal(slots.length, 0);
    assert.deepEqual(noted.errors, [1, 2, 3, 4, 5, 6], 'each is told');
  });

  test('together, with none left, count as one, and are started again together', () => {
    const { platform, scaler, slots, noted, failLast } = scene({ min: 8, max: 8 });
    for (let round = 1; round <= 5; round++) {
      scaler.adjust();
      assert.equal(slots.length, 8);
      platform.advance(5);
      while (slots.length > 0) failLast(round);
      platform.advance(50 * 2 ** (round - 1));
    }
    assert.deepEqual(noted.givenUp, []);
    assert.equal(slots.length, 8);
    while (slots.length > 0) failLast(6);
    assert.deepEqual(noted.givenUp, [6]);
  });

  test('in turns, each while the next one starts, count all the same: the pause grows, and in the end they are given up', () => {
    const { platform, scaler, slots, noted, fail } = scene({ min: 2, max: 2 });
    scaler.adjust();
    const loadsForMs = 400;
    slots[1]!.startedAt = platform.now() + loadsForMs / 2;
    let started = 2;
    while (noted.givenUp.length === 0 && started < 100) {
      platform.advance(10);
      for (const slot of [...slots]) if (platform.now() - slot.startedAt >= loadsForMs) fail(slot);
      started = Math.max(started, ...slots.map(({ id }) => id));
    }
    assert.ok(started < 20, `${started} were started`);
    assert.equal(noted.givenUp.length, 1);
  });

  test('again and again, while others work, are tried again, after pauses that grow up to a minute', () => {
    const { platform, scaler, slots, noted, failLast, ready } = scene({ min: 2, max: 4 });
    scaler.adjust();
    ready(1);
    for (const pauseMs of [
      50, 100, 200, 400, 800, 1600, 3200, 6400, 12_800, 25_600, 51_200, 60_000, 60_000,
    ]) {
      failLast();
      platform.advance(pauseMs - 1);
      assert.equal(slots.length, 1, `still within ${pauseMs} ms`);
      platform.advance(1);
      assert.equal(slots.length, 2, `after ${pauseMs} ms`);
    }
    assert.deepEqual(noted.givenUp, []);
    assert.deepEqual(scaler.bounds, { min: 2, max: 4 });
  });

  test('again and again, until the others are gone: one more is tried at once, and then they are given up', () => {
    const { platform, scaler, slots, noted, failLast, ready } = scene({ min: 2 });
    scaler.adjust();
    ready(1);
    for (let i = 1; i <= 8; i++) {
      failLast(i);
      platform.advance(i < 8 ? 60_000 : 0);
    }
    slots.pop();
    scaler.adjust();
    assert.equal(slots.length, 2);
    failLast(9);
    assert.deepEqual(noted.givenUp, []);
    failLast(10);
    assert.deepEqual(noted.givenUp, [10]);
  });

  test('count from one again after one that was started later did something', () => {
    const { platform, scaler, slots, noted, failLast } = scene();
    scaler.adjust();
    for (let i = 0; i < 5; i++) {
      failLast();
      platform.advance(10_000);
    }
    scaler.succeeded(platform.now());
    failLast();
    assert.deepEqual(noted.givenUp, []);
    platform.advance(50);
    assert.equal(slots.length, 1, 'after the first pause again');
  });

  test('count on, though one that was started before did something', () => {
    const { platform, scaler, slots, failLast, ready } = scene({ min: 2 });
    const before = platform.now();
    scaler.adjust();
    ready();
    platform.advance(1);
    failLast();
    scaler.succeeded(before);
    platform.advance(50);
    failLast();
    platform.advance(99);
    assert.equal(slots.length, 1);
    platform.advance(1);
    assert.equal(slots.length, 2);
  });

  test('are prepared for no other thread during the pause', () => {
    const { platform, scaler, noted, failLast, ready } = scene({ min: 2, remote: new Remote() });
    scaler.adjust();
    ready();
    scaler.adjust();
    assert.equal(noted.prepared, 1);
    failLast();
    scaler.adjust();
    assert.equal(noted.prepared, 1);
    platform.advance(50);
    assert.equal(noted.prepared, 2);
  });

  test('leave no timer behind when the pool closes', () => {
    const { platform, scaler, slots, failLast } = scene();
    scaler.adjust();
    failLast();
    scaler.close();
    assert.equal(platform.timerCount, 0);
    platform.advance(10_000);
    assert.equal(slots.length, 0);
  });
});
