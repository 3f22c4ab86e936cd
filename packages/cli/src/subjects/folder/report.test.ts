/** The page about a folder: how busy the cores were, drawn and in words. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { renderHtml } from '../../report/html/page.js';
import { FAKE_MADE } from '../../report/made.test.fake.js';
import { renderMarkdown } from '../../report/markdown.js';
import { renderTerminal } from '../../report/terminal.js';
import { folderReport } from './report.js';
import { analyzeFolder } from './rules/analyze.js';
import { fakeClass, fakeFolder, fakeRounds, MORE_IN_WORKERS } from './rules/samples.test.fake.js';

type Busy = readonly (readonly number[])[];

/** A report in which every way had the cores this busy. */
function reportFor(busy: Busy) {
  const { ways, control } = fakeRounds(MORE_IN_WORKERS);
  const warm = { ways: ways.map((way) => ({ ...way, busy })), control };
  return folderReport(analyzeFolder(fakeFolder([fakeClass(warm)])));
}

const pageFor = (busy: Busy): string => renderHtml(reportFor(busy), FAKE_MADE);

const steps = (count: number, shares: (step: number) => readonly number[]): Busy =>
  Array.from({ length: count }, (_, step) => shares(step));

describe('analyze files: cores over time, on the page', () => {
  test('each core has a lane, and the same in words', () => {
    const page = pageFor(steps(4, (step) => [1, step / 4]));
    assert.match(page, /Cores over time: .*, files /);
    assert.match(page, /core 0: busy for 100 % of the time, from 100 % to 100 %; core 1: busy for 38 %/);
    assert.match(page, /from 0 % to 75 %/);
    assert.match(page, /0 % · 25 % · 50 % · 75 %/);
    // Four steps from left to right, the first at the bottom and the last three quarters up.
    const [, first, last] =
      /class="pool-fill" d="M82 100V(\d+)H[\d.]+V\d+H[\d.]+V\d+H[\d.]+V(\d+)H388V100Z"/.exec(page)!;
    assert.deepEqual([first, last], ['100', '70']);
  });

  test('of many cores it is their mean', () => {
    const cores = Array.from({ length: 64 }, (_, core) => core % 2);
    assert.match(pageFor(steps(5, () => cores)), /64 cores: busy for 50 % of the time, from 50 % to 50 %/);
  });

  test('what could not be measured is left out', () => {
    const page = pageFor(steps(5, () => [Number.NaN, 0.5]));
    assert.doesNotMatch(page, /NaN/);
    assert.match(page, /core 1: busy for 50 %/);
    assert.doesNotMatch(pageFor(steps(3, () => [1, 1])), /Cores over time/, 'too few for a curve');
    assert.doesNotMatch(pageFor([]), /Cores over time/);
  });
});

test('analyze files: below a plot of cores on a terminal stands what its lines are', () => {
  const under = (cores: number): string => {
    const report = reportFor(steps(5, () => new Array<number>(cores).fill(0.5)));
    return renderTerminal(report, { columns: 100, isColor: false, isVerbose: true });
  };
  assert.match(
    under(2),
    /Cores over time: .*\n(?:.*%.*\n)+ {2}how busy over time: one line for each of 2 cores\n/,
  );
  assert.match(under(64), /\n {2}how busy over time: 64 cores\n/);
});

test('analyze files: the table says of noise above 100 % what the warning says', () => {
  const { ways } = fakeRounds(MORE_IN_WORKERS);
  const control = ways[0]!.rate.map((rate, round) => rate * (round % 2 === 0 ? 0.3 : 5));
  const folder = fakeFolder([fakeClass({ ways, control })]);
  const report = renderMarkdown(folderReport(analyzeFolder(folder)));
  assert.match(report, /two runs of the very same differ by more than 100 %/);
  assert.match(report, /\| ± more than 100 % \|/);
});

describe('analyze files: what has no rows is no table', () => {
  const noRates = fakeClass({ ways: [], control: [] });
  for (const [what, classes, titles] of [
    ['no class of sizes', [], ['How it was measured']],
    ['a class of which nothing was measured', [noRates], ['By size', 'How it was measured']],
  ] as const) {
    test(what, () => {
      const report = folderReport(analyzeFolder(fakeFolder(classes)));
      const headings = [...renderMarkdown(report).matchAll(/^## (.*)\n\n\|/gm)].map(([, title]) => title);
      assert.deepEqual(headings, titles);
      const captions = [...renderHtml(report, FAKE_MADE).matchAll(/<caption>(.*?)<\/caption>/g)];
      assert.deepEqual(
        captions.map(([, title]) => title),
        titles,
      );
      const text = renderTerminal(report, { columns: 100, isColor: false, isVerbose: true });
      assert.doesNotMatch(text, /Files below/);
    });
  }
});
