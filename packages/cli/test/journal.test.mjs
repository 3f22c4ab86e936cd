/** The journal's promise: whatever kills a run, the same command again completes it, each input exactly once. */

import assert from 'node:assert/strict';
import {
  appendFileSync,
  closeSync,
  existsSync,
  mkdirSync,
  openSync,
  readFileSync,
  rmSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { lines, numbers, run, runTask, start, task, temporaryFolder } from './command.mjs';

const folder = temporaryFolder();
const at = (name) => join(folder, name);

const KILLS = 5;

/** Kills a run when it has come to an input that does not end; until then others write and record what came before. */
async function killAt(haltAt, startRun) {
  const { child, ended, until } = startRun(haltAt);
  await until('stderr', /halted/);
  child.kill('SIGKILL');
  const { signal, stderr } = await ended;
  assert.equal(signal, 'SIGKILL', stderr);
}

/** @param startRun given the input from which on nothing ends */
async function killAndComplete(count, startRun) {
  for (let i = 0; i < KILLS; i += 1) {
    await killAt(1 + Math.floor(((i + Math.random()) * count) / KILLS), startRun);
  }
  const last = await startRun(Number.POSITIVE_INFINITY).ended;
  assert.equal(last.code, 0, last.stderr);
  const again = await startRun(Number.POSITIVE_INFINITY).ended;
  assert.equal(again.code, 0);
  return again;
}

const COUNT = 4000;
const haltingAt = (number) => ({ env: { TEST_HALT_AT: String(number) } });
const argsOf = (name, ...more) => [
  'run',
  task('worksUpTo'),
  '--range',
  `1..${COUNT}`,
  '--batch',
  '3',
  '--journal',
  at(`${name}.journal`),
  ...more,
];

test('killed five times, a run with --out has every result once and in order', async () => {
  const again = await killAndComplete(COUNT, (haltAt) =>
    start(argsOf('out', '--out', at('out')), haltingAt(haltAt)),
  );
  assert.equal(readFileSync(at('out'), 'utf8'), lines(numbers(1, COUNT)));
  assert.match(again.stderr, /already complete: journal '.*out\.journal' has 4000 inputs\n/);
});

test('killed five times, a redirected run has every result once and in order', async () => {
  const startRun = (haltAt) => {
    const fd = openSync(at('redirected'), 'a');
    try {
      return start(argsOf('redirected', '--quiet'), { stdio: ['ignore', fd, 'pipe'], ...haltingAt(haltAt) });
    } finally {
      closeSync(fd);
    }
  };
  writeFileSync(at('redirected'), 'what was there\n');
  await killAndComplete(COUNT, startRun);
  assert.equal(readFileSync(at('redirected'), 'utf8'), `what was there\n${lines(numbers(1, COUNT))}`);
});

test('killed five times, an unordered run has every result once', async () => {
  await killAndComplete(COUNT, (haltAt) =>
    start(argsOf('unordered', '--unordered', '--quiet', '--out', at('unordered')), haltingAt(haltAt)),
  );
  const results = readFileSync(at('unordered'), 'utf8').trimEnd().split('\n').map(Number);
  assert.deepEqual(
    results.sort((a, b) => a - b),
    numbers(1, COUNT),
  );
});

test('killed five times, a run over files has every file once, in path order', async () => {
  const paths = [];
  for (let i = 0; i < 1500; i += 1) {
    const directory = ['tree', 'tree/a', 'tree/a-b', 'tree/a/c'][i % 4];
    mkdirSync(at(directory), { recursive: true });
    paths.push(`${directory}/${i}`);
    writeFileSync(at(paths.at(-1)), String(i));
  }
  const args = [
    'run',
    task('worksUpTo'),
    '--files',
    'tree/**',
    '--batch',
    '1',
    '--quiet',
    '--out',
    'files.out',
  ];
  await killAndComplete(paths.length, (haltAt) =>
    start([...args, '--journal', 'files.journal'], { cwd: folder, ...haltingAt(haltAt) }),
  );
  const results = readFileSync(at('files.out'), 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));
  assert.deepEqual([...results].sort(), paths.sort());
  const fresh = await runTask('works', ['--files', 'tree/**'], { cwd: folder });
  assert.equal(readFileSync(at('files.out'), 'utf8'), fresh.stdout);
});

test('what was written and not recorded is cut off, a torn record is ignored', async () => {
  const args = ['--range', '1..200', '--out', at('cut'), '--journal', at('cut.journal'), '--batch', '10'];
  await runTask('needsFile', args, { env: { TEST_NEEDED_FILE: at('never') } });
  appendFileSync(at('cut'), '64\n65\n6');
  appendFileSync(at('cut.journal'), '{"mark":68,"beyo');
  const { code } = await runTask('needsFile', args, { env: { TEST_NEEDED_FILE: folder } });
  assert.deepEqual([code, readFileSync(at('cut'), 'utf8')], [0, lines(numbers(1, 200))]);
});

