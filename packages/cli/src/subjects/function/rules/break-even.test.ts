import assert from 'node:assert/strict';
import { test } from 'node:test';
import { breakEvenOf } from './break-even.js';
import type { Samples } from './samples.js';
import { model, simulate } from './simulated.test.fake.js';

const near = (value: number | undefined, expected: number, by = 1e-9) =>
  assert.ok(value !== undefined && Math.abs(value - expected) <= by * expected, `${value}, not ${expected}`);

/** The gain at each running time, the same in each of six rounds. */
function spins(gains: readonly (readonly [runMs: number, gain: number])[]): Samples['spins'] {
  const six = (value: number) => Array.from({ length: 6 }, () => value);
  return gains.map(([runMs, gain]) => ({ runMs, inline: six(1000), pool: six(1000 * gain) }));
}

function withSpins(points: readonly (readonly [number, number])[], changes: Partial<Samples> = {}) {
  return breakEvenOf(simulate(model(), { spins: spins(points), ...changes })).runMs;
}

test('lies between the last running time at which threads lose, and the next', () => {
  // By logarithms 1 is halfway from 1/2 to 2: at the square root of 1 x 100.
  near(
    withSpins([
      [1, 0.5],
      [100, 2],
    ])?.value,
    10,
  );
  near(
    withSpins([
      [100, 2],
      [1, 0.5],
    ])?.value,
    10,
    1e-9,
  );
  near(
    withSpins([
      [1, 0.5],
      [2, 1],
      [4, 1.5],
    ])?.value,
    2,
  );
  near(
    withSpins([
      [1, 1.2],
      [2, 0.5],
      [8, 2],
      [16, 2],
    ])?.value,
    4,
    1e-9,
  );
});

test('is not known where threads always pay, never, or nothing was measured', () => {
  assert.equal(
    withSpins([
      [1, 1.5],
      [100, 2],
    ]),
    undefined,
  );
  assert.equal(
    withSpins([
      [1, 0.5],
      [100, 0.9],
    ]),
    undefined,
  );
  assert.equal(withSpins([[1, 0.5]]), undefined);
  assert.equal(withSpins([]), undefined);
  assert.equal(
    withSpins([
      [1, Number.NaN],
      [2, Number.NaN],
    ]),
    undefined,
  );
});

test('takes a task of no running time, and one that never ends', () => {
  near(
    withSpins([
      [0, 0.5],
      [4, 2],
    ])?.value,
    2,
  );
  near(
    withSpins([
      [1, 0],
      [4, 2],
    ])?.value,
    4,
    0.01,
  );
});

test('its interval goes to where the best and the worst figures pass one', () => {
  const noisy = [
    // Gains of 0.25 to 1, then of 1 to 4: by logarithms, the bounds and the value reach 1 at 16^0, 16^(1/2) and 16^1.
    { runMs: 1, inline: [1, 1, 1, 1, 1, 1], pool: [0.25, 0.5, 0.5, 0.5, 0.5, 1] },
    { runMs: 16, inline: [1, 1, 1, 1, 1, 1], pool: [1, 2, 2, 2, 2, 4] },
  ];
  const { value, low, high } = breakEvenOf(simulate(model(), { spins: noisy })).runMs!;
  near(value, 4);
  near(high, 16);
  assert.equal(low, 0, 'with the best figures threads pay from the first on: it may be less');
});

test('is not known where the worst figures never pass one: it may be anywhere beyond', () => {
  const noisy = [
    { runMs: 1, inline: [1, 1, 1, 1, 1, 1], pool: [0.5, 0.5, 0.5, 0.5, 0.5, 0.5] },
    { runMs: 16, inline: [1, 1, 1, 1, 1, 1], pool: [0.9, 2, 2, 2, 2, 4] },
  ];
  assert.equal(breakEvenOf(simulate(model(), { spins: noisy })).runMs, undefined);
});

