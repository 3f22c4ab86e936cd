// The conclusions of all experiments that repeat documents, from made-up figures: whatever was measured, there are
// sentences, and they say what the figures say.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { contenders, experiments } from '../../catalog.js';
import { entriesOf } from '../../driver/entries.js';
import { withInline } from '../../conclusions/rows.js';
import { conclude, toolsFor } from '../../conclusions/tools.js';
import { MACHINE } from '../../report/made-up.js';
import { renderPicture } from '../../report/picture/picture.js';
import { summarize } from '../../conclusions/summary.js';
import { CORES } from '../cores/scenarios.js';

const VERDICT = /is (faster|slower) than|takes (less|more) than/;
const NOTHING = /not measured|NaN|undefined|Infinity/;
/** Removes what cannot be told: that is no verdict. */
const withoutDoubt = (sentence) =>
  sentence.replaceAll(/Cannot tell whether .+? (is faster|takes less) than/g, '');

const all = await contenders();
const IDS = [
  ...['hash-direct', 'hash-coordinator', 'memory', 'cores', 'template'],
  ...['fibonacci', 'read-files', 'snp', 'cluster'],
];
/** The metrics of a server under load. */
const LOADED = ['requestsPerSecond', 'latencyP50Ms', 'latencyP95Ms', 'latencyMaxMs'];
const chosen = (await experiments()).filter(({ id }) => IDS.includes(id));

/** @param figureOf(metric, entry, scenario, round) returns undefined if it was not measured */
function summaries({ scenarios }, rounds, figureOf) {
  const plan = scenarios.map((scenario) => ({ scenario, entries: entriesOf(scenario, all) }));
  const samplesOf = ({ scenario, entries }) =>
    Object.fromEntries(
      entries.map((entry) => [
        entry.id,
        Array.from({ length: rounds }, (_, round) =>
          Object.fromEntries(
            scenario.metrics.map((metric) => [metric.id, figureOf(metric, entry, scenario, round)]),
          ),
        ),
      ]),
    );
  const samples = Object.fromEntries(plan.map((each) => [each.scenario.id, samplesOf(each)]));
  return summarize(plan, { samples, failures: [] });
}

/** The scenarios with cores are those of this machine; all others fit any machine. */
const machineOf = ({ id }) => (id === 'cores' ? { ...MACHINE, availableParallelism: CORES.length } : MACHINE);

const concluded = (experiment, scenarios) =>
  conclude(experiment, { scenarios, machine: machineOf(experiment) });

test('every experiment of a document is there', () => {
  assert.deepEqual(chosen.map(({ id }) => id).toSorted(), IDS.toSorted());
});

for (const experiment of chosen) {
  const { id, published, differs } = experiment;

  test(`${id}: tells what was published`, () => {
    for (const text of [published.source, published.machine, published.method, published.finding, differs])
      assert.ok(text.length > 0);
    for (const { head, rows } of published.tables)
      for (const row of rows) assert.equal(row.length, head.length);
  });

  test(`${id}: concludes nothing from nothing, and from one round only that it cannot tell`, () => {
    for (const given of [[], summaries(experiment, 3, () => undefined), summaries(experiment, 1, () => 2)]) {
      const [first, ...others] = concluded(experiment, given);
      assert.match(first, /^Cannot tell whether the published finding holds here: /);
      for (const sentence of others) assert.doesNotMatch(withoutDoubt(sentence), VERDICT);
    }
  });

  test(`${id}: where all rows are the same in each round, none is better than another`, () => {
    for (const sentence of concluded(
      experiment,
      summaries(experiment, 5, () => 2),
    ))
      assert.doesNotMatch(sentence, new RegExp(`${VERDICT.source}|${NOTHING.source}`));
  });

  test(`${id}: what is said of rows is said of rows that there are`, () => {
    let value = 1;
    const sentences = concluded(
      experiment,
      summaries(experiment, 5, () => {
        value = (value * 1.37) % 9;
        return 1 + value;
      }),
    );
    for (const sentence of sentences) assert.doesNotMatch(sentence, NOTHING);
  });
}

/** The texts and the picture of a page from made-up figures. */
const onPage = ({ page, ...experiment }, scenarios) => {
  const material = [withInline(scenarios), toolsFor(machineOf(experiment))];
  return {
    sentences: page.says(...material),
    why: page.why(...material),
    picture: renderPicture(page.picture(...material)),
  };
};

