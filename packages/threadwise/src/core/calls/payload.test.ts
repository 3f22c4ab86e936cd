/** Arguments: captured when the call is made, or refused with the path of what cannot be cloned. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { MessageChannel } from 'node:worker_threads';
import { FakePlatform } from '../fake-platform.case.js';
import { newLease, SingleBuffers } from '../lease.js';
import { capture, notCloneable } from './payload.js';

const { clone } = new FakePlatform();
const take = (args: readonly unknown[], transfer: readonly unknown[] = []) => capture(args, transfer, clone);
const fn = () => undefined;

class Point {
  x = 1;
  change: unknown = fn;
}

/** Asserts that the arguments are refused, and that the path is where the culprit stands. */
function refuses(args: readonly unknown[], path: string, transfer: readonly unknown[] = []): void {
  const isRight = (error: { code?: string; name?: string; path?: string; message: string }) => {
    assert.equal(error.code, 'ERR_NOT_CLONEABLE');
    assert.equal(error.name, 'DataCloneError');
    assert.equal(error.path, path);
    assert.ok(error.message.includes(path), error.message);
    return true;
  };
  assert.throws(() => take(args, transfer), isRight);
}

describe('capture', () => {
  test('takes arguments as they are now: what the caller changes afterwards does not matter', () => {
    const list = [1, { deep: 'before' }] as const;
    const args: unknown[] = [list, 'text'];
    const payload = take(args);
    (list[1] as { deep: string }).deep = 'after';
    args.push('more');
    assert.deepEqual(payload.args, [[1, { deep: 'before' }], 'text']);
  });

  test('takes primitives without cloning, in a list of its own', () => {
    const args: unknown[] = [1, 'two', null, undefined, true, 3n];
    const payload = capture(args, [], () => assert.fail('cloned'));
    args.length = 0;
    assert.deepEqual(payload.args, [1, 'two', null, undefined, true, 3n]);
  });

  test('keeps what two arguments share shared', () => {
    const shared = { n: 1 };
    const [first, second] = take([shared, [shared]]).args as [object, [object]];
    assert.notEqual(first, shared);
    assert.equal(first, second[0]);
  });

  test('moves what is to be moved, and says so', () => {
    const bytes = new Uint8Array([1, 2, 3]);
    const payload = take([bytes], [bytes.buffer]);
    assert.equal(bytes.byteLength, 0);
    assert.deepEqual(payload.args, [new Uint8Array([1, 2, 3])]);
    assert.equal(payload.transfer.length, 1);
    assert.equal(payload.transfer[0], (payload.args[0] as Uint8Array).buffer);
  });

  test('gives a lease as its bytes, over the same memory, and ends the loan when the call settles', () => {
    const lease = newLease(new SingleBuffers((n) => new SharedArrayBuffer(n)), 3);
    const payload = take([lease, { other: 1 }]);
    lease.bytes[0] = 42;
    assert.ok(payload.args[0] instanceof Uint8Array);
    assert.equal(payload.args[0][0], 42);
    payload.onSettled?.(false);
    assert.throws(() => lease.bytes, { code: 'ERR_LEASE_RELEASED' });
  });
});

