import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'threadwise-test/fast-check';
import { fitted, safeText, truncated, widthOf } from './text.js';

test('what a terminal would obey is replaced', () => {
  assert.equal(safeText('a\x1b[31mb\nc\u009bd\u202ee\u200bf\u2028g\ud800h'), 'a�[31mb�c�d�e�f�g�h');
  assert.equal(safeText('plain ä 画 😀'), 'plain ä 画 😀');
});

test('a variation selector is left out: nobody agrees on the width with it', () => {
  assert.equal(safeText('\u2764\ufe0f'), '\u2764');
});

test('wide characters take two columns, marks none', () => {
  assert.deepEqual(['abc', '画像', '한글', '😀', 'e\u0301', '～'].map(widthOf), [3, 4, 4, 2, 1, 2]);
});

test('cuts at the width and says so', () => {
  assert.equal(truncated('images', 6), 'images');
  assert.equal(truncated('images', 5), 'imag…');
  assert.equal(truncated('images', 1), '…');
  assert.equal(truncated('images', 0), '');
  // Half of a wide character does not fit: a column stays free.
  assert.equal(truncated('画像処理', 4), '画…');
  assert.equal(truncated('画像処理', 5), '画像…');
});

test('fills up on one side', () => {
  assert.equal(fitted('ab', 4), 'ab  ');
  assert.equal(fitted('ab', 4, 'right'), '  ab');
  assert.equal(fitted('画像処理', 4), '画… ');
});

test('marks without end are cut', () => {
  assert.equal(truncated(`e${'\u0301'.repeat(100)}x`, 5), `e${'\u0301'.repeat(8)}x`);
});

test('any text fits into its width, and nothing in it is for the terminal', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), fc.nat(20), (text, width) => {
      const cell = fitted(safeText(text), width);
      assert.equal(widthOf(cell), width);
      assert.doesNotMatch(cell, /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/u);
    }),
  );
});
