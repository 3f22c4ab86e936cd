import assert from 'node:assert/strict';
import { test } from 'node:test';
import { renderPicture } from './picture.js';

const series = (kind, ...points) => ({
  kind,
  points: points.map(([x, value, low, high]) => ({ x, value, low, high })),
});
const panel = (...all) => ({
  title: 'A panel',
  x: { label: 'threads' },
  y: { label: 'times as fast' },
  series: all,
});
const draw = (
  panels,
  legend = [
    ['published', 'there'],
    ['ours', 'here'],
    ['inline', 'none'],
  ],
) => renderPicture({ title: 'A picture', legend, panels });
const pathsOf = (svg, name) =>
  [...svg.matchAll(new RegExp(`<path class="${name}"[^>]* d="([^"]*)"`, 'g'))].map(([, path]) => path);

test('a curve has a line, a mark at each point, and its interval as a band', () => {
  const svg = draw([panel(series('ours', [1, 1, 0.9, 1.1], [2, 2, 1.8, 2.2], [16, 3, 2.5, 3.5]))]);
  assert.equal(pathsOf(svg, 'b ours').length, 1);
  assert.equal(pathsOf(svg, 'm ours').length, 3 + 1, 'and one in the legend');
  assert.match(svg, />times as fast</);
});

test('the first axis is one of numbers: what is further apart is drawn further apart', () => {
  const [, path] = pathsOf(draw([panel(series('ours', [1, 1], [5, 1], [16, 1]))]), 'l ours');
  const [first, second, third] = path.match(/[\d.]+(?=,)/g).map(Number);
  assert.ok(Math.abs((third - second) / (second - first) - 11 / 4) < 0.01);
});

test('what has no figures is not drawn, and not in the legend; of nothing there is no picture', () => {
  const svg = draw([
    panel(series('ours', [1, 1], [2, undefined]), series('inline', [1, undefined])),
    panel(series('inline')),
  ]);
  assert.equal(svg.match(/>A panel</g).length, 1);
  assert.doesNotMatch(svg, />none<|>there<|NaN/);
  assert.equal(draw([panel(series('ours'))]), undefined);
});

test('a single figure with its interval has a whisker, and a name for each line is there once', () => {
  const rows = ['a', 'b'].map((label) => ({ label, marks: [{ kind: 'ours', value: 1, low: 0.5, high: 2 }] }));
  const dots = { title: 'Dots', x: { label: 'times' }, rows };
  const svg = draw([dots, { ...dots, isNamed: false }]);
  assert.equal(svg.match(/>a</g).length, 1);
  assert.equal(svg.match(/<rect class="b ours"/g).length, 4);
  assert.equal(pathsOf(draw([panel(series('ours', [1, 1, 0.5, 2]))]), 'w ours').length, 1);
});

test('spans of time are bars', () => {
  const svg = draw([
    {
      title: 'Turns',
      x: { label: 'us' },
      lanes: [
        {
          label: 'P1',
          kind: 'ours',
          spans: [
            [0, 10],
            [20, 30],
          ],
        },
        { label: 'P2', kind: 'inline', spans: [] },
      ],
    },
  ]);
  const [bars] = pathsOf(svg, 's ours');
  assert.equal(bars.match(/Z/g).length, 2);
  assert.doesNotMatch(svg, />P2</);
});

test('figures of ten powers, zeros and texts with signs of markup give a picture', () => {
  const log = {
    ...panel(series('ours', [100, 0.001], [1e7, 1000])),
    x: { label: 'n <&>', isLog: true },
    y: { label: 'y', isLog: true },
  };
  const svg = draw([log, panel(series('ours', [1, 0], [2, 0]))]);
  assert.match(svg, />n &lt;&amp;>/);
  assert.doesNotMatch(svg, /NaN|Infinity/);
});

test('it is drawn for light and for dark', () => {
  assert.match(draw([panel(series('ours', [1, 1]))]), /prefers-color-scheme:dark/);
});
