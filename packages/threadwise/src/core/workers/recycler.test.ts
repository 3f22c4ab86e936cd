/** Which worker is replaced near the limit of memory, and when none is. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Engine } from '../engine.js';
import { makeSlot } from '../fake-platform.case.js';
import { Recycler } from './recycler.js';
import type { WorkerSlot } from './worker-slot.js';

const MIB = 2 ** 20;

/** A pool of workers of which `least` are there in any case, in a process with 1,000 MiB of which `used` are used: undefined, the system does not tell. */
function pool(workers: number, least: number, used: number | undefined) {
  const clock = { ms: 0 };
  const serving = Array.from({ length: workers }, (_, i) => makeSlot(i + 1).slot);
  const replaced: WorkerSlot[] = [];
  const engine = {
    parts: {
      options: { worker: { recycle: { aboveMemoryMiB: Number.POSITIVE_INFINITY } } },
      recorder: { counts: { recycled: 0 } },
      platform: {
        now: () => clock.ms,
        memory: () => (used === undefined ? used : { usedBytes: used * MIB, limitBytes: 1000 * MIB }),
      },
    },
    scaler: { bounds: { min: least, max: 8 } },
    dispatch: { queued: 0 },
    workers: { serving, retire: (slot: WorkerSlot) => replaced.push(slot) },
    workerGone: () => undefined,
  };
  const recycler = new Recycler(engine as unknown as Engine);
  /** The heap of a worker was measured; whether that has it replaced. */
  const measure = (slot: WorkerSlot, mib: number) => {
    const before = replaced.length;
    recycler.heapMeasured(slot, mib * MIB, Number.POSITIVE_INFINITY);
    return replaced.length > before;
  };
  return { clock, serving, measure };
}

interface Situation {
  readonly before?: number;
  readonly after?: number;
  readonly others?: readonly number[];
  readonly least?: number;
  readonly used?: number;
}

/** Whether a worker is replaced whose heap goes from `before` to `after`, beside `others`, all in MiB. */
function outcome({ before = 10, after = 80, others = [20], least = 2, used = 960 }: Situation): boolean {
  const { serving, measure } = pool(others.length + 1, least, used);
  const [slot, ...rest] = serving;
  rest.forEach((other, i) => measure(other, others[i]!));
  assert.equal(measure(slot!, before), false, 'at first nothing can have grown');
  return measure(slot!, after);
}

test('memory relief: the worker with the largest heap, when that has grown and the limit is near', () => {
  assert.equal(outcome({}), true);
  assert.equal(outcome({ others: [], least: 1 }), true);
});

test('memory relief: not where it would bring little, or somebody else should go', () => {
  const cases: Readonly<Record<string, Situation>> = {
    'the limit is far': { used: 900 },
    'another one is larger': { others: [81] },
    'there are more workers than must be': { least: 1 },
    'it has hardly grown': { after: 41 },
    'most of it was there at first': { before: 60, after: 110 },
  };
  for (const [name, situation] of Object.entries(cases)) assert.equal(outcome(situation), false, name);
});

test('memory relief: nobody where the system does not tell what is used', () => {
  const { serving, measure } = pool(1, 1, undefined);
  measure(serving[0]!, 1);
  assert.equal(measure(serving[0]!, 500), false);
});

test('memory relief: one at a time, and not again for ten seconds', () => {
  const { clock, serving, measure } = pool(3, 3, 960);
  for (const slot of serving) measure(slot, 1);
  const grow = (i: number, now: number) => {
    clock.ms = now;
    return measure(serving[i]!, 101 + i);
  };
  assert.deepEqual([grow(0, 1), grow(1, 9999), grow(1, 10_001)], [true, false, true]);
});
