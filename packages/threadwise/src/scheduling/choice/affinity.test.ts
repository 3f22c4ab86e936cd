/** The same key goes to the same worker as long as it lives, and the memory for it is bounded. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'threadwise-test/fast-check';
import { Affinity } from './affinity.js';

const home = (serves = true) => ({ serves });

describe('Affinity', () => {
  test('knows no worker for a key that was never assigned', () => {
    assert.equal(new Affinity().find('user'), undefined);
  });

  test('finds the same worker for the same key for ever, whatever else is assigned', () => {
    const [affinity, one, two] = [new Affinity(), home(), home()];
    affinity.assign('a', one);
    affinity.assign('b', two);
    for (let i = 0; i < 10; i++) {
      assert.equal(affinity.find('a'), one);
      assert.equal(affinity.find('b'), two);
    }
  });

  test('tells keys apart as a Map does: any value, NaN among them, objects by identity', () => {
    const affinity = new Affinity();
    const object = {};
    const keys = [1, '1', Number.NaN, null, object, {}, true, 10n];
    const homes = keys.map(() => home());
    keys.forEach((key, i) => void affinity.assign(key, homes[i]!));
    keys.forEach((key, i) => void assert.equal(affinity.find(key), homes[i]));
  });

  test('forgets a worker that does not serve any more: the key gets another', () => {
    const [affinity, leaving, heir] = [new Affinity<{ serves: boolean }>(), home(), home()];
    affinity.assign('user', leaving);
    leaving.serves = false;
    assert.equal(affinity.find('user'), undefined);
    leaving.serves = true;
    assert.equal(affinity.find('user'), undefined, 'also if it should serve again');
    affinity.assign('user', heir);
    assert.equal(affinity.find('user'), heir);
  });

  test('keeps no worker that does not serve any more, though nobody uses its keys again', () => {
    const affinity = new Affinity<{ serves: boolean }>();
    const gone = Array.from({ length: 50 }, () => home());
    gone.forEach((worker, i) => void affinity.assign(i, worker));
    for (const worker of gone) worker.serves = false;
    for (let i = 0; i < 50; i++) affinity.assign('other', home());
    for (const worker of gone) worker.serves = true;
    for (let i = 0; i < 50; i++) assert.equal(affinity.find(i), undefined);
  });

  test('remembers as many keys as allowed and forgets the least recently used first', () => {
    const [affinity, one] = [new Affinity(3), home()];
    for (const key of ['a', 'b', 'c']) affinity.assign(key, one);
    affinity.find('a');
    affinity.assign('d', one);
    assert.equal(affinity.find('b'), undefined);
    for (const key of ['a', 'c', 'd']) assert.equal(affinity.find(key), one);
  });

  test('never remembers more than allowed, in any order of use', () => {
    fc.assert(
      fc.property(fc.array(fc.nat(9), { maxLength: 60 }), (keys) => {
        const affinity = new Affinity(4);
        for (const key of keys) affinity.find(key) ?? affinity.assign(key, home());
        const used = [...new Set(keys.toReversed())];
        const known = used.filter((key) => affinity.find(key) !== undefined);
        assert.deepEqual(known, used.slice(0, 4), 'the four that were used last');
      }),
    );
  });
});
