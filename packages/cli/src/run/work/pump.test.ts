import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Input } from '../inputs/input-source.js';
import type { Batch, BatchResult } from './batch.js';
import { success } from './pool.test.fake.js';
import { type Batching, createPump, type Pump } from './pump.js';

function* numbers(count: number, group = 10): Generator<Input[]> {
  for (let first = 0; first < count; first += group) {
    yield Array.from({ length: Math.min(group, count - first) }, (_, i) => ({
      value: first + i,
      position: first + i,
      bytes: 0,
    }));
  }
}

const fixed = (size: number, depth: number): Batching => ({
  size: () => size,
  depth: () => depth,
  note() {},
});

/** Batches that end when the test says so. */
class Held {
  readonly begun: { batch: Batch; finish: () => void; fail: (error: Error) => void }[] = [];
  readonly run = (batch: Batch): Promise<BatchResult> =>
    new Promise((resolve, reject) => {
      const finish = (): void => resolve({ batch, ...success(batch.inputs.map(({ value }) => value)) });
      this.begun.push({ batch, finish, fail: reject });
    });
}

interface PumpOptions {
  readonly ordered?: boolean;
  readonly batching?: Batching;
  readonly run: (batch: Batch) => Promise<BatchResult>;
}

const pumpOf = ({ ordered = true, batching = fixed(2, 4), run }: PumpOptions): Pump =>
  createPump(ordered, batching, run);

const texts = (results: readonly BatchResult[]): string => results.map(({ text }) => text).join('');
const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

async function collect(pump: Pump, groups: Iterable<Input[]> | AsyncIterable<Input[]>): Promise<string> {
  let all = '';
  for await (const results of pump.results(groups)) all += texts(results);
  return all;
}

const expected = (count: number): string => Array.from({ length: count }, (_, i) => `${i}\n`).join('');

test('gives results in the order of the inputs, however the batches end', async () => {
  let seed = 1;
  const run = async (batch: Batch): Promise<BatchResult> => {
    seed = (seed * 48271) % 2147483647;
    for (let turns = seed % 5; turns > 0; turns -= 1) await turn();
    return { batch, ...success(batch.inputs.map(({ value }) => value)) };
  };
  assert.equal(await collect(pumpOf({ run }), numbers(95)), expected(95));
});

for (const ordered of [true, false]) {
  test(`gives no more at a time than a string can hold, ${ordered ? 'in order' : 'as they come'}`, async () => {
    const text = 'x'.repeat(20 * 1024 * 1024);
    const held = new Held();
    const pump = pumpOf({ ordered, run: (batch) => held.run(batch).then((result) => ({ ...result, text })) });
    const lengths: number[] = [];
    const reading = (async () => {
      for await (const results of pump.results(numbers(8))) lengths.push(results.length);
    })();
    while (held.begun.length < 4) await turn();
    for (const { finish } of held.begun) finish();
    await reading;
    assert.deepEqual(lengths, [1, 1, 1, 1]);
  });
}

test('reads no further while many bytes of values wait to be folded, or are', async () => {
  const values = [new Uint8Array(8 * 1024 * 1024), [new Uint8Array(8 * 1024 * 1024)]];
  for (const value of values) {
    let begun = 0;
    const run = async (batch: Batch): Promise<BatchResult> => {
      begun += 1;
      return { batch, ...success([]), values: [value], ran: 1 };
    };
    const results = pumpOf({ run, batching: fixed(1, 4) }).results(numbers(40));
    let given = (await results.next()).value!.length;
    // Until nothing moves any more.
    for (let turns = 0; turns < 100; turns += 1) await turn();
    // Four fill the room, and four may have begun before that.
    assert.ok(begun - given <= 8, `${begun} begun, ${given} given`);
    for await (const more of results) given += more.length;
    assert.equal(given, 40);
  }
});

test('never has more batches out than the depth, and cuts none across groups', async () => {
  let out = 0;
  let most = 0;
  const sizes: number[] = [];
  const run = async (batch: Batch): Promise<BatchResult> => {
    out += 1;
    most = Math.max(most, out);
    sizes.push(batch.inputs.length);
    await turn();
    out -= 1;
    return { batch, ...success(batch.inputs.map(({ value }) => value)) };
  };
  await collect(pumpOf({ run, batching: fixed(4, 3) }), numbers(30));
  assert.equal(most, 3);
  assert.deepEqual(sizes.slice(0, 3), [4, 4, 2]);
});

