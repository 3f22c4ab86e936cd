/** What a function gets of an input: the content of a file, or a list as its arguments. */

import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { lines, run, runTask, temporaryFolder } from './command.mjs';

const digest = (text) => createHash('sha256').update(text).digest('hex');

function folderWith(files) {
  const folder = temporaryFolder();
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
  return folder;
}

const hash = `import { createHash } from 'node:crypto';
export const hash = (bytes) => createHash('sha256').update(bytes).digest('hex');
export const kind = (bytes) => bytes.constructor.name;
`;

test('run --read gives the content, read by the worker; the output names the path', async () => {
  const files = { 'a.txt': 'first', 'b.txt': '', 'c.txt': 'x'.repeat(100_000) };
  const cwd = folderWith({ 'hash.mjs': hash, ...files });
  const args = ['run', 'hash.mjs#hash', '--files', '*.txt', '--read', '--with-input', '--quiet'];
  const { code, stdout, stderr } = await run(args, { cwd });
  assert.equal(code, 0, stderr);
  const expected = Object.entries(files).map(([input, text]) =>
    JSON.stringify({ input, result: digest(text) }),
  );
  assert.equal(stdout, lines(expected));
});

test('content is a Uint8Array in a worker, and for --compare-inline', async () => {
  const cwd = folderWith({ 'hash.mjs': hash, 'a.txt': 'text' });
  const args = ['run', 'hash.mjs#kind', '--files', '*.txt', '--read', '--compare-inline'];
  const { code, stdout, stderr } = await run(args, { cwd });
  assert.equal(code, 0, stderr);
  assert.equal(stdout, '"Uint8Array"\n');
  assert.match(stderr, /^failed +0$/m);
  assert.match(
    stderr,
    /^inline +(about [\d.]+ m?s|less than 1 ms) with reading and writing, estimated from a sample of 1 file/m,
  );
});

test('run --spread gives each list as arguments', async () => {
  const cwd = folderWith({
    'tasks.mjs': 'export const less = (a, { b }) => a - b;',
    'lists.json': '[[5,{"b":3}],[1,{"b":1}]]',
  });
  const args = ['run', 'tasks.mjs#less', '--json', 'lists.json', '--spread', '--quiet'];
  const { code, stdout, stderr } = await run(args, { cwd });
  assert.equal(code, 0, stderr);
  assert.equal(stdout, '2\n0\n');
});

test('what is no list ends the run, after what came before it', async () => {
  const cwd = folderWith({
    'tasks.mjs': 'export const first = (a) => a;',
    'lists.ndjson': '[1]\n[2]\n{"a":3}\n[4]\n',
  });
  for (const command of ['run', 'analyze']) {
    const args = [command, 'tasks.mjs#first', '--json', 'lists.ndjson', '--spread', '--quiet'];
    const { code, stdout, stderr } = await run(args, { cwd });
    assert.equal(code, 2);
    assert.equal(stdout, command === 'run' ? '1\n2\n' : '');
    assert.match(stderr, /--spread: expected each value to be an array.*got \{"a":3\} \(value 3 of 'lists/);
  }
});

test('a journal of paths is not one of contents', async () => {
  const cwd = folderWith({ 'hash.mjs': hash, 'a.txt': 'text' });
  const args = ['run', 'hash.mjs#kind', '--files', '*.txt', '--journal', 'j', '--out', 'out', '--quiet'];
  assert.equal((await run(args, { cwd })).code, 0);
  const { code, stderr } = await run([...args, '--read'], { cwd });
  assert.equal(code, 2);
  assert.match(stderr, /belongs to another command: input was .* is .*"read":true/);
});

for (const [args, expected] of [
  [['--range', '1..3', '--read'], /--read needs --files/],
  [['--lines', '--spread'], /--spread needs --json/],
]) {
  test(`refused with exit code 2: ${args.join(' ')}`, async () => {
    for (const result of [await runTask('increment', args), await run(['analyze', 'x.js', ...args])]) {
      assert.equal(result.code, 2);
      assert.match(result.stderr, expected);
    }
  });
}
