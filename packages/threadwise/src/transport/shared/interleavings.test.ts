/**
 * The shared transport's protocol with the steps of main and workers in many orders, and with deaths in the middle of
 * steps. Every run ends with all that must hold: world.case.ts. Others than these: INTERLEAVINGS_SEED, INTERLEAVINGS_RUNS.
 */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Random } from '../interleaving.case.js';
import { exploreAll, exploreSome, type Odds } from './stage/exploring.case.js';
import { type Doing, randomPlan } from './stage/plans.case.js';
import type { WorldOptions } from './stage/world.case.js';

describe('shared: all ways that differ from the usual one at one or two points', () => {
  const small: readonly (WorldOptions & { readonly most: number })[] = [
    { workers: 1, plan: ['offer a large'], most: 2 },
    { workers: 1, plan: ['mail a 0 text'], most: 2 },
    { plan: ['offer a text'], most: 1 },
    { plan: ['offer a', 'offer b speaks'], spinners: 1, most: 1 },
    { plan: ['offer a; offer b; offer c', 'reorder'], most: 1 },
    { plan: ['offer a', 'abort a', 'offer b large'], cells: 2, most: 1 },
    { plan: ['offer a long; offer b large; mail c 0 port', 'abort c', 'abort a'], most: 1 },
    { plan: ['offer a large', 'mail b 1 port'], deaths: 1, most: 1 },
    { plan: ['offer a retry; offer b long retry'], deaths: 2, most: 2, workers: 1 },
    { plan: ['offer a; offer b', 'retire 0', 'offer c'], most: 1 },
    { plan: ['offer a long; offer b; offer c; offer d'], maxTasks: 2, workers: 1, most: 1 },
    { plan: ['mail a 0 long; offer b; mail c 0', 'abort c'], tasksPerWorker: 2, workers: 1, most: 1 },
  ];
  for (const { most, ...options } of small) {
    const { plan, workers = 2, deaths = 0 } = options;
    const who = `${workers} worker${workers > 1 ? 's' : ''}, ${deaths} of them mortal`;
    test(`${who}: ${plan.join(', ')}`, (t) => {
      const { runs, endings } = exploreAll(options, {
        most,
        within: most > 1 ? 45 : Number.POSITIVE_INFINITY,
      });
      t.diagnostic(`${runs} orders`);
      assert.ok(runs > 50, `only ${runs} orders were tried`);
      // A task that is run again ends the same way in the end.
      if (plan.some((what) => what.includes('retry'))) return;
      assert.equal(endings.size > 1, deaths > 0 || plan.some((what) => what.startsWith('abort')), 'endings');
    });
  }
});

const { INTERLEAVINGS_SEED: SEED = '1', INTERLEAVINGS_RUNS: RUNS = '400' } = process.env;

/** Each value, or one of several. */
type Ranges = { readonly [K in keyof WorldOptions]?: WorldOptions[K] | readonly WorldOptions[K][] };

interface Kind extends Ranges {
  readonly doings: readonly Doing[];
  readonly length: number;
  readonly odds?: Odds;
}

const USUAL_ODDS = { other: 0.08, death: 0.01 };
/** More offers than anything else: they are what all of this is about. */
const OFFERS = ['offer', 'offer', 'offer'] as const;

const kinds: Readonly<Record<string, Kind>> = {
  'calls that are offered, and calls for one worker': {
    workers: [1, 2],
    doings: [...OFFERS, 'mail'],
    length: 6,
  },
  'calls that are taken back': { doings: [...OFFERS, 'mail', 'abort', 'reorder', 'drain'], length: 8 },
  'workers that spin': { spinners: [1, 2], doings: [...OFFERS, 'mail', 'abort'], length: 6 },
  'workers that run several tasks': {
    tasksPerWorker: 2,
    doings: [...OFFERS, 'mail', 'mail', 'abort', 'reorder'],
    length: 8,
  },
  'more cells than calls, so that workers claim several': {
    cells: [8, 16],
    workers: [1, 2, 3],
    doings: [...OFFERS, 'offer', 'mail', 'abort', 'reorder'],
    length: 16,
  },
  'workers that are ended': {
    cells: [4, 8],
    workers: [1, 2, 3],
    doings: [...OFFERS, 'mail', 'abort', 'kill', 'retire'],
    length: 10,
  },
  'workers that are ended and not replaced': {
    workers: 3,
    replaces: false,
    spinners: [0, 1],
    doings: [...OFFERS, 'mail', 'kill', 'retire'],
    length: 6,
  },
  'workers that take only so many': { maxTasks: [1, 2, 3], doings: [...OFFERS, 'mail', 'abort'], length: 6 },
  'workers that die': {
    cells: [2, 4, 8],
    deaths: [1, 2, 3],
    spinners: [0, 1],
    doings: [...OFFERS, 'mail', 'mail', 'abort', 'reorder', 'drain', 'kill'],
    length: 8,
  },
  'workers that die and are not replaced': {
    workers: [2, 3],
    replaces: false,
    deaths: 1,
    spinners: [0, 1, 2],
    doings: OFFERS,
    length: 4,
  },
  'workers that die one after the other': {
    cells: [2, 4],
    workers: [1, 2],
    deaths: 12,
    doings: [...OFFERS, 'abort', 'reorder'],
    length: 8,
    odds: { other: 0.08, death: 0.15 },
  },
};

function made(random: Random, { doings, length, odds: _, ...ranges }: Kind): WorldOptions {
  const picked = Object.entries({ cells: [2, 4], tick: [0.01, 0.03, 1], ...ranges }).map(([name, range]) => {
    return [name, Array.isArray(range) ? random.pick(range) : range];
  });
  const options: Omit<WorldOptions, 'plan'> = Object.fromEntries(picked);
  return { ...options, plan: randomPlan(random, doings, length, options.workers ?? 2) };
}

describe('shared: some ways, chosen at random', () => {
  for (const [name, kind] of Object.entries(kinds)) {
    test(name, (t) => {
      const [seed, runs] = [Number(SEED), Number(RUNS)];
      const { endings } = exploreSome(runs, seed, kind.odds ?? USUAL_ODDS, (random) => made(random, kind));
      t.diagnostic(`seeds ${seed} to ${seed + runs - 1}: ${endings.size} endings`);
      assert.ok(endings.size > 1);
    });
  }
});

describe('shared: nobody sleeps while a long task lies there, after many tiny ones', () => {
  for (const workers of [2, 3, 4]) {
    test(`${workers} workers, and as many long ones at once`, (t) => {
      const [seed, runs] = [Number(SEED), Number(RUNS)];
      const long = Array.from({ length: workers }, (_, i) => `offer long${i} long`);
      const { endings } = exploreSome(runs, seed, { other: 0.15, death: 0 }, (random) => {
        const tiny = Array.from({ length: 4 + random.below(12) }, (_, i) => `offer tiny${i}`);
        const plan: string[] = [];
        while (tiny.length > 0) plan.push(tiny.splice(0, 1 + random.below(4)).join('; '));
        const before = random.next() < 0.5 ? [plan.pop()!] : [];
        plan.push([...before, ...long].join('; '));
        return { workers, cells: 16, tick: random.pick([0.0003, 0.003, 0.01, 0.03, 0.1]), plan };
      });
      t.diagnostic(`seeds ${seed} to ${seed + runs - 1}: ${endings.size} endings`);
    });
  }
});
