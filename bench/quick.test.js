// Runs every experiment from its command to its conclusions with the least work: it runs, each row has figures or says why
// not, and what must hold on any machine, however busy, does. The samples check their results themselves.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { experiments } from './catalog.js';

const main = fileURLToPath(new URL('./main.js', import.meta.url));

async function run(args) {
  const child = spawn(process.execPath, [main, ...args], { stdio: ['ignore', 'pipe', 'pipe'] });
  const said = { stdout: '', stderr: '' };
  for (const name of Object.keys(said)) {
    child[name].setEncoding('utf8').on('data', (text) => {
      said[name] += text;
    });
  }
  const code = await new Promise((resolve) => child.on('close', resolve));
  return { code, ...said };
}

/** Checks that a row has a figure for each metric that is not optional, or the reason why it has none. */
function checkRow(row, metrics, where) {
  if (row.notAvailable !== undefined) return assert.notEqual(row.notAvailable, '', where);
  assert.equal(row.failure, undefined, where);
  for (const { id, isOptional, isDifference } of metrics) {
    const figure = row.figures[id];
    if (isOptional && figure === undefined) continue;
    assert.ok(isDifference ? Number.isFinite(figure?.median) : figure?.median >= 0, `${where}: ${id}`);
  }
}

for (const experiment of await experiments()) {
  const { id, byConstruction = [] } = experiment;
  test(`${id}: runs with the least effort, and comes to conclusions`, async (t) => {
    const { scenarios } = await runOnce(t, experiment);
    const wrong = byConstruction.filter(({ holds }) => holds(scenarios) === false).map(({ text }) => text);
    assert.deepEqual(wrong, [], 'what must hold');
  });
}

/** @returns the saved result, after a check that it is complete */
async function runOnce(t, { id, scenarios, published }) {
  const folder = mkdtempSync(join(tmpdir(), 'threadwise-bench-'));
  t.after(() => rmSync(folder, { recursive: true }));
  const { code, stdout, stderr } = await run([id, '--least', '--into', folder]);
  assert.equal(code, 0, `${stderr}\n${stdout}`);
  assert.deepEqual(readdirSync(folder), [`${id}.json`]);
  const result = JSON.parse(readFileSync(join(folder, `${id}.json`), 'utf8'));
  const wanted = scenarios.filter(({ isQuick }) => isQuick !== false).map((scenario) => scenario.id);
  assert.deepEqual(
    result.scenarios.map((scenario) => scenario.id),
    wanted,
  );
  for (const { id: name, rows, metrics } of result.scenarios) {
    assert.ok(rows.length > 0, name);
    for (const row of rows) checkRow(row, metrics, `${name}, ${row.id}`);
  }
  assert.match(stdout, /a look and not a measurement/);
  assert.deepEqual(result.published, published && JSON.parse(JSON.stringify(published)));
  for (const sentence of result.conclusions) assert.ok(stdout.includes(`- ${sentence}.`), sentence);
  return result;
}

test('an experiment that there is not is refused, with a list of those that there are: exit code 2', async () => {
  const { code, stdout, stderr } = await run(['nothing', '--least']);
  assert.deepEqual([code, stdout], [2, '']);
  assert.match(stderr, /There is no 'nothing'\. There are: .*crossing/);
});

test('a report of what was not measured is refused before anything is written', async () => {
  const { code, stderr } = await run(['report', 'nothing']);
  assert.equal(code, 2);
  assert.match(stderr, /There is no 'nothing'/);
});
