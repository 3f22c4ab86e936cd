/** `threadwise analyze` as a user starts it: what it says, what it writes, what it refuses. Shapes, never speeds. */

import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, watch, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { run, start, task, temporaryFolder } from './command.mjs';

const BUDGET = ['--budget', '3s'];
const ANSWERS = ['threads', 'inline', 'async', 'unknown'];

test('a verdict first, and the reports that were asked for, in new folders as well', async () => {
  const folder = temporaryFolder();
  const files = ['report.json', 'deep/er/report.html', 'report.md'].map((name) => join(folder, name));
  const out = files.flatMap((file) => ['--out', file]);
  const { code, stdout, stderr } = await run([
    'analyze',
    task('increment'),
    '--range',
    '1..100',
    ...BUDGET,
    ...out,
  ]);
  assert.equal(code, 0, stderr);
  const report = JSON.parse(readFileSync(files[0], 'utf8'));
  assert.equal(report.schemaVersion, 1);
  assert.ok(ANSWERS.includes(report.verdict.answer));
  assert.match(report.verdict.sentence, /^(Threads|Likely|Hardly|Probably|Don't|Cannot tell)/);
  assert.ok(stdout.replace(/\s+/g, ' ').startsWith(report.verdict.sentence), stdout);
  const lines = stdout.trimEnd().split('\n');
  assert.deepEqual(
    lines.slice(-3),
    files.map((file) => `Report: ${file}`),
  );
  assert.ok(lines.length <= 14 + files.length, stdout);
  assert.ok('breakEven' in report && 'recommended' in report);
  assert.deepEqual([report.samples.subject.export, report.samples.subject.inputs.count], ['increment', 100]);
  const html = readFileSync(files[1], 'utf8');
  assert.match(html, /^<!doctype html>/i);
  assert.ok(html.includes('#increment'));
  assert.ok(readFileSync(files[2], 'utf8').includes(report.verdict.sentence));
});

test('the example that the README begins with: a function of two arguments, and lists of them', async () => {
  const folder = temporaryFolder();
  const report = join(folder, 'report.html');
  const json = join(folder, 'report.json');
  const example = (name) =>
    fileURLToPath(new URL(`../../../examples/03-http-offload/${name}`, import.meta.url));
  const { code, stderr } = await run([
    'analyze',
    `${example('tasks.js')}#render`,
    ...['--json', example('pages.json'), '--spread', ...BUDGET, '--out', report, '--out', json],
  ]);
  assert.equal(code, 0, stderr);
  const { samples } = JSON.parse(readFileSync(json, 'utf8'));
  assert.deepEqual([samples.subject.inputs.count, samples.behaviour.failures.failed], [8, 0]);
  assert.equal(samples.subject.inputs.how, 'each is the list of the arguments');
  assert.ok(samples.inline.rate.length > 0 || samples.isCutShort);
  assert.match(readFileSync(report, 'utf8'), /What a thread is/);
});

test('with --read the content crosses where the caller reads, and the path where the worker does', async () => {
  const folder = temporaryFolder();
  writeFileSync(join(folder, 'a.bin'), new Uint8Array(5000));
  writeFileSync(join(folder, 'length.mjs'), 'export const length = (bytes) => bytes.length;');
  const json = join(folder, 'report.json');
  const args = [
    'analyze',
    'length.mjs#length',
    '--files',
    '*.bin',
    '--read',
    '--budget',
    '6s',
    '--out',
    json,
  ];
  const { code, stderr } = await run(args, { cwd: folder });
  assert.equal(code, 0, stderr);
  const { samples } = JSON.parse(readFileSync(json, 'utf8'));
  assert.equal(samples.inline.bytesIn.max, 5000);
  assert.equal(samples.behaviour.failures.failed, 0);
  assert.equal(samples.subject.inputs.how, "the argument is the file's content");
  // On a machine that others use as well, the time may be over before; then the report says so.
  const read = samples.variants.find(({ name }) => name === 'read');
  const isSkipped = samples.skipped.some(({ what }) => what === 'reading in the workers');
  assert.equal(isSkipped, read === undefined);
  assert.ok((read?.rate ?? []).every((rate) => rate > 0));
});

test('a function that fails each time: cannot tell, with what it said', async () => {
  const { code, stdout } = await run(['analyze', task('even'), '--range', '1..1', ...BUDGET]);
  assert.equal(code, 0);
  assert.match(stdout, /^Cannot tell: every call fails: .*1 is odd/);
});

test('a function that ends its process does not end the command', async () => {
  const { code, stdout } = await run(['analyze', task('exitsAt50'), '--range', '50..50', ...BUDGET]);
  assert.equal(code, 0);
  assert.match(stdout, /^Cannot tell: a call ends its process \(exit code 3\)/);
});

test('a module that throws, ends its process, or does not get to its end, does not load: no call is blamed', async () => {
  const folder = temporaryFolder();
  for (const [code, told] of [
    ["throw new TypeError('not today');", 'TypeError: not today \\(.*module\\.mjs:1\\)\\n'],
    ["throw 'no database';", 'no database\\n'],
    ['process.exit(7);', 'its process ended \\(exit code 7\\)'],
    [
      'await new Promise(() => setInterval(() => {}, 1000));',
      'it had not answered after .* s: a top-level await, .* has to end by then; a larger --budget gives it more time\\n',
    ],
  ]) {
    const module = join(folder, 'module.mjs');
    writeFileSync(module, `${code}\nexport const f = (x) => x;\n`);
    const { code: exitCode, stdout, stderr } = await run(['analyze', module, '--range', '1..3', ...BUDGET]);
    assert.deepEqual([exitCode, stdout], [2, ''], stderr);
    assert.match(stderr, new RegExp(`threadwise: cannot load '.*module\\.mjs': ${told}`));
  }
});

test('where no process can be started, that is told, and no call is blamed', async () => {
  const node = ['--import', "data:text/javascript,process.execPath='/nowhere/node'"];
  const { code, stdout, stderr } = await run(['analyze', task('increment'), '--range', '1..3'], { node });
  assert.deepEqual([code, stdout], [1, ''], stderr);
  assert.match(
    stderr,
    /threadwise: cannot measure '.*': its process did not start: spawn \/nowhere\/node ENOENT/,
  );
});

test('Ctrl-C tells what is known so far: exit code 130', async () => {
  const folder = temporaryFolder();
  const file = join(folder, 'report.json');
  const began = join(folder, 'began');
  writeFileSync(
    join(folder, 'tasks.mjs'),
    `import { appendFileSync } from 'node:fs';
     export const touch = (n) => { appendFileSync(${JSON.stringify(began)}, 'x'); return n; };`,
  );
  const args = [
    'analyze',
    `${join(folder, 'tasks.mjs')}#touch`,
    '--range',
    '1..10',
    '--budget',
    '5m',
    '--out',
    file,
  ];
  const { child, ended } = start(args, { input: '' });
  await new Promise((resolve) => {
    const watcher = watch(folder, () => {
      if (!existsSync(began)) return;
      watcher.close();
      resolve();
    });
  });
  child.kill('SIGINT');
  const { code, stdout } = await ended;
  assert.equal(code, 130);
  assert.match(stdout, /^Cannot tell: /);
  assert.equal(JSON.parse(readFileSync(file, 'utf8')).samples.isCutShort, true);
});

test('two reports are compared; what is none is told, with its name', async () => {
  const folder = temporaryFolder();
  const [a, other] = [join(folder, 'a.json'), join(folder, 'other.json')];
  await run(['analyze', task('increment'), '--range', '1..10', ...BUDGET, '--out', a]);
  const same = await run(['analyze', '--compare', a, a]);
  assert.equal(same.code, 0, same.stderr);
  assert.match(same.stdout, /the same|cannot tell/);
  writeFileSync(other, '{"schemaVersion":2}');
  for (const [files, expected] of [
    [[a, other], /other\.json.*schemaVersion/],
    [[a, join(folder, 'none.json')], /cannot read .*none\.json: no such file/],
    [[a], /expected two reports/],
    [[a, a, '--out', other], /a comparison writes no report/],
  ]) {
    const { code, stderr } = await run(['analyze', '--compare', ...files]);
    assert.equal(code, 2);
    assert.match(stderr, expected);
  }
});

for (const [args, expected] of [
  [['analyze'], /expected a module/],
  [['analyze', task('none'), '--range', '1..3', ...BUDGET], /no export 'none'.*#increment/s],
  [['analyze', './none.mjs', '--range', '1..3'], /cannot find module '\.\/none\.mjs': no such file/],
  [
    ['analyze', task('increment'), '--range', '1..3', '--budget', '1s'],
    /--budget: expected at least 2s, got 1 s/,
  ],
  [['analyze', task('increment'), '--range', '1..3', '--budget', 'soon'], /Expected a time/],
  [
    ['analyze', task('increment'), '--range', '1..3', '--threads', '1-4'],
    /Expected a number from 1 to 1024\./,
  ],
  [['analyze', task('increment'), '--range', '1..3', '--threads', '0'], /Expected a number from 1 to 1024\./],
  [
    ['analyze', task('increment'), '--range', '1..3', '--out', 'report.pdf'],
    /ends in \.json, \.html, \.md, got 'report\.pdf'/,
  ],
]) {
  test(`refused with exit code 2: ${args
    .slice(1)
    .join(' ')
    .replace(/\S*fixtures\S*\//, '')}`, async () => {
    const { code, stderr } = await run(args);
    assert.equal(code, 2, stderr);
    assert.match(stderr, expected);
  });
}

test('no input at all is refused', async () => {
  const { code, stderr } = await run(['analyze', task('increment'), '--lines'], { input: '' });
  assert.equal(code, 2);
  assert.match(stderr, /expected at least one input, got none/);
});

test('a report that cannot be written is told before anything is measured: exit code 1', async () => {
  const folder = temporaryFolder();
  mkdirSync(join(folder, 'taken.json'));
  const { code, stdout, stderr } = await run([
    'analyze',
    task('increment'),
    '--range',
    '1..3',
    '--out',
    join(folder, 'taken.json'),
  ]);
  assert.equal(code, 1);
  assert.equal(stdout, '');
  assert.match(stderr, /cannot write .*taken\.json: it is a directory/);
});

test(
  'a report is not written into a FIFO, which would wait for a reader',
  { skip: process.platform === 'win32' && 'there are no FIFOs', timeout: 60_000 },
  async () => {
    const report = join(temporaryFolder(), 'report.json');
    execFileSync('mkfifo', [report]);
    const { code, stderr } = await run(['analyze', task('increment'), '--range', '1..3', '--out', report]);
    assert.deepEqual(
      [code, stderr],
      [1, `threadwise: cannot write ${report}: it is a FIFO, expected a file\n`],
    );
  },
);
