/** Ctrl-C in every phase of a run. */

import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { lines, main, numbers, start, task, temporaryFolder } from './command.mjs';
import { Screen, whyNoTmux } from './fixtures/control/tmux.mjs';

const folder = temporaryFolder();

test('the first Ctrl-C finishes what runs and prints the summary', async () => {
  const { child, ended, until } = start(['run', task('works'), '--range', '1..100000000']);
  await until('stdout', /\n/);
  child.kill('SIGINT');
  const { code, stdout, stderr } = await ended;
  assert.equal(code, 130);
  assert.match(stderr, /stopping when what runs is finished/);
  const count = stdout.trimEnd().split('\n').length;
  assert.equal(stdout, lines(numbers(1, count)), 'whole lines, in order, none missing');
  assert.match(stderr, new RegExp(`inputs\\s+${count.toLocaleString('en-US')} numbers? \\(interrupted\\)`));
});

test('SIGTERM does the same with its own exit code', async () => {
  const { child, ended, until } = start(['run', task('works'), '--range', '1..100000000', '--quiet']);
  await until('stdout', /\n/);
  child.kill('SIGTERM');
  const { code, stderr } = await ended;
  assert.deepEqual([code, stderr], [143, '']);
});

test('a second Ctrl-C ends at once, though an input never does', async () => {
  const { child, ended, until } = start(['run', task('hangs'), '--range', '1..10', '--threads', '1']);
  await until('stderr', /begun/);
  child.kill('SIGINT');
  await until('stderr', /stopping/);
  child.kill('SIGINT');
  assert.equal((await ended).code, 130);
});

test('Ctrl-C while waiting for standard input', async () => {
  const { child, ended, until } = start(['run', task('upper'), '--format', 'text']);
  child.stdin.write('one\n');
  await until('stdout', /ONE\n/);
  child.kill('SIGINT');
  const { code, stdout, stderr } = await ended;
  assert.deepEqual([code, stdout], [130, 'ONE\n']);
  assert.match(stderr, /inputs\s+1 line \(interrupted\)/);
});

test('Ctrl-C while the module loads', async () => {
  const module = join(folder, 'slow.mjs');
  writeFileSync(
    module,
    `import { writeSync } from 'node:fs'; writeSync(2, 'loading\\n'); await new Promise((r) => setTimeout(r, 1e6)); export default () => 1;`,
  );
  const { child, ended, until } = start(['run', module, '--range', '1..2', '--threads', '1']);
  await until('stderr', /loading/);
  child.kill('SIGINT');
  const { code, stdout } = await ended;
  assert.deepEqual([code, stdout], [130, '']);
});

test('Ctrl-C while the reducer loads in the main thread: nothing runs, and the old output stays', async () => {
  const [module, out] = [join(folder, 'slow-reducer.mjs'), join(folder, 'old.txt')];
  writeFileSync(out, 'old');
  writeFileSync(
    module,
    `import { writeSync } from 'node:fs'; import { isMainThread } from 'node:worker_threads';
    if (isMainThread) {
      const alive = setInterval(() => undefined, 1e6);
      const interrupted = new Promise((resolve) => process.once('SIGINT', resolve));
      writeSync(2, 'loading\\n');
      await interrupted;
      clearInterval(alive);
    }
    export const one = () => 1; export const sum = (a, b) => a + b;`,
  );
  const args = ['run', `${module}#one`, '--range', '1..2', '--threads', '1', '--reduce', 'sum', '--out', out];
  const { child, ended, until } = start(args, { input: '' });
  await until('stderr', /loading/);
  child.kill('SIGINT');
  const { code, stderr } = await ended;
  assert.equal(code, 130, stderr);
  assert.equal(stderr, 'loading\nstopping when what runs is finished; Ctrl-C again stops at once\n');
  assert.equal(readFileSync(out, 'utf8'), 'old');
});

const onTerminal = { skip: whyNoTmux() ?? false, timeout: 60_000 };

for (const signals of [1, 2]) {
  test(`Ctrl-C while results are folded, which takes long: ${signals} of 2`, async () => {
    const module = join(folder, 'long-fold.mjs');
    writeFileSync(
      module,
      `import { writeSync } from 'node:fs';
      export const one = () => 1;
      export const sum = (total = 0, value) => {
        writeSync(2, 'folds\\n');
        const end = performance.now() + 5;
        while (performance.now() < end);
        return total + value;
      };`,
    );
    const args = ['--range', '1..1000', '--batch', '1000', '--threads', '1', '--reduce', 'sum'];
    const { child, ended, until } = start(['run', `${module}#one`, ...args]);
    await until('stderr', /folds/);
    child.kill('SIGINT');
    await until('stderr', /stopping/);
    if (signals === 2) child.kill('SIGINT');
    const { code, stdout, stderr } = await ended;
    assert.deepEqual([code, stdout], [130, '']);
    assert.ok(stderr.match(/folds/g).length < 1000, 'it did not wait for all of them');
  });
}

test('Ctrl-C takes the bar away: every line is whole, and the cursor is there', onTerminal, async (t) => {
  const screen = new Screen({}, 100, 24);
  t.after(() => screen.close());
  const args = `run '${task('works')}' --range 1..100000000 --threads 1 --out '${join(folder, 'interrupted')}'`;
  screen.type(`clear; '${process.execPath}' '${main}' ${args}; echo "exit code $?"`);
  await screen.until(/ of 100,000,000/);
  screen.press('C-c');
  const text = await screen.until(/exit code 130\n/);
  const said = text.split('\n').filter((line) => line !== '');
  assert.equal(said[0], 'stopping when what runs is finished; Ctrl-C again stops at once');
  assert.match(said[1], /^inputs {3}[\d,]+ numbers? \(interrupted\)$/);
  assert.equal(said[2], 'failed   0');
  assert.equal(screen.get('cursor_flag'), '1');
});

test(
  'on a narrow terminal the share and the count are in sight, and the bar has what room is left',
  onTerminal,
  async (t) => {
    const shown = { 20: /^0% [\d,]+ of 1/m, 60: /^░{16} 0% [\d,]+ of 100,000,000/m };
    for (const [columns, line] of Object.entries(shown)) {
      const screen = new Screen({}, columns, 24);
      t.after(() => screen.close());
      const args = `run '${task('works')}' --range 1..100000000 --threads 1 --out '${join(folder, `narrow-${columns}`)}'`;
      screen.type(`clear; '${process.execPath}' '${main}' ${args}; echo "exit code $?"`);
      await screen.until(line);
      screen.press('C-c');
      await screen.until(/exit code 130\n/);
    }
  },
);
