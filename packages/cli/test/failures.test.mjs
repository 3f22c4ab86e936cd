/** What happens to a run when inputs fail, workers die, and modules do not load. */

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, realpathSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { lines, main, numbers, run, runTask, task, temporaryFolder } from './command.mjs';

const folder = temporaryFolder();
const at = (name) => join(folder, name);
const evens = (to) => numbers(1, to).filter((x) => x % 2 === 0);

test('stop: the output ends before the first failing input', async () => {
  const { code, stdout, stderr } = await runTask('even', ['--range', '2..5000']);
  assert.deepEqual([code, stdout], [1, '2\n']);
  assert.match(stderr, /inputs? failed:\n {2}3: RangeError: 3 is odd\n/);
});

test('skip: the others go on, the failing ones are listed, at most twenty of them', async () => {
  const { code, stdout, stderr } = await runTask('even', ['--range', '1..100', '--on-error', 'skip']);
  assert.deepEqual([code, stdout], [1, lines(evens(100))]);
  assert.match(
    stderr,
    /^50 inputs failed:\n {2}1: RangeError: 1 is odd\n {6}at even \(.*tasks\.mjs:\d+:\d+\)\n {2}3: /,
  );
  assert.equal(stderr.match(/\bat /g).length, 1, 'the same place is told once, and only of their own code');
  assert.match(stderr, /\n {2}39: .*\n {2}and 30 more\n$/);
});

test('a worker that dies in a batch: only the input that killed it fails', async () => {
  const args = ['--range', '1..100', '--on-error', 'skip', '--batch', '32'];
  const { code, stdout, stderr } = await runTask('exitsAt50', args);
  assert.equal(stdout, lines(numbers(1, 100).filter((x) => x !== 50)));
  assert.match(stderr, /^1 input failed:\n {2}50: .*\[ERR_WORKER_CRASHED\]: .*exit code 3/);
  assert.equal(code, 1);
});

test('a module that no longer loads where a thread is replaced: the run ends, and says why as at its start', async () => {
  const module = at('fails-later.mjs');
  const marker = JSON.stringify(at('is-down'));
  const source = `import { existsSync, writeFileSync } from 'node:fs';
export const setup = () => { if (existsSync(${marker})) throw new Error('the server is down'); };
export const work = (x) => { if (x === 3) { writeFileSync(${marker}, ''); process.exit(1); } return x; };`;
  writeFileSync(module, source);
  const args = ['--range', '1..9', '--threads', '1', '--batch', '1', '--on-error', 'skip', '--quiet'];
  const { code, stdout, stderr } = await run(['run', `${module}#work`, ...args]);
  assert.deepEqual([code, stdout], [2, '1\n2\n']);
  assert.match(stderr, /threadwise: cannot load '.*': Error: the server is down \(.*fails-later\.mjs:2\)\n$/);
  assert.doesNotMatch(stderr, /batch-tasks|attempts/);
});

test('of what killed a worker, the place is told', async () => {
  const module = at('throws-later.mjs');
  writeFileSync(
    module,
    'export default () => { setTimeout(function later() { throw new Error("too late"); }); return new Promise(() => {}); };',
  );
  const { stderr } = await run(['run', module, '--range', '1..1', '--quiet']);
  assert.match(stderr, /1: .*\[ERR_WORKER_CRASHED\]: .*\n {6}at .*later .*throws-later\.mjs:1:\d+\)\n/);
});

test('of what ended a thread after an input was done, the summary tells', async () => {
  const module = at('throws-after.mjs');
  const wait = 'new Promise((resolve) => setTimeout(resolve, 20))';
  const fails = "setTimeout(() => { throw new RangeError('unheard'); })";
  writeFileSync(
    module,
    `export default async (x) => { if (x === 1) ${fails}; else await ${wait}; return x; };`,
  );
  const args = ['--range', '1..4', '--threads', '1', '--on-error', 'skip'];
  const { stderr } = await run(['run', module, ...args]);
  assert.match(stderr, /threads +1; ended by themselves: \d+, the last by RangeError: unheard\n/);
});

test('quiet does not hide that a thread has ended of what nobody handled, though each input succeeded', async () => {
  const module = at('rejects.mjs');
  const rejects = "Promise.reject(new RangeError('unheard'))";
  writeFileSync(module, `export default (x) => { if (x === 3) ${rejects}; return x; };`);
  for (const threads of ['1', '2']) {
    const args = ['--range', '1..3', '--threads', threads, '--batch', '1', '--quiet'];
    const { code, stdout, stderr } = await run(['run', module, ...args]);
    const told = 'threadwise: threads ended by themselves: 1, the last by RangeError: unheard\n';
    assert.deepEqual([code, stdout, stderr], [0, '1\n2\n3\n', told]);
  }
});

