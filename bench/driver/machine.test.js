// Which changes of the repository make a saved figure outdated.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { describeCommit, describeMachine, isMeasured, isOfThisCode } from './machine.js';

function repository(t) {
  const folder = mkdtempSync(join(tmpdir(), 'threadwise-commit-'));
  t.after(() => rmSync(folder, { recursive: true }));
  const git = (...args) =>
    execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@localhost', ...args], { cwd: folder });
  let version = 0;
  const write = (path, text = `${version++}`) => {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  };
  const commit = () => {
    git('add', '.');
    git('commit', '-qm', 'change');
  };
  git('init', '-q');
  write('packages/threadwise/src/pool.ts');
  commit();
  return { folder, write, commit };
}

for (const [path, matters] of [
  ['packages/threadwise/src/pool.ts', true],
  ['packages/cli/src/experiment/rounds.ts', true],
  ['bench/experiments/snp/slices.js', true],
  ['bench/conclusions/statistics.js', true],
  ['bench/conclusions/summary.js', true],
  ['package-lock.json', true],
  ['packages/threadwise/src/pool.test.ts', false],
  ['packages/cli/src/report/page.ts', false],
  ['packages/control/src/server.ts', false],
  ['bench/experiments/snp/page.js', false],
  ['bench/conclusions/finding.js', false],
  ['bench/results/snp.json', false],
  ['bench/README.md', false],
  ['docs/performance.md', false],
]) {
  test(`a change of ${path} ${matters ? 'makes' : 'does not make'} a figure one of other code`, (t) => {
    const { folder, write, commit } = repository(t);
    const at = describeCommit(folder);
    assert.equal(isOfThisCode(at, folder), true);
    write(path);
    assert.equal(isOfThisCode(at, folder), !matters, 'before it is committed');
    commit();
    assert.equal(isOfThisCode(at, folder), !matters, 'once it is committed');
  });
}

test('a change of comments alone does not make a figure one of other code; a change of a text does', (t) => {
  const { folder, write, commit } = repository(t);
  const path = 'packages/threadwise/src/pool.ts';
  write(path, "export const a: string = '// b'; // c");
  commit();
  const at = describeCommit(folder);
  write(path, "/** d */\nexport const a: string = '// b';");
  assert.equal(isOfThisCode(at, folder), true, 'before it is committed');
  commit();
  assert.equal(isOfThisCode(at, folder), true, 'once it is committed');
  write(path, "export const a: string = '// d'; // c");
  assert.equal(isOfThisCode(at, folder), false);
});

test('a file that is new makes a figure one of other code', (t) => {
  const { folder, write, commit } = repository(t);
  const at = describeCommit(folder);
  write('bench/experiments/snp/new.js', '// nothing');
  assert.equal(isOfThisCode(at, folder), false, 'before it is committed');
  commit();
  assert.equal(isOfThisCode(at, folder), false, 'once it is committed');
});

test('a figure of an unknown commit, or of files that were never committed, is one of other code', (t) => {
  const { folder, write } = repository(t);
  assert.equal(isOfThisCode(undefined, folder), false);
  assert.equal(isOfThisCode({ commit: 'f'.repeat(40), hasChanges: false }, folder), false);
  write('package-lock.json');
  assert.equal(isOfThisCode(describeCommit(folder), folder), false);
});

test('a result counts as measured only if no row of it failed, and if it is of this code, machine and Node.js', (t) => {
  const { folder, write } = repository(t);
  const machine = describeMachine();
  const resultOf = (row) => ({
    git: describeCommit(folder),
    machine,
    scenarios: [{ rows: [{ id: 'a' }, row] }],
  });
  const whole = resultOf({ id: 'b', notAvailable: 'there is no redis-server' });
  assert.equal(isMeasured(whole, folder), true);
  assert.equal(isMeasured(resultOf({ id: 'b', failure: 'it broke' }), folder), false, 'a row failed');
  for (const [key, value] of Object.entries({ cpu: 'another', cores: 99, node: 'v20.0.0' }))
    assert.equal(isMeasured({ ...whole, machine: { ...machine, [key]: value } }, folder), false, key);
  assert.equal(isMeasured(undefined, folder), false, 'nothing is saved');
  write('package-lock.json');
  assert.equal(isMeasured(whole, folder), false, 'other code');
});
