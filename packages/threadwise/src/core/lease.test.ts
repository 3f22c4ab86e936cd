/** Leases: memory goes back exactly once, never while a task may touch it, and is used again. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'threadwise-test/fast-check';
import { type LeaseMemory, leaseOf, newLease, SingleBuffers } from './lease.js';

const MIB = 2 ** 20;

/** A pool's leases over a memory. */
const storeOver = (memory: LeaseMemory) => ({
  lease: (byteLength: number) => newLease(memory, byteLength),
  close: () => memory.close?.(),
});

/** A store that counts what it allocates. */
function counted() {
  const { allocated, allocate } = allocator();
  return { store: storeOver(new SingleBuffers(allocate)), allocated };
}

function allocator() {
  const allocated: number[] = [];
  const allocate = (byteLength: number) => {
    allocated.push(byteLength);
    return new ArrayBuffer(byteLength);
  };
  return { allocated, allocate };
}

/** A store over memory that lists which pieces are out. */
function listed() {
  const out = new Set<Uint8Array>();
  const take = (byteLength: number) => {
    const bytes = new Uint8Array(byteLength);
    out.add(bytes);
    return { bytes, give: () => assert.ok(out.delete(bytes), 'given once') };
  };
  return { store: storeOver({ take }), out };
}

const lend = (lease: unknown) => leaseOf(lease)!.lend();

describe('leases', () => {
  test('gives as many bytes as asked for, out of pieces of powers of two', () => {
    const { store, allocated } = counted();
    assert.deepEqual(
      [0, 1, 4096, 4097, 10_000].map((n) => store.lease(n).bytes.byteLength),
      [0, 1, 4096, 4097, 10_000],
    );
    assert.deepEqual(allocated, [4096, 4096, 4096, 8192, 16_384]);
  });

  test('refuses sizes that are none, by the name of the argument', () => {
    const { store, allocated } = counted();
    for (const size of [-1, 1.5, Number.NaN, Number.POSITIVE_INFINITY, 2 ** 31 + 1]) {
      assert.throws(() => store.lease(size), { code: 'ERR_OPTION', message: /'byteLength'/ });
    }
    assert.deepEqual(allocated, []);
  });

  test('uses released memory again, for a lease of any size that fits the piece', () => {
    const { store, allocated } = counted();
    const first = store.lease(5000);
    const { buffer } = first.bytes;
    first.release();
    const second = store.lease(8000);
    assert.equal(second.bytes.buffer, buffer);
    assert.equal(second.bytes.length, 8000);
    assert.deepEqual(allocated, [8192]);
  });

  test('never gives the same memory to two leases, also when one is released twice', () => {
    const { store } = counted();
    const first = store.lease(10);
    first.release();
    first.release();
    assert.notEqual(store.lease(10).bytes.buffer, store.lease(10).bytes.buffer);
  });

  test('keeps no more than 64 MiB for later', () => {
    const { store, allocated } = counted();
    const leases = [store.lease(32 * MIB), store.lease(32 * MIB), store.lease(32 * MIB)];
    for (const lease of leases) lease.release();
    for (let i = 0; i < 3; i++) store.lease(32 * MIB);
    assert.equal(allocated.length, 4, 'two of three were kept');
  });

  test('sizes that do not come any more make room for those of now', () => {
    const { store, allocated } = counted();
    for (const lease of [store.lease(32 * MIB), store.lease(32 * MIB)]) lease.release();
    store.lease(MIB).release();
    store.lease(MIB).release();
    assert.deepEqual(allocated, [32 * MIB, 32 * MIB, MIB]);
  });

  test('uses larger memory again that was just released, for one lease', () => {
    const { store, allocated } = counted();
    store.lease(100 * MIB).release();
    const { buffer } = store.lease(128 * MIB).bytes;
    assert.deepEqual(allocated, [128 * MIB]);
    assert.notEqual(store.lease(128 * MIB).bytes.buffer, buffer);
  });

  test('says so where the system has no memory', () => {
    const cause = new RangeError('Array buffer allocation failed');
    const allocate = () => {
      throw cause;
    };
    const store = storeOver(new SingleBuffers(allocate));
    assert.throws(() => store.lease(1), { code: 'ERR_LEASE_MEMORY', cause });
  });

  test('keeps nothing after close', () => {
    const { store, allocated } = counted();
    const [early, late] = [store.lease(1), store.lease(1)];
    early.release();
    store.close();
    late.release();
    store.lease(1);
    assert.equal(allocated.length, 3);
  });

  test('knows a lease from anything else', () => {
    const { store } = counted();
    const lease = store.lease(1);
    assert.equal(leaseOf(lease), lease);
    for (const other of [undefined, null, lease.bytes, { bytes: lease.bytes, release: () => undefined }]) {
      assert.equal(leaseOf(other), undefined);
    }
  });
});

