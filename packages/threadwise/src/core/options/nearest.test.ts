/** The name that somebody probably meant: close enough to help, never a wild guess. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'threadwise-test/fast-check';
import { didYouMean, nearest } from './nearest.js';

describe('nearest', () => {
  const known = ['threads', 'transport', 'timeoutMs', 'retries'];

  test('finds the name with the fewest differing letters', () => {
    assert.equal(nearest('thread', known), 'threads');
    assert.equal(nearest('timoutMs', known), 'timeoutMs');
    assert.equal(nearest('retires', known), 'retries');
  });

  test('takes no notice of upper and lower case', () => {
    assert.equal(nearest('TIMEOUTMS', known), 'timeoutMs');
    assert.equal(nearest('timeoutms', known), 'timeoutMs');
  });

  test('finds nothing where more than half of the name would have to change', () => {
    assert.equal(nearest('colour', known), undefined);
    assert.equal(nearest('abcd', ['abzz']), 'abzz', 'half of it');
    assert.equal(nearest('abcd', ['azzz']), undefined, 'three quarters of it');
  });

  test('compares only a part of each known name, if it is told which', () => {
    const lastLetters = (known: string) => known.slice(-3);
    assert.equal(nearest('evn', ['name', 'worker.env', 'queue.env'], lastLetters), 'worker.env');
    assert.equal(nearest('evn', ['worker.env']), undefined);
  });

  test('finds nothing where nothing is known', () => {
    assert.equal(nearest('threads', []), undefined);
  });

  test('compares no letters where the lengths differ too much: with a million letters that would take seconds', () => {
    const toLowerCase = () => assert.fail('letters are compared');
    const part = () => ({ length: 3, toLowerCase }) as unknown as string;
    assert.equal(nearest('x'.repeat(1000), ['any'], part), undefined);
  });

  test('takes the first of several that are as close', () => {
    assert.equal(nearest('cat', ['bat', 'hat']), 'bat');
  });

  test('finds a name that is known, whatever else is', () => {
    fc.assert(
      fc.property(fc.array(fc.string({ minLength: 1 }), { minLength: 1 }), fc.nat(), (names, at) => {
        const name = names[at % names.length]!;
        assert.equal(nearest(name, names)?.toLowerCase(), name.toLowerCase());
      }),
    );
  });

  test('is never one letter too far, wherever a letter is dropped, added or swapped', () => {
    fc.assert(
      fc.property(fc.stringMatching(/^[a-z]{4,12}$/), fc.nat(11), (name, where) => {
        const at = where % name.length;
        const [head, tail] = [name.slice(0, at), name.slice(at + 1)];
        for (const typo of [head + tail, `${head}_${name.slice(at)}`, `${head}_${tail}`]) {
          assert.equal(nearest(typo, ['________________', name]), name);
        }
      }),
    );
  });
});

describe('didYouMean', () => {
  test('is a sentence of its own, to be put behind another', () => {
    assert.equal(didYouMean('thread', ['threads']), " Did you mean 'threads'?");
  });

  test('says nothing where nothing is close', () => {
    assert.equal(didYouMean('colour', ['threads']), '');
  });
});
