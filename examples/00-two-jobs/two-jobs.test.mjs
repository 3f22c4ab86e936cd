import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { explain, time } from './explain.js';
import { filesBelow, measure } from './measure.js';
import * as tasks from './tasks.js';

let folder;

before(() => {
  folder = mkdtempSync(join(tmpdir(), 'two-jobs-test-'));
  for (const dir of ['inner', 'node_modules', '.git']) mkdirSync(join(folder, dir));
  const files = ['a.txt', 'inner/b.txt', 'node_modules/installed.js', '.git/kept', '.hidden'];
  for (const [i, name] of files.entries()) writeFileSync(join(folder, name), `content ${i}`);
  writeFileSync(join(folder, 'large.bin'), Buffer.alloc(64 * 1024 + 1));
});
after(() => rmSync(folder, { recursive: true, force: true }));

test('the inputs are the small files of a folder, without what is installed or hidden', () => {
  assert.deepEqual(filesBelow(folder), [join(folder, 'a.txt'), join(folder, 'inner/b.txt')]);
});

test('both ways of a job are measured, with the start of the threads in it', async () => {
  const paths = filesBelow(folder);
  for (const task of Object.keys(tasks)) {
    const { calls, threads, inline, start, onThreads } = await measure({
      task,
      paths,
      threads: 2,
      seconds: 9,
    });
    assert.deepEqual([calls, threads], [2, 2]);
    assert.ok(inline.ms > 0 && start.ms > 0);
    assert.ok(onThreads.ms > start.ms && onThreads.cpuMs >= start.cpuMs, 'the start is part of the whole');
  }
});

test('a job ends when its time is over, and is the same for both ways', async () => {
  const { calls } = await measure({ task: 'hash', paths: filesBelow(folder), threads: 1, seconds: 0 });
  assert.equal(calls, 1);
});

const job = (name, calls, threads, inline, start, onThreads) => {
  const measured = ([ms, cpuMs]) => ({ ms, cpuMs });
  const [inOneThread, begun, whole] = [inline, start, onThreads].map(measured);
  return { name, title: name, calls, threads, inline: inOneThread, start: begun, onThreads: whole };
};
const why = (...args) =>
  explain([job('It', ...args)])
    .split('\n')
    .at(-1);

test('says that a job gains only if the clock does, and why it does not otherwise', () => {
  const start = [50, 60];
  assert.match(why(100, 2, [1000, 1000], start, [560, 1080]), /^It gains: a call computes for 10 ms, and 2/);
  assert.match(
    why(1000, 2, [20, 20], start, [110, 150]),
    /^It does not gain: a call takes 20 us of CPU time, and handing it to a thread takes 70 us\./,
  );
  assert.match(
    why(10, 2, [40, 40], start, [75, 102]),
    /^It does not gain: the whole job takes 40 ms, and starting the threads alone takes 50 ms\./,
  );
  assert.match(why(100, 1, [1000, 1000], start, [1060, 1070]), /^It does not gain: threads may use one core/);
});

test('by CPU time it says what a busy machine hides, and that it is no measurement', () => {
  const text = why(100, 2, [1000, 980], [80, 60], [1100, 1100]);
  assert.match(text, /^It would gain: other programs left 1 of 2 cores .* about 580 ms on free cores/);
  // A machine so busy that the threads waited for a core before they could even start.
  assert.match(
    why(134, 2, [1500, 700], [368, 110], [2600, 850]),
    /^It would gain: .* about 480 ms on free cores/,
  );
});

test('the table has what was measured, side by side', () => {
  const jobs = [
    job('A', 100, 2, [1000, 1000], [50, 60], [560, 1080]),
    job('B', 1000, 2, [20, 20], [50, 60], [110, 150]),
  ];
  const rows = explain(jobs)
    .split('\n')
    .slice(0, 7)
    .map((line) => line.split(/ {2,}/).filter((cell) => cell !== ''));
  assert.deepEqual(rows, [
    ['A', 'B'],
    ['calls, one for each file', '100', '1,000'],
    ['one call', '10 ms', '20 us'],
    ['all calls, in one thread', '1.00 s', '20 ms'],
    ['all calls, on threads', '560 ms', '110 ms'],
    ['of it, to start them', '50 ms', '50 ms'],
    ['so threads are', '1.8 x as fast', '5.5 x as slow'],
  ]);
  assert.deepEqual([0.0123, 1.234, 123.4].map(time), ['12 us', '1.2 ms', '123 ms']);
});

test('main.js runs, and ends with how to try a function of your own', async () => {
  const main = fileURLToPath(new URL('./main.js', import.meta.url));
  const { stdout } = await promisify(execFile)(process.execPath, [main, '0.01']);
  assert.match(stdout, /\nCompressing .*\nHashing .*\n/);
  assert.match(stdout.trimEnd().split('\n').at(-1), /npm start -- analyze \.\/\S+#\S+ --range 1\.\.100$/);
});
