import assert from 'node:assert/strict';
import { test } from 'node:test';
import { randomToken, tokenCheck } from './token.js';

test('a random token has at least 128 bits, and is another one each time', () => {
  assert.ok(Buffer.from(randomToken(), 'base64url').length >= 16);
  assert.equal(new Set(Array.from({ length: 100 }, randomToken)).size, 100);
});

test('only the token itself is accepted, however long the guess', () => {
  const accepts = tokenCheck('secret');
  for (const right of ['Bearer secret', 'bearer secret', 'BEARER  secret ']) assert.ok(accepts(right), right);
  for (const wrong of [
    undefined,
    '',
    'secret',
    'Bearer',
    'Bearer ',
    'Bearer secre',
    'Bearer secret1',
    'Bearer SECRET',
    'Bearer secret secret',
    'Basic secret',
    `Bearer ${'s'.repeat(10_000)}`,
  ]) {
    assert.equal(accepts(wrong), false, String(wrong));
  }
});