test('a timeout is for one input, and ends an endless loop', async () => {
  const args = ['--range', '1..6', '--on-error', 'skip', '--timeout', '300ms', '--threads', '2'];
  const { code, stdout, stderr } = await runTask('loopsAt3', args);
  assert.deepEqual([code, stdout], [1, '1\n2\n4\n5\n6\n']);
  assert.match(stderr, /\n {2}3: .*\[ERR_TASK_TIMEOUT\]: .*300 ms/);
  assert.doesNotMatch(stderr, /runBatch/);
});

test('retries try a failing input again', async () => {
  const enough = await runTask('failsTwice', ['--range', '1..20', '--retries', '2', '--threads', '1']);
  assert.deepEqual([enough.code, enough.stdout], [0, lines(numbers(1, 20))]);
  const tooFew = await runTask('failsTwice', ['--range', '1..1', '--retries', '1', '--threads', '1']);
  assert.deepEqual([tooFew.code, tooFew.stdout], [1, '']);
});

test('a result that cannot be written, or cannot be sent to be folded, fails its input only', async () => {
  const written = await runTask('functionAt5', ['--range', '1..9', '--on-error', 'skip', '--batch', '9']);
  assert.equal(written.stdout, lines([1, 2, 3, 4, 6, 7, 8, 9]));
  assert.match(written.stderr, /5: TypeError: the result is a function/);
  const args = ['--range', '1..9', '--on-error', 'skip', '--batch', '9', '--reduce', 'sum'];
  const folded = await runTask('functionAt5', args);
  assert.deepEqual([folded.code, folded.stdout], [1, '40\n']);
  assert.match(folded.stderr, /5: .*\[ERR_NOT_CLONEABLE\]: .*result/);
});

test('a fold over inputs of which one failed is not written when the run stops there', async () => {
  const { code, stdout } = await runTask('even', ['--range', '2..50', '--reduce', 'sum']);
  assert.deepEqual([code, stdout], [1, '']);
});

test('failing inputs are listed though bad input ends the run', async () => {
  writeFileSync(at('bad.ndjson'), '1\n2\n3\n{bad}\n');
  const { code, stdout, stderr } = await runTask('even', ['--json', at('bad.ndjson'), '--on-error', 'skip']);
  assert.deepEqual([code, stdout], [2, '2\n']);
  assert.match(
    stderr,
    /^2 inputs failed:\n {2}1: .*\n {6}at even .*\n {2}3: .*\nthreadwise: invalid JSON in .* at line 4/,
  );
});

async function refuses(reference, message) {
  const { code, stdout, stderr } = await run(['run', reference, '--range', '1..3'], { cwd: folder });
  assert.match(stderr, message);
  assert.doesNotMatch(stderr, /\n {4}at /, 'no stack');
  assert.deepEqual([code, stdout], [2, '']);
}

