/** Messages through a file: rings of a few bytes, with puts and takes in any order that the protocol allows. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'threadwise-test/fast-check';
import { newFileBoard, type BoardFile, ringsOf } from './board.js';
import { type Ring, readRing, RingWriter } from './ring.js';

function withRing(byteLength: number, run: (ring: Ring) => void): void {
  const { board, memory } = newFileBoard(1);
  const { toWorker } = ringsOf(memory as BoardFile);
  try {
    run({ ...toWorker!, byteLength });
  } finally {
    board.close?.();
  }
}

function read(ring: Ring, start: number, length: number): Uint8Array {
  const bytes = new Uint8Array(length);
  readRing(ring, start, bytes);
  return bytes;
}

const skip =
  ringsOf({ fd: -1, at: 0, cells: 1, isGone: false }).toMain === undefined && 'no memory file here';

test('ring: every message is read as it was written, and none reaches beyond the ring', { skip }, () => {
  const steps = fc.array(fc.oneof(fc.constant('take' as const), fc.integer({ min: 1, max: 12 })));
  fc.assert(
    fc.property(steps, fc.integer({ min: 1, max: 24 }), (plan, size) =>
      withRing(size, (ring) => {
        const writer = new RingWriter(ring);
        const there: { readonly start: number; readonly bytes: Uint8Array }[] = [];
        for (const [number, step] of plan.entries()) {
          if (step === 'take') {
            const oldest = there.shift();
            if (oldest === undefined) continue;
            assert.deepEqual(read(ring, oldest.start, oldest.bytes.length), oldest.bytes);
            writer.taken();
            continue;
          }
          const bytes = new Uint8Array(step).fill(number);
          const start = writer.put(bytes);
          if (start < 0) {
            // An empty ring has room for every message that is no longer than the ring.
            assert.ok(there.length > 0 || step > size);
            continue;
          }
          assert.ok(start + step <= size);
          there.push({ start, bytes });
        }
        for (const { start, bytes } of there) assert.deepEqual(read(ring, start, bytes.length), bytes);
      }),
    ),
  );
});

test('ring: what the file cannot take is not there, and what came before stays', { skip }, () => {
  withRing(8, (ring) => {
    const writer = new RingWriter(ring);
    assert.equal(writer.put(Uint8Array.of(1, 2, 3)), 0);
    assert.equal(new RingWriter({ ...ring, fd: -1 }).put(Uint8Array.of(4)), -1);
    assert.equal(writer.put(new Uint8Array(6)), -1);
    assert.deepEqual(read(ring, 0, 3), Uint8Array.of(1, 2, 3));
  });
});

test('ring: a message that is not in the file is an error, and no endless wait', { skip }, () => {
  withRing(8, (ring) => {
    assert.throws(() => read(ring, 2 ** 30, 1), /a message of 1 bytes is not in the file/);
  });
});
