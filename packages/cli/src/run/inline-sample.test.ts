import assert from 'node:assert/strict';
import fs, { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, mock, test } from 'node:test';
import { pathToFileURL } from 'node:url';
import type { InputSource, SampledInput } from './inputs/input-source.js';
import { sampleInline } from './inline-sample.js';
import type { BatchSetup } from './work/batch.js';
import { UsageError } from '../exit-code.js';

/** The clock advances only where a fake says that it takes time. */
let clockMs = 0;
mock.method(performance, 'now', () => clockMs);

const folder = mkdtempSync(join(tmpdir(), 'threadwise-inline-'));
const module = join(folder, 'takes-3-ms.mjs');
const RUN_MS = 3;
Object.assign(globalThis, { takeMs: (ms: number) => (clockMs += ms) });
writeFileSync(module, `export default () => globalThis.takeMs(${RUN_MS});`);
after(() => rmSync(folder, { recursive: true }));

const setup: BatchSetup = {
  moduleUrl: pathToFileURL(module).href,
  exportName: undefined,
  passing: 'value',
  format: 'ndjson',
  withInput: false,
  keepsValues: false,
  stopsAtFailure: true,
};

/** Writing takes time, too, and the text goes nowhere. */
let written = '';
let mostAtOnce = 0;
let writeMs = 0;
mock.method(fs, 'writeSync', (_fd: number, text: string) => {
  written += text;
  mostAtOnce = Math.max(mostAtOnce, text.length);
  clockMs += writeMs;
});
syncBuiltinESMExports();

/** One group of 10 inputs. @param takes how many milliseconds it takes to count the inputs, and to read the group */
function source(unit: InputSource['unit'], takes: { count?: number; group?: number }): InputSource {
  const inputs = Array.from({ length: 10 }, (_, i) => ({ value: i, position: i, bytes: 0, weight: 1 }));
  function* sample(): Generator<SampledInput> {
    clockMs += 1e6; // choosing a sample is no part of what would be done inline
    yield* inputs.slice(0, 4);
  }
  return {
    unit,
    identity: {},
    total: 10,
    totalBytes: undefined,
    count: () => void (clockMs += takes.count ?? 0),
    *read() {
      clockMs += takes.group ?? 0;
      yield inputs;
    },
    sample: () => ({ inputs: sample(), how: 'the first' }),
    close() {},
  };
}

async function estimateOf(inputs: number, from: InputSource): Promise<number> {
  return (await sampleInline('module.mjs', setup, from, 2)).estimateMs(inputs);
}

test('reading and parsing lines is part of what a loop does', async () => {
  assert.equal(await estimateOf(1000, source('lines', { group: 20 })), 1000 * (RUN_MS + 2));
  assert.equal(await estimateOf(1000, source('values', { group: 40 })), 1000 * (RUN_MS + 4));
});

test('of files, listing them is part of it, and their sizes are not: a loop does not ask for them', async () => {
  assert.equal(await estimateOf(1000, source('files', { count: 10, group: 500 })), 1000 * (RUN_MS + 1));
});

test('numbers of a range cost a loop nothing', async () => {
  assert.equal(await estimateOf(1000, source('numbers', { group: 500 })), 1000 * RUN_MS);
});

test('so is writing the results, at once, as the run writes what is ready', async () => {
  writeMs = 8;
  written = '';
  assert.equal(await estimateOf(1000, source('files', {})), 1000 * (RUN_MS + 8 / 2));
  assert.match(written, /^(\d+\n)+$/, 'what is written is what the run writes');
  writeMs = 0;
});

test('more results than one string should hold are written in pieces, as the run does', async () => {
  const characters = 20 * 2 ** 20;
  const large = join(folder, 'large.mjs');
  writeFileSync(large, `export default () => { globalThis.takeMs(200); return 'x'.repeat(${characters}); };`);
  [writeMs, written, mostAtOnce] = [8, '', 0];
  const moduleUrl = pathToFileURL(large).href;
  const sample = await sampleInline('large.mjs', { ...setup, moduleUrl }, source('files', {}), 2);
  assert.equal(sample.estimateMs(1000), 1000 * (200 + 8));
  assert.ok(mostAtOnce < 1.1 * characters, `${mostAtOnce} characters at once`);
  [writeMs, written] = [0, ''];
});

test('what is folded is not written', async () => {
  written = '';
  const sample = await sampleInline('module.mjs', { ...setup, keepsValues: true }, source('files', {}), 2);
  assert.equal(sample.estimateMs(1000), 1000 * RUN_MS);
  assert.equal(written, '');
});

test('an input that cannot be read is told by the run, after those before it', async () => {
  const bad = source('values', {});
  bad.read = function* () {
    clockMs += 20;
    yield* source('values', {}).read({ mark: undefined, beyond: [] }) as Iterable<readonly SampledInput[]>;
    throw new UsageError('invalid JSON');
  };
  assert.equal(await estimateOf(1000, bad), 1000 * (RUN_MS + 2));
  bad.sample = () => ({ inputs: sampleOfBad(), how: 'the first' });
  function* sampleOfBad(): Generator<SampledInput> {
    yield* source('values', {}).sample(2).inputs as Iterable<SampledInput>;
    throw new UsageError('invalid JSON');
  }
  assert.equal(await estimateOf(1000, bad), 1000 * (RUN_MS + 2));
});

test('a teardown that fails is told and ends no run, as in a worker', async () => {
  const warn = mock.method(process, 'emitWarning', () => {});
  const torn = join(folder, 'torn.mjs');
  writeFileSync(
    torn,
    "export default () => globalThis.takeMs(3); export const teardown = () => { throw new Error('torn'); };",
  );
  const moduleUrl = pathToFileURL(torn).href;
  const { inputs } = await sampleInline('torn.mjs', { ...setup, moduleUrl }, source('numbers', {}), 2);
  warn.mock.restore();
  assert.equal(inputs, 2);
  assert.match(String(warn.mock.calls[0]?.arguments[0]), /torn/);
});
