/** No command writes over a file that it reads, however the two paths are spelled; and an output is whole, or it is the old one. */

import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  closeSync,
  copyFileSync,
  existsSync,
  fstatSync,
  linkSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  realpathSync,
  statSync,
  symlinkSync,
  watch,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { lines, main, numbers, run, runTask, start, task, temporaryFolder } from './command.mjs';

const tasks = fileURLToPath(new URL('fixtures/tasks.mjs', import.meta.url));
const isPosix = process.platform !== 'win32';

/** A folder with an input, links to it, and a module; `link/x` is `real/x`. */
function scene() {
  const folder = temporaryFolder();
  const at = (name) => join(folder, name);
  mkdirSync(at('real'));
  symlinkSync('real', at('link'));
  writeFileSync(at('real/in'), lines(numbers(1, 5)));
  symlinkSync('in', at('real/soft'));
  linkSync(at('real/in'), at('real/hard'));
  copyFileSync(tasks, at('real/tasks.mjs'));
  const texts = () =>
    readdirSync(at('real'))
      .sort()
      .map((name) => [name, readFileSync(at(`real/${name}`), 'utf8')]);
  return { folder, at, texts, existing: texts() };
}

/** Each is refused as a mistake in the command, and not one file of the folder is made, changed, or removed. */
async function refusesAll({ folder, texts, existing }, commands, message) {
  for (const { args, stdio } of commands) {
    const { code, stderr } = await run(args, { cwd: folder, ...(stdio && { stdio, input: undefined }) });
    assert.match(stderr, message, args.join(' '));
    assert.equal(code, 2, args.join(' '));
    assert.deepEqual(texts(), existing, args.join(' '));
  }
}

test(
  'a FIFO that a run would read and write is refused, since the run would wait for itself',
  {
    skip: !isPosix && 'there are no FIFOs',
    timeout: 60_000,
  },
  async (t) => {
    const { folder, at } = scene();
    execFileSync('mkfifo', [at('fifo')]);
    for (const [option, value] of [
      ['--lines', 'fifo'],
      ['--json', './fifo'],
      ['--files', 'fifo'],
    ]) {
      const { child, ended } = start(['run', task('echo'), option, value, '--out', 'fifo'], { cwd: folder });
      t.after(() => child.kill('SIGKILL'));
      const { code, stderr } = await ended;
      const names = `--out 'fifo' and ${option} '${value}'`;
      assert.deepEqual(
        [code, stderr],
        [2, `threadwise: ${names} are the same file: expected two different files\n`],
      );
    }
  },
);

const ofRun = (...args) => ({ args: ['run', 'real/tasks.mjs#echo', '--quiet', ...args] });

test(
  'an output or a journal that is the input under another name is refused',
  {
    skip: !isPosix,
  },
  async () => {
    const place = scene();
    const names = ['real/in', 'real/soft', 'real/hard', 'link/in', 'link/soft', 'real/../link/hard'];
    const commands = names.flatMap((name) => [
      ofRun('--lines', 'real/in', '--out', name),
      ofRun('--lines', name, '--out', 'real/in'),
      ofRun('--files', 'real/in', '--out', name),
      ofRun('--lines', 'real/in', '--out', 'out', '--journal', name),
    ]);
    await refusesAll(place, commands, /are the same file: expected two different files/);
    assert.equal(existsSync(place.at('out')), false);
  },
);

test(
  'standard input and standard output are compared as the files that they are',
  {
    skip: !isPosix,
  },
  async () => {
    const place = scene();
    const input = openSync(place.at('real/in'), 'r');
    const output = openSync(place.at('real/hard'), 'a');
    await refusesAll(
      place,
      [
        { ...ofRun('--lines', '--out', 'real/hard'), stdio: [input, 'pipe', 'pipe'] },
        { ...ofRun('--out', 'link/soft'), stdio: [input, 'pipe', 'pipe'] },
        { ...ofRun('--lines', 'real/in'), stdio: ['ignore', output, 'pipe'] },
        { ...ofRun('--range', '1..3', '--journal', 'real/in'), stdio: ['ignore', output, 'pipe'] },
      ],
      /are the same file/,
    );
    closeSync(input);
    closeSync(output);
  },
);

