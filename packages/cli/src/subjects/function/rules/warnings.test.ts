import assert from 'node:assert/strict';
import { test } from 'node:test';
import { analyze } from './analyze.js';
import type { Samples } from './samples.js';
import { model, simulate, spreadOf, WELL_BEHAVED } from './simulated.test.fake.js';

const samples = simulate(model());

function warnings(changes: Partial<Samples>): readonly string[] {
  return analyze({ ...samples, ...changes }).warnings;
}

const behaving = (changes: Partial<Samples['behaviour']>) =>
  warnings({ behaviour: { ...WELL_BEHAVED, ...changes } });

test('warns of nothing where there is nothing', () => {
  assert.deepEqual(warnings({}), []);
});

test('warns of a function that does more than compute', () => {
  assert.deepEqual(behaving({ failures: { calls: 1, failed: 1, first: undefined } }), [
    '1 of 1 call failed: no message',
  ]);
  assert.match(behaving({ repeats: 'different' })[0]!, /keeps state, or is random/);
  assert.match(behaving({ remembers: true })[0]!, /less than a tenth .*inputs that come again and again$/);
  assert.match(behaving({ changesItsArgument: true })[0]!, /changes its argument/);
  assert.match(behaving({ hasSetup: true })[0]!, /setup or teardown/);
  assert.match(
    behaving({ plainClasses: ['Point', 'Money'] })[0]!,
    /instances of Point, Money, which arrive as plain objects/,
  );
});

test('says of Buffers what they arrive as, and nothing that is true of other classes only', () => {
  const buffers =
    'its results have Buffers, which arrive as a `Uint8Array`: `toString`, for one, then does something else';
  assert.deepEqual(behaving({ plainClasses: ['Buffer'] }), [buffers]);
  const both = behaving({ plainClasses: ['Buffer', 'Point'] });
  assert.equal(both[0], buffers);
  assert.match(both[1]!, /instances of Point, which arrive as plain objects/);
});

test('says of a single input what the figures mean, and nothing where there are none', () => {
  const subject = { ...samples.subject, inputs: { count: 1, used: 1, how: '' } };
  assert.match(warnings({ subject })[0]!, /^there is one input: the figures are of many calls with it/);
  const ended = { behaviour: { ...WELL_BEHAVED, ended: { exitCode: 3, signal: null } }, threads: [] };
  assert.deepEqual(warnings({ subject, ...ended, inline: { ...samples.inline, rate: [] } }), []);
});

test('warns of calls of very different length', () => {
  const callMs = { ...spreadOf(1), p99: 21 };
  assert.deepEqual(warnings({ inline: { ...samples.inline, callMs } }), [
    'calls are uneven: half of them run for 1 ms or less, one of a hundred for 21 ms or more',
  ]);
  assert.deepEqual(warnings({ inline: { ...samples.inline, callMs: { ...callMs, p99: 20 } } }), []);
});

test('warns of a machine that others use, and of memory that is nearly full', () => {
  assert.deepEqual(warnings({ machine: { ...samples.machine, loadBefore: 1.26 } }), [
    'other programs were running: on average 1.3 threads wanted a core before anything was measured, and there are 2 cores',
  ]);
  assert.deepEqual(warnings({ machine: { ...samples.machine, cores: 1, loadBefore: 1.26 } }), [
    'other programs were running: on average 1.3 threads wanted a core before anything was measured, and there is 1 core',
  ]);
  assert.deepEqual(warnings({ machine: { ...samples.machine, memoryBytes: 80 * 2 ** 20 } }), [
    'a process with this function takes 60 MiB of memory, 75 % of what there is',
  ]);
  assert.deepEqual(warnings({ machine: { ...samples.machine, memoryBytes: 0 } }), [], 'not known');
});

test('says what was not measured', () => {
  const skipped = [
    { what: '2 threads', why: 'there was no time' },
    { what: 'fewer cores', why: 'there is no taskset' },
    { what: '4 threads', why: 'there was no time' },
  ];
  assert.deepEqual(warnings({ isCutShort: true, skipped }), [
    'not everything was measured: the time was over, or somebody ended the command',
    '2 threads, 4 threads: not measured, there was no time',
    'fewer cores: not measured, there is no taskset',
  ]);
});
