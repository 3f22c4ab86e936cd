import assert from 'node:assert/strict';
import { test } from 'node:test';
import { paint, plain } from './line.js';

test('one frame from the top, each line erased behind its end, without scrolling', () => {
  assert.equal(paint([plain('ab'), plain('')], 4, true), '\x1b[Hab\x1b[K\r\n\x1b[K');
});

test('a full line is not erased from its last column on', () => {
  assert.equal(paint([plain('abcd'), plain('画像')], 4, true), '\x1b[Habcd\r\n画像');
});

test('styles', () => {
  assert.equal(paint([plain('ab', 'bad')], 2, true), '\x1b[H\x1b[1;31mab\x1b[0m');
});

test('without colour there is emphasis, and no code of a colour', () => {
  const styles = ['title', 'selected', 'bad', 'warn', 'dim', 'bold'] as const;
  const frame = paint(
    styles.map((style) => plain('x', style)),
    1,
    false,
  );
  const codes = [...frame.matchAll(/\[([\d;]+)m/g)].flatMap(([, list]) => list!.split(';').map(Number));
  assert.deepEqual(
    codes.filter((code) => code >= 30),
    [],
  );
  assert.ok(codes.includes(1) && codes.includes(7));
});