test('an output or a journal that is the module is refused', { skip: !isPosix }, async () => {
  const place = scene();
  const commands = ['real/tasks.mjs', 'link/tasks.mjs'].flatMap((name) => [
    ofRun('--range', '1..3', '--out', name),
    ofRun('--range', '1..3', '--out', 'out', '--journal', name),
  ]);
  await refusesAll(place, commands, /and the module 'real\/tasks\.mjs#echo' are the same file/);
});

test(
  'an output and a journal that are one file are refused, also when it does not exist yet',
  {
    skip: !isPosix,
  },
  async () => {
    const place = scene();
    symlinkSync('real/new', place.at('dangling'));
    const commands = [
      ['real/new', 'link/new'],
      ['real/new', 'dangling'],
      ['dangling', 'link/../real/new'],
    ].map(([out, journal]) => ofRun('--range', '1..3', '--out', out, '--journal', journal));
    await refusesAll(place, commands, /--out '.*' and --journal '.*' are the same file: expected two/);
    assert.equal(existsSync(place.at('real/new')), false);
  },
);

test(
  'a report that is what the analysis reads, or another report, is refused',
  {
    skip: !isPosix,
  },
  async () => {
    const folder = temporaryFolder();
    const at = (name) => join(folder, name);
    mkdirSync(at('real'));
    symlinkSync('real', at('link'));
    writeFileSync(at('real/in.json'), '[1, 2, 3]');
    copyFileSync(tasks, at('real/tasks.mjs'));
    symlinkSync('tasks.mjs', at('real/module.json'));
    symlinkSync('in.json', at('real/soft.json'));
    const texts = () => readFileSync(at('real/in.json'), 'utf8') + readFileSync(at('real/tasks.mjs'), 'utf8');
    const analyze = (...args) => ({ args: ['analyze', ...args] });
    await refusesAll(
      { folder, texts, existing: texts() },
      [
        analyze('real/tasks.mjs#echo', '--json', 'real/in.json', '--out', 'link/in.json'),
        analyze('real/tasks.mjs#echo', '--json', 'real/in.json', '--out', 'real/soft.json'),
        analyze('real/tasks.mjs#echo', '--range', '1..9', '--out', 'real/module.json'),
        analyze('real/tasks.mjs#echo', '--range', '1..9', '--out', 'real/new.md', 'link/new.md'),
        analyze('real/tasks.mjs#echo', '--range', '1..9', '--out', 'none/new.md', 'link/../none/new.md'),
        analyze('server', 'real/tasks.mjs', '--out', 'link/module.json'),
        analyze(
          'server',
          'real/tasks.mjs',
          '--route',
          'POST /',
          '--body',
          'real/in.json',
          '--out',
          'real/soft.json',
        ),
      ],
      /are the same file/,
    );
    // Like a run, an analysis leaves what it writes out of what a pattern finds: here that is all there is.
    const output = openSync(at('real/in.json'), 'a');
    await refusesAll(
      { folder, texts, existing: texts() },
      [
        analyze('real/tasks.mjs#echo', '--files', 'link/in.*', '--out', 'real/in.json'),
        analyze('real/tasks.mjs#echo', '--files', 'link/in.*', '--out', 'real/soft.json'),
        { ...analyze('real/tasks.mjs#echo', '--files', 'link/in.*'), stdio: ['ignore', output, 'pipe'] },
      ],
      /each file that 'link\/in\.\*' matches is left out, such as 'link\/in\.json': the command writes it/,
    );
    closeSync(output);
  },
);

test(
  'what a run writes is none of its inputs, under any name and though it has links',
  {
    skip: !isPosix,
  },
  async () => {
    const { at, folder } = scene();
    for (const name of ['out', 'journal']) writeFileSync(at(`real/${name}`), '');
    linkSync(at('real/out'), at('real/out-too'));
    const args = ['--files', 'link/**', '--dot', '--out', 'real/out', '--journal', 'real/journal'];
    const { code, stderr } = await runTask('echo', args, { cwd: folder });
    assert.deepEqual([code, stderr], [0, '']);
    const written = ['link/hard', 'link/in', 'link/tasks.mjs'].map((path) => JSON.stringify(path));
    assert.equal(readFileSync(at('real/out'), 'utf8'), lines(written));
    const replaced = await runTask('echo', args.slice(0, 5), { cwd: folder });
    assert.deepEqual([replaced.code, readFileSync(at('real/out'), 'utf8').includes('part')], [0, false]);
  },
);