describe('what cannot be cloned', () => {
  test('is named by its path, through objects and arrays', () => {
    refuses([fn], 'args[0]');
    refuses([1, { list: [0, { fn }] }], 'args[1].list[1].fn');
    refuses([{ 'not a name': fn }], 'args[0]["not a name"]');
    refuses([Object.assign([1, 2], { fn })], 'args[0].fn');
    refuses([Symbol('s')], 'args[0]');
    refuses([Promise.resolve()], 'args[0]');
  });

  test('is named by its path, in maps and sets', () => {
    refuses([new Map([['key', { fn }]])], 'args[0].get("key").fn');
    refuses([new Map([[{ fn }, 1]])], 'args[0].keys()[0].fn');
    refuses([new Map([[{ object: 1 }, fn]])], 'args[0].get(keys()[0])');
    refuses([new Set<unknown>([1, [fn]])], 'args[0].values()[1][0]');
  });

  test('is named by its path, in the instance of a class', () => {
    refuses([{ point: new Point() }], 'args[0].point.change');
  });

  test('is named where it first stands, behind an object that refers to itself', () => {
    const loop: Record<string, unknown> = {};
    loop.self = loop;
    loop.fn = fn;
    refuses([loop], 'args[0].fn');
  });

  test('is named by its path, where it is a getter that throws', () => {
    const trap = {
      fine: 1,
      get broken() {
        throw new Error('boom');
      },
    };
    refuses([{ trap }], 'args[0].trap.broken');
  });

  test('is not confused with what is to be moved', () => {
    const { port1, port2 } = new MessageChannel();
    refuses([{ port: port1 }, { fn }], 'args[1].fn', [port1]);
    port1.close();
    port2.close();
  });

  test('carries the reason of the runtime', () => {
    assert.throws(
      () => take([fn]),
      (error: Error) => error.cause instanceof Error && error.message.includes(error.cause.message),
    );
  });

  test('leaves everything where it was: nothing is moved when anything is refused', () => {
    const bytes = new Uint8Array(8);
    refuses([bytes, fn], 'args[1]', [bytes.buffer]);
    assert.equal(bytes.byteLength, 8);
    assert.throws(() => take([bytes], [bytes.buffer, {}]), { code: 'ERR_NOT_CLONEABLE' });
    assert.throws(() => take([bytes], [bytes.buffer, bytes.buffer]), { code: 'ERR_NOT_CLONEABLE' });
    assert.equal(bytes.byteLength, 8);
  });

  test('is a lease that a getter in another argument releases: its memory is somebody else’s then', () => {
    const lease = newLease(new SingleBuffers((n) => new SharedArrayBuffer(n)), 3);
    const releasing = {
      get x() {
        lease.release();
        return 1;
      },
    };
    assert.throws(() => take([lease, releasing]), { code: 'ERR_LEASE_RELEASED' });
  });

  test('is a lease that is no argument of its own but lies inside of one', () => {
    const lease = newLease(new SingleBuffers((n) => new SharedArrayBuffer(n)), 3);
    assert.throws(() => take([{ lease }]), { code: 'ERR_NOT_CLONEABLE' });
    assert.equal(lease.bytes.length, 3);
  });

  test('leaves no lease on loan: its memory can go back', () => {
    const pieces: ArrayBufferLike[] = [];
    const memory = new SingleBuffers((n) => pieces[pieces.push(new SharedArrayBuffer(n)) - 1]!);
    const lease = newLease(memory, 3);
    refuses([lease, fn], 'args[1]');
    lease.release();
    newLease(memory, 3);
    assert.equal(pieces.length, 1, 'used again');
  });

  test('leaves no lease on loan where another one is over already', () => {
    const pieces: ArrayBufferLike[] = [];
    const memory = new SingleBuffers((n) => pieces[pieces.push(new SharedArrayBuffer(n)) - 1]!);
    const [held, over] = [newLease(memory, 3), newLease(memory, 3)];
    over.release();
    assert.throws(() => take([held, over]), { code: 'ERR_LEASE_RELEASED' });
    held.release();
    newLease(memory, 3);
    newLease(memory, 3);
    assert.equal(pieces.length, 2, 'both pieces used again');
  });
});

describe('the search for what cannot be cloned', () => {
  test('clones a bounded number of times, however many values there are', () => {
    const records = (count: number) => Array.from({ length: count }, (_, id) => ({ id, name: `n${id}` }));
    let clones = 0;
    const counting: typeof clone = (value, transfer) => {
      clones++;
      return clone(value, transfer);
    };
    const args = [[...records(200_000), { fn }]];
    assert.throws(() => capture(args, [], counting), {
      code: 'ERR_NOT_CLONEABLE',
      path: 'args',
      message: /not found among the first 10,000 values/,
    });
    assert.ok(clones <= 10_001, `${clones} clones`);
  });

  test('finds what is not among the last of them', () => {
    const records: unknown[] = Array.from({ length: 200_000 }, (_, id) => ({ id }));
    records[1000] = { id: 1000, fn };
    refuses([records], 'args[0][1000].fn');
  });

  test('looks at no elements of a typed array, however many it has', () => {
    const bytes = new Uint8Array(new SharedArrayBuffer(20_000));
    const refuseAll = () => {
      throw new Error('shared memory');
    };
    const { path } = notCloneable(undefined, [bytes], 'args', [], refuseAll) as { path?: unknown };
    assert.equal(path, 'args[0]');
  });

  test('does not blame what only refers to what is to blame', () => {
    const root: Record<string, unknown> = {};
    root.child = { parent: root };
    root.fn = fn;
    refuses([root], 'args[0].fn');
  });

  test('ends in a value that is nested too deeply for the stack', () => {
    let value: unknown = null;
    for (let levels = 0; levels < 20_000; levels++) value = { next: value };
    assert.throws(() => take([value]), { code: 'ERR_NOT_CLONEABLE' });
  });

  test('a proxy that was revoked is refused as everything else', () => {
    const { proxy, revoke } = Proxy.revocable({}, {});
    revoke();
    refuses([1, proxy], 'args[1]');
    refuses([{ proxy }], 'args[0].proxy');
  });
});