test('a run that stopped at a failing input goes on with that input', async () => {
  for (const order of [[], ['--unordered']]) {
    const [out, needed] = [at(`stop${order}`), at(`needed${order}`)];
    const args = ['--range', '1..500', '--out', out, '--journal', `${out}.journal`, '--batch', '7', ...order];
    const stopped = await runTask('needsFile', args, { env: { TEST_NEEDED_FILE: needed } });
    assert.equal(stopped.code, 1);
    assert.match(stopped.stderr, /70: Error: not yet/);
    writeFileSync(needed, '');
    const done = await runTask('needsFile', args, { env: { TEST_NEEDED_FILE: needed } });
    assert.deepEqual([done.code, done.stderr], [0, '']);
    const results = readFileSync(out, 'utf8').trimEnd().split('\n').map(Number);
    if (order.length > 0) results.sort((a, b) => a - b);
    assert.deepEqual(results, numbers(1, 500));
  }
});

test('skipped failures are done, and remembered by the exit code', async () => {
  const args = [
    '--range',
    '1..40',
    '--on-error',
    'skip',
    '--out',
    at('skip'),
    '--journal',
    at('skip.journal'),
  ];
  const first = await runTask('even', args);
  assert.equal(first.code, 1);
  const again = await run(['run', task('even'), ...args]);
  assert.equal(again.code, 1);
  assert.match(again.stderr, /already complete: .* 40 inputs, 20 of them failed/);
  assert.equal(readFileSync(at('skip'), 'utf8'), lines(numbers(1, 20).map((x) => 2 * x)));
});

test('after Ctrl-C it goes on where it stopped', async () => {
  const args = ['--range', '1..3000', '--journal', at('int.journal'), '--out', at('int')];
  const command = ['run', task('waitsForFile'), ...args];
  const env = { TEST_NEEDED_FILE: at('go-on') };
  const { child, ended, until } = start(command, { env });
  await until('stderr', /halted/);
  child.kill('SIGINT');
  writeFileSync(at('go-on'), '');
  const { code, stderr } = await ended;
  assert.equal(code, 130);
  assert.match(stderr, /next: the same command again goes on/);
  const rest = await run(command, { env });
  assert.equal(rest.code, 0);
  assert.match(rest.stderr, /3,000 numbers, [\d,]+ of them in earlier runs/);
  assert.equal(readFileSync(at('int'), 'utf8'), lines(numbers(1, 3000)));
});

test('through a pipe, what was read before and after makes the whole', async () => {
  const args = ['--range', '1..300', '--journal', at('pipe.journal'), '--batch', '7'];
  const stopped = await runTask('needsFile', args, { env: { TEST_NEEDED_FILE: at('never') } });
  const rest = await runTask('needsFile', args, { env: { TEST_NEEDED_FILE: folder } });
  assert.equal(stopped.stdout + rest.stdout, lines(numbers(1, 300)));
});

test('of two runs that use one journal, the one that comes after the other has recorded ends, and writes nothing twice', async () => {
  const args = ['run', task('echo'), '--quiet', '--lines', '-', '--journal', at('two.journal')];
  const { child, ended, until } = start(args);
  child.stdin.write('a\nb\n');
  await until('stdout', /b/);
  const other = await run(args, { input: 'a\nb\nc\n' });
  assert.deepEqual([other.code, other.stdout], [0, '"c"\n']);
  child.stdin.end('c\nd\n');
  const { code, stdout, stderr } = await ended;
  assert.match(stderr, /^threadwise: another run has written to journal '.*two\.journal' meanwhile; /);
  assert.deepEqual([code, stdout], [1, '"a"\n"b"\n']);
});

test('says what is wrong with going on', async () => {
  const base = ['--journal', at('wrong.journal')];
  const stop = { env: { TEST_NEEDED_FILE: at('never') } };
  await runTask('needsFile', [...base, '--range', '1..100', '--out', at('wrong')], stop);
  const refuses = async (args, message, options) => {
    const { code, stderr } = await runTask('needsFile', [...base, ...args], options);
    assert.match(stderr, message);
    assert.equal(code, 2);
  };
  await refuses(['--range', '1..99', '--out', at('wrong')], /belongs to another command: input was/);
  await refuses(['--range', '1..100', '--out', at('other')], /belongs to another command: out was/);
  await refuses(
    ['--range', '1..100', '--out', at('wrong'), '--format', 'text'],
    /format was "ndjson", is "text"/,
  );
  writeFileSync(at('wrong'), '');
  await refuses(['--range', '1..100', '--out', at('wrong')], /is shorter than its journal says/);
  await refuses(['--range', '1..100', '--reduce', 'sum'], /--journal and --reduce exclude each other/);
  await refuses(['--range', '1..100', '--format', 'json'], /--journal and --format json exclude each other/);
});

test('a journal whose numbers were changed is refused, and writes no line twice', async () => {
  const args = ['--range', '1..100', '--out', at('believed'), '--journal', at('believed.journal')];
  const env = { TEST_NEEDED_FILE: at('never') };
  assert.equal((await runTask('needsFile', args, { env })).code, 1);
  const [written, journal] = ['believed', 'believed.journal'].map((name) => readFileSync(at(name), 'utf8'));
  for (const [field, value] of [
    ['mark', -5],
    ['mark', 3],
    ['offset', -1],
  ]) {
    const records = journal.trimEnd().split('\n');
    const last = JSON.parse(records.pop());
    writeFileSync(at('believed.journal'), lines([...records, JSON.stringify({ ...last, [field]: value })]));
    const { code, stderr } = await runTask('needsFile', args, { env: { TEST_NEEDED_FILE: folder } });
    assert.match(stderr, /'.*' is damaged: the checksum of a line is wrong\n$/);
    assert.deepEqual([code, readFileSync(at('believed'), 'utf8')], [2, written]);
  }
});