for (const experiment of chosen) {
  test(`${experiment.id}: the page has three sentences and no verdict, of nothing and of one round`, () => {
    for (const given of [[], summaries(experiment, 3, () => undefined), summaries(experiment, 1, () => 2)]) {
      const { sentences, why } = onPage(experiment, given);
      assert.equal(sentences.length, 3);
      for (const sentence of [...sentences, why]) {
        assert.doesNotMatch(sentence, VERDICT);
        assert.doesNotMatch(sentence, /NaN|undefined|Infinity/);
      }
    }
  });

  test(`${experiment.id}: what the page says and draws is of rows that there are`, () => {
    let value = 1;
    const figures = summaries(experiment, 5, () => {
      value = (value * 1.37) % 9;
      return 1 + value;
    });
    const { sentences, why, picture } = onPage(experiment, figures);
    for (const sentence of [...sentences, why]) assert.doesNotMatch(sentence, NOTHING);
    assert.doesNotMatch(picture, /NaN|undefined|Infinity/);
  });
}

/** Concludes from the figures of a document as if they were ours: then every finding holds. */
function asFound(id, metricId, figureOf) {
  const experiment = chosen.find((one) => one.id === id);
  const scenarios = summaries(experiment, 5, (metric, entry, scenario) =>
    metricId.includes(metric.id) ? figureOf(entry.id, scenario, metric.id) : 1,
  );
  return concluded(experiment, scenarios)[0];
}

test('findings hold where figures are as they were found', () => {
  const said = [
    asFound('hash-direct', ['leftPercent', 'cleanMs'], (row, _scenario, metric) => {
      if (metric === 'leftPercent') return row.startsWith('as published') ? 99.9 : 50;
      return row.endsWith('from memory') ? 300 : 345;
    }),
    asFound('hash-coordinator', ['cleanMs', 'coordinatorPercent'], (row, _scenario, metric) => {
      if (metric === 'coordinatorPercent') return 23;
      return row === 'as published, coordinator' ? 75 : 310;
    }),
    asFound('memory', ['residentMiB', 'perThreadMiB'], (_row, { x }, metric) =>
      metric === 'residentMiB' ? 30 + 6 * x : 6 + x / 1024,
    ),
    asFound('template', ['requestsPerSecond', 'immediateUs'], (row, { id }, metric) => {
      const isMain = row === 'inline';
      if (metric === 'immediateUs') return isMain ? 769 : 232;
      return (id === 'large') === isMain ? 13_285 : 18_981;
    }),
    asFound('read-files', ['readsPerSecond', 'coresPercent'], (row, { id }, metric) => {
      const isBlocking = row.includes('readFileSync');
      if (metric === 'coresPercent') return isBlocking ? 50 : 80;
      return isBlocking === (id !== 'large') ? 100 : 80;
    }),
    asFound('snp', ['totalMs'], (_row, { x }) => (x <= 2 ? 10_000 / x : 5000 + 200 * x)),
    asFound('cluster', LOADED, (row, _scenario, metric) => {
      const isCluster = row.startsWith('as published');
      return (metric === 'requestsPerSecond') === isCluster ? 200 : 100;
    }),
    asFound('fibonacci', ['totalMs'], (row, { x }) => {
      if (row === 'inline') return x / 1000;
      return row === 'as published, 16 workers at a time' ? 600 + x / 2000 : 700 + x / 900;
    }),
  ];
  for (const sentence of said) assert.match(sentence, /^The published finding holds here: /);
});

test('findings do not hold where figures are the other way round', () => {
  const said = [
    asFound('hash-direct', ['leftPercent'], (row) => (row.startsWith('as published') ? 50 : 100)),
    asFound('hash-coordinator', ['cleanMs', 'coordinatorPercent'], (row, _scenario, metric) => {
      if (metric === 'coordinatorPercent') return 77;
      return row === 'as published, coordinator' ? 310 : 75;
    }),
    asFound('memory', ['residentMiB', 'perThreadMiB'], (_row, { x }, metric) =>
      metric === 'residentMiB' ? 30 + 9 * x : 9 - x / 4096,
    ),
    asFound('template', ['requestsPerSecond', 'immediateUs'], (row, { id }, metric) => {
      const isMain = row === 'inline';
      if (metric === 'immediateUs') return isMain ? 232 : 769;
      return (id === 'large') === isMain ? 18_981 : 13_285;
    }),
    asFound('read-files', ['readsPerSecond', 'coresPercent'], (row, { id }, metric) => {
      const isBlocking = row.includes('readFileSync');
      if (metric === 'coresPercent') return isBlocking ? 80 : 50;
      return isBlocking === (id === 'large') ? 100 : 80;
    }),
    asFound('snp', ['totalMs'], (_row, { x }) => (x <= 2 ? 1000 * x : 1500)),
    asFound('cluster', LOADED, (row, _scenario, metric) => {
      const isCluster = row.startsWith('as published');
      return (metric === 'requestsPerSecond') === isCluster ? 100 : 200;
    }),
    asFound('fibonacci', ['totalMs'], (row, { x }) =>
      (row === 'inline') === (x === 10_000_000 && row !== 'as published, 1 worker at a time') ? 10 : 20,
    ),
  ];
  for (const sentence of said) assert.match(sentence, /^The published finding does not hold here: /);
});
