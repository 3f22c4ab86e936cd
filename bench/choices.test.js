import assert from 'node:assert/strict';
import { test } from 'node:test';
import { planOf, readArguments } from './choices.js';

const contenders = [
  { id: 'ours', role: 'ours', package: 'ours', can: [], isQuick: true },
  { id: 'a', role: 'published', package: 'a', can: [], isQuick: false },
  { id: 'a (fast)', role: 'published', package: 'a', can: [], isQuick: true },
];
/** The plan, with 'a' as the published package that an effort names: these contenders have no other. */
const planned = (options) =>
  planOf(experiment, contenders, { ...options, published: options.published && ['a'] });
const experiment = {
  scenarios: [
    { id: 'speed' },
    { id: 'speed-8', isQuick: false },
    { id: 'memory', takes: ({ role }) => role === 'ours' },
  ],
};

function chosen(...args) {
  const plan = planned(readArguments(args));
  return Object.fromEntries(plan.map(({ scenario, entries }) => [scenario.id, entries.map(({ id }) => id)]));
}

test('everything, unless something is chosen', () => {
  assert.deepEqual(chosen(), {
    speed: ['ours', 'a', 'a (fast)'],
    'speed-8': ['ours', 'a', 'a (fast)'],
    memory: ['ours'],
  });
});

test('a quick run leaves out scenarios and variants, but not those that are named', () => {
  assert.deepEqual(chosen('--quick'), { speed: ['ours', 'a (fast)'], memory: ['ours'] });
  assert.deepEqual(chosen('--quick', '--only', 'a', '--scenario', 'speed-8'), {
    'speed-8': ['a', 'a (fast)'],
  });
  assert.deepEqual(Object.keys(chosen('--quick', '--scenario', 'speed')), ['speed']);
  assert.deepEqual(Object.keys(chosen('--quick', '--scenario', 'speed-,memory')), ['speed-8', 'memory']);
});

test('contenders and scenarios are chosen by how their names begin', () => {
  assert.deepEqual(chosen('--only', 'a (,ours', '--scenario', 'speed'), {
    speed: ['ours', 'a (fast)'],
    'speed-8': ['ours', 'a (fast)'],
  });
});

test('a scenario that nobody takes part in is left out', () => {
  assert.deepEqual(Object.keys(chosen('--only', 'a')), ['speed', 'speed-8']);
});

test('a name that fits nothing is refused, and so is a bad number of rounds', () => {
  assert.throws(() => chosen('--only', 'nobody'), /no 'nobody'.*a \(fast\)/);
  assert.throws(() => chosen('--scenario', 'nothing'), /no 'nothing'.*speed-8/);
  for (const rounds of ['0', 'x', '1.5'])
    assert.throws(() => readArguments(['--rounds', rounds]), /--rounds/);
});

test('of the published pools a quick run has one, unless others are named', () => {
  const others = [...contenders, { id: 'b', role: 'published', package: 'b', can: [], isQuick: true }];
  const idsOf = (...args) => {
    const options = { ...readArguments([...args, '--scenario', 'speed']), published: ['a'] };
    return planOf(experiment, others, options)[0].entries.map(({ id }) => id);
  };
  assert.deepEqual(idsOf('--quick'), ['ours', 'a (fast)']);
  assert.deepEqual(idsOf('--quick', '--only', 'b'), ['b']);
});

test('the least that can be done is a quick run with less of everything', () => {
  const [least, quick] = [readArguments(['--least']), readArguments(['--quick'])];
  assert.equal(least.quick, true);
  assert.deepEqual(Object.keys(least.budget), Object.keys(quick.budget));
  for (const [name, value] of Object.entries(least.budget)) assert.ok(value <= quick.budget[name], name);
  assert.equal(least.isComplete, false);
});

test('only a run of everything replaces a measurement', () => {
  assert.equal(readArguments([]).isComplete, true);
  assert.equal(readArguments(['--rounds', '9']).isComplete, true);
  for (const args of [['--quick'], ['--rounds', '4'], ['--only', 'a'], ['--scenario', 'speed']]) {
    assert.equal(readArguments(args).isComplete, false, args.join(' '));
  }
});

test('--missing is of complete measurements', () => {
  assert.equal(readArguments(['--missing']).missing, true);
  assert.throws(() => readArguments(['--missing', '--quick']), /--missing: expected a complete measurement/);
  assert.throws(() => readArguments(['--missing', '--rounds', '4']), /--missing: .* at least 5 rounds/);
});

test('the command is to measure or to report, of all experiments or some', () => {
  assert.deepEqual(pick(readArguments(['crossing'])), { command: 'measure', ids: ['crossing'] });
  assert.deepEqual(pick(readArguments(['report', 'crossing'])), { command: 'report', ids: ['crossing'] });
  assert.deepEqual(pick(readArguments(['report'])), { command: 'report', ids: [] });
});

const pick = ({ command, ids }) => ({ command, ids });