/** What there is in a folder while a run has written something and its next input does not end. */
async function whileWriting({ args, env }, look) {
  const { child, ended, until } = start(
    ['run', task('worksUpTo'), '--batch', '1', '--range', '1..500', ...args],
    {
      env: { TEST_HALT_AT: '400', ...env },
    },
  );
  await until('stderr', /halted/);
  try {
    look();
  } catch (error) {
    child.kill('SIGKILL');
    throw error;
  }
  return { child, ended, until };
}

test('killed, a run leaves the old output as it was, and its own part beside it', async () => {
  const folder = temporaryFolder();
  const out = join(folder, 'out');
  writeFileSync(out, 'old');
  const { child, ended } = await whileWriting({ args: ['--out', out] }, () =>
    assert.equal(readFileSync(out, 'utf8'), 'old'),
  );
  child.kill('SIGKILL');
  await ended;
  assert.equal(readFileSync(out, 'utf8'), 'old');
  const [part, ...others] = readdirSync(folder).filter((name) => name !== 'out');
  assert.match(part, /^\.out\.[0-9a-f]{8}\.part$/);
  assert.deepEqual(others, []);
});

for (const signal of isPosix ? ['SIGINT', 'SIGTERM', 'SIGHUP'] : []) {
  test(`ended at once by a second ${signal}, a run leaves the old output and nothing else`, async () => {
    const folder = temporaryFolder();
    const out = join(folder, 'out');
    writeFileSync(out, 'old');
    const { child, ended, until } = await whileWriting({ args: ['--out', out] }, () =>
      assert.equal(readdirSync(folder).length, 2),
    );
    child.kill(signal);
    await until('stderr', /stopping/);
    child.kill(signal);
    const { code } = await ended;
    assert.equal(code, { SIGINT: 130, SIGTERM: 143, SIGHUP: 129 }[signal]);
    assert.deepEqual([readdirSync(folder), readFileSync(out, 'utf8')], [['out'], 'old']);
  });
}

test('a run that stops by itself gives what it has written the name: at a failing input, and at bad input', async () => {
  const folder = temporaryFolder();
  const at = (name) => join(folder, name);
  writeFileSync(at('bad.ndjson'), '2\n4\n{bad}\n');
  for (const [args, code, written] of [
    [['--range', '2..9'], 1, [2]],
    [['--json', at('bad.ndjson')], 2, [2, 4]],
  ]) {
    writeFileSync(at('out'), 'old');
    const ended = await runTask('even', [...args, '--out', at('out')]);
    assert.deepEqual([ended.code, readFileSync(at('out'), 'utf8')], [code, lines(written)]);
    assert.deepEqual(readdirSync(folder).sort(), ['bad.ndjson', 'out']);
  }
});

test('a fold that fails or does not come to its end leaves the old output alone', async () => {
  const folder = temporaryFolder();
  const out = join(folder, 'out');
  writeFileSync(out, 'old');
  for (const [name, fold] of [
    ['echo', 'brokenReducer'],
    ['even', 'sum'],
  ]) {
    const { code } = await runTask(name, ['--range', '1..9', '--reduce', fold, '--out', out]);
    assert.deepEqual([code, readFileSync(out, 'utf8')], [1, 'old']);
  }
  assert.deepEqual(readdirSync(folder), ['out']);
});

test('the output keeps its permissions, and a link to it stays one', { skip: !isPosix }, async () => {
  const folder = temporaryFolder();
  const at = (name) => join(folder, name);
  writeFileSync(at('secret'), 'old');
  chmodSync(at('secret'), 0o640);
  symlinkSync('secret', at('link'));
  symlinkSync('new', at('dangling'));
  for (const [name, target] of [
    ['link', 'secret'],
    ['dangling', 'new'],
  ]) {
    const { code } = await runTask('echo', ['--range', '1..2', '--out', at(name)]);
    assert.deepEqual([code, readFileSync(at(target), 'utf8')], [0, '1\n2\n']);
    assert.ok(lstatSync(at(name)).isSymbolicLink());
  }
  assert.equal(statSync(at('secret')).mode & 0o777, 0o640);
});

