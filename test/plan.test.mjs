// What `npm test` leaves out is in the rest: no test is forgotten between the two, and none is run twice.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { allTests, inProcesses, quickRuns, runsOn, SLOW } from '../scripts/plan.mjs';

const OWN = { isOwn: true, isEnd: true };
/** The files of the runs without environment variables, which use the default transport. */
const filesOf = (runs) => runs.flatMap(({ files, env }) => (Object.keys(env).length === 0 ? files : []));

test('npm test and the rest run each test once, and so does test:all', () => {
  const all = allTests().sort();
  const rest = runsOn(OWN, { isRest: true, isWhole: false });
  assert.deepEqual([...filesOf(quickRuns()), ...filesOf(rest)].sort(), all);
  assert.deepEqual(filesOf(runsOn(OWN, { isRest: false, isWhole: false })).sort(), all);
});

test('each file of a run is in one process, and those that share one have no hook that would be one of all of them', () => {
  const all = allTests();
  const groups = inProcesses(all);
  assert.deepEqual(groups.flat().sort(), all.sort());
  const shared = groups.filter(({ length }) => length > 1).flat();
  assert.ok(shared.includes('packages/cli/dist/format/cut.test.js'));
  for (const name of ['packages/cli/dist/run/journal/resume.test.js', 'packages/cli/test/output.test.mjs'])
    assert.ok(!shared.includes(name), name);
});

test('what is left out is there, and has one reason', () => {
  const all = allTests();
  for (const { files, proves } of SLOW) {
    assert.ok(
      all.some((name) => files.test(name)),
      proves,
    );
  }
  for (const name of all) assert.ok(SLOW.filter(({ files }) => files.test(name)).length <= 1, name);
});

test('what a change must pass before it lands is part of that: the default way, the promises by each other, and what depends on the version', () => {
  const isShort = true;
  const whole = runsOn(OWN, { isRest: true, isShort: false, isWhole: false });
  const short = runsOn(OWN, { isRest: true, isShort, isWhole: false });
  const longOnes = SLOW.filter(({ isLong }) => isLong);
  const names = (runs) => [...new Set(runs.flatMap(({ files }) => files))];
  const isLeftOut = (name) =>
    longOnes.some(({ files }) => files.test(name)) ||
    /^test\/(control|tracing|placement|user-functions)\.test/.test(name);
  assert.deepEqual(
    names(short),
    names(whole).filter((name) => !isLeftOut(name)),
  );
  for (const name of names(whole).filter(isLeftOut))
    assert.ok(filesOf([...quickRuns(), ...whole]).includes(name), name);
  const ways = (runs) => runs.map(({ name }) => name);
  assert.deepEqual(
    ways(whole).filter((name) => !ways(short).includes(name)),
    ['processes with two workers each'],
  );
  for (const isEnd of [false, true]) {
    const [{ files }, ...others] = runsOn({ isOwn: false, isEnd }, { isRest: true, isShort, isWhole: false });
    assert.deepEqual(others, []);
    for (const name of ['promises', 'faults/values', 'isolation'])
      assert.ok(files.includes(`test/${name}.test.mjs`), name);
  }
});

test('the newest version runs what stands on the library, and every other way to cross; others what depends on the version', () => {
  const newest = runsOn({ isOwn: false, isEnd: true }, { isRest: true, isWhole: false });
  const between = runsOn({ isOwn: false, isEnd: false }, { isRest: true, isWhole: false });
  assert.ok(newest[0].files.includes('packages/cli/test/journal.test.mjs'));
  assert.equal(newest.length, 4);
  assert.equal(between.length, 1);
  const suites = [
    'promises',
    'faults/values',
    'streams',
    'forks',
    'sync',
    'classes',
    'storm',
    'soak',
    'isolation',
  ];
  for (const name of suites) assert.ok(between[0].files.includes(`test/${name}.test.mjs`), name);
  for (const part of ['platform', 'transport'])
    assert.ok(
      between[0].files.some((name) => name.startsWith(`packages/threadwise/dist/${part}/`)),
      part,
    );
});
