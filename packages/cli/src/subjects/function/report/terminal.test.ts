import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'threadwise-test/fast-check';
import { widthOf } from '../../../format/text.js';
import { renderTerminal as view, type TerminalOptions } from '../../../report/terminal.js';
import type { Findings } from '../rules/analyze.js';
import { anyFindings, NO_FIGURE } from './findings.arbitrary.test.fake.js';
import { fakeFindings, fakeSamples, five, hostileFindings, nothingFound } from './findings.test.fake.js';
import { recommendedCode } from './explanation.js';
import { functionReport } from './report.js';

const renderTerminal = (findings: Findings, options: TerminalOptions): string =>
  view(functionReport(findings), { isVerbose: true, ...options });

const render = (findings = fakeFindings(), columns = 200): string[] =>
  renderTerminal(findings, { columns, isColor: false }).trimEnd().split('\n');

/** The lines of a block, below its title and up to the next blank line, in cells. */
function block(title: string, lines = render()): string[][] {
  const start = lines.indexOf(title) + 1;
  assert.notEqual(start, 0, `no '${title}' in\n${lines.join('\n')}`);
  const end = lines.indexOf('', start);
  return lines.slice(start, end < 0 ? undefined : end).map((line) => line.trim().split(/\s{2,}/));
}

test('the verdict comes first, then why, what to know, what to do, and the figures', () => {
  const lines = render();
  assert.equal(lines[0], 'Threads pay: 3.6 x with 4 threads');
  const titles = lines.filter((line) => /^\S/.test(line)).slice(1);
  assert.deepEqual(titles, [
    'Why',
    'Before you believe it',
    'Recommended',
    'Rate by threads',
    'Threads begin to pay at',
    'What a crossing costs',
    'Calls/s by cores and threads',
    'Running time of a call, inline',
    'Bytes that cross',
    'Running time by size of the input',
    'How it was measured',
  ]);
  assert.deepEqual(block('Why')[0], ['- there are 4 cores']);
  assert.deepEqual(block('Before you believe it'), [['! 3 of 200 calls failed: no such thing']]);
});

test('without --verbose: verdict, reasons, warnings, code, and where the rest is, in 14 lines', () => {
  const few = (findings: Findings, columns = 80): string[] =>
    renderTerminal(findings, { columns, isColor: false, isVerbose: false }).trimEnd().split('\n');
  assert.deepEqual(few(fakeFindings()), [
    'Threads pay: 3.6 x with 4 threads',
    '  - there are 4 cores',
    "  - with `placement: 'auto'`: 1.1 x the calls of the plain pool",
    '  ! 3 of 200 calls failed: no such thing',
    '  A pool with the options that the verdict speaks of:',
    '',
    "  import { createPool } from 'threadwise';",
    '  const pool = createPool(',
    "    new URL('./tasks.js', import.meta.url),",
    '    { threads: 4 },',
    '  );',
    "  const result = await pool.run('hash', […]);",
    'All figures: --verbose, or --out report.html',
  ]);
  const many = fakeFindings({
    reasons: Array(9).fill('a reason'),
    warnings: ['one', 'two', 'three', 'four'],
  });
  assert.equal(few(many).length, 14);
  assert.ok(few(many).includes('  ! one') && few(many).includes('  ! two'));
  assert.match(few(many).at(-1)!, /^2 more warnings, and all figures: /);
  assert.equal(few(nothingFound()).length, 3);
});

test('rates, their intervals, and what they cost, by threads', () => {
  const rows = block('Rate by threads');
  assert.deepEqual(rows, [
    ['threads', 'calls/s', '95 % interval', 'x inline', 'CPU per call', 'loop delay p99', 'memory'],
    ['none: inline', '1,000', '990 to 1,010', '1 x', '1 ms', '48 ms', '60 MiB'],
    ['1', '950', '950', '0.95 x', '1.1 ms', '1.2 ms', '70 MiB'],
    ['2', '1,900', '1,800 to 2,000', '1.9 x', '1.1 ms', '1.2 ms', '80 MiB'],
    ['4', '3,600', '3,600', '3.6 x', '1.1 ms', '1.2 ms', '100 MiB'],
    ['8', '3,500', '3,500', '3.5 x', '1.1 ms', '1.2 ms', '140 MiB'],
    ['4, 16 inputs a call', '3,800', '3,800', '3.8 x', '1.1 ms', '1.2 ms', '100 MiB'],
  ]);
});

