/** The arena under changing traffic: blocks never overlap, and memory serves any size after any other. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'threadwise-test/fast-check';
import { Arena } from './arena.js';
import { fill, freeAll } from '../stage/arena-filling.case.js';
import { offsetOf, segmentOf } from '../layout.js';

const KIB = 2 ** 10;
const MIB = 2 ** 20;

function arenaOf({ segmentBytes, maxBytes }: { segmentBytes: number; maxBytes: number }) {
  const announced: unknown[] = [];
  const allocate = (byteLength: number) => new SharedArrayBuffer(byteLength);
  const onSegment = (_index: number, buffer: unknown) => void announced.push(buffer);
  return { arena: new Arena({ allocate, onSegment, segmentBytes, maxBytes: () => maxBytes }), announced };
}

/** Numbers from 0 up to below 1 that are the same each time. */
function randomOf(seed: number): () => number {
  return () => {
    seed = (Math.imul(seed, 1664525) + 1013904223) | 0;
    return (seed >>> 8) / 2 ** 24;
  };
}

function shuffled<T>(items: readonly T[], random: () => number): T[] {
  const mixed = [...items];
  for (let i = mixed.length - 1; i > 0; i--) {
    const j = Math.floor(random() * (i + 1));
    [mixed[i], mixed[j]] = [mixed[j]!, mixed[i]!];
  }
  return mixed;
}

describe('Arena: sizes that change', () => {
  const limits = { segmentBytes: MIB, maxBytes: 4 * MIB };

  test('what was full of one size can be full of any other afterwards', () => {
    const random = randomOf(1);
    const { arena } = arenaOf(limits);
    for (const bytes of [64 * KIB, 256, MIB, 320, 9 * KIB, 256, 72 * KIB, 1500, MIB]) {
      const taken = fill(arena, bytes);
      const fresh = fill(arenaOf(limits).arena, bytes).length;
      assert.ok(taken.length > fresh * 0.99, `${taken.length} of ${bytes} bytes; ${fresh} in a new arena`);
      freeAll(arena, shuffled(taken, random));
      assert.equal(arena.usedBytes, 0);
    }
    assert.equal(arena.reservedBytes, 4 * MIB);
  });

  test('some blocks that stay keep little else from being used', () => {
    const random = randomOf(2);
    for (const [before, after] of [
      [64 * KIB, 256],
      [256, 64],
      [32 * KIB, 4096],
    ] as const) {
      const { arena } = arenaOf(limits);
      const mixed = shuffled(fill(arena, before), random);
      freeAll(arena, mixed.slice(mixed.length / 10));
      fill(arena, after);
      assert.ok(arena.usedBytes > arena.maxBytes * 0.98, `${before}, ${after}: ${arena.usedBytes}`);
    }
  });

  test('a block that is taken and freed in turn stays where it is, also at the edge of a span', () => {
    const { arena } = arenaOf(limits);
    for (let live = 0; live < 200; live++) {
      const address = arena.take(256);
      for (let i = 0; i < 3; i++) {
        arena.free(address);
        assert.equal(arena.take(256), address);
      }
    }
  });

  test('years of changing traffic, half of the memory in use: nothing is ever refused', () => {
    const random = randomOf(3);
    const { arena } = arenaOf({ segmentBytes: 4 * MIB, maxBytes: 16 * MIB });
    const live: number[] = [];
    const [around, spread] = [() => 2 ** (8 + random() * 8), () => 0.7 + random() * 0.6];
    for (let phase = 0; phase < 300; phase++) {
      const typical = around();
      for (let i = 0; i < 400; i++) {
        const bytes = Math.round(typical * spread());
        while (live.length > 0 && arena.usedBytes + bytes > 8 * MIB) {
          const at = Math.floor(random() * live.length);
          arena.free(live[at]!);
          live[at] = live.at(-1)!;
          live.pop();
        }
        const address = arena.take(bytes);
        assert.notEqual(address, -1, `phase ${phase}: ${bytes} bytes, ${arena.usedBytes} in use`);
        live.push(address);
      }
    }
    freeAll(arena, live);
    assert.equal(fill(arena, MIB).length, 16);
  });
});

interface Held {
  readonly address: number;
  readonly mark: number;
}

test('Arena: whatever is taken and freed, no block overlaps another, and in the end all is whole', () => {
  const limits = { segmentBytes: 256 * KIB, maxBytes: MIB };
  const op = fc.record({
    bytes: fc.oneof(fc.nat(600), fc.nat(600), fc.nat(10 * KIB), fc.nat(270 * KIB)),
    times: fc.integer({ min: 1, max: 40 }),
    frees: fc.boolean(),
    which: fc.nat(2 ** 20),
  });
  const bytesOf = (arena: Arena, { address }: Held) =>
    new Uint8Array(arena.memory(address).u8.buffer, offsetOf(address), arena.size(address));
  const fresh = fill(arenaOf(limits).arena, 256 * KIB).length;
  fc.assert(
    fc.property(fc.array(op, { maxLength: 60 }), (ops) => {
      const { arena, announced } = arenaOf(limits);
      const held: Held[] = [];
      let [used, mark] = [0, 0];
      const free = (each: Held) => {
        const bytes = bytesOf(arena, each);
        assert.ok(
          bytes.every((byte) => byte === each.mark),
          'nobody else wrote into it',
        );
        used -= bytes.length;
        arena.free(each.address);
        assert.throws(() => arena.free(each.address), /no block/);
      };
      for (const { bytes, times, frees, which } of ops) {
        for (let i = 0; i < times; i++) {
          if (frees && held.length > 0) {
            free(held.splice(which % held.length, 1)[0]!);
          } else if (!frees) {
            const address = arena.take(bytes);
            if (address === -1) {
              assert.ok(held.length > 0, 'an empty arena has room');
              continue;
            }
            assert.ok(segmentOf(address) < announced.length);
            assert.ok(offsetOf(address) + arena.size(address) <= arena.memory(address).u8.length);
            assert.ok(arena.size(address) >= bytes);
            used += arena.size(address);
            mark = (mark + 1) % 256;
            bytesOf(arena, { address, mark }).fill(mark);
            held.push({ address, mark });
          }
          assert.equal(arena.usedBytes, used);
          assert.ok(used <= arena.reservedBytes && arena.reservedBytes <= MIB);
        }
      }
      for (const each of held) free(each);
      assert.equal(arena.usedBytes, 0);
      assert.equal(fill(arena, 256 * KIB).length, fresh);
    }),
    { numRuns: 100 },
  );
});
