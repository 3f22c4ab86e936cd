import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { experiments } from '../catalog.js';
import { renderDocument, saved } from './document.js';
import { always, curveOf, MACHINE, RATE, summaryOf } from './made-up.js';

const reading = {
  id: 'reading',
  title: 'How files are read',
  published: {
    source: 'S9, an article | about files',
    machine: '4 cores',
    method: 'They read files.',
    finding: 'Reading is slow.',
    tables: [{ title: 'Reads', head: ['way', 'ms'], rows: [['sync', 12]] }],
  },
  differs: 'Ours are other files.',
  plots: [{ title: 'Rates', metric: 'rate', x: { label: 'threads' }, rows: ['threadwise'] }],
  conclude: (scenarios, { fasterThan }) => [fasterThan(scenarios[0], 'threadwise', 'inline', 'ms').sentence],
};
const resultOf = (scenarios) => ({
  ...{ experiment: 'reading', threads: 2, rounds: 5, date: '2026-01-02T03:04:05.678Z', machine: MACHINE },
  git: { commit: '0123456789abcdef', hasChanges: false },
  scenarios,
});
const one = summaryOf({
  title: 'One <file>',
  rows: { threadwise: [10, 12, 11, 10, 11], a: new Error('it broke\n  at x'), inline: always(22) },
});
const curve = curveOf(
  [1, 2],
  { threadwise: [always(100), always(150)], inline: [always(90), new Error('gone')] },
  { metric: RATE },
);

/** The lines of one section, without those of a plot. */
function sectionOf(text, id) {
  const [, section] = text.split(`\n## ${id}\n`);
  return section
    .split('\n## ')[0]
    .replace(/```text\n[\s\S]*?```/g, '(plot)')
    .split('\n')
    .filter((line) => line !== '');
}

test('a section has what was published, what was measured, and the conclusions from that', () => {
  const text = renderDocument([{ experiment: reading, result: resultOf([one, ...curve]) }]);
  assert.deepEqual(sectionOf(text, 'reading'), [
    'How files are read.',
    '### Published',
    'S9, an article | about files (4 cores). They read files.',
    'Finding: Reading is slow.',
    'Reads, as published:',
    ...['| way | ms |', '| --- | ---: |', '| sync | 12 |'],
    '### Here',
    'Ours are other files.',
    '**One &lt;file>**',
    ...['|  | total ms | from - to |', '| --- | ---: | ---: |'],
    '| threadwise | 11 | 10 - 12 |',
    '| a | failed: it broke |  |',
    '| inline | 22 | 22 - 22 |',
    '**calls/s**',
    ...['| threads | 1 | 2 |', '| --- | ---: | ---: |', '| threadwise | 100 | 150 |', '| inline | 90 | - |'],
    '- inline, threads 2: failed: gone',
    '(plot)',
    'Conclusions:',
    '- threadwise is faster than inline: 2 x (1.8 to 2.2 x), by total ms.',
    '2 threads, 2 cores of Some CPU, Node v20.19.0, median of 5 rounds, 2026-01-02, commit 0123456. ' +
      'From the lowest to the highest round it is 0 % of a figure (the median of all rows), 18 % at most. ' +
      'Load of the machine before: 0.5.',
  ]);
});

test('tables that only this experiment has come with what was measured, and have no empty cells', () => {
  const tables = ([scenario], { estimate }) => [
    {
      title: 'A matrix',
      head: ['', 'a', 'b'],
      rows: [['x', estimate(scenario, 'inline', 'ms').value, undefined]],
    },
  ];
  const lines = sectionOf(
    renderDocument([{ experiment: { ...reading, tables }, result: resultOf([one]) }]),
    'reading',
  );
  const at = lines.indexOf('**A matrix**');
  assert.deepEqual(lines.slice(at + 1, at + 4), ['|  | a | b |', '| --- | ---: | ---: |', '| x | 22 | - |']);
});

test('what was not measured says so, and what belongs to no document comes last', () => {
  const ours = { id: 'a-first', title: 'Ours' };
  const text = renderDocument([{ experiment: ours }, { experiment: reading }]);
  assert.match(
    text,
    /\| \[reading\]\(#reading\) \| How files are read \| S9, an article \\\| about files \| not yet \|/,
  );
  assert.ok(text.indexOf('\n## reading\n') < text.indexOf('\n## a-first\n'));
  assert.ok(
    sectionOf(text, 'a-first').includes('Not measured yet on this machine: `threadwise bench a-first`.'),
  );
});

test('several curves have tables of their own', () => {
  const small = curveOf(
    [1, 2],
    { threadwise: [always(1), always(2)] },
    { metric: RATE, curve: 'small files' },
  );
  const large = curveOf(
    [1, 4],
    { threadwise: [always(3), always(4)] },
    { metric: RATE, curve: 'large files' },
  );
  const lines = sectionOf(
    renderDocument([{ experiment: reading, result: resultOf([one, ...large, ...small]) }]),
    'reading',
  );
  const at = (line) => {
    assert.ok(lines.includes(line), line);
    return lines.indexOf(line);
  };
  assert.equal(lines[at('**small files, calls/s**') + 3], '| threadwise | 1 | 2 |');
  assert.equal(lines[at('**large files, calls/s**') + 3], '| threadwise | 3 | 4 |');
});

test('a result that the conclusions do not fit any more is told, with what to do', () => {
  const broken = { ...reading, conclude: ([scenario]) => [scenario.nothing.at(0)] };
  assert.throws(
    () => renderDocument([{ experiment: broken, result: resultOf([one]) }]),
    /saved result of 'reading' does not fit.*threadwise bench reading/,
  );
});

test('docs/experiments.md is what the saved results give: `npm run bench -- report` makes it', async () => {
  const there = readFileSync(new URL('../../docs/experiments.md', import.meta.url), 'utf8');
  assert.equal(there, renderDocument(saved(await experiments())));
});