test('where threads begin to pay, what a crossing costs, and what cores do', () => {
  assert.deepEqual(block('Threads begin to pay at').slice(1), [
    ['running time of a call', '15 us', '14 to 16 us'],
    ['number of calls, counting the start of the threads', '56', '50 to 60'],
  ]);
  assert.deepEqual(block('What a crossing costs').slice(1), [
    ["'shared'", '1.4 us', '1.4 us', '20 us'],
    ["'message'", '16 us', '16 us', '50 us'],
  ]);
  assert.deepEqual(block('Calls/s by cores and threads'), [
    ['cores', '1 thread', '2 threads', '4 threads'],
    ['1', '940', '930', '-'],
    ['2', '950', '1,880', '-'],
    ['4', '-', '1,900', '3,600'],
  ]);
});

test('a plot of the rate, from zero up, with the numbers of threads below their points', () => {
  const lines = render();
  const last = lines.findIndex((line) => line.includes('calls/s by threads'));
  assert.equal(lines[last]!.trim(), 'calls/s by threads; the straight line: inline, 1,000');
  assert.deepEqual(lines[last - 1]!.trim().split(/\s+/), ['1', '2', '4', '8']);
  const plot = lines.slice(last - 10, last - 1);
  const labels = plot.map((line) => line.trim().split(/\s+/)[0]);
  // Eight steps of 450 from 3,600, the highest, to zero.
  assert.deepEqual(labels, ['3,600', '3,150', '2,700', '2,250', '1,800', '1,350', '900', '450', '0']);
  // The last point, 3,500, is nearest to 3,600, and so is the top of the curve at 4 threads.
  const top = plot[0]!;
  assert.ok('╭╮╰╯─'.includes(top[lines[last - 1]!.indexOf('4')]!), top);
});

test('the labels of the plot have room for the inline rate, too', () => {
  const { inline } = fakeSamples();
  const samples = fakeSamples({ inline: { ...inline, rate: five(16_000) } });
  const lines = render(fakeFindings({ samples }));
  const plot = lines.slice(lines.findIndex((line) => /^ +16,000 ┼/.test(line)));
  // Eight steps of 2,000; the axis is in the same column everywhere.
  assert.deepEqual(
    plot.slice(0, 9).map((line) => line.slice(0, 10).replace('┤', '┼')),
    ['16,000', '14,000', '12,000', '10,000', ' 8,000', ' 6,000', ' 4,000', ' 2,000', '     0'].map(
      (label) => `  ${label} ┼`,
    ),
  );
});

test('of two points no curve is drawn', () => {
  const { threads } = fakeSamples();
  const two = fakeFindings({ samples: fakeSamples({ threads: threads.slice(0, 2) }) });
  assert.doesNotMatch(render(two).join('\n'), /calls\/s by threads/);
});

/** The code, as it would be pasted. */
const codeOf = (columns: number, findings = fakeFindings()): string[] => {
  const lines = render(findings, columns);
  const start = lines.findIndex((line) => line.startsWith('  import '));
  return lines.slice(start, lines.findIndex((line, i) => i > start && /^ {2}.*\);$/.test(line)) + 1);
};

test('the recommended options are code to paste, at every width', () => {
  assert.deepEqual(codeOf(100), [
    "  import { createPool } from 'threadwise';",
    "  const pool = createPool(new URL('./tasks.js', import.meta.url), { threads: 4 });",
  ]);
  assert.deepEqual(codeOf(80).slice(1), [
    '  const pool = createPool(',
    "    new URL('./tasks.js', import.meta.url),",
    '    { threads: 4 },',
    '  );',
  ]);
  const bare = (columns: number): string =>
    codeOf(columns).join('').replace(/\s/g, '').replaceAll(',)', ')').replaceAll(',}', '}');
  assert.equal(bare(40), bare(100));
});

test('code that has nothing of a hostile name, and names a module that has a plain one', () => {
  assert.match(codeOf(100, hostileFindings()).join('\n'), /new URL\('\.\/tasks\.js', import\.meta\.url\)/);
  const { subject } = fakeSamples();
  const samples = fakeSamples({ subject: { ...subject, module: 'lib/hash.mjs#md5' } });
  const recommended = { placement: 'auto', threads: 2 } as const;
  assert.equal(
    codeOf(200, fakeFindings({ samples, recommended })).at(-1),
    "  const pool = createPool(new URL('./hash.mjs', import.meta.url), { threads: 2, placement: 'auto' });",
  );
});

test('beside a CommonJS module the code is CommonJS', () => {
  const { subject } = fakeSamples();
  const samples = fakeSamples({ subject: { ...subject, module: 'lib/hash.js', isCommonJs: true } });
  const lines = render(fakeFindings({ samples }), 100);
  const start = lines.indexOf("  const { createPool } = require('threadwise');");
  assert.deepEqual(lines.slice(start + 1, start + 2), [
    "  const pool = createPool(require.resolve('./hash.js'), { threads: 4 });",
  ]);
});