describe('a lease', () => {
  test('cannot be read after it was given back', () => {
    const lease = counted().store.lease(10);
    lease.release();
    assert.throws(() => lease.bytes, { code: 'ERR_LEASE_RELEASED' });
  });

  test('is over when the task that had it has settled', () => {
    const { store, allocated } = counted();
    const lease = store.lease(10);
    const settled = lend(lease);
    assert.equal(lease.bytes.length, 10, 'meanwhile it can be read');
    settled(false);
    assert.throws(() => lease.bytes, { code: 'ERR_LEASE_RELEASED' });
    store.lease(10);
    assert.equal(allocated.length, 1);
  });

  test('that two tasks have is over when the last of them has settled', () => {
    const { store, allocated } = counted();
    const lease = store.lease(10);
    const [first, second] = [lend(lease), lend(lease)];
    first(false);
    assert.equal(lease.bytes.length, 10);
    store.lease(10);
    assert.equal(allocated.length, 2, 'its memory is not free yet');
    second(false);
    assert.throws(() => lease.bytes, { code: 'ERR_LEASE_RELEASED' });
    store.lease(10);
    assert.equal(allocated.length, 2);
  });

  test('that is released while a task has it gives its memory back when the task has settled', () => {
    const { store, allocated } = counted();
    const lease = store.lease(10);
    const settled = lend(lease);
    lease.release();
    assert.throws(() => lease.bytes, { code: 'ERR_LEASE_RELEASED' });
    store.lease(10);
    assert.equal(allocated.length, 2, 'not yet');
    settled(false);
    lease.release();
    store.lease(10);
    store.lease(10);
    assert.equal(allocated.length, 3, 'given back once');
  });

  test('never gives back memory that a task which was given up may yet touch', () => {
    const { store, allocated } = counted();
    const lease = store.lease(10);
    const [givenUp, other] = [lend(lease), lend(lease)];
    givenUp(true);
    other(false);
    lease.release();
    store.lease(10);
    assert.equal(allocated.length, 2);
  });

  test('gives its memory back when a task that was given up has ended after all', () => {
    const { store, allocated } = counted();
    const lease = store.lease(10);
    const end = lend(lease);
    end(true);
    assert.throws(() => lease.bytes, { code: 'ERR_LEASE_RELEASED' }, 'its caller was told');
    end(true);
    lease.release();
    store.lease(10);
    assert.equal(allocated.length, 2, 'not yet');
    end(false);
    end(false);
    lease.release();
    store.lease(10);
    store.lease(10);
    assert.equal(allocated.length, 3, 'given back once');
  });

  test('can be read while another task has it, also after the one that was given up has ended', () => {
    const { store, out } = listed();
    const lease = store.lease(10);
    const [givenUp, other] = [lend(lease), lend(lease)];
    givenUp(true);
    givenUp(false);
    assert.equal(lease.bytes.length, 10);
    assert.equal(out.size, 1);
    other(false);
    assert.throws(() => lease.bytes, { code: 'ERR_LEASE_RELEASED' });
    assert.equal(out.size, 0);
  });

  test('goes back once, and only when nobody has it any more, whatever happens in whatever order', () => {
    const event = fc.record({
      loan: fc.nat(3),
      what: fc.constantFrom('settled', 'givenUp', 'ended', 'release'),
    });
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 4 }), fc.array(event, { maxLength: 20 }), (count, events) => {
        const { store, out } = listed();
        const lease = store.lease(10);
        const loans = Array.from({ length: count }, () => ({ end: lend(lease), state: 'lent' }));
        let isOver: boolean = false;
        for (const { loan, what } of events) {
          const { [loan]: chosen } = loans;
          if (what === 'release') {
            lease.release();
            isOver = true;
          } else if (chosen !== undefined) {
            const stillRuns = what === 'givenUp';
            // Called once when the task settles; once more if it had been given up and has ended.
            if ((what === 'ended') !== (chosen.state === 'givenUp')) continue;
            chosen.end(stillRuns);
            if (chosen.state !== 'ended') chosen.state = stillRuns ? 'givenUp' : 'ended';
          }
          isOver ||= loans.length > 0 && loans.every(({ state }) => state !== 'lent');
          const isFree: boolean = isOver && loans.every(({ state }) => state === 'ended');
          assert.equal(out.size, isFree ? 0 : 1);
          if (isOver) assert.throws(() => lease.bytes, { code: 'ERR_LEASE_RELEASED' });
          else assert.equal(lease.bytes.length, 10);
        }
      }),
    );
  });
});

describe('a store over other memory', () => {
  test('takes from that, and gives back to it', () => {
    const { store, out } = listed();
    const [first, second] = [store.lease(3), store.lease(5000)];
    assert.deepEqual(
      [...out].map(({ length }) => length),
      [3, 5000],
    );
    assert.ok(out.has(first.bytes));
    first.release();
    lend(second)(false);
    assert.equal(out.size, 0);
  });

  test('refuses sizes that are none before it asks for memory', () => {
    const { store, out } = listed();
    assert.throws(() => store.lease(-1), { code: 'ERR_OPTION' });
    assert.equal(out.size, 0);
  });

  test('gives back what is released after close', () => {
    const { store, out } = listed();
    const lease = store.lease(10);
    store.close();
    lease.release();
    assert.equal(out.size, 0);
  });
});
