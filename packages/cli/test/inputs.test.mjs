/** Every kind of input through the whole command, the bad ones with what they say. */

import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import {
  closeSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { before, describe, test } from 'node:test';
import { lines, numbers, runTask, start, task, temporaryFolder } from './command.mjs';

const folder = temporaryFolder();
const at = (name) => join(folder, name);
const isPosix = process.platform !== 'win32';

before(() => {
  for (const directory of ['tree/a/b', 'tree/a-b', 'tree/ü', 'tree/.hidden'])
    mkdirSync(at(directory), { recursive: true });
  for (let i = 0; i < 300; i += 1) {
    const directory = ['tree', 'tree/a', 'tree/a/b', 'tree/a-b', 'tree/ü', 'tree/.hidden'][i % 6];
    writeFileSync(at(`${directory}/file ${i}.bin`), randomBytes((i * 977) % 9000));
  }
  symlinkSync(at('nowhere'), at('tree/dangling'));
});

async function refuses(args, message) {
  const { code, stdout, stderr } = await runTask('echo', args, { cwd: folder });
  assert.match(stderr, message);
  assert.doesNotMatch(stderr, /\n {4}at /, 'no stack');
  assert.equal(code, 2);
  assert.equal(stdout, '');
}

test('files: the digests are those of sha256sum, in path order', async (t) => {
  let sums;
  try {
    sums = execFileSync('sh', ['-c', 'find tree -type f -exec sha256sum {} +'], {
      cwd: folder,
      encoding: 'utf8',
    });
  } catch {
    return t.skip('there is no sha256sum here');
  }
  const { code, stdout } = await runTask('digest', ['--files', 'tree/**', '--dot', '--with-input'], {
    cwd: folder,
  });
  assert.equal(code, 0);
  const results = stdout
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));
  assert.equal(results.length, 300);
  const segments = results.map(({ input }) => input.split('/'));
  const inOrder = segments.every((path, i) => i === 0 || compareSegments(segments[i - 1], path) < 0);
  assert.ok(inOrder, 'in path order');
  const expected = sums.trimEnd().split('\n').sort();
  assert.deepEqual(results.map(({ input, result }) => `${result}  ${input}`).sort(), expected);
});

function compareSegments(a, b) {
  const i = a.findIndex((segment, n) => segment !== b[n]);
  return a[i] < b[i] ? -1 : 1;
}

test('files: says what is wrong with a pattern', async () => {
  await refuses(['--files', 'tree'], /'tree' is a directory; use 'tree\/\*\*'/);
});

test('files: a file that cannot be read fails alone', async () => {
  mkdirSync(at('gone'), { recursive: true });
  writeFileSync(at('gone/there'), 'x');
  symlinkSync('/proc/self/mem', at('gone/unreadable'));
  const args = ['--files', 'gone/there', 'gone/unreadable', '--on-error', 'skip'];
  const { code, stdout, stderr } = await runTask('digest', args, { cwd: folder });
  assert.equal(code, 1);
  assert.equal(stdout.split('\n').length, 2);
  assert.match(stderr, /1 input failed:\n {2}gone\/unreadable: Error/);
});

test('files: odd names reach the task and the output as they are', { skip: !isPosix }, async () => {
  const names = ['a\nb', 'd\u2028e', 'g\\h', '*?[x]{y}', 'q\'"', '\u{1f600}', ' ', 'nul\u0001'];
  mkdirSync(at('odd/in\nner'), { recursive: true });
  const paths = names.flatMap((name) => [`odd/${name}`, `odd/in\nner/${name}`]);
  for (const path of paths) writeFileSync(at(path), '');
  const { code, stdout } = await runTask('echo', ['--files', 'odd/**'], { cwd: folder });
  assert.equal(code, 0);
  assert.deepEqual(stdout.trimEnd().split('\n').map(JSON.parse).sort(), paths.sort());
});

