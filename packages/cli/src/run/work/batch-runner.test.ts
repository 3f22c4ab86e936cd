import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { BatchSetup } from './batch.js';
import { runBatch, setup } from './batch-tasks.js';

function moduleUrl(source: string): string {
  return `data:text/javascript,${encodeURIComponent(source)}`;
}

async function runnerOf(source: string, more: Partial<BatchSetup> = {}) {
  const data: BatchSetup = {
    moduleUrl: moduleUrl(source),
    exportName: undefined,
    passing: 'value',
    format: 'ndjson',
    withInput: false,
    keepsValues: false,
    stopsAtFailure: false,
    ...more,
  };
  await setup({ data });
  return { run: runBatch };
}

test('runs a function over a batch, synchronous or not', async () => {
  for (const source of ['export default (x) => x * 2', 'export default async (x) => x * 2']) {
    const runner = await runnerOf(source);
    const { text, ran, failures } = await runner.run([1, 2, 3], 1);
    assert.deepEqual([text, ran, failures], ['2\n4\n6\n', 3, []]);
  }
});

test('a failing input is described and the others go on', async () => {
  const runner = await runnerOf(
    'export default (x) => { if (x === 2) throw Object.assign(new RangeError("two"), { code: "E2" }); return x; }',
  );
  const { text, ran, failures } = await runner.run([1, 2, 3], 1);
  assert.deepEqual([text, ran], ['1\n3\n', 3]);
  const { stack, ...error } = failures[0]!.error;
  assert.deepEqual(error, { name: 'RangeError', message: 'two', code: 'E2' });
  assert.match(stack!, /^at .*:1:\d+\)?$/, 'one line: what called it is not theirs');
});

test('only as many stacks are made as are shown', async () => {
  const runner = await runnerOf('export default () => { throw new Error("no"); }');
  const { failures } = await runner.run(Array(30).fill(0), 1);
  assert.equal(failures.filter(({ error }) => error.stack !== undefined).length, 20);
  assert.equal((await runner.run([1], 1)).failures[0]!.error.stack, undefined);
});

test('if the run stops at a failure, so does the batch', async () => {
  const runner = await runnerOf('export default (x) => { if (x === 2) throw new Error("two"); return x; }', {
    stopsAtFailure: true,
  });
  const { text, ran, failures } = await runner.run([1, 2, 3], 1);
  assert.deepEqual([text, ran, failures.length], ['1\n', 2, 1]);
});

test('tries an input as often as it may', async () => {
  const counting = (kind: string) =>
    `let calls = 0; export default ${kind} (x) => { calls += 1; if (calls < 3) throw new Error("not yet"); return calls; }`;
  for (const kind of ['', 'async']) {
    const source = `${counting(kind)} // ${Math.random()}`;
    assert.equal((await (await runnerOf(source)).run([1], 3)).text, '3\n');
    const failing = await runnerOf(`${source} again`);
    assert.equal((await failing.run([1], 2)).failures.length, 1);
  }
});

test('a result that cannot be written fails its input only', async () => {
  const runner = await runnerOf('export default (x) => (x === 1 ? 10n : x === 2 ? () => 1 : x)');
  const { text, failures } = await runner.run([1, 2, 3], 1);
  assert.equal(text, '3\n');
  assert.deepEqual(
    failures.map(({ at }) => at),
    [0, 1],
  );
});

test('gives the values themselves where they are folded', async () => {
  const runner = await runnerOf('export default (x) => ({ x })', { keepsValues: true });
  const { text, values } = await runner.run([1, 2], 1);
  assert.deepEqual([text, values], ['', [{ x: 1 }, { x: 2 }]]);
});

test('whatever is thrown can be told', async () => {
  const runner = await runnerOf(`export default (x) => {
    if (x === 0) throw undefined;
    if (x === 1) throw 'a string';
    if (x === 2) throw { get name() { throw 1; }, message: 'm' };
    if (x === 3) throw Object.freeze(new TypeError('frozen'));
    throw { a: 1 };
  }`);
  const { failures } = await runner.run([0, 1, 2, 3, 4], 1);
  assert.deepEqual(
    failures.map(({ error }) => `${error.name}: ${error.message}`),
    ['thrown: undefined', 'thrown: a string', '(cannot be read): m', 'TypeError: frozen', 'thrown: {"a":1}'],
  );
});

test('a file that cannot be read fails its input, and no other', async () => {
  const runner = await runnerOf('export default (bytes) => bytes.length > 0', { passing: 'read' });
  const { text, failures, ran } = await runner.run([process.execPath, '/none/such'], 1);
  assert.deepEqual([text, ran], ['true\n', 2]);
  assert.deepEqual(
    failures.map(({ at, error }) => [at, error.code]),
    [[1, 'ENOENT']],
  );
});

test('a list of arguments is spread, and written as it came', async () => {
  const runner = await runnerOf('export default (a, b) => a - b', { passing: 'spread', withInput: true });
  const { text } = await runner.run([[5, 3]], 1);
  assert.deepEqual(JSON.parse(text), { input: [5, 3], result: 2 });
});
