/** The first answer of each subject: what it is made of, while the budget is far from spent. When it comes is tested with a clock of its own: rounds.test.ts. */
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { FEWEST_ROUNDS } from '../dist/experiment/rules.js';
import { measureFolder } from '../dist/subjects/folder/measure/measure.js';
import { analyzeFolder } from '../dist/subjects/folder/rules/analyze.js';
import { measure } from '../dist/subjects/function/measure/measure.js';
import { analyze } from '../dist/subjects/function/rules/analyze.js';
import { measureServer } from '../dist/subjects/server/measure/measure.js';
import { findServer } from '../dist/subjects/server/rules/find.js';
import { temporaryFolder } from './command.mjs';

/** Interrupted at the first answer: what it was made of, and what was known in the end. */
async function firstAnswer(measureIt, plan) {
  const controller = new AbortController();
  const looks = [];
  const look = (samples) => {
    looks.push(samples);
    controller.abort();
  };
  const common = { budgetMs: 60_000, signal: controller.signal };
  const last = await measureIt({ ...common, ...plan }, { progress() {} }, look);
  assert.equal(looks.length, 1);
  assert.equal(last.isCutShort, true);
  return { first: looks[0], last };
}

const lengths = (lanes) => new Set(lanes.map(({ rate }) => rate.length));

test('of a function: three rounds of the calling thread and of threads up to the cores', async () => {
  const { first, last } = await firstAnswer(measure, {
    module: new URL('fixtures/analyze/tasks.mjs', import.meta.url).href,
    moduleGiven: 'tasks.mjs',
    export: 'works',
    inputs: [20_000],
    inputCount: 1,
    inputsHow: 'listed',
  });
  assert.equal(first.inline.rate.length, FEWEST_ROUNDS);
  assert.ok(first.threads.length > 0);
  assert.deepEqual(lengths(first.threads), new Set([FEWEST_ROUNDS]));
  assert.equal(typeof analyze(first).verdict.sentence, 'string');
  assert.deepEqual(last.inline.rate, first.inline.rate, 'an interrupt keeps what was measured');
});

test('of a folder: three rounds of every way', async () => {
  const folder = temporaryFolder();
  for (let i = 0; i < 20; i++) writeFileSync(join(folder, `${i}`), 'x'.repeat(100));
  const plan = { folder, patterns: [], dot: false, ownFiles: [], threads: 2, cold: false };
  const { first, last } = await firstAnswer(measureFolder, plan);
  const [small] = first.classes;
  assert.deepEqual(lengths(small.warm.ways), new Set([FEWEST_ROUNDS]));
  assert.equal(typeof analyzeFolder(first).verdict.sentence, 'string');
  assert.deepEqual(last.classes[0].warm, small.warm);
});

test('of a server: three rounds of the app as it is, once more, and as a cluster', async () => {
  const module = join(temporaryFolder(), 'app.mjs');
  writeFileSync(
    module,
    "import { createServer } from 'node:http';\nexport default createServer((_, response) => response.end('yes'));\n",
  );
  const { first, last } = await firstAnswer(measureServer, {
    module: pathToFileURL(module).href,
    moduleGiven: 'app.mjs',
    export: undefined,
    args: [],
    port: undefined,
    requests: [{ method: 'GET', path: '/', headers: {}, body: undefined }],
    against: [],
    offload: [],
    offloadGiven: [],
    connections: 4,
    threads: undefined,
    processes: 2,
  });
  assert.deepEqual(lengths([first.asIs, first.control, first.cluster]), new Set([FEWEST_ROUNDS]));
  assert.equal(typeof findServer(first).verdict.sentence, 'string');
  assert.deepEqual(last.asIs.rate, first.asIs.rate);
});
