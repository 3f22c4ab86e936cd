import assert from 'node:assert/strict';
import { test } from 'node:test';
import { always, MACHINE, summaryOf } from '../report/made-up.js';
import { toolsFor } from './tools.js';
import {
  atCores,
  finding,
  findingInParts,
  isFaster,
  isWithin,
  not,
  sideBySide,
  withThreads,
} from './finding.js';

test('a finding holds, or not, or nobody can tell', () => {
  assert.equal(finding(true, 'a', 'b'), 'The published finding holds here: a; b');
  assert.equal(finding(false, 'a'), 'The published finding does not hold here: a');
  assert.equal(finding(undefined, 'a'), 'Cannot tell whether the published finding holds here: a');
});

test('a finding in parts holds as a whole, in part, or not at all, and says so of each part', () => {
  const judged = (...each) =>
    findingInParts(each.map((holds, i) => ({ claim: `c${i}`, holds, said: 'as is' })));
  assert.equal(
    judged(true, false, undefined),
    'The published finding holds here in part: c0: holds (as is); c1: does not hold (as is); c2: cannot be told (as is)',
  );
  assert.match(judged(true, true), /^The published finding holds here: /);
  assert.match(judged(true, undefined), /^The published finding holds here in part: /);
  assert.match(judged(false, undefined), /^The published finding does not hold here: /);
  assert.match(judged(undefined, undefined), /^Cannot tell whether the published finding holds here: /);
  assert.match(judged(), /^Cannot tell /);
});

test('an estimate is within limits, or beyond one of them, or its interval contains one and it cannot be told', () => {
  assert.equal(isWithin({ low: 1, high: 2 }, 1, 2), true);
  assert.equal(isWithin({ low: 3, high: 4 }, 1, 2), false);
  assert.equal(isWithin({ low: 1, high: 4 }, 1, 2), undefined);
  assert.deepEqual([true, false, undefined].map(not), [false, true, undefined]);
});

test('the same is not faster', () => {
  const verdicts = { faster: true, slower: false, same: false, unknown: undefined };
  for (const [verdict, expected] of Object.entries(verdicts)) assert.equal(isFaster({ verdict }), expected);
});

test('as many threads as cores, or the next fewer that were measured', () => {
  const scenarios = [4, 1, 2].map((x) => ({ x }));
  assert.equal(atCores(scenarios, { cores: 2 }).x, 2);
  assert.equal(atCores(scenarios, { cores: 8, availableParallelism: 3 }).x, 2);
  assert.equal(atCores(scenarios, { cores: 64 }).x, 4);
  assert.equal(atCores([], { cores: 2 }), undefined);
  assert.equal(withThreads({ x: 1 }, 'it is'), 'With 1 thread: it is');
  assert.equal(withThreads(undefined, 'it is'), 'it is');
});

test('rows of two scenarios can be compared by the tools, each under its own name', () => {
  const [slow, fast] = [30, 10].map((ms) => summaryOf({ rows: { threadwise: always(ms) } }));
  const { fasterThan } = toolsFor(MACHINE);
  const both = sideBySide([
    ['on one', slow, 'threadwise'],
    ['on two', fast, 'threadwise'],
  ]);
  const { verdict, ratio } = fasterThan(both, 'on two', 'on one', 'ms');
  assert.equal(verdict, 'faster');
  assert.ok(Math.abs(ratio.value - 3) < 1e-9);
  const half = sideBySide([
    ['on one', slow, 'threadwise'],
    ['on two', undefined, 'threadwise'],
  ]);
  assert.equal(fasterThan(half, 'on two', 'on one', 'ms').verdict, 'unknown');
});