test(
  'files: a folder that cannot be read is told with the reason',
  {
    skip: process.platform !== 'linux' && 'it needs the length of a path on Linux',
  },
  async () => {
    mkdirSync(at('unreadable/a'), { recursive: true });
    writeFileSync(at('unreadable/a/there'), '');
    // Deeper than a path can be long, which root cannot read either. It is put together, since it cannot be made in one.
    const deep = Array.from({ length: 15 }, () => 'deep'.repeat(50)).join('/');
    for (const name of ['unreadable/b', 'rest']) mkdirSync(at(`${name}/${deep}`), { recursive: true });
    renameSync(at('rest'), at(`unreadable/b/${deep}/rest`));
    try {
      await refuses(
        ['--files', 'unreadable/**'],
        /^threadwise: cannot read directory '.*\/unreadable\/b\/deep.*': name too long\n$/,
      );
    } finally {
      renameSync(at(`unreadable/b/${deep}/rest`), at('rest'));
    }
  },
);

test('files: the output among the listed files is no input', async () => {
  mkdirSync(at('own'), { recursive: true });
  writeFileSync(at('own/a'), 'a');
  writeFileSync(at('own/out'), 'old');
  const { code } = await runTask(
    'echo',
    ['--files', 'own/*', '--out', 'own/out', '--journal', 'own/journal'],
    { cwd: folder },
  );
  assert.equal(code, 0);
  const { stdout } = await runTask('echo', ['--files', 'own/out'], { cwd: folder });
  assert.equal(stdout, '"own/out"\n');
  assert.equal(execFileSync('cat', [at('own/out')], { encoding: 'utf8' }), '"own/a"\n');
});

test('lines: of standard input by default, with both line ends and without the last', async () => {
  const { code, stdout } = await runTask('upper', ['--format', 'text'], { input: 'one\r\ntwo\n\nlast' });
  assert.deepEqual([code, stdout], [0, 'ONE\nTWO\n\nLAST\n']);
});

test('lines: of a file, which may be empty', async () => {
  writeFileSync(at('lines.txt'), lines(numbers(1, 5000)));
  writeFileSync(at('empty.txt'), '');
  const full = await runTask('echo', ['--lines', 'lines.txt', '--format', 'text'], { cwd: folder });
  assert.deepEqual([full.code, full.stdout], [0, lines(numbers(1, 5000))]);
  const empty = await runTask('echo', ['--lines', 'empty.txt'], { cwd: folder });
  assert.deepEqual([empty.code, empty.stdout], [0, '']);
});

test('lines: each is run as it comes, though the next one is not there yet', async () => {
  const { child, ended, until } = start(['run', task('upper'), '--format', 'text', '--quiet']);
  for (const word of ['one', 'two', 'three']) {
    child.stdin.write(`${word}\n`);
    await until('stdout', new RegExp(`${word.toUpperCase()}\n`));
  }
  child.stdin.end();
  assert.equal((await ended).code, 0);
});

/** Holds up the run until Ctrl-C, which must end it although nothing ever comes. */
async function endsAtCtrlC(t, args) {
  const { child, ended, until } = start(['run', task('echo'), ...args], { cwd: folder });
  t.after(() => child.kill('SIGKILL'));
  await until('stderr', / done/);
  child.kill('SIGINT');
  assert.equal((await ended).code, 130);
}
const needsFifos = { skip: !isPosix && 'there are no FIFOs', timeout: 60_000 };