test('the code ends in a call of the function, if it can be called as it was measured', () => {
  const { subject } = fakeSamples();
  const last = (changes: Partial<Findings>, more: object = {}): string | undefined =>
    recommendedCode(
      fakeFindings({ samples: fakeSamples({ subject: { ...subject, ...more } }), ...changes }),
      100,
    ).at(-1);
  assert.equal(last({}), "const result = await pool.run('hash', […]);");
  assert.equal(last({}, { isCommonJs: true }), "const promise = pool.run('hash', […]);");
  assert.equal(last({}, { export: "a'b" }), "const result = await pool.run('task', […]);");
  const [batch] = fakeFindings().alternatives;
  assert.match(last({ alternatives: [{ ...batch!, changesVerdict: true }] })!, /^const pool = /);
});

for (const columns of [40, 80, 200]) {
  test(`nothing is wider than ${columns} columns, and no text of a program's steers the terminal`, () => {
    for (const findings of [fakeFindings(), hostileFindings(), nothingFound()]) {
      for (const line of render(findings, columns)) {
        assert.ok(widthOf(line) <= columns, line);
        assert.doesNotMatch(line, /[\p{Cc}\p{Cf}]/u);
      }
    }
    assert.match(render(hostileFindings(), columns).join(' '), /script/);
  });
}

test('in 40 columns each row of a table stands below the other, and nothing is lost', () => {
  const lines = render(fakeFindings(), 40).map((line) => line.trim());
  const at = lines.indexOf('threads 2');
  assert.deepEqual(lines.slice(at + 1, at + 7), [
    'calls/s: 1,900',
    '95 % interval: 1,800 to 2,000',
    'x inline: 1.9 x',
    'CPU per call: 1.1 ms',
    'loop delay p99: 1.2 ms',
    'memory: 80 MiB',
  ]);
});

test('colours only where they are wanted', () => {
  const plain = renderTerminal(fakeFindings(), { columns: 80, isColor: false });
  const coloured = renderTerminal(fakeFindings(), { columns: 80, isColor: true });
  assert.equal(plain.includes('\x1b'), false);
  assert.ok(
    coloured.startsWith('\x1b[1;32mThreads pay: 3.6 x with 4 threads\x1b[0m\n'),
    coloured.slice(0, 60),
  );
  // eslint-disable-next-line no-control-regex -- it is what colours are made of
  assert.equal(coloured.replace(/\x1b\[[\d;]*m/g, ''), plain);
});

test('what was not measured has no place, and no broken figure', () => {
  const lines = render(nothingFound());
  assert.equal(lines[0], 'Cannot tell: not enough was measured');
  assert.doesNotMatch(lines.join('\n'), NO_FIGURE);
  const titles = lines.filter((line) => /^\S/.test(line)).slice(1);
  assert.deepEqual(titles, ['Recommended', 'How it was measured']);
  const noThreads = fakeFindings({ samples: fakeSamples({ threads: [], variants: [], cores: [] }) });
  assert.deepEqual(block('Rate by threads', render(noThreads)).slice(1), [
    ['none: inline', '1,000', '990 to 1,010', '1 ms', '48 ms', '60 MiB'],
  ]);
});

test('one measurement that came to no number does not spoil the others', () => {
  const samples = fakeSamples({
    crossings: [{ transport: 'shared', cpuMs: [Number.NaN, 0.002], loneMs: [] }],
  });
  assert.deepEqual(block('What a crossing costs', render(fakeFindings({ samples }))), [
    ['transport', 'CPU per call', '95 % interval'],
    ["'shared'", '2 us', '2 us'],
  ]);
});

test('a rate of zero everywhere is drawn as no plot', () => {
  const threads = fakeSamples().threads.map((each) => ({ ...each, rate: five(0) }));
  const lines = render(fakeFindings({ samples: fakeSamples({ threads }) }));
  assert.doesNotMatch(lines.join('\n'), /calls\/s by threads/);
});

test('any findings, at any width: it never throws, and shows figures or says that there are none', () => {
  fc.assert(
    fc.property(anyFindings, fc.integer({ min: 20, max: 220 }), (findings, columns) => {
      const text = renderTerminal(findings, { columns, isColor: false });
      assert.doesNotMatch(text, NO_FIGURE);
      for (const line of text.split('\n')) assert.ok(widthOf(line) <= columns, line);
    }),
  );
});
