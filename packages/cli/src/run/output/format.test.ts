import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createRender, formats } from './format.js';

test('ndjson writes one value a line, undefined as null', () => {
  const render = createRender('ndjson', false);
  assert.equal(render('x', { a: 1 }), '{"a":1}\n');
  assert.equal(render('x', undefined), 'null\n');
  assert.equal(render('x', new Date(0)), '"1970-01-01T00:00:00.000Z"\n');
});

test('with input, each result is written beside what it came from', () => {
  assert.equal(createRender('ndjson', true)('a.txt', 5), '{"input":"a.txt","result":5}\n');
  assert.equal(createRender('json', true)(1, undefined), ',\n{"input":1,"result":null}');
});

test('text writes what String makes of a value', () => {
  assert.equal(createRender('text', false)('x', 'line'), 'line\n');
  assert.equal(createRender('text', false)('x', [1, 2]), '1,2\n');
});

test('a value without JSON is an error, not a silent null', () => {
  assert.throws(() => createRender('ndjson', false)(1, () => 1), /function, which cannot be written as JSON/);
  assert.throws(() => createRender('json', true)(1, Symbol('x')), /symbol/);
  assert.throws(() => createRender('ndjson', false)(1, 1n), TypeError);
  function* one() {
    yield 1;
  }
  for (const stream of [one(), new ReadableStream()]) {
    assert.throws(() => createRender('ndjson', true)(1, stream), /an iterator or a stream/);
    assert.throws(() => createRender('text', false)(1, stream), /an iterator or a stream/);
  }
  assert.equal(createRender('ndjson', false)(1, new Map([[1, 1]])), '{}\n');
});

test('json becomes one array from pieces', () => {
  const { open, before, close, empty } = formats.json;
  const pieces = [1, 2, 3].map((value) => createRender('json', false)('x', value)).join('');
  assert.deepEqual(JSON.parse(open + pieces.slice(before.length) + close), [1, 2, 3]);
  assert.deepEqual(JSON.parse(empty), []);
});
