/** Large arguments are captured in memory that is used again: never while anybody may still read it. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { KeptBytes } from './link.js';

const LENGTH = 100_000;
const bytes = (fill: number, length = LENGTH) => new Uint8Array(length).fill(fill);

test('kept bytes: what was captured stays as it was at the call, beside what else the call has', () => {
  const given = bytes(1);
  const payload = new KeptBytes().capture(['name', given, 2])!;
  given.fill(9);
  assert.deepEqual(payload.args, ['name', bytes(1), 2]);
  assert.equal(payload.transfer.length, 0);
});

test('kept bytes: memory is used again when its task has ended, and not while it may still run', () => {
  const kept = new KeptBytes();
  const bufferOf = (payload: { readonly args: readonly unknown[] }) => (payload.args[0] as Uint8Array).buffer;
  const first = kept.capture([bytes(1)])!;
  first.onSettled!(true);
  const second = kept.capture([bytes(2)])!;
  assert.notEqual(bufferOf(second), bufferOf(first));
  first.onSettled!(false);
  const third = kept.capture([bytes(3)])!;
  assert.equal(bufferOf(third), bufferOf(first));
  assert.deepEqual(third.args, [bytes(3)]);
  assert.deepEqual(second.args, [bytes(2)]);
  second.onSettled!(false);
  // Memory of another length is not used.
  assert.equal(bufferOf(kept.capture([bytes(4, LENGTH + 1)])!).byteLength, LENGTH + 1);
});

test('kept bytes: no more is kept than a bound, and lengths that do not come any more make room', () => {
  const kept = new KeptBytes();
  const large = 2 ** 23;
  const payloads = [1, 2, 3].map((fill) => kept.capture([bytes(fill, large)])!);
  const buffers = payloads.map(({ args }) => (args[0] as Uint8Array).buffer);
  for (const { onSettled } of payloads) onSettled!(false);
  const again = [1, 2, 3].map((fill) => (kept.capture([bytes(fill, large)])!.args[0] as Uint8Array).buffer);
  assert.deepEqual(
    again.map((buffer) => buffers.includes(buffer)),
    [true, true, false],
  );
  const others = [1, 2].map((fill) => kept.capture([bytes(fill, large)])!);
  for (const { onSettled } of others) onSettled!(false);
  const small = kept.capture([bytes(1)])!;
  small.onSettled!(false);
  assert.equal(
    (kept.capture([bytes(2)])!.args[0] as Uint8Array).buffer,
    (small.args[0] as Uint8Array).buffer,
  );
});

test('kept bytes: everything else is left to the general way', () => {
  const kept = new KeptBytes();
  const large = bytes(1);
  for (const args of [
    [],
    ['text', 1],
    [bytes(1, 100)],
    [large.subarray(1)],
    [large.subarray(0, LENGTH - 1)],
    [large, large],
    [large, {}],
    [{ large }],
    [large.buffer],
    [new Uint16Array(LENGTH)],
    [new DataView(new ArrayBuffer(LENGTH))],
    [new Uint8Array(new SharedArrayBuffer(LENGTH))],
    [() => large],
  ]) {
    assert.equal(kept.capture(args), undefined);
  }
});
