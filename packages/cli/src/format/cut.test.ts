import assert from 'node:assert/strict';
import { test } from 'node:test';
import { outPath } from '../disk/out-file.js';
import { beginningOf, cut } from './cut.js';

test('cuts between characters, also those of two code units', () => {
  assert.deepEqual(
    [0, 1, 2, 3, 4, 5, 9].map((length) => beginningOf('a😀b😀', length)),
    ['', 'a', 'a', 'a😀', 'a😀b', 'a😀b', 'a😀b😀'],
  );
  assert.deepEqual([cut('a😀b', 2), cut('a😀b', 3), cut('a😀b', 4)], ['a…', 'a😀…', 'a😀b']);
});

test('the name of a temporary file has no half of a character', () => {
  assert.doesNotMatch(outPath(`a${'😀'.repeat(60)}`).part, /\p{Cs}/u);
});