test(
  'what is no regular file is written in place: a pipe, and standard output by its name',
  {
    skip: !isPosix,
  },
  async () => {
    const folder = temporaryFolder();
    const piped = execFileSync(
      'sh',
      [
        '-c',
        '"$0" "$@" | cat',
        process.execPath,
        main,
        'run',
        task('echo'),
        '--range',
        '1..2',
        '--quiet',
        '--out',
        '/dev/stdout',
      ],
      { encoding: 'utf8' },
    );
    assert.equal(piped, '1\n2\n');
    const fd = openSync(join(folder, 'out'), 'w');
    const { code } = await runTask('echo', ['--range', '1..2', '--out', '/dev/stdout'], {
      stdio: ['ignore', fd, 'pipe'],
      input: undefined,
    });
    assert.equal(fstatSync(fd).ino, statSync(join(folder, 'out')).ino, 'the file that was redirected to');
    closeSync(fd);
    assert.deepEqual([code, readFileSync(join(folder, 'out'), 'utf8')], [0, '1\n2\n']);
    assert.deepEqual(readdirSync(folder), ['out']);
  },
);

test(
  'standard output by its name goes behind what is there',
  { skip: process.platform !== 'linux' },
  async () => {
    const out = join(temporaryFolder(), 'out');
    const fd = openSync(out, 'w');
    writeSync(fd, 'first\n');
    const stdio = ['ignore', fd, 'pipe', fd];
    for (const name of ['/dev/stdout', '/dev/fd/3'])
      await runTask('echo', ['--range', '1..2', '--out', name], { stdio, input: undefined });
    writeSync(fd, 'last\n');
    closeSync(fd);
    assert.equal(readFileSync(out, 'utf8'), 'first\n1\n2\n1\n2\nlast\n');
  },
);

test('an output that is removed or moved away during the run is told', { skip: !isPosix }, async () => {
  const folder = temporaryFolder();
  const [place, out] = [join(folder, 'place'), join(folder, 'place/out')];
  const act = (what) => `import * as fs from 'node:fs'; export default (x) => (x > 1 ? x : fs.${what});`;
  writeFileSync(join(folder, 'removes.mjs'), act(`rmSync('${place}', { recursive: true })`));
  writeFileSync(join(folder, 'moves.mjs'), act(`renameSync('${place}', '${place}2')`));
  const removed = `'${out}': the file was removed during the run`;
  for (const [module, more, why] of [
    ['removes.mjs', [], removed],
    ['removes.mjs', ['--journal', join(folder, 'journal')], removed],
    ['moves.mjs', [], `'${realpathSync(folder)}/place/out': its folder was removed or renamed meanwhile`],
  ]) {
    mkdirSync(place);
    const args = ['--range', '1..2', '--quiet', '--out', out, ...more];
    const { code, stderr } = await run(['run', module, ...args], { cwd: folder });
    assert.deepEqual([code, stderr], [1, `threadwise: cannot write to ${why}\n`]);
  }
});

test('a journal that cannot be written leaves the old output alone', async () => {
  const folder = temporaryFolder();
  const out = join(folder, 'out');
  writeFileSync(out, 'old');
  const journal = join(folder, 'j');
  symlinkSync(join(folder, 'none/j'), journal);
  const { code, stderr } = await runTask('echo', ['--range', '1..2', '--out', out, '--journal', journal]);
  assert.match(stderr, /cannot write journal '.*j': no such file or directory/);
  assert.deepEqual([code, readFileSync(out, 'utf8')], [2, 'old']);
});

test('a report is the old one until the new one is whole', async () => {
  const [folder, elsewhere] = [temporaryFolder(), temporaryFolder()];
  const [before, fresh, began] = [
    join(folder, 'before.md'),
    join(folder, 'fresh.md'),
    join(elsewhere, 'began'),
  ];
  writeFileSync(before, 'old');
  writeFileSync(
    join(elsewhere, 'tasks.mjs'),
    `import { appendFileSync } from 'node:fs';
     export const touch = (n) => { appendFileSync(${JSON.stringify(began)}, 'x'); return n; };`,
  );
  const args = ['--range', '1..10', '--budget', '5m', '--out', before, fresh];
  const { child, ended } = start(['analyze', `${join(elsewhere, 'tasks.mjs')}#touch`, ...args], {
    input: '',
  });
  await new Promise((resolve) => {
    const watcher = watch(elsewhere, () => {
      if (!existsSync(began)) return;
      watcher.close();
      resolve();
    });
  });
  assert.deepEqual([readFileSync(before, 'utf8'), readdirSync(folder)], ['old', ['before.md']]);
  child.kill('SIGINT');
  assert.equal((await ended).code, 130);
  assert.deepEqual(readdirSync(folder), ['before.md', 'fresh.md']);
  for (const file of [before, fresh]) assert.match(readFileSync(file, 'utf8'), /^# /);
});
