/** The snapshot of a pool: plain JSON, whatever the pool is like. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { MeasuredRecorder } from '../metrics/measured.js';
import type { Recorder } from './contracts.js';
import type { Engine } from './engine.js';
import { FakeLink, FakePlatform, makeSlot, makeTask } from './fake-platform.case.js';
import { snapshot } from './stats.js';
import { WorkerSlot } from './workers/worker-slot.js';

const distribution = { count: 3, mean: 2, p50: 2, p90: 3, p99: 3, max: 3 };
const recorded: ReturnType<Recorder['snapshot']> = {
  submitted: 20,
  outcomes: { completed: 6, failed: 5, aborted: 4, timedOut: 3, crashed: 2, rejected: 1 },
  retried: 7,
  crashes: 8,
  recycled: 9,
  interrupted: 10,
  functions: [],
  throughput: 2.5,
  waitMs: distribution,
  runMs: { ...distribution, count: 4 },
  recent: { ms: 10_000, waitMs: distribution, runMs: distribution },
  buckets: { waitMs: [{ belowMs: 1, count: 0 }], runMs: [{ belowMs: 4, count: 4 }] },
};

interface Given {
  readonly slots?: readonly WorkerSlot[];
  readonly limit?: number;
  readonly dispatch?: unknown;
}

/** A pool of which all else is as it is here. */
function pool({ slots = [], limit = Number.POSITIVE_INFINITY, dispatch }: Given = {}): Engine {
  const engine = {
    parts: {
      name: 'pool-1',
      platform: new FakePlatform(),
      recorder: { snapshot: () => recorded },
      exchange: {},
      scaling: { name: 'measured' },
    },
    lifecycle: { state: 'open' },
    placement: { name: 'threads', usesThreads: true },
    choice: { name: 'least-busy' },
    scaler: { bounds: { min: 1, max: 4 }, decisions: [] },
    admission: { limit },
    ledger: { size: 5 },
    meter: { costMs: undefined },
    dispatch: dispatch ?? { name: 'direct', waiting: 3, oldestSubmittedAt: () => 400 },
    workers: { slots, serving: slots.filter((slot) => slot.serves) },
  };
  return engine as unknown as Engine;
}

/** A worker that loads the module. */
function starting(id: number): WorkerSlot {
  const slot = new WorkerSlot(id, { size: 0 } as WorkerSlot['lane'], 900);
  slot.link = new FakeLink();
  slot.record = new MeasuredRecorder().worker();
  slot.thread = { terminate: async () => undefined, utilization: () => 0, cpu: () => undefined };
  return slot;
}

describe('the snapshot', () => {
  test('is plain JSON: it is the same when it has been text in between', () => {
    const { slot } = makeSlot(1);
    const stats = snapshot(pool({ slots: [slot, starting(2)] }));
    assert.deepEqual(JSON.parse(JSON.stringify(stats)), stats);
  });

  test('has what the recorder counted', () => {
    const { tasks, crashes, recycled, runMs, waitMs } = snapshot(pool());
    assert.deepEqual(tasks, { ...recorded.outcomes, submitted: 20, open: 5, retried: 7 });
    assert.deepEqual({ crashes, recycled }, { crashes: 8, recycled: 9 });
    assert.equal(waitMs.count, 3);
    assert.equal(runMs.count, 4);
  });

  test('says null where the queue has no limit, and how long its oldest has waited', () => {
    assert.deepEqual(snapshot(pool()).queue, { size: 3, limit: null, oldestMs: 600 });
    assert.equal(snapshot(pool({ limit: 0 })).queue.limit, 0);
    const dispatch = { name: 'direct', waiting: 0, oldestSubmittedAt: () => undefined };
    assert.equal(snapshot(pool({ dispatch })).queue.oldestMs, 0);
  });

  test('counts as threads those that are there for tasks, and lists all workers', () => {
    const [idle, busy, leaving] = [makeSlot(1).slot, makeSlot(2).slot, makeSlot(3).slot];
    busy.hand(makeTask().task);
    leaving.transition('retiring');
    const stats = snapshot(pool({ slots: [idle, busy, leaving, starting(4)] }));
    assert.deepEqual(stats.threads, { min: 1, max: 4, current: 3, starting: 1, idle: 1 });
    assert.deepEqual(
      stats.workers.map(({ id, state, inline }) => [id, state, inline]),
      [
        [1, 'ready', false],
        [2, 'ready', false],
        [3, 'retiring', false],
        [4, 'starting', false],
      ],
    );
  });

  test('says of each worker what it does and has done', () => {
    const { slot } = makeSlot(7, 300);
    slot.hand(makeTask().task);
    slot.completed = 12;
    slot.heapUsedBytes = 4096;
    const figures = slot.record.snapshot();
    assert.deepEqual(snapshot(pool({ slots: [slot] })).workers, [
      {
        ...figures,
        cpu: null,
        id: 7,
        state: 'ready',
        inline: false,
        load: 1,
        completed: 12,
        utilization: 0.5,
        heapUsedBytes: 4096,
        ageMs: 700,
      },
    ]);
  });

  test('stays as it is when the pool goes on', () => {
    const { slot } = makeSlot(1);
    const stats = snapshot(pool({ slots: [slot] }));
    const before = JSON.stringify(stats);
    slot.completed = 99;
    slot.transition('retiring');
    assert.equal(JSON.stringify(stats), before);
  });
});
