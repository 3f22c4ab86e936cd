/** The arena: addresses, bounds, segments that come and go, what free refuses, and leases over it. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { leaseOf, newLease } from '../../../core/lease.js';
import { Arena, type ArenaOptions, leaseMemory, numbersOfUserMemory } from './arena.js';
import { fill, freeAll } from '../stage/arena-filling.case.js';
import { offsetOf, segmentOf } from '../layout.js';

const KIB = 2 ** 10;
const MIB = 2 ** 20;

type Limits = { segmentBytes?: number; maxBytes?: number };

function arenaOf({ segmentBytes = MIB, maxBytes = 8 * MIB }: Limits = {}, given: Partial<ArenaOptions> = {}) {
  /** What workers know of. */
  const told: (ArrayBufferLike | undefined)[] = [];
  const due: (() => void)[] = [];
  const arena = new Arena({
    allocate: (byteLength) => new SharedArrayBuffer(byteLength),
    onSegment: (index, buffer) => {
      told[index] = buffer;
    },
    maxBytes: () => maxBytes,
    timer: (_ms, callback) => {
      due.push(callback);
      return { cancel: () => void due.splice(due.indexOf(callback), 1) };
    },
    segmentBytes,
    ...given,
  });
  return { arena, told, due, pass: () => due.shift()?.() };
}

const bufferAt = (arena: Arena, address: number) => arena.memory(address).u8.buffer;

describe('Arena: addresses', () => {
  test('say the segment and the byte, to main and to whoever knows nothing but the address', () => {
    const { arena } = arenaOf({ segmentBytes: 128 * KIB, maxBytes: MIB });
    const addresses = fill(arena, 40 * KIB);
    assert.equal(Math.max(...addresses.map(segmentOf)), 7);
    for (const address of addresses) {
      assert.ok(Number.isInteger(address) && address >= 0 && address < 2 ** 31);
      assert.equal(bufferAt(arena, address), arena.segments[segmentOf(address)]);
      assert.ok(offsetOf(address) + arena.size(address) <= 128 * KIB);
    }
  });

  test('are the same again, last in, first out, and so is the memory: warm', () => {
    const { arena } = arenaOf();
    const [first, , second] = [arena.take(1000), arena.take(1000), arena.take(1000), arena.take(1000)];
    arena.free(first!);
    arena.free(second!);
    assert.equal(arena.take(1000), second);
    assert.equal(arena.take(1000), first);
  });

  test('fit an int32, up to the last that there can be', () => {
    assert.equal(segmentOf(2 ** 31 - 1), 2 ** 11 - 1);
    assert.equal(offsetOf(2 ** 31 - 1), 64 * MIB - 64);
    const { arena } = arenaOf({ segmentBytes: 64 * KIB, maxBytes: 100 * 64 * KIB });
    assert.deepEqual(
      fill(arena, 64 * KIB),
      Array.from({ length: 100 }, (_, segment) => segment * 2 ** 20),
    );
  });
});

