import assert from 'node:assert/strict';
import { test } from 'node:test';
import { renderMarkdown, withTables } from './markdown.js';
import { always, summaryOf } from './made-up.js';
import { summarize } from '../conclusions/summary.js';

const scenario = {
  id: 'speed',
  title: 'x | y',
  metrics: [
    { id: 'rate', label: 'calls/s', unit: 'calls/s', better: 'higher' },
    { id: 'cpu', label: 'CPU us', unit: 'us of CPU', better: 'lower' },
  ],
  highlights: [{ metric: 'rate' }, { metric: 'cpu', of: 'threadwise (other)', text: 'its CPU' }],
};
const experiment = { id: 'synthetic', scenarios: [scenario] };
const entries = [
  ['threadwise', 'ours'],
  ['threadwise (other)', 'ours'],
  ['a', 'published'],
  ['b', 'published'],
  ['inline', 'inline'],
].map(([id, role]) => ({ id, contender: { id, role } }));
const samples = {
  speed: {
    threadwise: [{ rate: 3_000_000, cpu: 1 }],
    'threadwise (other)': [{ rate: 2_000_000, cpu: 0.5 }],
    a: [{ rate: 100_000, cpu: 9 }],
    b: [{ rate: 90_000, cpu: 8 }],
    inline: [{ rate: 15_000_000, cpu: 0.1 }],
  },
};

function resultOf(failures = []) {
  return {
    ...{ experiment: 'synthetic', threads: 2, rounds: 5, date: '2026-01-02T03:04:05.678Z' },
    machine: { cpu: 'Some CPU', cores: 2, node: 'v20.19.0' },
    git: { commit: '0123456789abcdef', hasChanges: false },
    scenarios: summarize([{ scenario, entries }], { samples, failures }),
  };
}

const HEAD = [
  '|  | threadwise | best published pool | times as good (95 % interval) | without a pool |',
  '| --- | ---: | ---: | ---: | ---: |',
];
const PLACE =
  '2 threads where a row says no other number, 2 cores of Some CPU, Node v20.19.0, median of 1 round, 2026-01-02, commit 0123456.';

test('the table has a line for each highlight, and says where it was measured', () => {
  assert.deepEqual(renderMarkdown(experiment, resultOf()).split('\n'), [
    ...HEAD,
    '| x \\| y | 3,000,000 calls/s | 100,000 calls/s (a) | 30 x | 15,000,000 calls/s (inline) |',
    '| its CPU | 0.5 us of CPU | 8 us of CPU (b) | 16 x | 0.1 us of CPU (inline) |',
    ...['', PLACE],
  ]);
});

test('what has no figures says so, ours as well as published pools; without any highlight there is no table', () => {
  const refuse = (entry, message) => ({ scenario: 'speed', entry, round: 0, isAvailable: false, message });
  const broken = { ...refuse('a', 'run_main:1\n\nError: it broke\n  at x'), isAvailable: true };
  const failures = [refuse('threadwise (other)', 'too old'), broken, refuse('inline', 'no')];
  assert.deepEqual(renderMarkdown(experiment, resultOf(failures)).split('\n').slice(2, -1), [
    '| x \\| y | 3,000,000 calls/s | 90,000 calls/s (b) | 33 x |  |',
    '| its CPU | not available: too old | 8 us of CPU (b) |  |  |',
    '',
    "Not among the published pools: a in 'x | y' (failed: Error: it broke); a in 'its CPU' (failed: Error: it broke).",
    '',
  ]);
  const nothing = { id: 'synthetic', scenarios: [{ ...scenario, highlights: [] }] };
  assert.throws(() => renderMarkdown(nothing, resultOf()), /Nothing in the result of 'synthetic'/);
});

/** A result of two scenarios, of which the second has fewer rounds. */
function ofRounds() {
  const scenarios = [
    summaryOf({ id: 'speed', x: 1, rows: { threadwise: [10, 11, 10, 10, 10], a: always(20) } }),
    summaryOf({ id: 'long', x: 2, rows: { threadwise: [10, 10, 10], a: [40, 40, 40], inline: [5, 5, 5] } }),
  ];
  const highlights = [{ metric: 'ms' }];
  return {
    experiment: { id: 'synthetic', scenarios: scenarios.map(({ id }) => ({ id, highlights })) },
    result: { ...resultOf(), git: { commit: '0123456789abcdef', hasChanges: true }, scenarios },
  };
}

test('it says how sure a ratio is, how many rounds there were, whether files had changed, and what inline took on the same curve', () => {
  const { experiment: of, result } = ofRounds();
  const lines = renderMarkdown(of, result).split('\n');
  assert.deepEqual(lines.slice(2, 4), [
    '| Made up | 10 ms | 20 ms (a) | 2 x (1.8 to 2.1 x) | 5 ms (inline) |',
    '| Made up | 10 ms | 40 ms (a) | 4 x | 5 ms (inline) |',
  ]);
  assert.match(
    lines.at(-1),
    /median of 3 to 5 rounds, 2026-01-02, commit 0123456 with changes\. The rounds of a row differ by/,
  );
});

test('a table goes between its markers, and the rest of the text stays', () => {
  const text = 'before\n<!-- bench:synthetic -->\nold\n<!-- /bench:synthetic -->\nafter\n';
  const all = [
    { experiment, result: resultOf() },
    { experiment: { ...experiment, id: 'other' }, result: undefined },
  ];
  const once = withTables(text, all);
  const [before, after] = once.split(renderMarkdown(experiment, resultOf()));
  assert.deepEqual(
    [before, after],
    ['before\n<!-- bench:synthetic -->\n', '\n<!-- /bench:synthetic -->\nafter\n'],
  );
  assert.equal(withTables(once, all), once, 'a second time changes nothing');
  assert.equal(withTables('no markers', all), 'no markers');
  assert.throws(
    () => withTables('<!-- bench:synthetic -->', all),
    /expected <!-- \/bench:synthetic --> behind/,
  );
});
