// Two requests that come at once, each of which reads a file and works on it: when which of them runs on the main thread.
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { readFile, readFileSync } from 'node:fs';
import { performance } from 'node:perf_hooks';
import { AS_PUBLISHED } from '../../contenders/as-published.js';
import { twoFiles } from '../../fixtures/two-files.js';
import { median } from '../../conclusions/statistics.js';
import { microseconds } from '../crossing/metrics.js';

export const TWO_REQUESTS = 'two-requests';
/** How many pairs of requests run until their code is compiled. */
const WARM_UP = 200;

const work = (bytes) => createHash('sha256').update(bytes).digest('hex');

/** Runs a part of a request, and records when. */
function noting(spans, part) {
  const began = performance.now();
  const result = part();
  spans.push([began, performance.now()]);
  return result;
}

/** Each returns the result of a request, and records in `spans` when it ran. */
const READS = {
  readFileSync: async (path, spans) => noting(spans, () => work(readFileSync(path))),
  readFile: (path, spans) =>
    new Promise((resolve, reject) => {
      const onRead = (error, bytes) => (error ? reject(error) : resolve(noting(spans, () => work(bytes))));
      noting(spans, () => readFile(path, onRead));
    }),
};

async function run({ way, given, budget }) {
  const { path } = given.small;
  const expected = work(readFileSync(path));
  const pair = async () => {
    const start = performance.now();
    const both = [[], []];
    const results = await Promise.all(both.map((spans) => READS[way](path, spans)));
    assert.deepEqual(results, [expected, expected]);
    return both.map((spans) => spans.map((span) => span.map((ms) => 1000 * (ms - start))));
  };
  for (let i = 0; i < WARM_UP; i++) await pair();
  const pairs = [];
  for (let i = 0; i < budget.repeats; i++) pairs.push(await pair());
  const ended = (spans) => spans.at(-1)[1];
  const [firstUs, lastUs] = [Math.min, Math.max].map((pick) =>
    median(pairs.map((both) => pick(...both.map(ended)))),
  );
  // The median pair: neither the fastest nor the slowest.
  const typical = pairs.toSorted((a, b) => Math.max(...a.map(ended)) - Math.max(...b.map(ended)))[
    pairs.length >> 1
  ];
  return { firstUs, lastUs, spansUs: typical };
}

export const twoRequests = {
  id: TWO_REQUESTS,
  title: 'Two requests that come at once, each to read a file of 3.3 kB and to hash it',
  fixture: twoFiles,
  metrics: [microseconds('lastUs', 'both answered us'), microseconds('firstUs', 'first answered us')],
  ways: Object.keys(READS).map((id) => ({ id })),
  takes: ({ id }) => id === AS_PUBLISHED,
  run,
};