test('unordered, a slow batch holds nobody up', async () => {
  const held = new Held();
  const results = pumpOf({ run: held.run, ordered: false }).results(numbers(8));
  const first = results.next();
  await turn();
  held.begun[2]!.finish();
  assert.equal(texts((await first).value), '4\n5\n');
  for (const { finish } of held.begun) finish();
  const rest = await results.next();
  assert.equal(texts(rest.value), '0\n1\n2\n3\n6\n7\n');
  assert.equal((await results.next()).done, true);
});

test('stops reading when told, and still gives what was begun', async () => {
  const held = new Held();
  const pump = pumpOf({ run: held.run });
  const all = collect(pump, numbers(1000));
  await turn();
  pump.stop();
  for (const { finish } of held.begun) finish();
  assert.equal(await all, expected(8));
  assert.equal(held.begun.length, 4);
});

test('stops although the inputs never come', async () => {
  async function* never(): AsyncGenerator<Input[]> {
    await new Promise(() => {});
  }
  const pump = pumpOf({ run: new Held().run });
  const all = collect(pump, never());
  await turn();
  pump.stop();
  assert.equal(await all, '');
});

test('gives results while the next inputs are still awaited', async () => {
  let release = (): void => {};
  async function* slow(): AsyncGenerator<Input[]> {
    yield [...numbers(1)][0]!;
    await new Promise<void>((resolve) => {
      release = resolve;
    });
  }
  const run = async (batch: Batch): Promise<BatchResult> => ({
    batch,
    ...success(batch.inputs.map(({ value }) => value)),
  });
  const results = pumpOf({ run }).results(slow());
  assert.equal(texts((await results.next()).value), '0\n');
  release();
  assert.equal((await results.next()).done, true);
});

test('an error of the inputs comes after the results of what was read', async () => {
  function* broken(): Generator<Input[]> {
    yield* numbers(4);
    throw new Error('line 5');
  }
  const run = async (batch: Batch): Promise<BatchResult> => ({
    batch,
    ...success(batch.inputs.map(({ value }) => value)),
  });
  const results = pumpOf({ run }).results(broken());
  let seen = '';
  await assert.rejects(async () => {
    for await (const ready of results) seen += texts(ready);
  }, /line 5/);
  assert.equal(seen, expected(4));
});

test('the end of the pool ends the run', async () => {
  const held = new Held();
  const all = collect(pumpOf({ run: held.run }), numbers(100));
  await turn();
  held.begun[0]!.fail(new Error('pool closed'));
  for (const { finish } of held.begun) finish();
  await assert.rejects(all, /pool closed/);
});

test('in order, nothing is given out that comes behind what the end of the pool has lost', async () => {
  const held = new Held();
  const results = pumpOf({ run: held.run }).results(numbers(100));
  const first = results.next();
  await turn();
  held.begun[1]!.fail(new Error('pool closed'));
  held.begun[2]!.fail(new Error('pool closed'));
  held.begun[3]!.finish();
  await turn();
  held.begun[0]!.finish();
  assert.equal(texts((await first).value), '0\n1\n');
  await assert.rejects(results.next(), /pool closed/);
});

test('begins batches in the order of reading, and each knows what was read before it', async () => {
  const begun: unknown[] = [];
  const run = async (batch: Batch): Promise<BatchResult> => {
    begun.push([batch.after, batch.inputs[0]!.value]);
    return { batch, ...success(batch.inputs.map(({ value }) => value)) };
  };
  await collect(pumpOf({ run }), numbers(20));
  const firsts = [0, 2, 4, 6, 8, 10, 12, 14, 16, 18];
  assert.deepEqual(
    begun,
    firsts.map((first) => [first === 0 ? undefined : first - 1, first]),
  );
});

test('a consumer so slow that everything read has ended meanwhile still gets all', async () => {
  const run = async (batch: Batch): Promise<BatchResult> => ({
    batch,
    ...success(batch.inputs.map(({ value }) => value)),
  });
  let all = '';
  for await (const results of pumpOf({ run, batching: fixed(1, 4) }).results(numbers(5000))) {
    all += texts(results);
    // Waits until the window is full and nothing moves any more.
    for (let turns = 0; turns < 20; turns += 1) await turn();
  }
  assert.equal(all, expected(5000));
});
