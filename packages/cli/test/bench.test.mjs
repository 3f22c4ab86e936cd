/** `threadwise bench` as a user starts it: that it hands over to the experiments, and what it says where there are none. */

import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import {
  closeSync,
  cpSync,
  existsSync,
  mkdirSync,
  openSync,
  readFileSync,
  realpathSync,
  symlinkSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { run, start, temporaryFolder } from './command.mjs';

const own = fileURLToPath(new URL('../', import.meta.url));
const modules = fileURLToPath(new URL('../../../node_modules/', import.meta.url));

test('lists the experiments and who takes part', async () => {
  const { code, stdout, stderr } = await run(['bench', '--list']);
  assert.equal(code, 0, stderr);
  assert.match(stdout, /^crossing {2}\S.*\n {2}.*trivial/m);
  assert.match(stdout, /^contenders: threadwise, .*piscina/m);
});

test('its help is that of the experiments, and the help of the command leads there', async () => {
  const { code, stdout } = await run(['bench', '--help']);
  assert.equal(code, 0);
  assert.match(stdout, /^threadwise bench \[experiment…\] \[options\]/);
  for (const option of ['--quick', '--rounds', '--scenario', 'report'])
    assert.ok(stdout.includes(option), option);
  const help = await run(['help', 'bench']);
  assert.equal(help.code, 0);
  assert.match(help.stdout, /threadwise bench --help/);
});

test('options and ids go through, wherever they stand', async () => {
  const folder = temporaryFolder();
  const into = ['--into', folder, '--least', '--only', 'inline', '--scenario', 'one-at-a-time'];
  const { code, stdout, stderr } = await run(['bench', ...into, 'crossing']);
  assert.equal(code, 0, stderr);
  assert.match(stdout, /one call at a time/);
  const { scenarios } = JSON.parse(readFileSync(join(folder, 'crossing.json'), 'utf8'));
  assert.deepEqual(
    scenarios.map(({ id, rows }) => [id, rows.map((row) => row.id)]),
    [['one-at-a-time', ['inline']]],
  );
});

test('what is not understood ends with exit code 2, and so does an experiment that there is not', async () => {
  const unknown = await run(['bench', '--nonsense']);
  assert.equal(unknown.code, 2);
  assert.match(unknown.stderr, /--nonsense/);
  const nothing = await run(['bench', 'nothing']);
  assert.equal(nothing.code, 2);
  assert.match(nothing.stderr, /There is no 'nothing'\. There are: .*crossing/);
});

test('where nothing could be saved, nothing is measured', async () => {
  const { code, stderr } = await run(['bench', 'crossing', '--least', '--into', join(own, 'package.json')]);
  assert.equal(code, 2);
  assert.match(stderr, /^E\w+: .*package\.json'\n$/);
});

test(
  'a list that cannot be written ends with exit code 1',
  { skip: !existsSync('/dev/full') && 'there is no full device' },
  async (t) => {
    const full = openSync('/dev/full', 'w');
    t.after(() => closeSync(full));
    for (const option of ['--list', '--help']) {
      const { code, stderr } = await run(['bench', option], {
        stdio: ['ignore', full, 'pipe'],
        input: undefined,
      });
      assert.equal(code, 1, option);
      assert.match(stderr, /^cannot write to standard output: ENOSPC/);
    }
  },
);

test('a signal ends the experiments, too', async () => {
  const { child, until, ended } = start(
    ['bench', 'crossing', '--scenario', 'trivial', '--into', temporaryFolder()],
    { input: '' },
  );
  await until('stderr', /crossing: round 1 of 5/);
  child.kill('SIGTERM');
  assert.equal((await ended).code, 143);
});

const isNeeded = (path) => !/(\.map|\.d\.ts|\.test\.js)$/.test(path);

/** A copy of the command with all that it depends on, and no experiments. */
function installedAlone() {
  const folder = join(temporaryFolder(), 'node_modules');
  const copy = join(folder, '@threadwise/cli');
  for (const name of ['bin', 'dist', 'package.json'])
    cpSync(join(own, name), join(copy, name), { recursive: true, filter: isNeeded });
  const { dependencies } = JSON.parse(readFileSync(join(own, 'package.json'), 'utf8'));
  for (const name of Object.keys(dependencies)) {
    const link = join(folder, name);
    mkdirSync(dirname(link), { recursive: true });
    symlinkSync(realpathSync(join(modules, name)), link);
  }
  return join(copy, 'bin/threadwise.js');
}

test('where the experiments are not installed, it says what they are and how to get them: exit code 2', async () => {
  const command = installedAlone();
  for (const args of [
    ['bench', 'crossing', '--quick'],
    ['bench', '--help'],
  ]) {
    const child = spawn(process.execPath, [command, ...args], { stdio: ['ignore', 'pipe', 'pipe'] });
    let stderr = '';
    child.stderr.setEncoding('utf8').on('data', (text) => {
      stderr += text;
    });
    const code = await new Promise((resolve) => child.on('close', resolve));
    assert.equal(code, 2, stderr);
    assert.match(stderr, /^threadwise: The experiments are not installed/);
    assert.match(stderr, /npm run bench/);
  }
});

test('others have the analysis at hand that conclusions are drawn with', async () => {
  const analysis = await import('@threadwise/cli/analysis');
  assert.deepEqual(analysis.ratio([4, 4, 4], [2, 2, 2]), { value: 2, low: 2, high: 2 });
});
