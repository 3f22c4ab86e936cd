/**
 * The coordinator's protocol with the steps of main, the coordinator and workers in many orders, and with deaths in the middle of
 * steps. Every run ends with all checks of `../shared/world.case.ts`. INTERLEAVINGS_SEED and INTERLEAVINGS_RUNS give other orders.
 */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { exploreAll, exploreSome, type Scope } from '../shared/stage/exploring.case.js';
import { type Doing, randomPlan } from '../shared/stage/plans.case.js';
import type { WorldOptions } from '../shared/stage/world.case.js';

describe('coordinator: all ways that differ from the usual one at one or two points', () => {
  const small: readonly (WorldOptions & Scope)[] = [
    { workers: 1, plan: ['offer a large'], most: 2 },
    { plan: ['offer a text'], most: 1 },
    { plan: ['offer a port'], most: 1 },
    { plan: ['offer a moved'], most: 1 },
    { plan: ['offer a; offer b; offer c', 'reorder'], most: 1 },
    { plan: ['offer a', 'abort a', 'offer b large'], cells: 2, most: 1 },
    // Arguments that were sent for a later posting of a cell are not those of an earlier one, with which the coordinator would drop them.
    { workers: 1, plan: ['offer a port', 'reorder'], most: 2 },
    // While the coordinator counts the hints, main claims all of them, more than once.
    { workers: 1, cells: 2, plan: ['offer a; offer b', 'reorder; reorder; reorder'], most: 1 },
    { plan: ['offer a long; offer b moved; mail c 0 port', 'abort c', 'abort a'], most: 1 },
    { plan: ['offer a large', 'mail b 1 port'], deaths: 1, most: 1 },
    { plan: ['offer a moved', 'offer b'], deaths: 1, most: 1 },
    { plan: ['offer a; offer b moved; retire 0', 'offer c'], most: 1 },
    { workers: 1, plan: ['offer z', 'offer a moved; abort a'], most: 1 },
    {
      workers: 1,
      plan: ['offer z', 'offer a moved', 'abort a; mail b 0 port'],
      most: 2,
      script: ['quiet', 'main offer z', 'quiet', 'main offer a moved'],
    },
    {
      workers: 1,
      plan: ['offer z', 'offer a port', 'reorder; reorder'],
      most: 2,
      script: ['quiet', 'main offer z', 'quiet', 'main offer a port'],
    },
    { plan: ['offer a long; offer b; offer c; offer d'], maxTasks: 2, workers: 1, most: 1 },
    { plan: ['mail a 0 long; offer b; mail c 0', 'abort c'], tasksPerWorker: 2, workers: 1, most: 1 },
  ];
  for (const { most, script = [], ...options } of small) {
    const { plan, workers = 2, deaths = 0 } = options;
    const who = `${workers} worker${workers > 1 ? 's' : ''}, ${deaths} deaths`;
    test(`${who}: ${plan.join(', ')}`, (t) => {
      const { runs } = exploreAll(
        { dispatch: 'coordinator', ...options },
        { most, script, within: most > 1 ? 45 : Number.POSITIVE_INFINITY },
      );
      t.diagnostic(`${runs} orders`);
      assert.ok(runs > 50, `only ${runs} orders were tried`);
    });
  }
});

const { INTERLEAVINGS_SEED: SEED = '1', INTERLEAVINGS_RUNS: RUNS = '200' } = process.env;
const OFFERS = ['offer', 'offer', 'send'] as const;

interface Kind extends Omit<WorldOptions, 'plan'> {
  readonly doings: readonly Doing[];
  readonly length: number;
}

const kinds: Readonly<Record<string, Kind>> = {
  'calls, and calls for one worker': { doings: [...OFFERS, 'mail'], length: 6 },
  'calls that are taken back': { doings: [...OFFERS, 'mail', 'abort', 'reorder', 'drain'], length: 8 },
  'workers that run several tasks': {
    cells: 8,
    tasksPerWorker: 2,
    doings: [...OFFERS, 'mail', 'mail', 'abort', 'reorder'],
    length: 8,
  },
  'workers that spin': { spinners: 2, doings: [...OFFERS, 'mail', 'abort'], length: 6 },
  'workers that are ended': {
    cells: 8,
    workers: 3,
    doings: [...OFFERS, 'mail', 'abort', 'kill', 'retire'],
    length: 10,
  },
  'workers that take only so many': { maxTasks: 2, doings: [...OFFERS, 'mail', 'abort'], length: 6 },
  'workers and coordinators that die': {
    cells: 8,
    deaths: 3,
    doings: [...OFFERS, 'mail', 'abort', 'reorder', 'kill'],
    length: 8,
  },
  'one worker, and everybody dies again and again': {
    workers: 1,
    deaths: 8,
    doings: [...OFFERS, 'abort'],
    length: 8,
  },
};

describe('coordinator: some ways, chosen at random', () => {
  for (const [name, { doings, length, ...options }] of Object.entries(kinds)) {
    test(name, (t) => {
      const [seed, runs] = [Number(SEED), Number(RUNS)];
      const odds = { other: 0.08, death: (options.deaths ?? 0) > 3 ? 0.05 : 0.01 };
      const { endings } = exploreSome(runs, seed, odds, (random) => ({
        dispatch: 'coordinator',
        cells: random.pick([2, 4]),
        tick: random.pick([0.01, 0.03, 1]),
        ...options,
        plan: randomPlan(random, doings, length, options.workers ?? 2),
      }));
      t.diagnostic(`seeds ${seed} to ${seed + runs - 1}: ${endings.size} endings`);
      assert.ok(endings.size > 1);
    });
  }
});
