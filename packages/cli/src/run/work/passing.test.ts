import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { argumentsOf, contentOf, takingInput } from './passing.js';

const folder = mkdtempSync(join(tmpdir(), 'threadwise-passing-'));
after(() => rmSync(folder, { recursive: true }));

function file(name: string, content: string): string {
  const path = join(folder, name);
  writeFileSync(path, content);
  return path;
}

test('an input is the argument, the list of arguments, or a file that has it', () => {
  const path = file('a', 'some text');
  assert.deepEqual(argumentsOf([1, 2], 'value'), [[1, 2]]);
  assert.deepEqual(argumentsOf([1, 2], 'spread'), [1, 2]);
  assert.deepEqual(argumentsOf(path, 'read'), [new TextEncoder().encode('some text')]);
});

test('a function of several arguments, or of bytes, becomes one of an input', () => {
  const join2 = (...given: unknown[]) => given.join('+');
  assert.equal(takingInput(join2, 'value')([1, 2]), '1,2');
  assert.equal(takingInput(join2, 'spread')([1, 2]), '1+2');
  const length = (bytes: unknown) => (bytes as Uint8Array).length;
  assert.equal(takingInput(length, 'read')(file('b', 'four')), 4);
});

test('content is what would arrive in a thread: no Buffer, and no memory of others', () => {
  const content = contentOf(file('c', 'abc')) as Uint8Array;
  assert.equal(Buffer.isBuffer(content), false);
  assert.equal(content.buffer.byteLength, 3);
  assert.deepEqual(contentOf(file('d', '')), new Uint8Array());
});

test('a file that is not there is told by its path', () => {
  assert.throws(() => contentOf(join(folder, 'none')), /ENOENT.*none/);
});