describe('Arena: sizes', () => {
  test('a block has at least the bytes that were asked for, and an eighth more at most', () => {
    const { arena } = arenaOf();
    let used = 0;
    for (let bytes = 0; bytes <= MIB; bytes = bytes * 2 + 41) {
      const address = arena.take(bytes);
      const size = arena.size(address);
      assert.ok(size >= bytes && size <= Math.max(256, bytes * 1.125 + 64), `${bytes}: ${size}`);
      assert.equal(size % 64, 0);
      used += size;
      assert.equal(arena.usedBytes, used);
    }
  });

  test('what is larger than a segment has one of its own, of whole pages, which is used again for what is about as large', () => {
    const { arena, told } = arenaOf();
    const large = arena.take(3 * MIB + 1);
    assert.equal(arena.size(large), 3 * MIB + 4096);
    assert.equal(bufferAt(arena, large).byteLength, 3 * MIB + 4096);
    const [other, small] = [arena.take(2 * MIB), arena.take(64)];
    assert.equal(new Set([large, other, small].map(segmentOf)).size, 3);
    arena.free(large);
    assert.throws(() => arena.free(large), /no block/);
    assert.equal(arena.take(2 * MIB + 1), large);
    arena.free(other);
    arena.free(large);
    assert.equal(arena.take(1.4 * MIB), other, 'not twice as large');
    assert.equal(told.length, 3);
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
    assert.equal(arena.take(256 * KIB), -1);
  });

  test('is a segment of 64 MiB at least, of which nothing is resident that is not touched', () => {
    const { arena, told } = arenaOf({}, { segmentBytes: undefined as never, maxBytes: () => 0 });
    assert.equal(fill(arena, MIB).length, 64);
    assert.deepEqual(
      told.map((buffer) => buffer?.byteLength),
      [64 * MIB],
    );
  });

  test('what is free makes room for what is larger than it', () => {
    const { arena, told } = arenaOf({ maxBytes: 3 * MIB });
    const [kept, ...others] = fill(arena, MIB);
    assert.equal(arena.take(2 * MIB), -1);
    freeAll(arena, others);
    const large = arena.take(2 * MIB);
    assert.notEqual(large, -1);
    assert.equal(arena.reservedBytes, 3 * MIB);
    assert.deepEqual(
      told.map((buffer) => buffer?.byteLength),
      [MIB, 2 * MIB, undefined],
    );
    assert.equal(bufferAt(arena, kept!), told[0]);
  });

  test('says that it is full where the runtime has no memory, and asks again later', () => {
    let [asked, hasMemory] = [0, true];
    const allocate = (byteLength: number) => {
      asked++;
      if (!hasMemory) throw new RangeError('Array buffer allocation failed');
      return new SharedArrayBuffer(byteLength);
    };
    const { arena, told } = arenaOf({ segmentBytes: 64 * KIB }, { allocate });
    const first = arena.take(64 * KIB);
    hasMemory = false;
    const before = asked;
    for (let i = 0; i < 100; i++) assert.equal(arena.take(64 * KIB), -1);
    assert.equal(asked, before + 1, 'not again for each take: it is slow to be refused');
    arena.free(first);
    assert.equal(arena.take(64 * KIB), first);
    hasMemory = true;
    let takes = 1;
    while (arena.take(64 * KIB) === -1) assert.ok(takes++ < 2000);
    assert.equal(told.length, 2);
  });

  test('has memory for small blocks where the runtime has had none for a large one', () => {
    const allocate = (byteLength: number) => {
      if (byteLength > 64 * KIB) throw new RangeError('Array buffer allocation failed');
      return new SharedArrayBuffer(byteLength);
    };
    const { arena } = arenaOf({ segmentBytes: 64 * KIB }, { allocate });
    assert.equal(arena.take(65 * KIB), -1);
    assert.notEqual(arena.take(64 * KIB), -1);
  });

  test('grows only when there is nothing to reclaim', () => {
    const done: number[] = [];
    const reclaim = () => {
      const count = done.length;
      for (const address of done.splice(0)) arena.free(address);
      return count > 0;
    };
    const { arena, told } = arenaOf({ maxBytes: 2 * MIB }, { reclaim });
    const taken = [arena.take(512 * KIB), arena.take(512 * KIB)];
    done.push(taken[0]!);
    assert.equal(arena.take(512 * KIB), taken[0]);
    assert.equal(told.length, 1);
    done.push(taken[1]!);
    const whole = arena.take(MIB);
    assert.deepEqual([segmentOf(whole), done], [1, []], 'what came back is too small');
    assert.equal(arena.take(512 * KIB), taken[1]);
    assert.equal(arena.take(64), -1);
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
    const { arena, told } = arenaOf({ segmentBytes: 64 * KIB, maxBytes: MIB });
    for (let address = arena.take(30 * KIB); address !== -1; address = arena.take(30 * KIB)) {
      assert.ok(segmentOf(address) < told.length);
    }
    assert.deepEqual(arena.segments, told);
    assert.equal(told.length, 16);
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

  test('are given back when nobody has used them for a while, large ones too; their numbers are given again', () => {
    const { arena, told, due, pass } = arenaOf();
    const [first, second, large] = [arena.take(MIB), arena.take(MIB), arena.take(2 * MIB)];
    assert.deepEqual(due, []);
    arena.free(second);
    arena.free(large);
    assert.equal(due.length, 1);
    pass();
    assert.equal(arena.reservedBytes, 4 * MIB, 'it may have been free for no time at all');
    assert.equal(arena.take(MIB), second);
    pass();
    assert.deepEqual(
      arena.segments.map((buffer) => buffer?.byteLength),
      [MIB, MIB, undefined],
    );
    assert.deepEqual(told, arena.segments);
    assert.equal(arena.reservedBytes, 2 * MIB);
    assert.deepEqual(due, [], 'nothing is free, so nobody looks');
    const again = arena.take(4 * MIB);
    assert.equal(segmentOf(again), 2);
    assert.equal(told[2]!.byteLength, 4 * MIB);
    freeAll(arena, [first, second, again]);
    pass();
    pass();
    assert.deepEqual([told, arena.reservedBytes, due], [[undefined, undefined, undefined], 0, []]);
    assert.equal(arena.take(10), 0);
  });

  test('in use at any time between two looks are kept', () => {
    const { arena, pass } = arenaOf();
    for (let i = 0; i < 5; i++) {
      arena.free(arena.take(100));
      pass();
      assert.equal(arena.reservedBytes, MIB);
    }
    pass();
    assert.equal(arena.reservedBytes, 0);
  });

  test('that are adopted are told of and have numbers as others, but nothing is given out of them, and no idleness ends them', () => {
    const { arena, told, pass } = arenaOf({ segmentBytes: 64 * KIB });
    const own = arena.take(KIB);
    const users = [new SharedArrayBuffer(4 * MIB), new SharedArrayBuffer(0)];
    assert.deepEqual(
      users.map((buffer) => arena.adopt(() => buffer)),
      [1, 2],
    );
    assert.deepEqual(told.slice(1), users);
    const reserved = arena.reservedBytes;
    assert.equal(segmentOf(arena.take(MIB)), 3, 'not in memory of a user');
    assert.equal(segmentOf(arena.take(60 * KIB)), 0);
    arena.free(own);
    for (let i = 0; i < 4; i++) pass();
    assert.deepEqual(told.slice(1, 3), users);
    arena.drop(1);
    assert.deepEqual(told.slice(1, 3), [undefined, users[1]]);
    assert.equal(
      arena.adopt(() => users[0]!),
      1,
      'the number is given again',
    );
    assert.ok(
      arena.reservedBytes >= reserved && arena.reservedBytes < reserved + 2 * MIB,
      'they are not its memory',
    );
    arena.close();
    assert.deepEqual(arena.segments.filter(Boolean), []);
    told.length = 0;
    arena.drop(1);
    assert.equal(
      arena.adopt(() => users[0]!),
      -1,
    );
    assert.deepEqual(told, []);
  });

  test('are adopted up to half of the numbers, so that blocks have room', () => {
    const { arena } = arenaOf({ segmentBytes: 64 * KIB });
    const buffer = new SharedArrayBuffer(8);
    for (let i = 0; i < 1024; i++)
      assert.equal(
        arena.adopt(() => buffer),
        i,
      );
    assert.equal(
      arena.adopt(() => buffer),
      -1,
    );
    assert.equal(segmentOf(arena.take(KIB)), 1024);
    arena.drop(7);
    assert.equal(
      arena.adopt(() => buffer),
      7,
    );
  });

  test('are not even made of memory of users where no further one can be told of', () => {
    const { arena } = arenaOf({ segmentBytes: 64 * KIB });
    let clones = 0;
    const numberOf = numbersOfUserMemory(arena, (buffer) => {
      clones++;
      return buffer;
    });
    const held: object[] = []; // or the engine may collect some, whose numbers are free then
    const ask = () => {
      const buffer = new SharedArrayBuffer(8);
      held.push(buffer);
      return [1, 2, 3, 4].map(() => numberOf(buffer));
    };
    assert.deepEqual([ask(), clones], [[-1, -1, 0, 0], 1]);
    while (held.length < 1024) ask();
    assert.equal(clones, 1024);
    assert.deepEqual([ask(), clones], [[-1, -1, -1, -1], 1024]);
    assert.equal(held.length, 1025);
  });

  test('are let go of by close: nothing can be taken, late frees do nothing, and nobody looks at the clock', () => {
    const { arena, due } = arenaOf();
    const address = arena.take(1000);
    arena.free(arena.take(300));
    arena.free(arena.take(MIB));
    assert.equal(due.length, 1);
    arena.close();
    for (const bytes of [300, 1000, 9 * MIB]) assert.equal(arena.take(bytes), -1);
    assert.deepEqual(arena.segments, [undefined, undefined]);
    assert.deepEqual([arena.reservedBytes, arena.usedBytes, due], [0, 0, []]);
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
    for (const other of [-1, address + 1, address + 2, address + 64, 2 ** 31 - 1]) {
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
  const make = (limits: Limits = {}) => {
    const { arena, told } = arenaOf(limits);
    const memory = leaseMemory(arena);
    return { arena, told, store: { lease: (byteLength: number) => newLease(memory, byteLength) } };
  };

  test('lie in it, as long as asked for, and go back to it', () => {
    const { arena, store } = make();
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
  });

  test('are the memory of a task that outlived its caller until it has ended', () => {
    const { arena, store } = make();
    const lease = store.lease(1000);
    const end = leaseOf(lease)!.lend();
    end(true);
    assert.throws(() => lease.bytes, { code: 'ERR_LEASE_RELEASED' });
    assert.equal(arena.usedBytes, 1024);
    end(false);
    assert.equal(arena.usedBytes, 0);
  });

  test('are refused where they would have more than three quarters of it, until some are given back', () => {
    const { arena, store } = make({ maxBytes: 4 * MIB });
    const leases = [store.lease(2 * MIB), store.lease(512 * KIB), store.lease(512 * KIB)];
    for (const size of [1, MIB]) {
      assert.throws(() => store.lease(size), { code: 'ERR_LEASE_MEMORY', message: /3145728 bytes/ });
    }
    assert.notEqual(arena.take(MIB), -1, 'the rest is left for arguments');
    leases[2]!.release();
    assert.equal(store.lease(400 * KIB).bytes.length, 400 * KIB);
    for (const lease of leases) lease.release();
    assert.equal(store.lease(2 * MIB).bytes.length, 2 * MIB);
  });

  test('are refused where arguments have the memory, and the error says so', () => {
    const { arena, store } = make({ maxBytes: 4 * MIB });
    const block = arena.take(2 * MIB);
    arena.take(2 * MIB);
    const message =
      /leases of this pool have 0 bytes.* arguments of open calls 4194304, of 4194304 with the leases/;
    assert.throws(() => store.lease(1), { code: 'ERR_LEASE_MEMORY', message });
    arena.free(block);
    assert.equal(store.lease(1).bytes.length, 1);
  });

  test('are refused where the system has no memory', () => {
    const allocate = () => {
      throw new RangeError('Array buffer allocation failed');
    };
    const memory = leaseMemory(arenaOf({}, { allocate }).arena);
    for (const size of [1, 3 * MIB])
      assert.throws(() => newLease(memory, size), { code: 'ERR_LEASE_MEMORY' });
  });
});
