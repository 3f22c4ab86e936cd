import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { test } from 'node:test';
import { experiments } from '../catalog.js';
import { DOCUMENTS } from '../documents.js';
import { renderDocuments, saved } from './document.js';
import { withTables } from './markdown.js';
import { always, curveOf, MACHINE, RATE, summaryOf } from './made-up.js';

const ID = DOCUMENTS[0].experiments[0];
const reading = {
  id: ID,
  title: 'How files are read',
  published: {
    source: 'S9, an article | about files',
    machine: '4 cores',
    method: 'They read files.',
    finding: 'Reading is slow.',
    tables: [{ title: 'Reads', head: ['way', 'ms'], rows: [['sync', 12]] }],
  },
  differs: 'Ours are other files.',
  x: () => 'threads',
  judge: (scenarios, { fasterThan }) => {
    const { verdict, sentence } = fasterThan(scenarios[0], 'threadwise', 'inline', 'ms');
    return [
      {
        claim: 'threads win',
        holds: verdict === 'unknown' ? undefined : verdict === 'faster',
        said: sentence,
      },
    ];
  },
  conclude: (scenarios, { fasterThan }) => [fasterThan(scenarios[0], 'threadwise', 'inline', 'ms').sentence],
  page: {
    claim: 'Reading is slow',
    question: 'Is reading slow?',
    why: () => 'It is | so.',
    says: () => ['One.', 'Two.', 'Three <.'],
    picture: (scenarios) => ({
      title: 'Rates [a]',
      legend: [['ours', 'threadwise']],
      panels: [
        {
          title: 'Rates',
          x: { label: 'threads' },
          y: { label: 'rate' },
          series: [
            { kind: 'ours', points: scenarios.filter(({ x }) => x).map(({ x }) => ({ x, value: x })) },
          ],
        },
      ],
    }),
  },
};
const resultOf = (scenarios) => ({
  ...{ experiment: ID, threads: 2, rounds: 5, date: '2026-01-02T03:04:05.678Z', machine: MACHINE },
  git: { commit: '0123456789abcdef', hasChanges: false },
  ...{ durationMs: 90_000, scenarios },
});
const one = summaryOf({
  title: 'One <file>',
  rows: {
    threadwise: [10, 12, 11, 10, 11],
    a: new Error('it broke\n  at x'),
    inline: always(22),
    'as-published': always(1),
  },
});
const curve = curveOf(
  [1, 2],
  { threadwise: [always(100), always(150)], inline: [always(90), new Error('gone')] },
  { metric: RATE },
);

const pageOf = (all) => renderDocuments(all)['experiments.md'];
const linesOf = (text) => text.split('\n').filter((line) => line !== '');
const sectionOf = (text, id) => linesOf(text.split(`\n## ${id}\n`)[1].split('\n## ')[0]);

test('a section has a question, a picture and what is said of it; the rest is folded away', () => {
  const made = renderDocuments([{ experiment: reading, result: resultOf([one, ...curve]) }]);
  const lines = sectionOf(made['experiments.md'], ID);
  const folds = lines.flatMap((line, i) => (line === '<details>' ? [i] : []));
  assert.deepEqual(lines.slice(0, folds[0]), [
    '**Is reading slow?**',
    `![Rates a](images/${ID}.svg)`,
    'One. Two. Three &lt;.',
  ]);
  const faster = 'threadwise is faster than inline: 2 x (1.8 to 2.2 x), by total ms';
  assert.deepEqual(lines.slice(folds[0]), [
    ...['<details>', '<summary>The claims, one by one</summary>'],
    ...[`- threads win: **holds** (${faster})`, '</details>'],
    ...['<details>', '<summary>The method, and where ours differs</summary>'],
    'S9, an article | about files (4 cores). They read files.',
    ...['Found: Reading is slow.', 'Here: Ours are other files.', '</details>'],
    ...['<details>', '<summary>The figures, published and here</summary>', '**Reads, as published**'],
    ...['| way | ms |', '| --- | ---: |', '| sync | 12 |'],
    '**One &lt;file>**',
    ...['|  | total ms | from - to |', '| --- | ---: | ---: |'],
    '| threadwise | 11 | 10 - 12 |',
    '| a | failed: it broke |  |',
    '| inline | 22 | 22 - 22 |',
    '| as-published | 1 | 1 - 1 |',
    '**calls/s**',
    ...['| threads | 1 | 2 |', '| --- | ---: | ---: |', '| threadwise | 100 | 150 |', '| inline | 90 | - |'],
    '- inline, threads 2: failed: gone',
    'What follows from them:',
    ...[`- The published finding holds here: threads win: holds (${faster}).`, `- ${faster}.`],
    '2 threads where a row says no other number, 2 cores of Some CPU, Node v20.19.0, median of 5 rounds, 2026-01-02, commit 0123456. ' +
      'The rounds of a row differ by 0 % of its figure (the median of all rows), by 18 % at most. ' +
      'Load of the machine before: 0.5. It took 1.5 minutes.',
    '</details>',
  ]);
  assert.match(made[`images/${ID}.svg`], /^<svg [^>]*aria-label="Rates \[a\]"/);
});