/** These tests run at the same time, as each waits two seconds for the first line of progress. */
describe('FIFOs and Ctrl-C', { concurrency: true }, () => {
  test('lines: a FIFO that nobody writes to does not hold up Ctrl-C', needsFifos, async (t) => {
    execFileSync('mkfifo', [at('silent')]);
    await Promise.all(['--lines', '--json'].map((option) => endsAtCtrlC(t, [option, 'silent'])));
  });

  test('lines: a FIFO whose writer has nothing to say does not hold up Ctrl-C', needsFifos, async (t) => {
    execFileSync('mkfifo', [at('idle')]);
    const writer = openSync(at('idle'), 'r+');
    await endsAtCtrlC(t, ['--lines', 'idle']);
    closeSync(writer);
  });

  test('read: a FIFO that nobody writes to does not hold up a second Ctrl-C', needsFifos, async (t) => {
    execFileSync('mkfifo', [at('unwritten')]);
    const args = ['run', task('size'), '--files', 'unwritten', '--read'];
    const { child, ended, until } = start(args, { cwd: folder });
    t.after(() => child.kill('SIGKILL'));
    await until('stderr', / of 1/);
    child.kill('SIGINT');
    await until('stderr', /stopping when what runs is finished/);
    child.kill('SIGINT');
    assert.equal((await ended).code, 130);
  });
});

test('lines: of a FIFO, until its writer ends', needsFifos, async () => {
  execFileSync('mkfifo', [at('told')]);
  const reading = runTask('echo', ['--lines', 'told', '--format', 'text'], { cwd: folder });
  const text = lines(numbers(1, 50_000));
  await writeFile(at('told'), text);
  const { code, stdout } = await reading;
  assert.deepEqual([code, stdout], [0, text]);
});

test('read: of a FIFO, until its writer ends', needsFifos, async () => {
  execFileSync('mkfifo', [at('content')]);
  const reading = runTask('size', ['--files', 'content', '--read'], { cwd: folder });
  await writeFile(at('content'), new Uint8Array(300_000));
  const { code, stdout } = await reading;
  assert.deepEqual([code, stdout], [0, '300000\n']);
});

test('lines: standard input may not be a directory', async () => {
  const fd = openSync(folder, 'r');
  for (const args of [[], ['--json', '-']]) {
    const { code, stderr } = await runTask('echo', args, { stdio: [fd, 'pipe', 'pipe'], input: undefined });
    assert.match(stderr, /standard input is a directory; expected a file/);
    assert.equal(code, 2);
  }
  closeSync(fd);
});

test('lines and JSON: a byte order mark is no part of the first one', async () => {
  writeFileSync(at('marked.txt'), '\ufeffa\r\n\ufeffb\n');
  const { stdout } = await runTask('echo', ['--lines', 'marked.txt'], { cwd: folder });
  assert.equal(stdout, '"a"\n"\ufeffb"\n');
  for (const text of ['\ufeff[1,2]', '\ufeff1\n2']) {
    const { child, ended } = start(['run', task('echo'), '--quiet', '--json', '-']);
    // A pipe may split the byte order mark between two reads.
    const bytes = Buffer.from(text);
    child.stdin.write(bytes.subarray(0, 2), () => setImmediate(() => child.stdin.end(bytes.subarray(2))));
    assert.equal((await ended).stdout, '1\n2\n');
  }
});

test('lines: says what is wrong with a file', async () => {
  await refuses(['--lines', 'none.txt'], /cannot read 'none\.txt': no such file/);
  await refuses(['--lines', 'tree'], /'tree' is a directory; expected a file/);
});

test('json: an array and NDJSON give the same', async () => {
  const values = numbers(1, 500).map((id) => ({ id, tags: ['a', null] }));
  writeFileSync(at('array.json'), JSON.stringify(values, null, 2));
  writeFileSync(at('rows.ndjson'), lines(values.map((value) => JSON.stringify(value))));
  for (const file of ['array.json', 'rows.ndjson']) {
    const { code, stdout } = await runTask('echo', ['--json', file, '--format', 'json'], { cwd: folder });
    assert.equal(code, 0);
    assert.deepEqual(JSON.parse(stdout), values);
  }
});

test('json: invalid JSON is told with its line, after the results of what came before', async () => {
  writeFileSync(at('bad.json'), '[1,\n2,\n3 4]');
  writeFileSync(at('bad.ndjson'), '1\n\n2\n{bad}\n5\n');
  for (const [file, line, before] of [
    ['bad.json', 3, '1\n2\n3\n'],
    ['bad.ndjson', 4, '1\n2\n'],
  ]) {
    const { code, stdout, stderr } = await runTask('echo', ['--json', file], { cwd: folder });
    assert.match(stderr, new RegExp(`invalid JSON in '${file}' at line ${line}: `));
    assert.deepEqual([code, stdout], [2, before]);
  }
  await refuses(['--json', 'none.json'], /cannot read 'none\.json'/);
});

