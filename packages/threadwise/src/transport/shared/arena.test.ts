/** The arena: addresses, bounds, what free refuses, and leases over it. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { LeaseStore } from '../../core/lease.js';
import { Arena, type ArenaOptions, leaseMemory } from './arena.js';
import { offsetOf, segmentOf } from './arena-address.js';
import { fill, freeAll } from './arena-filling.case.js';

const KIB = 2 ** 10;
const MIB = 2 ** 20;
const LARGEST = MIB + MIB / 8;

type Limits = Pick<ArenaOptions, 'segmentBytes' | 'maxBytes'>;

function arenaOf(limits: Limits = {}, given: Partial<ArenaOptions> = {}) {
  const announced: ArrayBufferLike[] = [];
  const arena = new Arena({
    allocate: (byteLength) => new SharedArrayBuffer(byteLength),
    onSegment: (index, buffer) => {
      assert.equal(index, announced.length);
      announced.push(buffer);
    },
    ...limits,
    ...given,
  });
  return { arena, announced };
}

describe('Arena: addresses', () => {
  test('say the segment and the byte, to main and to whoever knows nothing but the address', () => {
    const { arena } = arenaOf({ segmentBytes: 128 * KIB, maxBytes: MIB });
    const addresses = fill(arena, 40 * KIB);
    assert.equal(Math.max(...addresses.map(segmentOf)), 7);
    for (const address of addresses) {
      assert.ok(Number.isInteger(address) && address >= 0 && address < 2 ** 31);
      assert.equal(arena.segment(address), segmentOf(address));
      assert.equal(arena.offset(address), offsetOf(address));
      assert.equal(arena.buffer(address), arena.segments[segmentOf(address)]);
      assert.ok(offsetOf(address) + arena.size(address) <= arena.buffer(address).byteLength);
    }
  });

  test('are the same again, last in, first out, and so is the memory: warm', () => {
    const { arena } = arenaOf();
    const [first, second] = [arena.take(1000), arena.take(1000)];
    arena.free(first);
    arena.free(second);
    assert.equal(arena.take(1000), second);
    assert.equal(arena.take(1000), first);
  });

  test('fit an int32, up to the last that there can be', () => {
    assert.equal(segmentOf(2 ** 31 - 1), 2 ** 15 - 1);
    assert.equal(offsetOf(2 ** 31 - 1), 4 * MIB - 64);
    const { arena } = arenaOf({ segmentBytes: 64 * KIB, maxBytes: 100 * 64 * KIB });
    assert.deepEqual(
      fill(arena, 64 * KIB),
      Array.from({ length: 100 }, (_, segment) => segment * 2 ** 16),
    );
  });
});

describe('Arena: sizes', () => {
  test('a block has at least the bytes that were asked for, and counts as large as it is', () => {
    const { arena } = arenaOf();
    let used = 0;
    for (const bytes of [0, 1, 256, 257, 1000, 4096, 65_536, 65_600, MIB, LARGEST]) {
      const address = arena.take(bytes);
      assert.ok(arena.size(address) >= bytes);
      used += arena.size(address);
      assert.equal(arena.usedBytes, used);
    }
  });

  test('64 KiB and a header are far from twice as large', () => {
    const { arena } = arenaOf();
    assert.equal(arena.size(arena.take(64 * KIB + 40)), 72 * KIB);
  });

  test('nothing is larger than 1 MiB and an eighth, nor than a segment', () => {
    assert.equal(arenaOf().arena.take(LARGEST + 1), -1);
    const { arena, announced } = arenaOf({ segmentBytes: 100 * KIB });
    assert.equal(arena.take(96 * KIB + 1), -1);
    assert.deepEqual(announced, [], 'no segment was made in vain');
    assert.notEqual(arena.take(96 * KIB), -1);
  });
});

describe('Arena: bounds', () => {
  test('grows segment by segment, to its maximum and no further', () => {
    const { arena } = arenaOf({ segmentBytes: 256 * KIB, maxBytes: MIB + 1000 });
    assert.equal(arena.reservedBytes, 0);
    assert.equal(arena.maxBytes, MIB);
    const addresses = fill(arena, 256 * KIB);
    assert.equal(addresses.length, 4);
    assert.equal(arena.reservedBytes, MIB);
    assert.equal(arena.usedBytes, MIB);
    arena.free(addresses[2]!);
    assert.equal(arena.take(200 * KIB), addresses[2]);
    assert.equal(arena.take(1), -1);
  });

  test('is 64 MiB in segments of 4 MiB at most, unless told otherwise', () => {
    const allocate = (byteLength: number) => new SharedArrayBuffer(byteLength);
    const { arena, announced } = arenaOf({}, { allocate });
    assert.equal(fill(arena, MIB).length, 64);
    assert.deepEqual(
      announced.map(({ byteLength }) => byteLength),
      new Array(16).fill(4 * MIB),
    );
  });

  test('makes do with a maximum below a segment, or with none at all', () => {
    assert.equal(fill(arenaOf({ maxBytes: 3 * 64 * KIB }).arena, 64 * KIB).length, 3);
    assert.equal(arenaOf({ maxBytes: 0 }).arena.take(1), -1);
  });

  test('refuses segments that addresses cannot reach into', () => {
    for (const segmentBytes of [0, 63 * KIB, 4 * MIB + 1, Number.NaN]) {
      assert.throws(() => arenaOf({ segmentBytes }), /segment cannot have/);
    }
  });

  test('says that it is full where the runtime has no memory, and asks again later', () => {
    let [asked, hasMemory] = [0, true];
    const allocate = (byteLength: number) => {
      asked++;
      if (!hasMemory) throw new RangeError('Array buffer allocation failed');
      return new SharedArrayBuffer(byteLength);
    };
    const { arena, announced } = arenaOf({ segmentBytes: 64 * KIB }, { allocate });
    const first = arena.take(64 * KIB);
    hasMemory = false;
    for (let i = 0; i < 100; i++) assert.equal(arena.take(64 * KIB), -1);
    assert.equal(asked, 2, 'not again for each take: it is slow to be refused');
    arena.free(first);
    assert.equal(arena.take(64 * KIB), first);
    hasMemory = true;
    let takes = 1;
    while (arena.take(64 * KIB) === -1) assert.ok(takes++ < 2000);
    assert.equal(announced.length, 2);
  });

  test('is full only when there is nothing to reclaim', () => {
    const done: number[] = [];
    let asked = 0;
    const reclaim = () => {
      asked++;
      const address = done.pop();
      if (address !== undefined) arena.free(address);
      return address !== undefined;
    };
    const { arena } = arenaOf({ segmentBytes: 256 * KIB, maxBytes: 256 * KIB }, { reclaim });
    const taken = [arena.take(128 * KIB), arena.take(128 * KIB)];
    assert.equal(asked, 0);
    done.push(...taken);
    assert.equal(arena.take(128 * KIB), taken[1]);
    assert.equal(arena.take(200 * KIB), -1, 'what is given back is too small, and so is what remains');
    assert.equal(arena.take(LARGEST + 1), -1);
    assert.deepEqual([asked, done], [3, []], 'not asked for what could never be given');
  });

  test('does not hide any other error', () => {
    const allocate = () => {
      throw new TypeError('a bug');
    };
    assert.throws(() => arenaOf({}, { allocate }).arena.take(1), TypeError);
  });
});

describe('Arena: segments', () => {
  test('are announced in their order, each before an address in it is given', () => {
    const { arena, announced } = arenaOf({ segmentBytes: 64 * KIB, maxBytes: MIB });
    for (let address = arena.take(5000); address !== -1; address = arena.take(5000)) {
      assert.equal(announced[segmentOf(address)], arena.buffer(address));
      assert.deepEqual(arena.segments, announced);
    }
    assert.equal(announced.length, 16);
  });

  test('are not used where the announcement failed', () => {
    let fails = true;
    const onSegment = () => {
      if (fails) throw new Error('nobody heard');
    };
    const { arena } = arenaOf({}, { onSegment });
    assert.throws(() => arena.take(1), /nobody heard/);
    assert.deepEqual([arena.segments.length, arena.reservedBytes, arena.usedBytes], [0, 0, 0]);
    fails = false;
    assert.equal(segmentOf(arena.take(1)), 0);
  });

  test('are let go of by close: nothing can be taken, and late frees do nothing', () => {
    const { arena } = arenaOf();
    const address = arena.take(1000);
    arena.free(arena.take(300));
    arena.close();
    for (const bytes of [300, 1000, MIB]) assert.equal(arena.take(bytes), -1);
    assert.deepEqual([arena.segments.length, arena.reservedBytes, arena.usedBytes], [0, 0, 0]);
    arena.free(address);
    assert.equal(arena.usedBytes, 0);
  });
});

describe('Arena: free', () => {
  test('throws the second time', () => {
    const { arena } = arenaOf();
    const [first, second] = [arena.take(500), arena.take(500)];
    arena.free(first);
    assert.throws(() => arena.free(first), /no block is taken at address/);
    arena.free(second);
    assert.throws(() => arena.free(second), /no block/);
    assert.equal(arena.usedBytes, 0);
    const again = [arena.take(500), arena.take(500)];
    assert.notEqual(again[0], again[1]);
  });

  test('throws for what was never an address', () => {
    const { arena } = arenaOf();
    assert.throws(() => arena.free(0), /no block/);
    const address = arena.take(5000);
    for (const other of [-1, address + 1, address + 64, 2 ** 31 - 1]) {
      assert.throws(() => arena.free(other), /no block/, `${other}`);
    }
  });

  test('throws for an address of blocks that were cut anew in another size', () => {
    const { arena } = arenaOf({ segmentBytes: 64 * KIB, maxBytes: 64 * KIB });
    const old = fill(arena, 320);
    freeAll(arena, old);
    const now = new Set(fill(arena, 256));
    assert.equal(now.size, 256);
    const stale = old.filter((address) => !now.has(address));
    assert.ok(stale.length > 100);
    for (const address of stale) assert.throws(() => arena.free(address), /no block/);
    freeAll(arena, [...now]);
    assert.equal(arena.usedBytes, 0);
  });
});

describe('leases over an arena', () => {
  const make = (limits: Limits, maxLeased?: number) => {
    const { arena } = arenaOf(limits);
    const own: number[] = [];
    const allocate = (byteLength: number) => {
      own.push(byteLength);
      return new SharedArrayBuffer(byteLength);
    };
    return { arena, own, store: new LeaseStore(allocate, leaseMemory(arena, maxLeased)) };
  };

  test('lie in it, as long as asked for, and go back to it', () => {
    const { arena, own, store } = make({});
    const [first, second] = [store.lease(1000), store.lease(1000)];
    assert.equal(first.bytes.length, 1000);
    assert.equal(first.bytes.buffer, arena.segments[0]);
    assert.ok(Math.abs(first.bytes.byteOffset - second.bytes.byteOffset) >= 1000);
    assert.equal(first.bytes.byteOffset % 64, 0);
    assert.equal(arena.usedBytes, 2048);
    first.release();
    second.release();
    second.release();
    assert.equal(arena.usedBytes, 0);
    assert.deepEqual(own, []);
  });

  test('are the memory of a task that outlived its caller until it has ended', () => {
    const { arena, store } = make({});
    const lease = store.lease(1000);
    const end = LeaseStore.of(lease)!.lend();
    end(true);
    assert.throws(() => lease.bytes, { code: 'ERR_LEASE_RELEASED' });
    assert.equal(arena.usedBytes, 1024);
    end(false);
    assert.equal(arena.usedBytes, 0);
  });

  test('have memory of their own where they are too large, too many, or too late', () => {
    const { arena, own, store } = make({ segmentBytes: MIB, maxBytes: 2 * MIB });
    assert.equal(store.lease(2 * MIB).bytes.length, 2 * MIB);
    assert.deepEqual(own, [2 * MIB]);
    const leases = Array.from({ length: 20 }, () => store.lease(64 * KIB));
    assert.equal(arena.usedBytes, MIB, 'half of the arena is left for payloads');
    assert.equal(own.length, 1 + 4);
    for (const lease of leases) lease.release();
    assert.equal(arena.usedBytes, 0);
    const last = store.lease(64 * KIB);
    arena.close();
    last.release();
    assert.equal(store.lease(64 * KIB).bytes.length, 64 * KIB);
  });

  test('count against their share as large as their blocks are, until they are given back', () => {
    const { arena, own, store } = make({}, 660 * KIB);
    for (let round = 1; round <= 3; round++) {
      const leases = Array.from({ length: 12 }, () => store.lease(65 * KIB));
      assert.equal(arena.usedBytes, 9 * 72 * KIB);
      assert.equal(own.length, 3, 'the others lie in memory of the store, which is used again too');
      for (const lease of leases) lease.release();
      assert.equal(arena.usedBytes, 0);
    }
  });
});
