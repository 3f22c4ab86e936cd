/** The ring buffer: order at both ends, its sizes, and that it holds on to nothing. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import fc from 'fast-check';
import { Ring } from './ring.js';

const SMALLEST = 2 ** 8;

function filled(count: number): Ring<number> {
  const ring = new Ring<number>();
  for (let i = 0; i < count; i++) ring.push(i);
  return ring;
}

function range(from: number, to: number): number[] {
  return Array.from({ length: to - from }, (_, i) => from + i);
}

describe('Ring: order', () => {
  test('comes out as it went in, when head and tail go round many times', () => {
    const ring = new Ring<number>();
    let expected = 0;
    for (let i = 0; i < SMALLEST * 10; i++) {
      ring.push(i);
      if (i % 7 < 6 && i > 40) assert.equal(ring.shift(), expected++);
    }
    while (ring.size > 0) assert.equal(ring.shift(), expected++);
    assert.equal(expected, SMALLEST * 10);
  });

  test('pushFront undoes shift across the boundary of the buffer', () => {
    const ring = filled(3);
    ring.pushFront(-1);
    ring.pushFront(-2);
    assert.deepEqual([...ring], [-2, -1, 0, 1, 2]);
    assert.equal(ring.shift(), -2);
    assert.equal(ring.peek(), -1);
  });

  test('keeps its order when it grows while wrapped around, from either end', () => {
    for (const end of ['push', 'pushFront'] as const) {
      const ring = filled(SMALLEST);
      for (let i = 0; i < 100; i++) ring.shift();
      for (let i = 0; i < 100; i++) ring.push(SMALLEST + i);
      assert.equal(ring.capacity, SMALLEST, 'full and wrapped');
      ring[end](-1);
      const middle = range(100, SMALLEST + 100);
      assert.deepEqual([...ring], end === 'push' ? [...middle, -1] : [-1, ...middle]);
    }
  });

  test('agrees with an array over any pushes and shifts, at every size', () => {
    const runs = fc.array(
      fc.record({ op: fc.constantFrom('push', 'pushFront', 'shift'), count: fc.nat(300) }),
      { maxLength: 30 },
    );
    fc.assert(
      fc.property(runs, (ops) => {
        const [ring, model] = [new Ring<number>(), [] as number[]];
        let n = 0;
        for (const { op, count } of ops) {
          for (let i = 0; i < count; i++) {
            if (op === 'shift') assert.equal(ring.shift(), model.shift());
            else if (op === 'push') [ring, model].forEach((each) => void each.push(n));
            else [() => ring.pushFront(n), () => model.unshift(n)].forEach((each) => void each());
            n++;
          }
          assert.equal(ring.size, model.length);
          assert.equal(ring.peek(), model[0]);
          assert.deepEqual([...ring], model);
        }
      }),
      { numRuns: 60 },
    );
  });
});

describe('Ring: size', () => {
  test('starts at 2^8 slots and doubles only when one more comes than fit', () => {
    const ring = filled(SMALLEST);
    assert.equal(ring.capacity, SMALLEST);
    ring.push(0);
    assert.equal(ring.capacity, SMALLEST * 2);
  });

  test('shrinks again as it empties, down to 2^8 and no further', () => {
    const ring = filled(SMALLEST * 64);
    const seen = new Set<number>();
    while (ring.size > 0) {
      ring.shift();
      seen.add(ring.capacity);
      assert.ok(ring.capacity >= ring.size);
    }
    assert.deepEqual(
      [...seen],
      range(0, 7).map((i) => SMALLEST * 2 ** (6 - i)),
    );
  });

  test('is always a power of two', () => {
    const ring = new Ring<number>();
    for (let i = 0; i < 3000; i++) {
      ring.push(i);
      assert.equal(Math.log2(ring.capacity) % 1, 0);
    }
  });

  test('does not change when one is pushed and shifted in turn at a boundary', () => {
    const ring = filled(SMALLEST + 1);
    while (ring.capacity > SMALLEST) ring.shift();
    for (let i = 0; i < 100; i++) {
      ring.push(i);
      assert.equal(ring.capacity, SMALLEST);
      ring.shift();
      assert.equal(ring.capacity, SMALLEST);
    }
  });

  test('an empty ring has nothing to give and can be filled again', () => {
    const ring = filled(2);
    ring.shift();
    ring.shift();
    assert.equal(ring.shift(), undefined);
    assert.equal(ring.size, 0);
    ring.push(7);
    assert.equal(ring.shift(), 7);
  });
});

/** Pushes two objects and shifts one. In a function of its own, whose frame holds on to neither. */
function shiftOne(ring: Ring<object>): { shifted: WeakRef<object>; kept: WeakRef<object> } {
  const [first, second] = [{}, {}];
  ring.push(first);
  ring.push(second);
  ring.shift();
  return { shifted: new WeakRef(first), kept: new WeakRef(second) };
}

test('Ring: holds on to nothing that was shifted', async () => {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  const ring = new Ring<object>();
  const { shifted, kept } = shiftOne(ring);
  // A WeakRef holds its target until the turn in which it was made is over.
  await new Promise((resolve) => setImmediate(resolve));
  collect();
  assert.equal(shifted.deref(), undefined);
  assert.notEqual(kept.deref(), undefined);
  assert.equal(ring.size, 1);
});