test('json: where invalid JSON ends the run, an output of JSON is whole', async () => {
  for (const [text, before] of [
    ['1\n2\n{bad}\n', [1, 2]],
    ['{bad}\n', []],
  ]) {
    writeFileSync(at('bad-end.ndjson'), text);
    const args = ['--json', 'bad-end.ndjson', '--format', 'json', '--out', 'whole.json'];
    const { code } = await runTask('echo', args, { cwd: folder });
    assert.equal(code, 2);
    assert.deepEqual(JSON.parse(readFileSync(at('whole.json'), 'utf8')), before);
  }
});

test('json: a value that is nested too deeply fails alone, and is told', async () => {
  const deep = '['.repeat(200_000) + ']'.repeat(200_000);
  writeFileSync(at('deep.ndjson'), `1\n${deep}\n2\n`);
  writeFileSync(at('deep.json'), `[1,${deep},2]`);
  for (const args of [['deep.ndjson'], ['deep.json', '--with-input'], ['deep.ndjson', '--batch', '1']]) {
    const all = ['--on-error', 'skip', '--json', ...args];
    const { code, stdout, stderr } = await runTask('one', all, { cwd: folder });
    assert.equal(stdout.trimEnd().split('\n').length, 2, stderr);
    assert.match(stderr, /^1 input failed:\n {2}(\(too deep to be shown\)|\[{160}…): .*\n$/);
    assert.equal(code, 1);
  }
  writeFileSync(at('deep-object.ndjson'), `[]\n${'{"a":'.repeat(100_000)}1${'}'.repeat(100_000)}\n`);
  const { code, stderr } = await runTask('one', ['--json', 'deep-object.ndjson', '--spread'], {
    cwd: folder,
  });
  assert.match(
    stderr,
    /^threadwise: --spread: expected each value to be an array.* got (\(too deep to be shown\)|(\{"a":){12}…) \(value 2 of /,
  );
  assert.equal(code, 2);
});

test('range: both ends, negative ones too', async () => {
  const { code, stdout } = await runTask('increment', ['--range', '-3..3']);
  assert.deepEqual([code, stdout], [0, lines(numbers(-2, 4))]);
});

test('values of options that are not what is expected', async () => {
  await refuses(['--range', '5..1'], /argument '5\.\.1' is invalid\. Expected two integers a\.\.b/);
  await refuses(
    ['--range', `1..${2 ** 53}`],
    /is invalid\. Expected two integers .*, from -\(2\^53 - 1\) to 2\^53 - 1/,
  );
  await refuses(['--range', '1..2', '--threads', '0'], /argument '0' is invalid\. Expected auto, a number/);
  await refuses(
    ['--range', '1..2', '--thread', '2'],
    /unknown option '--thread'\n\(Did you mean --threads\?\)/,
  );
  await refuses(['--range', '1..2', '--lines', 'x'], /expected one kind of input, got --lines and --range/);
});

test('a sample for --compare-inline takes nothing away from the run: what cannot be read twice is refused', async () => {
  const why = 'exclude each other: the sample needs input that can be read twice; use a file';
  for (const [args, what] of [
    [[], 'standard input'],
    [['--json', '-'], 'standard input'],
    [['--lines', '/dev/stdin'], "--lines '/dev/stdin'"],
  ]) {
    const { code, stdout, stderr } = await runTask('echo', [...args, '--compare-inline', '1'], {
      input: lines(numbers(1, 100)),
    });
    const told = `threadwise: --compare-inline and ${what} ${why}\n`;
    assert.deepEqual([code, stdout, stderr], [2, '', told]);
  }
});
