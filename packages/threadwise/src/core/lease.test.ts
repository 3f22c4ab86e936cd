/** Leases: memory goes back exactly once, never while a task may touch it, and is used again. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { LeaseStore } from './lease.js';

const MIB = 2 ** 20;

/** A store that counts what it allocates. */
function counted() {
  const allocated: number[] = [];
  const store = new LeaseStore((byteLength) => {
    allocated.push(byteLength);
    return new ArrayBuffer(byteLength);
  });
  return { store, allocated };
}

const lend = (lease: unknown) => LeaseStore.of(lease)!.lend();

describe('LeaseStore', () => {
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
    assert.equal(LeaseStore.of(lease), lease);
    for (const other of [undefined, null, lease.bytes, { bytes: lease.bytes, release: () => undefined }]) {
      assert.equal(LeaseStore.of(other), undefined);
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
});