test('a module that is not there, or has no such export', async () => {
  writeFileSync(at('two.mjs'), 'export const one = () => 1, two = () => 2, three = 3');
  await refuses('missing.mjs', /cannot find module 'missing\.mjs': no such file/);
  await refuses('two.mjs', /has no default export; it exports #one, #two\n/);
  await refuses('two.mjs#tow', /has no export 'tow'; it exports #one, #two\n/);
  await refuses('file://elsewhere/none.mjs', /expected a file: URL of a file here, got 'file:\/\/elsewhere/);
  await refuses(
    'two.mjs/inside#one',
    /cannot find module 'two\.mjs\/inside': a part of the path is not a directory/,
  );
});

test('a current folder that is gone is told in words', { skip: process.platform === 'win32' }, () => {
  const gone = join(folder, 'gone');
  const script = 'cd "$1" && rmdir "$1" && exec "$2" "$3" run "$4" --range 1..2 --quiet';
  for (const module of ['relative.mjs', task('echo')]) {
    mkdirSync(gone, { recursive: true });
    const args = ['-c', script, 'sh', gone, process.execPath, main, module];
    const { status, stderr } = spawnSync('sh', args, { encoding: 'utf8' });
    assert.equal(
      stderr,
      'threadwise: cannot use the current folder; change to another one: no such file or directory\n',
    );
    assert.equal(status, 2);
  }
});

test('a module that does not load says why', async () => {
  writeFileSync(at('syntax.mjs'), 'export default (x) => {\n  return x +;\n};\n');
  writeFileSync(at('throws.mjs'), 'throw new TypeError("not today")');
  writeFileSync(at('imports.mjs'), 'import "./nowhere.mjs"; export default () => 1');
  await refuses(
    'syntax.mjs',
    /cannot load 'syntax\.mjs': SyntaxError: Unexpected token ';' \(.*syntax\.mjs:2\)/,
  );
  await refuses('throws.mjs', /cannot load 'throws\.mjs': TypeError: not today \(.*throws\.mjs:1\)\n/);
  await refuses('imports.mjs', /cannot load 'imports\.mjs': Error: Cannot find module .*nowhere\.mjs/);
});

test('modules of CommonJS work, and the default export is preferred', async () => {
  writeFileSync(at('single.cjs'), 'module.exports = (x) => x * 2');
  writeFileSync(at('late.cjs'), 'const all = {}; all["dou" + "ble"] = (x) => x * 2; module.exports = all');
  writeFileSync(at('both.mjs'), 'export const other = () => 0; export default (x) => x * 2');
  for (const reference of ['single.cjs', 'late.cjs', 'late.cjs#double', 'both.mjs', './both.mjs#default']) {
    const { stdout } = await run(['run', reference, '--range', '1..2', '--quiet'], { cwd: folder });
    assert.equal(stdout, '2\n4\n', reference);
  }
});

test("a module's own setup and teardown are called in each worker", async () => {
  writeFileSync(
    at('hooks.mjs'),
    `import { appendFileSync } from 'node:fs';
     let ready = false;
     export const setup = async (context) => { ready = context.data === undefined && context.workerId > 0; };
     export const teardown = () => appendFileSync('torn-down', 'x');
     export default (x) => [x, ready];`,
  );
  const { stdout } = await run(['run', 'hooks.mjs', '--range', '1..2', '--quiet', '--threads', '1'], {
    cwd: folder,
  });
  assert.equal(stdout, '[1,true]\n[2,true]\n');
  const { stdout: files } = await runTask('echo', ['--files', 'torn-down'], { cwd: folder });
  assert.equal(files, '"torn-down"\n');
});

test('setup and teardown that Node.js does not find in a CommonJS module are called, too', async () => {
  writeFileSync(
    at('late-hooks.cjs'),
    `const note = (what) => () => require('node:fs').appendFileSync('hooks-called', what);
     module.exports = Object.assign({}, { setup: note('up '), one: () => 1, teardown: note('down') });`,
  );
  const args = ['--range', '1..1', '--quiet', '--threads', '1'];
  const { stdout } = await run(['run', 'late-hooks.cjs#one', ...args], { cwd: folder });
  assert.deepEqual([stdout, readFileSync(at('hooks-called'), 'utf8')], ['1\n', 'up down']);
});

test('what fails in threads beside the inputs is told once, with its place', async () => {
  const waits = `await new Promise((resolve) => {
      const look = () => {
        if (readFileSync('tries').length < 3) return;
        watcher.close();
        resolve();
      };
      const watcher = watch('tries', look);
      look();
    });`;
  const hooks = `
    export const setup = ({ workerId }) => {
      if (workerId > 1) appendFileSync('tries', 'x');
      if (workerId > 1) throw new Error('no seat');
    };
    export const teardown = () => { throw new Error('no way out'); };`;
  writeFileSync(at('tries'), '');
  writeFileSync(
    at('threads.mjs'),
    `import { appendFileSync, readFileSync, watch } from 'node:fs'; ${hooks} export default async (x) => { ${waits} return x; };`,
  );
  // The second thread starts once the first one has loaded the module, and runs an input.
  const args = ['--range', '1..2', '--quiet', '--threads', '1-2'];
  const { code, stdout, stderr } = await run(['run', 'threads.mjs', ...args], { cwd: folder });
  assert.deepEqual([code, stdout], [0, '1\n2\n']);
  const place = String.raw`\n {6}at \S+ \(file:\S+threads\.mjs:\d+:\d+\)\n`;
  assert.match(
    stderr,
    new RegExp(`^threadwise: Error: no seat${place}threadwise: Error: no way out${place}$`),
  );
});

test('a number of threads that the library refuses is bad usage, not an error of ours', async () => {
  for (const [args, env] of [
    [['--threads', '5000'], {}],
    [[], { THREADWISE_THREADS: 'x' }],
  ]) {
    const { code, stdout, stderr } = await runTask('increment', ['--range', '1..3', ...args], { env });
    assert.deepEqual([code, stdout], [2, ''], stderr);
    assert.match(stderr, /^threadwise: Option '\S*(threads|THREADS).*': expected .*\n$/);
  }
});

test('help is that of the command that is named, and an unknown one is told', async () => {
  const helpOf = (...words) => run([...words]);
  for (const [asked, same] of [
    [
      ['help', 'analyze', 'server'],
      ['analyze', 'server', '--help'],
    ],
    [
      ['help', 'ctl'],
      ['ctl', '--help'],
    ],
    [['help'], ['--help']],
  ]) {
    const [a, b] = [await helpOf(...asked), await helpOf(...same)];
    assert.deepEqual([a.code, a.stderr], [0, '']);
    assert.equal(a.stdout, b.stdout);
  }
  for (const words of [
    ['help', 'frob'],
    ['frob', '--help'],
  ]) {
    const { code, stdout, stderr } = await helpOf(...words);
    assert.deepEqual([code, stdout], [2, ''], words.join(' '));
    assert.match(stderr, /unknown command 'frob'/);
  }
  const serve = await helpOf('serve', '--help');
  assert.match(serve.stdout, /\(default:\s+30s\)[^]*\(default:\s+25s\)/);
});

test('of a file whose name begins with a dash it is told how to write it', async () => {
  writeFileSync(at('-dash.txt'), '');
  const { code, stderr } = await run(['run', task('echo'), '--files', '--', '-dash.txt'], { cwd: folder });
  assert.match(
    stderr,
    /unknown option '-dash\.txt'\n.*\n\(write the file of that name as '\.\/-dash\.txt'\)\n$/,
  );
  assert.equal(code, 2);
  const { stdout } = await runTask('echo', ['--files', './-dash.txt'], { cwd: folder });
  assert.equal(stdout, '"-dash.txt"\n');
});

test('help shows examples, usage errors say where to look', async () => {
  const general = await run(['--help']);
  assert.match(general.stdout, /Example:\n {2}threadwise run /);
  const command = await run(['run', '--help']);
  assert.equal(command.code, 0);
  for (const option of ['--files', '--lines', '--json', '--range', '--journal', '--compare-inline']) {
    assert.match(command.stdout, new RegExp(`\n {2}${option} `));
  }
  assert.match(command.stdout, /\nExamples:\n( {2}.*threadwise run .*\n){5,}/);
  const nothing = await run([]);
  assert.deepEqual([nothing.code, nothing.stdout], [2, '']);
  assert.match(nothing.stderr, /Usage: threadwise/);
  const noModule = await run(['run', '--files', task('echo')]);
  assert.equal(noModule.code, 2);
  assert.match(
    noModule.stderr,
    /missing required argument 'module'\n(.*\n)*.*before options that take several values/,
  );
  const notAnalyzed = await run(['analyze', '--files', task('echo')]);
  assert.equal(notAnalyzed.code, 2);
  assert.match(notAnalyzed.stderr, /expected a module.*before options that take several values/);
  const unknown = await run(['rum']);
  assert.equal(unknown.code, 2);
  assert.match(unknown.stderr, /unknown command 'rum'\n\(Did you mean run\?\)/);
});

test('a module that does not load in the main thread is told as one that does not load in a worker', async () => {
  const module = (name, text) => {
    writeFileSync(at(name), text);
    return name;
  };
  const inMain = 'import { isMainThread } from "node:worker_threads";';
  const fails = 'throw new TypeError("not here", { cause: new Error("deep") });';
  const sampled = module('fails.mjs', `${fails} export default () => 1;`);
  const setUp = module('sets-up.mjs', `export function setup() { ${fails} } export default () => 1;`);
  const reducer = module(
    'fails-in-main.mjs',
    `${inMain} if (isMainThread) ${fails} export const one = () => 1; export const sum = (a, b) => a + b;`,
  );
  for (const args of [
    [sampled, '--compare-inline'],
    [setUp, '--compare-inline'],
    [`${reducer}#one`, '--reduce', 'sum'],
  ]) {
    const path = join(realpathSync(folder), args[0].split('#')[0]);
    const { code, stdout, stderr } = await run(['run', ...args, '--range', '1..3', '--quiet'], {
      cwd: folder,
    });
    assert.deepEqual(
      [code, stdout, stderr],
      [2, '', `threadwise: cannot load '${args[0]}': TypeError: not here (cause: Error: deep) (${path}:1)\n`],
    );
  }
});
