import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { UsageError } from '../../exit-code.js';
import { nothingDone } from './input-source.js';
import { openInputs } from './open-inputs.js';

let folder: string;

before(() => {
  folder = mkdtempSync(join(tmpdir(), 'threadwise-json-'));
});

after(() => rmSync(folder, { recursive: true }));

async function valuesOf(content: string | Buffer, name = 'input.json'): Promise<unknown[]> {
  const file = join(folder, name);
  writeFileSync(file, content);
  const values: unknown[] = [];
  for await (const group of openInputs({ kind: 'json', file }).read(nothingDone))
    values.push(...group.map(({ value }) => value));
  return values;
}

const failsWith = (content: string, message: RegExp, name?: string): Promise<void> =>
  assert.rejects(
    valuesOf(content, name),
    (error) => error instanceof UsageError && message.test(error.message),
  );

test('reads the values of an array, nested ones whole', async () => {
  const values = [1, 'é"\\', null, true, { a: [1, { b: 2 }] }, [], [[1], [2]], -1.5e3];
  assert.deepEqual(await valuesOf(JSON.stringify(values)), values);
  assert.deepEqual(await valuesOf(`\n  ${JSON.stringify(values, null, 2)}\n`), values);
  assert.deepEqual(await valuesOf('[]'), []);
});

test('reads one value a line, skipping empty lines', async () => {
  assert.deepEqual(await valuesOf('{"a":1}\n\n[2]\r\n3'), [{ a: 1 }, [2], 3]);
  assert.deepEqual(await valuesOf('[1]\n[2]\n', 'rows.ndjson'), [[1], [2]]);
  assert.deepEqual(await valuesOf('[1]\n[2]\n', 'rows.jsonl'), [[1], [2]]);
});

test('an empty file has no values, and a byte order mark is no value', async () => {
  assert.deepEqual(await valuesOf(''), []);
  assert.deepEqual(await valuesOf('  \n '), []);
  assert.deepEqual(await valuesOf('\uFEFF[1,2]'), [1, 2]);
  assert.deepEqual(await valuesOf('\uFEFF{"a":1}\n2\n'), [{ a: 1 }, 2]);
});

test('reads an array larger than a chunk and keeps none of it', async () => {
  const values = Array.from({ length: 50_000 }, (_, i) => ({ id: i, name: `name ${i}` }));
  assert.deepEqual(await valuesOf(JSON.stringify(values, null, 1)), values);
});

test('names the file and the line of invalid JSON in an array', async () => {
  await failsWith('[1,\n2,\n,3]', /invalid JSON in '.*input\.json' at line 3: Unexpected ","/);
  await failsWith('[{"a":1}\n{"b":2}]', /at line 2: Unexpected "\{"/);
  await failsWith('[1,\n2', /at line 2: the text ends before the array does/);
  await failsWith('["a\nb"]', /at line 1: Unexpected "\\n"$/);
  await failsWith('[1]\n\nx', /at line 3/);
  await failsWith('[1]\n[2]', /at line 2/);
});

test('names the file and the line of invalid JSON in lines', async () => {
  await failsWith('1\n\n{"a":}\n', /invalid JSON in '.*rows\.ndjson' at line 3:/, 'rows.ndjson');
  await failsWith('{"a":x\r1}\n', /at line 1: Unexpected .*\\r.*$/, 'rows.ndjson');
  await failsWith('{\n "a": 1\n}', /at line 1: .*expected an array, or one value a line/);
});

test('gives what came before the invalid place', async () => {
  for (const [name, content] of [
    ['cut.json', '[1,\n2,\n'],
    ['wrong.json', '[1,\n2,\n,3]'],
    ['wrong.ndjson', '1\n2\n{3\n4'],
  ] as const) {
    const file = join(folder, name);
    writeFileSync(file, content);
    const seen: unknown[] = [];
    await assert.rejects(async () => {
      for await (const group of openInputs({ kind: 'json', file }).read(nothingDone))
        seen.push(...group.map(({ value }) => value));
    }, UsageError);
    assert.deepEqual(seen, [1, 2], name);
  }
});

test('goes on behind what is done', async () => {
  const file = join(folder, 'done.json');
  writeFileSync(file, '[0,1,2,3,4,5,6]');
  const values: unknown[] = [];
  for await (const group of openInputs({ kind: 'json', file }).read({ mark: 1, beyond: [[3, 4]] })) {
    values.push(...group.map(({ value }) => value));
  }
  assert.deepEqual(values, [2, 5, 6]);
});
