/** Order, formats, folding and the ways out of the command. */

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import {
  appendFileSync,
  closeSync,
  createReadStream,
  existsSync,
  openSync,
  readdirSync,
  readFileSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { lines, main, numbers, run, runTask, start, task, temporaryFolder } from './command.mjs';

const folder = temporaryFolder();
const at = (name) => join(folder, name);

test('results come in input order, though later ones are ready earlier', async () => {
  const { stdout } = await runTask('reversed', ['--range', '1..40', '--threads', '4', '--batch', '1']);
  assert.equal(stdout, lines(numbers(1, 40)));
});

test('unordered, they come as they are ready, each once', async () => {
  const { stdout } = await runTask('reversed', [
    '--range',
    '1..40',
    '--threads',
    '4',
    '--batch',
    '1',
    '--unordered',
  ]);
  const results = stdout.trimEnd().split('\n').map(Number);
  assert.notDeepEqual(results, numbers(1, 40));
  assert.deepEqual(
    results.sort((a, b) => a - b),
    numbers(1, 40),
  );
});

test('formats: one array, one value a line, or plain text', async () => {
  const json = await runTask('echo', ['--range', '1..1000', '--format', 'json']);
  assert.deepEqual(JSON.parse(json.stdout), numbers(1, 1000));
  const none = await runTask('echo', ['--format', 'json'], { input: '' });
  assert.deepEqual(JSON.parse(none.stdout), []);
  const undef = await runTask('nothing', ['--range', '1..2']);
  assert.equal(undef.stdout, 'null\nnull\n');
  const text = await runTask('echo', ['--format', 'text'], { input: 'a "b"\n' });
  assert.equal(text.stdout, 'a "b"\n');
});

test('with the input beside each result', async () => {
  const { stdout } = await runTask('increment', ['--range', '1..2', '--with-input']);
  assert.equal(stdout, '{"input":1,"result":2}\n{"input":2,"result":3}\n');
});

test('into a file, whose old content is replaced', async () => {
  writeFileSync(at('out'), 'old content, longer than the new one');
  const { code, stdout } = await runTask('increment', ['--range', '1..3', '--out', at('out')]);
  assert.deepEqual([code, stdout, readFileSync(at('out'), 'utf8')], [0, '', '2\n3\n4\n']);
});

test('a dash is standard output, as it is standard input, and no journal', async () => {
  const folder = temporaryFolder();
  const written = await runTask('increment', ['--range', '1..3', '--out', '-'], { cwd: folder });
  assert.deepEqual([written.code, written.stdout], [0, '2\n3\n4\n']);
  const { code, stderr } = await runTask('increment', ['--range', '1..3', '--journal', '-'], { cwd: folder });
  assert.match(stderr, /cannot use '-' as a journal: expected a regular file/);
  assert.equal(code, 2);
  assert.deepEqual(readdirSync(folder), []);
});

test('a module that does not load leaves the old output alone', async () => {
  writeFileSync(at('kept'), 'old');
  writeFileSync(at('broken.mjs'), 'throw new Error("no")');
  const { code } = await run(['run', at('broken.mjs'), '--range', '1..2', '--out', at('kept')]);
  assert.deepEqual([code, readFileSync(at('kept'), 'utf8')], [2, 'old']);
});

test('what is named like a folder is no file to make', async () => {
  for (const more of [[], ['--journal', at('folder.journal')]]) {
    const args = ['--range', '1..3', '--out', `${at('results')}/`, ...more];
    const { code, stderr } = await runTask('echo', args);
    assert.match(stderr, /cannot write to '.*results\/': it is a directory, expected a file\n$/);
    assert.equal(code, 1);
    assert.equal(existsSync(at('results')), false);
  }
});

test('the folders of an output and of a journal are made, as those of a report are', async () => {
  const journal = ['--journal', at('new/journals/of/today')];
  for (const [name, more] of [
    ['replaced', []],
    ['continued', journal],
  ]) {
    const out = at(`new/${name}/out`);
    const { code, stderr } = await runTask('increment', ['--range', '1..3', '--out', out, ...more]);
    assert.deepEqual([code, stderr, readFileSync(out, 'utf8')], [0, '', '2\n3\n4\n']);
  }
  assert.match(readFileSync(journal[1], 'utf8'), /"complete":true/);
});

test('an output that cannot be written is told, and so is a journal', async () => {
  writeFileSync(at('file'), '');
  const below = at('file/below/it');
  const args = ['--range', '1..3'];
  const why = 'a part of the path is not a directory\n';
  const output = await runTask('increment', [...args, '--out', below]);
  assert.deepEqual([output.code, output.stderr], [1, `threadwise: cannot write to '${below}': ${why}`]);
  const journal = await runTask('increment', [...args, '--journal', below]);
  assert.deepEqual([journal.code, journal.stderr.endsWith(why)], [2, true], journal.stderr);
});

test('a full disk is told, and the exit code says so', { skip: process.platform !== 'linux' }, async () => {
  const { code, stderr } = await runTask('increment', ['--range', '1..3', '--out', '/dev/full']);
  assert.equal(code, 1);
  assert.equal(stderr, 'threadwise: cannot write to /dev/full: no space left on device\n');
});

/** The files that it writes may have so many blocks of 512 bytes: a full disk of its own, for which nobody has to be root. */
function withSmallFiles(blocks, args) {
  const limited = ['-c', `ulimit -f ${blocks} && exec "$0" "$@"`, process.execPath, main, ...args];
  const { status, stdout, stderr } = spawnSync('sh', limited, { encoding: 'utf8' });
  return { code: status, stdout, stderr };
}
const needsLimits = { skip: process.platform === 'win32' && 'there is no ulimit' };

test(
  'a file that cannot be written to its end is told in one line: output, journal, report',
  needsLimits,
  async () => {
    const folder = temporaryFolder();
    const into = (name) => join(folder, name);
    const long = ['run', task('increment'), '--range', '1..100000', '--quiet'];
    const why = 'file too large\n';
    writeFileSync(into('out'), 'old');
    const output = withSmallFiles(1, [...long, '--out', into('out')]);
    assert.equal(output.stderr, `threadwise: cannot write to ${into('out')}: ${why}`);
    assert.deepEqual(
      [output.code, readFileSync(into('out'), 'utf8'), readdirSync(folder)],
      [1, 'old', ['out']],
    );
    const journal = withSmallFiles(1, [...long, '--batch', '1', '--journal', into('journal')]);
    assert.equal(journal.stderr, `threadwise: cannot write to journal '${into('journal')}': ${why}`);
    assert.equal(journal.code, 1);
    writeFileSync(into('report.json'), 'old');
    const analyze = [
      'analyze',
      task('increment'),
      '--range',
      '1..9',
      '--budget',
      '6s',
      '--out',
      into('report.json'),
    ];
    const report = withSmallFiles(1, analyze);
    assert.equal(report.stderr, `threadwise: cannot write to ${into('report.json')}: ${why}`);
    assert.deepEqual([report.code, readFileSync(into('report.json'), 'utf8')], [1, 'old']);
    assert.deepEqual(readdirSync(folder).sort(), ['journal', 'out', 'report.json']);
  },
);

test('a run with a journal goes on where the disk was full', needsLimits, async () => {
  const folder = temporaryFolder();
  const [out, journal] = [join(folder, 'out'), join(folder, 'journal')];
  const args = ['--range', '1..5000', '--batch', '1', '--out', out, '--journal', journal];
  const stopped = withSmallFiles(4, ['run', task('increment'), '--quiet', ...args]);
  assert.match(stopped.stderr, /^threadwise: cannot write to .*: file too large\n$/);
  assert.equal(stopped.code, 1);
  const { code, stderr } = await runTask('increment', args);
  assert.deepEqual([code, stderr, readFileSync(out, 'utf8')], [0, '', lines(numbers(2, 5001))]);
});

test('a journal that is no regular file is refused', { skip: process.platform !== 'linux' }, async () => {
  for (const journal of ['/dev/full', '/dev/null', folder]) {
    const { code, stderr } = await runTask('increment', ['--range', '1..3', '--journal', journal]);
    const why = 'expected a regular file, which can be read again';
    assert.equal(stderr, `threadwise: cannot use '${journal}' as a journal: ${why}\n`);
    assert.equal(code, 2);
  }
});

test(
  'what cannot be printed is told, and the exit code says so',
  {
    skip: process.platform !== 'linux',
  },
  () => {
    const fd = openSync('/dev/full', 'w');
    for (const args of [
      ['run', task('increment'), '--range', '1..3', '--quiet'],
      ['run', '--help'],
      ['analyze', task('increment'), '--range', '1..3', '--budget', '6s', '--out', at('printed.json')],
    ]) {
      const { status, stderr } = spawnSync(process.execPath, [main, ...args], {
        stdio: ['ignore', fd, 'pipe'],
        encoding: 'utf8',
      });
      assert.equal(
        stderr,
        'threadwise: cannot write to standard output: no space left on device\n',
        args.join(' '),
      );
      assert.equal(status, 1);
    }
    closeSync(fd);
  },
);

test('appended to a file, it goes behind what is there', async () => {
  writeFileSync(at('appended'), 'before\n');
  const fd = openSync(at('appended'), 'a');
  await runTask('increment', ['--range', '1..3'], { stdio: ['ignore', fd, 'pipe'], input: undefined });
  closeSync(fd);
  assert.equal(readFileSync(at('appended'), 'utf8'), 'before\n2\n3\n4\n');
});

/** Writes to standard output, as a logger in a thread does, just before each of the run's own writes, after it has looked at the file. */
const other = `
  import fs from 'node:fs';
  import { syncBuiltinESMExports } from 'node:module';
  const { writeSync } = fs;
  fs.writeSync = (fd, ...rest) => {
    if (fd === 1) writeSync(fd, 'other\\n');
    return writeSync(fd, ...rest);
  };
  syncBuiltinESMExports();`;

/** Runs with a standard output that is opened with these flags, and to which others write. */
async function besideOthers(path, flags, name, args, env) {
  const fd = openSync(path, flags);
  const node = ['--import', `data:text/javascript,${encodeURIComponent(other)}`];
  const options = { node, stdio: ['ignore', fd, 'pipe'], input: undefined, env };
  const { code, stderr } = await runTask(name, ['--threads', '1', ...args], options);
  closeSync(fd);
  return { code, stderr };
}

test('what others write to the same standard output ends no run', async () => {
  const [path, journal] = [at('shared'), at('shared.journal')];
  for (const [flags, args] of [
    ['w', []],
    ['a', ['--journal', journal]],
  ]) {
    const ended = await besideOthers(path, flags, 'increment', ['--range', '1..3', ...args]);
    assert.deepEqual(ended, { code: 0, stderr: '' });
  }
  const text = readFileSync(path, 'utf8');
  assert.equal(text.replaceAll('other\n', ''), '2\n3\n4\n'.repeat(2));
  const { offset } = JSON.parse(readFileSync(journal, 'utf8').trimEnd().split('\n').at(-1));
  assert.equal(offset, text.length, 'a run that goes on cuts off nothing of its own');
});

test(
  'nor one that has cut the file, to go on where a killed run stopped',
  { skip: process.platform !== 'linux' && 'only Linux tells whether a file is open for appending' },
  async () => {
    const path = at('cut');
    const args = ['--range', '69..71', '--batch', '1', '--journal', at('cut.journal')];
    const stopped = await besideOthers(path, 'w', 'needsFile', args, { TEST_NEEDED_FILE: at('nothing') });
    assert.equal(stopped.code, 1);
    appendFileSync(path, 'written, and not recorded\n');
    const ended = await besideOthers(path, 'a', 'needsFile', args, { TEST_NEEDED_FILE: path });
    assert.deepEqual(ended, { code: 0, stderr: '' });
    assert.equal(readFileSync(path, 'utf8').replaceAll('other\n', ''), '69\n70\n71\n');
  },
);

test('reduce: with an initial value from a default, or from the first result', async () => {
  const sum = await runTask('increment', ['--range', '1..1000', '--reduce', 'sum']);
  assert.deepEqual([sum.code, sum.stdout], [0, '501500\n']);
  const max = await runTask('echo', ['--range', '1..1000', '--reduce', 'max', '--unordered']);
  assert.deepEqual([max.code, max.stdout], [0, '1000\n']);
});

test('reduce: a value that cannot be written', async () => {
  const { code, stdout, stderr } = await runTask('echo', ['--range', '1..9', '--reduce', 'foldsToBigInt']);
  assert.deepEqual([code, stdout], [1, '']);
  assert.match(stderr, /^threadwise: the value of the fold cannot be written: TypeError: .*BigInt.*\n$/);
});

test('reduce: nothing to fold, a fold that fails, a fold that is not there', async () => {
  const nothing = await runTask('echo', ['--reduce', 'max'], { input: '' });
  assert.deepEqual([nothing.code, nothing.stdout], [2, '']);
  assert.match(nothing.stderr, /nothing to reduce/);
  const skip = ['--range', '1..1', '--on-error', 'skip'];
  const failed = await runTask('even', [...skip, '--reduce', 'max']);
  assert.deepEqual([failed.code, failed.stdout], [1, '']);
  assert.match(failed.stderr, /^1 input failed:.*nothing to reduce/s);
  const failing = await runTask('echo', ['--range', '1..9', '--reduce', 'brokenReducer']);
  assert.deepEqual([failing.code, failing.stdout], [1, '']);
  assert.match(failing.stderr, /the reducer 'brokenReducer' failed: TypeError: cannot fold/);
  const missing = await runTask('echo', ['--range', '1..9', '--reduce', 'none']);
  assert.deepEqual([missing.code, missing.stdout], [2, '']);
  assert.match(missing.stderr, /has no export 'none'; it exports .*#sum/);
});

test('code in the main thread that waits for what nobody can settle any more is told, and leaves the old output', async () => {
  const [module, out] = [at('stuck.mjs'), at('stuck.txt')];
  const here = "import { isMainThread } from 'node:worker_threads';";
  const stuck = 'new Promise(() => {})';
  const nothingLeft = 'never settles: nothing is left to do that could settle it';
  for (const [code, option, told] of [
    [
      `export const one = (x) => x; export const fold = () => ${stuck};`,
      ['--reduce', 'fold'],
      `the reducer 'fold' failed: Error: the promise that it returned ${nothingLeft}`,
    ],
    [
      `${here} if (isMainThread) await ${stuck}; export const one = (x) => x; export const fold = (a) => a;`,
      ['--reduce', 'fold'],
      `cannot load '${module}#one': Error: its top-level await ${nothingLeft}`,
    ],
    [
      `${here} export const one = () => (isMainThread ? ${stuck} : 1);`,
      ['--compare-inline'],
      `--compare-inline: a promise of the module, in the main thread, ${nothingLeft}`,
    ],
  ]) {
    writeFileSync(module, code);
    writeFileSync(out, 'old');
    const args = ['run', `${module}#one`, '--range', '1..9', '--quiet', '--out', out, ...option];
    const { code: exitCode, stderr } = await start(args, { input: '' }).ended;
    assert.equal(stderr, `threadwise: ${told}\n`);
    assert.ok(exitCode === 1 || exitCode === 2, `exit code ${exitCode}`);
    assert.equal(readFileSync(out, 'utf8'), 'old');
  }
});

test('code in the main thread that ends the process is told, fails, and leaves the old output', async () => {
  const [module, out] = [at('ends.mjs'), at('ends.txt')];
  const here = "import { isMainThread } from 'node:worker_threads';";
  const ends = 'process.exit()';
  for (const [code, option] of [
    [`export const one = (x) => x; export const fold = () => ${ends};`, ['--reduce', 'fold']],
    [`${here} if (isMainThread) ${ends}; export const one = (x) => x, fold = one;`, ['--reduce', 'fold']],
    [`${here} export const one = () => (isMainThread ? ${ends} : 1);`, ['--compare-inline']],
  ]) {
    writeFileSync(module, code);
    writeFileSync(out, 'old');
    const args = ['run', `${module}#one`, '--range', '1..9', '--quiet', '--out', out, ...option];
    const { code: exitCode, stderr } = await run(args);
    assert.match(stderr, /^threadwise: the module has ended the process in the main thread.*\n$/);
    assert.equal(exitCode, 1);
    assert.equal(readFileSync(out, 'utf8'), 'old');
  }
});

test('a summary says what was measured, and quiet says nothing', async () => {
  const loud = await run([
    'run',
    task('works'),
    '--range',
    '1..500',
    '--compare-inline',
    '50',
    '--threads',
    '2',
  ]);
  assert.equal(loud.code, 0);
  // On a machine under load lines of progress come first.
  assert.match(loud.stderr, /^inputs\s+500 numbers\n/m);
  assert.match(loud.stderr, /\nrate\s+[\d,.]+ numbers\/s\nthreads\s+2\ntime\s/);
  assert.match(
    loud.stderr,
    /\ninline\s+(?:about [\d.]+ m?s|less than 1 ms) .* estimated from a sample of 50 numbers/,
  );
  assert.match(loud.stderr, /\nspeed-up\s+(?:about [\d.]+|less than 0\.01) x/);
  assert.match(loud.stderr, /\nnext: /);
  assert.equal((await runTask('works', ['--range', '1..5'])).stderr, '');
});

test('a summary says of one input that it is one, and of a sample of lines no number that it does not have', async () => {
  const file = at('one-line');
  writeFileSync(file, 'one\n');
  const args = ['run', task('echo'), '--lines', file, '--journal', at('one.journal'), '--out', at('one')];
  const first = await run([...args, '--compare-inline']);
  assert.match(first.stderr, /^inputs\s+1 line\n/m);
  assert.match(first.stderr, /estimated from a sample of 1 line \(from the beginning\) that took/);
  assert.match((await run(args)).stderr, /^already complete: .* has 1 input\n/);
});

test('a slow reader of the pipe gets everything', async () => {
  const { child, ended } = start(['run', task('increment'), '--range', '1..300000', '--quiet'], {
    input: '',
  });
  // The pipe is full when it is read again; everything that may run ahead has run by then.
  child.stdout.pause();
  await sleep(600);
  child.stdout.resume();
  const { code, stdout } = await ended;
  assert.deepEqual([code, stdout], [0, lines(numbers(2, 300_001))]);
});

test('a closed pipe ends quietly', async () => {
  const { child, ended, until } = start(['run', task('increment'), '--range', '1..1000000000']);
  await until('stdout', /\n/);
  child.stdout.destroy();
  const { code, stderr } = await ended;
  assert.deepEqual([code, stderr], [0, '']);
});

/** Starts a run into a FIFO, and opens it for reading; resolves when there is something to read. */
async function intoFifo(name, args) {
  spawnSync('mkfifo', [at(name)]);
  const started = start(['run', task('increment'), ...args, '--out', at(name)], { input: '' });
  const reader = createReadStream(at(name));
  await once(reader, 'readable');
  return { ...started, reader };
}
const needsFifos = { skip: process.platform === 'win32' && 'there are no FIFOs', timeout: 60_000 };

test('a FIFO that its reader closes ends the run quietly', needsFifos, async () => {
  const { reader, ended } = await intoFifo('closed', ['--range', '1..1000000000']);
  reader.destroy();
  const { code, stderr } = await ended;
  assert.deepEqual([code, stderr], [0, '']);
});

test('a FIFO that nobody has opened does not hold up Ctrl-C', needsFifos, async (t) => {
  const path = at('unopened');
  spawnSync('mkfifo', [path]);
  const tellsOfOpening = `
    import fs from 'node:fs';
    import { syncBuiltinESMExports } from 'node:module';
    const { openSync } = fs;
    fs.openSync = (path, ...rest) => {
      if (path === ${JSON.stringify(path)}) process.stderr.write('opening');
      return openSync(path, ...rest);
    };
    syncBuiltinESMExports();`;
  const { child, ended, until } = start(['run', task('increment'), '--range', '1..9', '--out', path], {
    node: ['--import', `data:text/javascript,${encodeURIComponent(tellsOfOpening)}`],
  });
  t.after(() => child.kill('SIGKILL'));
  await until('stderr', /opening/);
  child.kill('SIGINT');
  await until('stderr', /stopping when what runs is finished/);
  assert.equal((await ended).code, 130);
});

test('a FIFO that nobody reads from does not hold up Ctrl-C', needsFifos, async () => {
  const { reader, child, ended, until } = await intoFifo('slow', ['--range', '1..1000000000']);
  // The FIFO is full when Ctrl-C comes, as far as a time can say.
  await sleep(600);
  child.kill('SIGINT');
  await until('stderr', /stopping when what runs is finished/);
  let text = '';
  for await (const chunk of reader) text += chunk;
  const { code } = await ended;
  const count = text.trimEnd().split('\n').length;
  assert.deepEqual([code, text], [130, lines(numbers(2, count + 1))]);
});

test('a FIFO that nobody reads from does not hold up a second Ctrl-C', needsFifos, async () => {
  const { reader, child, ended, until } = await intoFifo('full', ['--range', '1..1000000000']);
  await sleep(600);
  child.kill('SIGINT');
  await until('stderr', /stopping when what runs is finished/);
  child.kill('SIGINT');
  assert.equal((await ended).code, 130);
  reader.destroy();
});

test('a million inputs take no more memory than a tenth of them', async () => {
  const report = 'process.on("exit", () => process.stderr.write("maxRSS " + process.resourceUsage().maxRSS))';
  // A heap that may grow does, rather than be collected: what is measured then is garbage.
  const heap = ['--max-old-space-size=48', '--max-semi-space-size=4'];
  const node = [...heap, '--import', `data:text/javascript,${encodeURIComponent(report)}`];
  const maxKiB = async (count) => {
    const args = ['--range', `1..${count}`, '--out', at('many')];
    const { code, stderr } = await runTask('increment', args, { node, env: { UV_THREADPOOL_SIZE: '1' } });
    assert.equal(code, 0);
    return Number(/maxRSS (\d+)/.exec(stderr)[1]);
  };
  const [tenth, all] = [await maxKiB(100_000), await maxKiB(1_000_000)];
  assert.equal(readFileSync(at('many'), 'utf8').trimEnd().split('\n').length, 1_000_000);
  assert.ok(all - tenth < 64 * 1024, `${tenth} KiB for a tenth, ${all} KiB for all`);
});
