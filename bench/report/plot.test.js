import assert from 'node:assert/strict';
import { test } from 'node:test';
import { always, curveOf, RATE, summaryOf } from './made-up.js';
import { renderPlot, renderPlots } from './plot.js';

const definition = {
  ...{ title: 'Rates', metric: 'rate', x: { label: 'threads' } },
  rows: ['threadwise', 'inline', 'absent'],
};
const rates = (rows) => curveOf([1, 2, 4, 8], rows, { metric: RATE });
const drawn = (rows, more = {}) => renderPlot({ ...definition, ...more }, rates(rows));

/** [line, column] of each place where a letter is, from the lines between the title and the legend. */
function placesOf(text, letter) {
  const lines = text.split('\n').slice(1, -2);
  return lines.flatMap((line, row) =>
    [...line].flatMap((char, column) => (char === letter ? [[row, column]] : [])),
  );
}

test('each curve has its letter at each of its points, the higher the more', () => {
  const text = drawn({ threadwise: [100, 200, 400, 300].map(always), inline: [50, 50, 50, 50].map(always) });
  const [first, second, third, last] = placesOf(text, 'a').toSorted((a, b) => a[1] - b[1]);
  assert.ok(third[0] < last[0] && last[0] < second[0] && second[0] < first[0]);
  assert.equal(second[1] - first[1], last[1] - third[1], 'as far from each other');
  const flat = placesOf(text, 'b');
  assert.equal(flat.length, 4);
  assert.equal(new Set(flat.map(([row]) => row)).size, 1, 'on one line');
  assert.match(text, /^Rates\n/);
  assert.match(text, /calls\/s, by threads/);
  assert.match(text, /a threadwise {3}b inline$/);
  assert.ok(!text.includes('absent'));
});

test('the lowest label is a plain zero, whatever the highest is', () => {
  for (const most of [31.4, 0.07, 0.3, 1 / 3, 1234.567]) {
    const text = drawn({ threadwise: [most / 2, most, most / 3, most / 7].map(always) });
    assert.match(text, /^ *0 [┤┼]/m, String(most));
  }
});

test('the highest value is at the top and is the label there; x is below its points', () => {
  const text = drawn({ threadwise: [100, 200, 400, 300].map(always) });
  const lines = text.split('\n').slice(2);
  assert.match(lines[0], /^400 [┤┼].*a/);
  const axis = lines.find((line) => /^ +1 +2 +4 +8$/.test(line));
  for (const [i, [, column]] of placesOf(text, 'a')
    .toSorted((a, b) => a[1] - b[1])
    .entries()) {
    assert.equal(axis[column], String(2 ** i));
  }
  for (const line of lines) assert.ok(line.length <= 80, line);
});

test('a curve that misses points has its letters and no line; where curves meet is an asterisk', () => {
  const threadwise = [100, 200, 400, 300].map(always);
  const text = drawn({ threadwise, inline: [new Error('no'), always(200), new Error('no'), always(30)] });
  assert.equal(placesOf(text, 'a').length, 3);
  assert.equal(placesOf(text, 'b').length, 1);
  assert.equal(placesOf(text, '*').length, 1);
});

test('on a scale of powers, equal factors are equal distances', () => {
  const text = drawn({ threadwise: [1, 10, 100, 1000].map(always) }, { isLog: true });
  const rows = placesOf(text, 'a')
    .map(([row]) => row)
    .toSorted((a, b) => a - b);
  const steps = rows.slice(1).map((row, i) => row - rows[i]);
  assert.ok(Math.max(...steps) - Math.min(...steps) <= 1, 'but for rounding');
  assert.match(text, /a scale of powers/);
});

test('x can be something else, and scenarios can be chosen', () => {
  const all = [1, 2, 3].map((cores) => ({
    ...summaryOf({ id: `c${cores}`, metric: RATE, rows: { threadwise: always(cores) } }),
    cores,
  }));
  const chosen = { x: { label: 'cores', of: ({ cores }) => cores }, scenarios: ({ cores }) => cores < 3 };
  const text = renderPlot({ ...definition, ...chosen }, all);
  assert.equal(placesOf(text, 'a').length, 2);
  assert.match(text, /by cores/);
});

test('where there is no curve there is no plot', () => {
  assert.equal(drawn({ other: [1, 2, 3, 4].map(always) }), '', 'none of its rows');
  assert.equal(drawn({ threadwise: [0, 0, 0, 0].map(always) }), '', 'nothing but zeros');
  assert.equal(renderPlot(definition, rates({ threadwise: [1, 2, 3, 4].map(always) }).slice(0, 1)), '');
  assert.equal(renderPlot(definition, []), '');
  assert.deepEqual(renderPlots({}, []), []);
  assert.deepEqual(renderPlots({ plots: [definition] }, []), []);
});
