/** How wide objects are told from others, and from dictionaries. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { deservesMaker, WideRecords } from './plain-objects.js';

const names = (count: number, prefix = 'name') => Array.from({ length: count }, (_, i) => `${prefix}${i}`);
const takes = (wide: WideRecords, keys: readonly string[]) => wide.takes(keys.length, keys[0]!);

test('wide records: 20 keys or more, of which the first looks like a name', () => {
  const wide = new WideRecords();
  assert.equal(takes(wide, names(19)), false);
  assert.equal(takes(wide, names(20)), true);
  assert.equal(takes(wide, names(20, '1-')), false);
  assert.equal(takes(wide, ['__proto__', ...names(20)]), false);
});

test('wide records: of objects that never get a shape, only so many are taken; each wide shape allows for four more', () => {
  const wide = new WideRecords();
  const taken = () => Array.from({ length: 100 }, () => takes(wide, names(20))).filter(Boolean).length;
  assert.equal(taken(), 64);
  wide.gotShape(19);
  assert.equal(taken(), 0);
  wide.gotShape(20);
  assert.equal(taken(), 4);
});

test('a shape gets a function of its own once, which may be refused: a wide one at its first object, others at their 32nd', () => {
  const getsIt = (keyCount: number) => [1, 2, 31, 32, 33].filter((uses) => deservesMaker(uses, keyCount));
  assert.deepEqual(getsIt(19), [32]);
  assert.deepEqual(getsIt(20), [1]);
});
