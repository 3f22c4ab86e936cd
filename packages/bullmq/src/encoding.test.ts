import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'threadwise-test/fast-check';
import { checkSize, decode, encode } from './encoding.js';

const MOST = 2 ** 20;

/** Passes a value through JSON, as Redis does. */
const crossed = (encoded: unknown): unknown => JSON.parse(JSON.stringify(encoded));

test("what 'auto' and 'v8' carry arrives as it was, whatever it is", () => {
  // A property that is undefined may be left out.
  const values = [fc.boolean(), fc.integer(), fc.double(), fc.string(), fc.constant(null)];
  const value = fc.anything({
    values,
    withBigInt: true,
    withDate: true,
    withMap: true,
    withSet: true,
    withTypedArray: true,
  });
  fc.assert(
    fc.property(value, fc.constantFrom('auto' as const, 'v8' as const), (given, encoding) => {
      assert.deepStrictEqual(decode(crossed(encode(given, encoding, 'it', MOST))), structuredClone(given));
    }),
  );
});

test('each view has a buffer of its own, with its bytes alone', () => {
  const views = [
    Uint8Array.of(1, 2),
    new DataView(new ArrayBuffer(5)),
    Float64Array.of(1, 2),
    new BigInt64Array(4097),
  ];
  const arrived = decode(crossed(encode(views, 'auto', 'it', MOST))) as typeof views;
  assert.deepStrictEqual(arrived, views);
  for (const { buffer, byteLength } of arrived) assert.equal(buffer.byteLength, byteLength);
  const [bytes] = decode(crossed(encode([Buffer.from('é')], 'auto', 'it', MOST))) as [unknown];
  assert.deepStrictEqual(bytes, Uint8Array.of(0xc3, 0xa9));
});

test("what 'json' carries is JSON that says the same; what it refuses, JSON would have changed", () => {
  fc.assert(
    fc.property(fc.anything(), (given) => {
      let encoded: unknown;
      try {
        encoded = encode(given, 'json', 'it', MOST);
      } catch {
        assert.throws(() => assert.deepStrictEqual(crossed(given), given));
        return;
      }
      assert.deepStrictEqual(decode(crossed(encoded)), JSON.parse(JSON.stringify(given ?? null)));
    }),
  );
});

test('an array with properties of its own, such as a match of a regular expression, keeps them', () => {
  const match = /b/.exec('abc')!;
  const [{ index, input }] = decode(crossed(encode([match], 'auto', 'it', MOST))) as [RegExpExecArray];
  assert.deepEqual([index, input], [1, 'abc']);
  assert.throws(() => encode({ match }, 'json', 'it', MOST), { code: 'ERR_NOT_CLONEABLE', path: 'it.match' });
});

test('an error names the part that cannot be sent, as on a pool', () => {
  for (const encoding of ['auto', 'v8'] as const)
    assert.throws(() => encode([{ user: { call: () => 1 } }], encoding, 'args', MOST), {
      code: 'ERR_NOT_CLONEABLE',
      path: 'args[0].user.call',
      message: 'Cannot clone args[0].user.call: () => 1 could not be cloned.',
    });
});

test('what JSON carries stands as it is, so that others can read it', () => {
  assert.deepEqual(encode([1, { a: ['x', null, true] }], 'auto', 'it', MOST), [1, { a: ['x', null, true] }]);
  assert.deepEqual(Object.keys(encode(new Date(0), 'auto', 'it', MOST) as object), ['$threadwise', 'base64']);
});

test('a value whose parts share others, in many layers, is too much for JSON, and not followed for ever', () => {
  let layer: unknown[] = ['leaf'];
  for (let i = 0; i < 90; i++) layer = [layer, layer];
  let arrived = decode(crossed(encode(layer, 'auto', 'it', MOST)));
  while (Array.isArray(arrived)) [arrived] = arrived as unknown[];
  assert.equal(arrived, 'leaf');
  assert.throws(() => encode(layer, 'json', 'it', 5000), { code: 'ERR_PAYLOAD_TOO_LARGE', maxBytes: 5000 });
});

test('an encoding of a later version, and damage, are told apart from values', () => {
  for (const damaged of [
    { $threadwise: 'v9' },
    { $threadwise: 'v8', base64: 'AAAA' },
    { $threadwise: 'v8' },
  ]) {
    assert.throws(() => decode(damaged), { code: 'ERR_FLEET_DATA' });
  }
});

test('a size is counted in bytes of UTF-8, and the limit itself is allowed', () => {
  checkSize('é', 4, 'it');
  assert.throws(() => checkSize('é', 3, 'it'), { code: 'ERR_PAYLOAD_TOO_LARGE' });
});