test('holds the true place in 95 of 100 cases', () => {
  // Two cores, a crossing of 4 us, 2 of them on the worker: cores do 2 / (r + 4) calls, workers 2 / (r + 2), inline 1 / r: even at 4 us.
  let [held, known] = [0, 0];
  for (let seed = 0; seed < 1000; seed++) {
    const noise = 0.02 + 0.1 * ((seed % 10) / 10);
    const spinMs = Array.from({ length: 12 }, (_, i) => 0.001 * 1.5 ** i);
    const { runMs } = breakEvenOf(simulate(model({ seed, noise, rounds: 6 + (seed % 7), spinMs })));
    if (runMs === undefined) continue;
    known += 1;
    if (runMs.low <= 0.004 && 0.004 <= runMs.high) held += 1;
  }
  assert.ok(known > 950, `${known} known`);
  assert.ok(held / known >= 0.95, `${held} of ${known}`);
});

const SIZES: Samples['inline']['bySize'] = [
  { bytes: 100, ms: [1, 1, 1, 1, 1, 1] },
  { bytes: 1000, ms: [10, 10, 10, 10, 10, 10] },
  { bytes: 10_000, ms: [100, 100, 100, 100, 100, 100] },
];

function withSizes(bySize: Samples['inline']['bySize'], points: readonly (readonly [number, number])[]) {
  const samples = simulate(model(), { spins: spins(points) });
  return breakEvenOf({ ...samples, inline: { ...samples.inline, bySize } }).inputBytes;
}

test('in bytes it is the size at which a call runs for as long', () => {
  near(
    withSizes(SIZES, [
      [3, 0.5],
      [12, 2],
    ])?.value,
    600,
  );
  near(
    withSizes(SIZES, [
      [27.5, 0.5],
      [110, 2],
    ])?.value,
    5500,
  );
});

test('in bytes its interval is that of both the running time and the sizes', () => {
  const unsure = SIZES.map(({ bytes, ms }) => ({
    bytes,
    ms: [0.5, ...ms.slice(2).map(() => 1), 2].map((by) => by * ms[0]!),
  }));
  const { value, low, high } = withSizes(unsure, [
    [3, 0.5],
    [12, 2],
  ])!;
  near(value, 600);
  // A call runs for 6 ms at 300 bytes if it is twice as slow, and at 1,200 if it is twice as fast.
  near(low, 300);
  near(high, 1200);
});

test('in bytes it is not known where sizes do not differ, or none is large or small enough', () => {
  assert.equal(
    withSizes(
      [],
      [
        [3, 0.5],
        [12, 2],
      ],
    ),
    undefined,
  );
  assert.equal(
    withSizes(SIZES.slice(0, 1), [
      [3, 0.5],
      [12, 2],
    ]),
    undefined,
  );
  assert.equal(
    withSizes(SIZES, [
      [0.1, 0.5],
      [0.2, 2],
    ]),
    undefined,
  );
  assert.equal(
    withSizes(SIZES, [
      [1000, 0.5],
      [2000, 2],
    ]),
    undefined,
  );
  assert.equal(withSizes(SIZES, []), undefined);
});

test('in calls it is what the start costs over what each call saves', () => {
  // 10 ms a call without a pool, 5 ms with: 6 calls for a start of 30 ms.
  const samples = simulate(model({ runMs: 10, gainWith: () => 2, threads: [2] }));
  assert.deepEqual(breakEvenOf(samples).calls, { value: 6, low: 6, high: 6 });
});

test('in calls it is not known where a call saves nothing, or no start was measured', () => {
  assert.equal(breakEvenOf(simulate(model({ gainWith: () => 0.9 }))).calls, undefined);
  assert.equal(breakEvenOf(simulate(model({ gainWith: () => 2 }), { start: undefined })).calls, undefined);
  assert.equal(breakEvenOf(simulate(model({ gainWith: () => 2 }), { threads: [] })).calls, undefined);
});

test('its interval holds it where rounding puts all three within a hair of each other', () => {
  const points = [
    { runMs: 1e300, inline: [0, 1e-9, 1, 5e-324], pool: [0, 1e-9, 1e12, 0] },
    { runMs: 1e300, inline: [5e-324, 5e-324], pool: [5e-324, 5e-324] },
    { runMs: 0, inline: [5e-324, 1e12], pool: [0, 0] },
  ];
  const { value, low, high } = breakEvenOf(simulate(model(), { spins: points })).runMs!;
  assert.ok(low <= value && value <= high, `${low} <= ${value} <= ${high}`);
});
