/** The first answer comes in time, however slow a busy machine makes each hand-over. Only made-up processes advance the clock. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FIRST_ANSWER_MS } from '../../../experiment/rounds.js';
import { FEWEST_ROUNDS } from '../../../experiment/rules.js';
import { Session } from '../../../experiment/session.js';
import { NOTHING_MEASURED } from '../rules/samples.js';
import { type ServerPlan, underLoad } from './measure.js';
import type { AppLane, LaneName } from './open-lanes.js';

interface Given {
  /** How many milliseconds pass until all of them answer. */
  readonly openMs: number;
  /** How many milliseconds a slice takes beside its ramp and what is measured. */
  readonly overheadMs: number;
  readonly names: readonly LaneName[];
}

/** When each look was, and how many rounds it had of each way. */
async function looksOf({ openMs, overheadMs, names }: Given) {
  const controller = new AbortController();
  let now = 0;
  const plan = { budgetMs: 60_000, signal: controller.signal, connections: 50 } as Partial<ServerPlan>;
  const session = new Session(plan as ServerPlan, { progress() {} }, () => now);
  now += openMs;
  const load = {
    ask: async (_type: string, { rampMs, ms }: { readonly rampMs: number; readonly ms: number }) => {
      now += rampMs + ms + overheadMs;
      return { kind: 'done', value: { ...NOTHING_MEASURED.errors, answers: 1000, rate: 1000 } };
    },
  };
  const child = { ask: async () => ({ kind: 'done', value: {} }), ended: undefined };
  const lanes = names.map((name) => ({
    name,
    child,
    opened: { origin: '' },
    requests: [],
    errors: { ...NOTHING_MEASURED.errors, answers: 1000 },
    isDead: false,
  }));
  const { run, samplesOf } = underLoad(session, load as never, lanes as unknown as AppLane[]);
  const looks: { readonly at: number; readonly rounds: readonly (number | undefined)[] }[] = [];
  await run(1, 2, () => {
    looks.push({ at: now, rounds: names.map((name) => samplesOf(name)?.rate.length) });
    return undefined;
  });
  return looks;
}

for (const [openMs, overheadMs] of [
  [1000, 50],
  [2000, 300],
  [3000, 250],
] as const) {
  test(`${openMs} ms to open and ${overheadMs} ms for each hand-over: the first answer comes within ten seconds`, async () => {
    const [first, ...others] = await looksOf({ openMs, overheadMs, names: ['asIs', 'control', 'cluster'] });
    assert.ok(first!.at <= FIRST_ANSWER_MS, `${first!.at} ms`);
    assert.deepEqual(first!.rounds, [FEWEST_ROUNDS, FEWEST_ROUNDS, FEWEST_ROUNDS]);
    assert.ok(others.length > FEWEST_ROUNDS);
  });

  test(`the same with ${overheadMs} ms where a function is offloaded: the cluster comes after the first answer`, async () => {
    const names = ['asIs', 'control', 'offloaded', 'cluster'] as const;
    const looks = await looksOf({ openMs, overheadMs, names });
    assert.ok(looks[0]!.at <= FIRST_ANSWER_MS, `${looks[0]!.at} ms`);
    assert.deepEqual(looks[0]!.rounds, [FEWEST_ROUNDS, FEWEST_ROUNDS, FEWEST_ROUNDS, 0]);
    const last = looks.at(-1)!.rounds;
    assert.ok(last[3]! >= FEWEST_ROUNDS);
  });
}
