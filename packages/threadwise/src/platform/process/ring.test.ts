/** Messages through a file: rings of a few bytes, with puts and takes in any order that the protocol allows. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'threadwise-test/fast-check';
import { newFileBoard, type BoardFile, ringsOf } from './board.js';
import { type Ring, ringReader, ringWriter } from './ring.js';

function withRing(byteLength: number, run: (ring: Ring) => void): void {
  const { board, memory } = newFileBoard(1);
  const [toWorker] = ringsOf({ ...(memory as BoardFile), hasRings: true });
  try {
    run({ ...toWorker!, byteLength });
  } finally {
    board.close?.();
  }
}

function taken(take: ReturnType<typeof ringReader>, start: number, length: number): Uint8Array {
  const bytes = new Uint8Array(length);
  take(start, () => bytes);
  return bytes;
}

test('ring: every message is read as it was written, and none reaches beyond the ring', () => {
  const steps = fc.array(fc.oneof(fc.constant('take' as const), fc.integer({ min: 1, max: 12 })));
  fc.assert(
    fc.property(steps, fc.integer({ min: 1, max: 24 }), (plan, size) =>
      withRing(size, (ring) => {
        const put = ringWriter(ring);
        const take = ringReader(ring);
        const there: { readonly start: number; readonly bytes: Uint8Array }[] = [];
        for (const [number, step] of plan.entries()) {
          if (step === 'take') {
            const oldest = there.shift();
            if (oldest === undefined) continue;
            assert.deepEqual(taken(take, oldest.start, oldest.bytes.length), oldest.bytes);
            continue;
          }
          const bytes = new Uint8Array(step).fill(number);
          const start = put(bytes);
          if (start < 0) {
            // An empty ring has room for every message that is no longer than the ring.
            assert.ok(there.length > 0 || step > size);
            continue;
          }
          assert.ok(start + step <= size);
          there.push({ start, bytes });
        }
        for (const { start, bytes } of there) assert.deepEqual(taken(take, start, bytes.length), bytes);
      }),
    ),
  );
});

test('ring: what the file cannot take is not there, and what came before stays', () => {
  withRing(8, (ring) => {
    const put = ringWriter(ring);
    assert.equal(put(Uint8Array.of(1, 2, 3)), 0);
    assert.equal(ringWriter({ ...ring, fd: -1 })(Uint8Array.of(4)), -1);
    assert.equal(put(new Uint8Array(6)), -1);
    assert.deepEqual(taken(ringReader(ring), 0, 3), Uint8Array.of(1, 2, 3));
  });
});

test('ring: a message that is not in the file is an error, and no endless wait', () => {
  withRing(8, (ring) => {
    assert.throws(() => taken(ringReader(ring), 2 ** 30, 1), /a message is not in the file/);
  });
});

test('ring: as many messages as the byte of the reader can count, and no more', () => {
  withRing(1000, (ring) => {
    const put = ringWriter(ring);
    const take = ringReader(ring);
    for (let round = 0; round < 3; round++) {
      const starts = Array.from({ length: 256 }, () => put(Uint8Array.of(1)));
      assert.equal(starts.indexOf(-1), 255);
      for (const start of starts.slice(0, 255)) taken(take, start, 1);
    }
  });
});