/** The last two cells of an experiment's row on the first screen. */
function verdictOf(experiment, result) {
  const row = linesOf(pageOf([{ experiment, result }])).find((line) => line.includes(`(#${ID})`));
  return row.split(' | ').slice(-2);
}

test('the first screen has the document, its author, its claim, whether that holds, and why', () => {
  const { title, author } = DOCUMENTS[0];
  const result = resultOf([one]);
  const lines = linesOf(pageOf([{ experiment: reading, result }]));
  assert.ok(
    lines.includes(`| *${title}*<br>${author} | [Reading is slow](#${ID}) | **holds** | It is \\| so. |`),
  );
  assert.ok(
    lines.some((line) =>
      line.startsWith('Measured on 2 cores of Some CPU, Node v20.19.0, commit 0123456, load before 0.5.'),
    ),
  );
  const judged = (...each) =>
    verdictOf(
      { ...reading, judge: () => each.map((holds) => ({ claim: 'a', holds, said: 'b' })) },
      result,
    )[0];
  assert.equal(judged(true, false), '**holds\u{a0}in\u{a0}part**');
  assert.equal(judged(false, undefined), '**does\u{a0}not\u{a0}hold**');
  assert.equal(judged('untestable'), '**cannot\u{a0}be\u{a0}tested\u{a0}on\u{a0}this\u{a0}machine**');
  assert.equal(judged(undefined), '**cannot\u{a0}be\u{a0}told**');
});

test('what was not measured says so: nothing at all, or not the program of the document', () => {
  assert.equal(verdictOf(reading, undefined)[0], '**not\u{a0}measured**');
  assert.equal(
    verdictOf(reading, resultOf([summaryOf({ rows: { threadwise: always(1), inline: always(2) } })]))[0],
    '**not\u{a0}measured**',
  );
  const lines = sectionOf(pageOf([{ experiment: reading }]), ID);
  assert.ok(lines.includes(`Not measured yet on this machine: \`threadwise bench ${ID}\`.`));
});

test('what belongs to no document has a page of its own, its method, and no goals', () => {
  const { judge: _, conclude: _own, published: _none, ...ours } = { ...reading, id: 'ours' };
  const goal = { text: 'as fast as can be', of: 'threadwise', metric: 'ms', value: 1, isMet: false };
  const made = renderDocuments([{ experiment: ours, result: resultOf([{ ...one, goals: [goal] }]) }]);
  assert.ok(!made['experiments.md'].includes('## ours'));
  assert.ok(made['performance.md'].includes('## ours'));
  assert.ok(!made['performance.md'].includes('as fast as can be'));
  const lines = sectionOf(made['performance.md'], 'ours');
  const method = lines.indexOf('<summary>The method</summary>');
  assert.equal(lines[method + 1], 'Ours are other files.');
});

test('tables that only this experiment has come with what was measured, and have no empty cells', () => {
  const tables = ([scenario], { estimate }) => [
    {
      title: 'A matrix',
      head: ['', 'a', 'b'],
      rows: [['x', estimate(scenario, 'inline', 'ms').value, undefined]],
    },
  ];
  const lines = sectionOf(pageOf([{ experiment: { ...reading, tables }, result: resultOf([one]) }]), ID);
  const at = lines.indexOf('**A matrix**');
  assert.deepEqual(lines.slice(at + 1, at + 4), ['|  | a | b |', '| --- | ---: | ---: |', '| x | 22 | - |']);
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
  const lines = sectionOf(pageOf([{ experiment: reading, result: resultOf([one, ...large, ...small]) }]), ID);
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
    () => pageOf([{ experiment: broken, result: resultOf([one]) }]),
    new RegExp(`saved result of '${ID}' does not fit.*threadwise bench ${ID}`),
  );
});

test('the pages, their pictures and the README are what the saved results give: `npm run bench -- report` makes them', async () => {
  const docs = new URL('../../docs/', import.meta.url);
  const all = saved(await experiments());
  const made = renderDocuments(all);
  const readme = readFileSync(new URL('../README.md', docs), 'utf8');
  assert.equal(readme, withTables(readme, all), 'README.md');
  for (const [path, text] of Object.entries(made))
    assert.equal(readFileSync(new URL(path, docs), 'utf8'), text, path);
  const pictures = Object.keys(made).filter((path) => path.endsWith('.svg'));
  assert.deepEqual(
    readdirSync(new URL('images/', docs))
      .map((name) => `images/${name}`)
      .toSorted(),
    pictures.toSorted(),
  );
});
