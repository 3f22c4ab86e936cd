import assert from 'node:assert/strict';
import { test } from 'node:test';
import { bestRow, estimate, fasterThan } from './conclusions.js';
import { always, MEMORY, RATE, summaryOf, TIME } from '../report/made-up.js';

const compared = (a, b, metric = TIME) =>
  fasterThan(summaryOf({ metric, rows: { threadwise: a, inline: b } }), 'threadwise', 'inline', metric.id);

test('faster is half the time, and twice the rate', () => {
  for (const [a, b, metric] of [
    [10, 20, TIME],
    [200, 100, RATE],
  ]) {
    const { verdict, ratio, sentence } = compared(always(a), always(b), metric);
    assert.equal(verdict, 'faster');
    assert.deepEqual(ratio, { value: 2, low: 2, high: 2 });
    assert.equal(sentence, `threadwise is faster than inline: 2 x, by ${metric.label}`);
  }
});

test('slower is the other way round, and what is no time is not called slow', () => {
  assert.equal(
    compared(always(40), always(10)).sentence,
    'threadwise is slower than inline: 0.25 x, by total ms',
  );
  const { verdict, sentence } = compared(always(40), always(10), MEMORY);
  assert.equal(verdict, 'slower');
  assert.equal(sentence, 'threadwise takes more than inline: 4 x, by MiB');
});

test('within five per cent it is the same', () => {
  const { verdict, sentence } = compared([100, 101, 99, 100, 100], always(100));
  assert.equal(verdict, 'same');
  assert.match(sentence, /^threadwise is as good as inline, within 5 %/);
});

test('where the rounds contradict each other, nothing is concluded', () => {
  const { verdict, ratio, sentence } = compared([10, 20, 10, 20, 15], always(15));
  assert.equal(verdict, 'unknown');
  assert.ok(ratio.low < 1 && ratio.high > 1);
  assert.match(
    sentence,
    /^Cannot tell whether threadwise is faster than inline, by total ms: the interval is /,
  );
});

test('a difference has to be larger than that between rounds of the very same', () => {
  // In each round ours is 1.2 times as fast, but from round to round both change by more than that.
  const rounds = [100, 150, 80, 120, 60];
  const drifting = compared(
    rounds.map((ms) => ms / 1.2),
    rounds,
  );
  assert.ok(drifting.ratio.low > 1.19);
  assert.equal(drifting.verdict, 'unknown');
  // The sentence still names the side if the whole interval lies on one side of one.
  assert.equal(drifting.leaning, 'faster');
  assert.match(drifting.sentence, /^threadwise is faster than inline, probably: 1\.2 x/);
  const steady = compared(
    always(100 / 1.2),
    rounds.map(() => 100),
  );
  assert.deepEqual([steady.verdict, steady.leaning], ['faster', undefined]);
});

test('fewer than three rounds are never enough, and the figures are told', () => {
  for (const [rounds, said] of [
    [1, /10 ms and 900 ms, in one round$/],
    [2, /10 ms and 900 ms, in 2 rounds$/],
  ]) {
    const { verdict, sentence } = compared(Array(rounds).fill(10), Array(rounds).fill(900));
    assert.equal(verdict, 'unknown');
    assert.match(sentence, said);
  }
  assert.equal(compared([10], [900]).ratio, undefined);
});

test('what failed, or took no part, was not measured', () => {
  const scenario = summaryOf({ rows: { threadwise: new Error('it broke'), inline: always(1) } });
  const { verdict, sentence } = fasterThan(scenario, 'threadwise', 'inline', 'ms');
  assert.equal(verdict, 'unknown');
  assert.equal(sentence, 'Cannot tell threadwise from inline: threadwise was not measured');
  assert.match(fasterThan(scenario, 'a', 'b', 'ms').sentence, /a and b were not measured/);
  assert.match(fasterThan(undefined, 'a', 'b', 'ms').sentence, /were not measured/, 'no such scenario');
  assert.match(
    fasterThan(scenario, 'inline', 'inline', 'nothing').sentence,
    /not measured/,
    'no such metric',
  );
  assert.equal(estimate(scenario, 'threadwise', 'ms'), undefined);
  assert.equal(estimate(scenario, 'inline', 'ms').value, 1);
});

test('a figure that is missing in some rounds, or is nothing, leaves no verdict: the other rounds would be another story', () => {
  // JSON saves a value that is not a number as null.
  assert.equal(compared([10, null, 10, 10, 10], always(20)).verdict, 'unknown');
  assert.equal(compared([100, null, 100, 100, 100], always(20), RATE).verdict, 'unknown');
  // Zero in three rounds, for which there is no ratio, and twice as long in the other two.
  assert.equal(compared([0, 0, 0, 40, 40], always(20)).verdict, 'unknown');
  const { verdict, sentence } = compared(always(0), always(20));
  assert.equal(verdict, 'unknown');
  assert.match(sentence, /0 ms and 20 ms, of which no round gives a ratio$/);
});

test('a difference that is below zero in a round is not so many times as good, and is better if less is better', () => {
  const { verdict, ratio, sentence } = compared([-1, 1, -1, 1, -1], always(20));
  assert.deepEqual([verdict, ratio], ['unknown', undefined]);
  assert.match(sentence, /-1 ms and 20 ms, of which no round gives a ratio$/);
  const [one] = [summaryOf({ rows: { threadwise: always(-1), a: always(-2), b: always(2) } })];
  assert.equal(bestRow(one, 'ms'), 'a');
  assert.deepEqual(one.rows[0].figures.ms, {
    median: -1,
    min: -1,
    max: -1,
    noise: 0,
    toBestPublished: undefined,
  });
});

test('the best row, of those that are wanted', () => {
  const scenario = summaryOf({
    rows: { threadwise: always(3), a: always(2), b: always(1), c: new Error('no') },
  });
  assert.equal(bestRow(scenario, 'ms'), 'b');
  assert.equal(
    bestRow(scenario, 'ms', ({ role }) => role === 'ours'),
    'threadwise',
  );
  assert.equal(
    bestRow(scenario, 'ms', ({ id }) => id === 'c'),
    undefined,
  );
  assert.equal(bestRow(undefined, 'ms'), undefined);
});
