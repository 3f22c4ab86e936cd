/** No verdict may be wrong: thousands of simulated functions, of which the right one is known. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { analyze } from './analyze.js';
import type { Answer } from './verdict.js';
import { uniform } from './noise.test.fake.js';
import type { Samples } from './samples.js';
import { type Model, model, simulate, truthOf } from './simulated.test.fake.js';

/** The largest share of wrong answers that is accepted, since intervals have 95 % confidence. */
const WRONG = 0.02;

interface Tally {
  readonly total: number;
  readonly wrong: readonly string[];
  readonly unknown: readonly string[];
}

/** @param trim removes a part of the samples */
function tally(models: readonly Model[], trim: (samples: Samples) => Samples = (samples) => samples): Tally {
  const [wrong, unknown]: [string[], string[]] = [[], []];
  for (const given of models) {
    const { answer, sentence } = analyze(trim(simulate(given))).verdict;
    const line = `${JSON.stringify(given)} (gain ${truthOf(given).gain}): ${sentence}`;
    if (answer === 'unknown') unknown.push(line);
    else if (!rightOf(given).includes(answer)) wrong.push(line);
  }
  return { total: models.length, wrong, unknown };
}

function rightOf(given: Model): Answer[] {
  if (given.isPromise && given.computing < 0.25) return ['async'];
  const { gain } = truthOf(given);
  const either: Answer[] = given.isPromise && given.computing < 0.5 ? ['inline', 'async'] : ['inline'];
  if (gain > 1.1) return ['threads'];
  return gain < 1 ? either : ['threads', ...either];
}

function assertRight({ total, wrong }: Tally): void {
  assert.ok(wrong.length <= WRONG * total, `${wrong.length} of ${total} are wrong, as ${wrong[0]}`);
}

/** Random functions on random machines, all with these changes. */
function anyModels(count: number, changes: Partial<Model>): Model[] {
  return Array.from({ length: count }, (_, i) => {
    const source = uniform(1000 * i + 17);
    const between = (low: number, high: number) => low * (high / low) ** source();
    const oneOf = <T>(...values: T[]): T => values[Math.floor(source() * values.length)]!;
    const isPromise = source() < 0.3;
    const cores = oneOf(1, 2, 4, 8);
    const crossingMs = between(0.0005, 0.1);
    const runMs = between(crossingMs / 5, crossingMs * 500);
    return model({
      runMs,
      computing: source() < 0.5 ? 1 : 0.05 + 0.95 * source(),
      isPromise,
      atOnce: isPromise ? oneOf(1, 64) : 1,
      crossingMs,
      mainMs: crossingMs * (0.2 + 0.6 * source()),
      cores,
      serial: source() < 0.7 ? 0 : source(),
      memory: source() < 0.7 ? Number.POSITIVE_INFINITY : 1 + source(),
      threads: [...new Set([1, 2, cores, 2 * cores])].toSorted((a, b) => a - b),
      rounds: oneOf(2, 3, 4, 5, 6, 7, 9, 12, 15),
      controls: oneOf(1, 3, 6),
      seed: i,
      ...changes,
    });
  });
}

for (const noise of [0, 0.02, 0.05, 0.1, 0.2, 0.3, 0.5]) {
  test(`is not wrong with noise of ${noise}`, (t) => {
    const all = tally(anyModels(1500, { noise, drift: noise / 2, outliers: noise > 0 ? 0.05 : 0 }));
    t.diagnostic(`${all.wrong.length} wrong, ${all.unknown.length} unknown, of ${all.total}`);
    assertRight(all);
    if (noise === 0) assert.deepEqual(all.wrong, []);
  });
}

/** Models beside other programs that want up to `most` times the cores there are; handing over is dearer beside them. */
function besideOthers(changes: Partial<Model>, most: number): Model[] {
  return anyModels(3000, { noise: 0.05, drift: 0.1, outliers: 0.05, ...changes }).map((given, i) => {
    const source = uniform(31 * i + 5);
    return { ...given, others: given.cores * (0.2 + (most - 0.2) * source()), dearer: 1 + 1.5 * source() };
  });
}

for (const noise of [0.02, 0.1, 0.2]) {
  test(`is not wrong beside other programs, with noise of ${noise}`, (t) => {
    const all = tally(besideOthers({ noise, drift: noise }, 2));
    t.diagnostic(`${all.wrong.length} wrong, ${all.unknown.length} unknown, of ${all.total}`);
    assertRight(all);
  });
}

test('a machine that is never quiet gets an answer wherever it is clear, and the right one', (t) => {
  const clear = besideOthers({ rounds: 9, controls: 3 }, 0.7).filter((given) => {
    const { gain } = truthOf(given);
    return !given.isPromise && given.computing === 1 && (gain > 1.5 || gain < 0.7);
  });
  const all = tally(clear);
  t.diagnostic(`${all.wrong.length} wrong, ${all.unknown.length} unknown, of ${all.total}`);
  assertRight(all);
  assert.ok(all.unknown.length <= 0.1 * all.total, `${all.unknown[0]}`);
});

test('is not wrong where no control was run', (t) => {
  const models = anyModels(2000, { noise: 0.15, drift: 0.1, outliers: 0.05, controls: 0 });
  const all = tally(models);
  t.diagnostic(`${all.wrong.length} wrong, ${all.unknown.length} unknown, of ${all.total}`);
  assertRight(all);
});

