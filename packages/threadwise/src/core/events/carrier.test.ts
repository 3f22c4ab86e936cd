/** The context of a task crosses with its arguments, and is taken out again. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'threadwise-test/fast-check';
import { pack, unpack } from './carrier.js';

const names = fc.string().filter((name) => !name.endsWith('\0'));

describe('carrier', () => {
  test('unpack is the inverse of pack, whatever is called with whatever', () => {
    fc.assert(
      fc.property(names, fc.array(fc.anything()), fc.anything(), (name, args, context) => {
        assert.deepEqual(unpack(...pack(name, args, context)), { name, args, context });
      }),
    );
  });

  test('a call that takes nothing along crosses as it is', () => {
    const args = [1, 'two'];
    const [name, packed] = pack('work', args, undefined);
    assert.equal(name, 'work');
    assert.equal(packed, args);
  });
});
