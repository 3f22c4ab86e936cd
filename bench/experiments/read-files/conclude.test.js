import assert from 'node:assert/strict';
import { test } from 'node:test';
import { conclude } from '../../conclusions/tools.js';
import { always, MACHINE, RATE, summaryOf } from '../../report/made-up.js';
import { renderPicture } from '../../report/picture/picture.js';
import { twoFiles } from '../../fixtures/two-files.js';
import experiment from '../read-files.js';
import { page } from './page.js';
import { twoRequests } from './two-requests.js';

const LOOP = 'as published, loop of readFileSync';
const ALL = 'as published, Promise.all of readFile';
const scenario = (id, loop, all) =>
  summaryOf({ id, metric: { ...RATE, id: 'readsPerSecond' }, rows: { [LOOP]: loop, [ALL]: all } });

test('each of the three files is judged apart: two of three is in part', () => {
  const [said] = conclude(experiment, {
    scenarios: [
      scenario('small-many', always(100), always(23)),
      scenario('small-few', always(100), always(32)),
      scenario('large', [10, 20, 10, 20, 10], [20, 10, 20, 10, 20]),
    ],
    machine: MACHINE,
  });
  assert.match(said, /holds here in part: synchronously, 3\.3 kB x 10,000: holds/);
  assert.match(said, /synchronously, 3\.3 kB x 100: holds/);
  assert.match(said, /asynchronously, 6\.5 MB x 100: cannot be told/);
});

test('the load of each core is a curve of its own, and what was not looked at is not drawn', () => {
  const one = scenario('large', always(1), always(1));
  const titles = (scenarios) =>
    [...renderPicture(page.picture(scenarios)).matchAll(/>(Load of cores[^<]*)</g)].map(([, title]) => title);
  assert.deepEqual(titles([one]), []);
  const [row] = one.rows;
  row.samples[0] = {
    ...row.samples[0],
    coresOverTime: [
      [100, 0],
      [100, 10],
      [100, 0],
    ],
  };
  assert.deepEqual(titles([one]), ['Load of cores, readFileSync']);
  const panel = page.picture([one]).panels.find(({ title }) => title === 'Load of cores, readFileSync');
  assert.deepEqual(
    panel.series.map(({ points }) => points.map(({ value }) => value)),
    [
      [100, 100, 100],
      [0, 10, 0],
    ],
  );
});

test('two requests at once: one after the other if reads block, in turns if they do not', async (t) => {
  const { given, remove } = twoFiles.make();
  t.after(remove);
  const budget = { repeats: 3 };
  const [blocking, not] = await Promise.all(
    ['readFileSync', 'readFile'].map((way) => twoRequests.run({ way, given, budget })),
  );
  const [[[, firstEnded]], [[secondBegan]]] = blocking.spansUs;
  assert.ok(firstEnded <= secondBegan);
  for (const spans of not.spansUs) assert.equal(spans.length, 2);
  const handedOver = not.spansUs.map(([[, ended]]) => ended);
  const answered = not.spansUs.map(([, [began]]) => began);
  assert.ok(
    Math.max(...handedOver) <= Math.min(...answered),
    'both reads are handed over before one is answered',
  );
});