for (const gain of [0.98, 1.11]) {
  test(`is not wrong where the true gain is just ${gain}`, (t) => {
    for (const controls of [0, 4]) {
      const models = Array.from({ length: 3000 }, (_, seed) =>
        model({ seed, noise: 0.01 * (seed % 50), rounds: 2 + (seed % 14), controls, gainWith: () => gain }),
      );
      const all = tally(models);
      t.diagnostic(`${controls} controls: ${all.wrong.length} wrong, ${all.unknown.length} unknown`);
      assertRight(all);
    }
  });
}

test('knows with little noise whatever is clear', (t) => {
  const clear = anyModels(3000, { noise: 0.01, drift: 0.05, rounds: 9, controls: 3 }).filter((given) => {
    const { gain } = truthOf(given);
    // Promises that also wait are left out: what one event loop could do with many of them is not known.
    return (!given.isPromise || given.computing === 1) && (gain > 1.3 || gain < 0.8);
  });
  const all = tally(clear);
  t.diagnostic(`${all.wrong.length} wrong, ${all.unknown.length} unknown, of ${all.total}`);
  assert.ok(all.total > 1000);
  assert.deepEqual(all.wrong, []);
  assert.deepEqual(all.unknown, []);
});

test('knows most of what is clear where measurements are as noisy as they mostly are', (t) => {
  // With eleven rounds and up to four numbers of threads, the interval leaves out one value at each end.
  const noise = { noise: 0.05, drift: 0.1, outliers: 0.03, rounds: 11, controls: 5 };
  const clear = anyModels(3000, noise).filter(
    (given) => !given.isPromise && (truthOf(given).gain > 1.5 || truthOf(given).gain < 0.7),
  );
  const all = tally(clear);
  t.diagnostic(`${all.wrong.length} wrong, ${all.unknown.length} unknown, of ${all.total}`);
  assert.deepEqual(all.wrong, []);
  assert.ok(all.unknown.length <= 0.1 * all.total, `${all.unknown[0]}`);
});

test('knows what waits', () => {
  const waiting = anyModels(1000, { noise: 0.05, isPromise: true, computing: 0.05 });
  const all = tally(waiting);
  assert.deepEqual(all.wrong, []);
  assert.deepEqual(all.unknown, []);
});

/** The best of many is the best by chance: sixteen numbers of threads, of which none brings anything. */
for (const controls of [0, 3]) {
  test(`is not taken in by the best of sixteen, with ${controls} controls`, (t) => {
    const models = Array.from({ length: 3000 }, (_, seed) =>
      model({
        seed,
        noise: 0.05 + 0.45 * ((seed % 100) / 100),
        rounds: 2 + (seed % 14),
        controls,
        cores: 16,
        threads: Array.from({ length: 16 }, (_, i) => i + 1),
        gainWith: () => 1,
      }),
    );
    const taken = models.filter((given) => analyze(simulate(given)).verdict.answer === 'threads');
    t.diagnostic(`${taken.length} of ${models.length} say threads`);
    assert.ok(taken.length <= WRONG * models.length, `${taken.length}`);
  });
}

test('is not wrong where somebody ended it early', (t) => {
  const cut = (samples: Samples): Samples => {
    const kept = 1 + (samples.threads.length >> 1);
    const threads = samples.threads.slice(0, kept);
    const last = threads.at(-1)!;
    return {
      ...samples,
      threads: [...threads.slice(0, -1), { ...last, rate: last.rate.slice(0, -1) }],
      control: { ...samples.control, after: [] },
      isCutShort: true,
    };
  };
  const all = tally(anyModels(2000, { noise: 0.05, drift: 0.1 }), cut);
  t.diagnostic(`${all.wrong.length} wrong, ${all.unknown.length} unknown, of ${all.total}`);
  assertRight(all);
});

/** The true rate with what is recommended, as a share of the best one; to miss a gain that is not worth it costs nothing. */
function shareOfBest(given: Model): number {
  const { recommended } = analyze(simulate(given));
  const { threads, inline } = simulate({ ...given, noise: 0, drift: 0, outliers: 0 });
  const best = Math.max(...threads.map(({ rate }) => rate[0]!));
  // What one event loop does with many promises is not simulated. Where nothing can be told, nothing is recommended.
  if (recommended.placement === 'inline')
    return given.isPromise ? 1 : Math.min(1, (1.1 * inline.rate[0]!) / best);
  if (recommended.threads === undefined) return 1;
  return threads.find((of) => of.threads === recommended.threads)!.rate[0]! / best;
}

test('what it recommends does as well as the best that was measured, but for a twentieth', () => {
  for (const given of anyModels(1000, { noise: 0 })) {
    const share = shareOfBest(given);
    assert.ok(share >= 0.95, `${JSON.stringify(given)}: ${share}`);
  }
});

test('where measurements are noisy, it nearly always does, and is never far from it', (t) => {
  const noisy = anyModels(1000, { noise: 0.05, drift: 0.1, outliers: 0.03, rounds: 9, controls: 5 });
  const shares = noisy.map(shareOfBest);
  const below = shares.filter((share) => share < 0.95);
  t.diagnostic(`${below.length} of ${shares.length} below, ${Math.min(...shares).toFixed(2)} the least`);
  assert.ok(below.length <= 0.05 * shares.length, `${below.length}`);
  assert.ok(Math.min(...shares) > 0.75);
});
