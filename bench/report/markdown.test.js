import assert from 'node:assert/strict';
import { test } from 'node:test';
import { markersOf, renderMarkdown, replaceBetween } from './markdown.js';
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

test('the table has a line for each highlight, and says where it was measured', () => {
  assert.deepEqual(renderMarkdown(resultOf()).split('\n'), [
    '| | threadwise | best published pool | times as good | without a pool |',
    '| --- | ---: | ---: | ---: | ---: |',
    '| x \\| y | 3,000,000 calls/s | 100,000 calls/s (a) | 30 x | 15,000,000 calls/s (inline) |',
    '| its CPU | 0.5 us of CPU | 8 us of CPU (b) | 16 x | 0.1 us of CPU (inline) |',
    '',
    '2 threads, 2 cores of Some CPU, Node v20.19.0, median of 5 rounds, 2026-01-02, commit 0123456.',
  ]);
});

test('what was not measured has no line; without any line there is no table', () => {
  const refuse = (entry) => ({ scenario: 'speed', entry, round: 0, isAvailable: false, message: 'no' });
  const text = renderMarkdown(resultOf([refuse('threadwise (other)'), refuse('a'), refuse('inline')]));
  assert.match(text, /\| x \\\| y \| 3,000,000 calls\/s \| 90,000 calls\/s \(b\) \| 33 x \| {2}\|/);
  assert.doesNotMatch(text, /its CPU/);
  const nothing = resultOf([refuse('threadwise'), refuse('threadwise (other)')]);
  assert.throws(() => renderMarkdown(nothing), /Nothing in the result of 'synthetic'/);
});

test('a table goes between its markers, and the rest of the text stays', () => {
  const markers = markersOf('crossing');
  assert.deepEqual(markers, { begin: '<!-- bench:crossing -->', end: '<!-- /bench:crossing -->' });
  const text = 'before\n<!-- bench:crossing -->\nold\n<!-- /bench:crossing -->\nafter\n';
  const once = replaceBetween(text, markers, '| new |');
  assert.equal(once, 'before\n<!-- bench:crossing -->\n| new |\n<!-- /bench:crossing -->\nafter\n');
  assert.equal(replaceBetween(once, markers, '| new |'), once, 'a second time changes nothing');
  assert.throws(() => replaceBetween('no markers', markers, ''), /<!-- bench:crossing --> and/);
  assert.throws(() => replaceBetween(text, markersOf('other'), ''), /no markers/);
});
