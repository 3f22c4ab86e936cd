/** Which worker is replaced near the limit of memory, and when none is. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { MemoryRelief } from './recycler.js';

const MIB = 2 ** 20;

interface Situation {
  readonly before?: number;
  readonly after?: number;
  readonly others?: readonly number[];
  readonly least?: number;
  readonly used?: number | undefined;
}

/** A worker whose heap goes from `before` to `after`, all in MiB, of a limit of 1,000 MiB of which `used` are used. */
function outcome({ before = 10, after = 80, others = [20], least = 2, used = 960 }: Situation): boolean {
  const relief = new MemoryRelief();
  const heap = { heapUsedBytes: before * MIB };
  const all = [heap, ...others.map((mib) => ({ heapUsedBytes: mib * MIB }))];
  const memory = () => ({ usedBytes: used * MIB, limitBytes: 1000 * MIB });
  assert.equal(relief.wants(heap, all, least, memory, 0), false, 'at first nothing can have grown');
  heap.heapUsedBytes = after * MIB;
  return relief.wants(heap, all, least, memory, 1);
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
  const relief = new MemoryRelief();
  const heap = { heapUsedBytes: MIB };
  relief.wants(heap, [heap], 1, () => undefined, 0);
  heap.heapUsedBytes = 500 * MIB;
  assert.equal(
    relief.wants(heap, [heap], 1, () => undefined, 1),
    false,
  );
});

test('memory relief: one at a time, and not again for ten seconds', () => {
  const relief = new MemoryRelief();
  const memory = () => ({ usedBytes: 99, limitBytes: 100 });
  const grow = (heap: { heapUsedBytes: number }, now: number) => {
    heap.heapUsedBytes += 100 * MIB;
    return relief.wants(heap, [heap], 1, memory, now);
  };
  const heaps = Array.from({ length: 3 }, () => ({ heapUsedBytes: MIB }));
  for (const heap of heaps) relief.wants(heap, [heap], 1, memory, 0);
  assert.deepEqual([grow(heaps[0]!, 1), grow(heaps[1]!, 9999), grow(heaps[2]!, 10_001)], [true, false, true]);
});