test('a redirected run whose file was truncated or exchanged is told to append', async () => {
  const into = async (name, flags, message) => {
    const fd = openSync(at(name), flags);
    const args = ['--range', '1..100', '--journal', at('append.journal')];
    const env = { TEST_NEEDED_FILE: at('never') };
    const { code, stderr } = await runTask('needsFile', args, {
      env,
      stdio: ['ignore', fd, 'pipe'],
      input: undefined,
    });
    closeSync(fd);
    assert.match(stderr, message);
    return code;
  };
  assert.equal(await into('append', 'w', /70: Error: not yet/), 1);
  assert.equal(await into('append', 'a', /70: Error: not yet/), 1);
  assert.equal(
    await into('another', 'a', /not the file that the journal belongs to; append .* >>, or use --out/),
    2,
  );
  assert.equal(await into('append', 'w', /shorter than its journal says; append .* >>, or use --out/), 2);
});

test(
  'so it is where the redirected output is named by its descriptor, and the other file stays whole',
  { skip: process.platform !== 'linux' },
  async () => {
    const runInto = async (fd, out, needed = at('never')) => {
      const args = ['--range', '1..100', '--journal', at('named.journal'), '--out', out];
      const stdio = ['ignore', fd, 'pipe', fd];
      const env = { TEST_NEEDED_FILE: needed };
      const { code, stderr } = await runTask('needsFile', args, { env, stdio, input: undefined });
      return `${code} ${stderr}`;
    };
    const into = async (name, ...more) => {
      const fd = openSync(at(name), 'a');
      const said = await runInto(fd, ...more);
      closeSync(fd);
      return said;
    };
    const other = lines(numbers(1, 1000));
    for (const out of ['/dev/stdout', '/dev/fd/3']) {
      rmSync(at('named.journal'), { force: true });
      writeFileSync(at('other'), other);
      for (const _ of ['new', 'goes on']) assert.match(await into('named', out), /^1 .*70: Error: not yet/s);
      assert.match(await into('other', out), /^2 .*not the file that the journal belongs to; append .* >>/);
      assert.equal(readFileSync(at('other'), 'utf8'), other);

      rmSync(at('named.journal'));
      const nowhere = openSync('/dev/null', 'w');
      assert.match(await runInto(nowhere, out), /^1 .*70: Error: not yet/s);
      closeSync(nowhere);
      assert.equal(await into('other', out, folder), '0 ');
      assert.equal(readFileSync(at('other'), 'utf8'), other + lines(numbers(70, 100)));
    }
  },
);

test('a complete journal whose output is gone, truncated or exchanged does not say that all is well', async () => {
  const args = (name) => ['--range', '1..100', '--journal', at(`${name}.journal`)];
  const toOut = () => runTask('echo', [...args('lost'), '--out', at('lost')]);
  assert.equal((await toOut()).code, 0);
  rmSync(at('lost'));
  const gone = await toOut();
  assert.match(gone.stderr, /lost' is shorter than its journal says; .*remove the journal .* \(0 bytes, /);
  assert.deepEqual([gone.code, existsSync(at('lost'))], [2, false]);

  const redirected = async (name, flags) => {
    const fd = openSync(at(name), flags);
    const options = { stdio: ['ignore', fd, 'pipe'], input: undefined };
    const { code, stderr } = await runTask('echo', args('kept'), options);
    closeSync(fd);
    return `${code} ${stderr}`;
  };
  assert.equal(await redirected('kept', 'w'), '0 ');
  assert.equal(await redirected('kept', 'a'), '0 ');
  assert.match(await redirected('elsewhere', 'w'), /^2 .* is not the file that the journal belongs to/);
  assert.match(await redirected('kept', 'w'), /^2 .* is shorter than its journal says; .*remove the jour/);
});

test('a redirection that does not append, and stands behind the cut, is refused and not filled with zeros', async () => {
  const fd = openSync(at('shared'), 'w');
  const args = ['--range', '1..100', '--journal', at('shared.journal')];
  const options = { stdio: ['ignore', fd, 'pipe'], input: undefined };
  await runTask('needsFile', args, { ...options, env: { TEST_NEEDED_FILE: at('never') } });
  const whole = readFileSync(at('shared'), 'utf8');
  writeSync(fd, 'written and not recorded');
  const { code, stderr } = await runTask('needsFile', args, {
    ...options,
    env: { TEST_NEEDED_FILE: folder },
  });
  closeSync(fd);
  assert.match(stderr, /not open for appending; append to it with >>, or use --out/);
  assert.deepEqual([code, readFileSync(at('shared'), 'utf8')], [1, whole]);
});
