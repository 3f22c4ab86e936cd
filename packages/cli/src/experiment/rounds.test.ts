/** The rounds, with a clock that only turns advance and lanes that are simulated: who takes a turn, for how long, and when it ends. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FIRST_ANSWER_MS, Rounds, type RoundsOptions, type Turn } from './rounds.js';
import { ENOUGH_ROUNDS, FEWEST_ROUNDS } from './rules.js';
import { Session } from './session.js';

const OVERHEAD_MS = 10;
const SLICE = { ms: 300, least: 50 };

interface Taken {
  readonly what: string;
  readonly ms: number;
  readonly round: number;
}

interface Given {
  readonly budgetMs?: number;
  readonly turns?: number;
  readonly needed?: number;
  readonly openMs?: number;
  /** How many milliseconds the command has taken until it began to measure. */
  readonly startMs?: number;
  /** What a turn takes beside its slice, whatever was expected. */
  readonly overheadMs?: number;
  readonly look?: (rounds: Rounds<Taken>) => string | undefined;
  readonly onTake?: (taken: Taken, abort: () => void) => Taken | undefined;
  readonly more?: Partial<RoundsOptions<Taken>>;
}

/** Lanes `a`, `b`, …, of which the first is what all others are compared with. */
function simulated(given: Given) {
  const { budgetMs = 60_000, needed = 2, openMs = 0, startMs = 0, overheadMs = OVERHEAD_MS } = given;
  const { onTake, look } = given;
  const controller = new AbortController();
  let now = startMs;
  const said: string[] = [];
  const taken: Taken[] = [];
  const events = { progress: ({ what }: { readonly what: string }) => void said.push(what) };
  const session = new Session({ budgetMs, signal: controller.signal }, events, () => now);
  const turns = [...'abcdefgh'.slice(0, given.turns ?? 2)].map((what, i): Turn<Taken> => {
    return {
      what,
      isBase: i === 0,
      open: async () => {
        now += openMs;
      },
      take: async ({ ms, round }) => {
        now += ms + overheadMs;
        const one = { what, ms, round };
        taken.push(one);
        return onTake === undefined ? one : onTake(one, () => controller.abort());
      },
    };
  });
  const rounds: Rounds<Taken> = new Rounds({
    session,
    turns,
    needed,
    slice: SLICE,
    overheadMs: OVERHEAD_MS,
    openMs,
    look: look && (() => look(rounds)),
    ...given.more,
  });
  const run = () => rounds.run({ endMs: budgetMs });
  return { session, rounds, turns, taken, said, run, clock: () => now };
}

test('it ends when it is certain, and not before there are enough rounds', async () => {
  const { run, rounds, session } = simulated({ look: () => 'threads' });
  assert.equal(await run(), 'certain');
  assert.equal(rounds.complete, ENOUGH_ROUNDS);
  rounds.finish();
  assert.equal(session.isCutShort, false);
});

test('it ends when there are as many rounds as are of use', async () => {
  const { run, rounds } = simulated({ more: { most: 7 } });
  assert.equal(await run(), 'certain');
  assert.equal(rounds.complete, 7);
});

test('an answer that is another one each time is not certain', async () => {
  let looks = 0;
  const { run } = simulated({ budgetMs: 20_000, look: () => (looks++ % 2 === 0 ? 'threads' : 'inline') });
  assert.equal(await run(), 'over');
});

test('a doubt after enough rounds is settled by more of them', async () => {
  const { run, rounds } = simulated({ look: ({ complete }) => (complete < 40 ? undefined : 'inline') });
  assert.equal(await run(), 'certain');
  assert.equal(rounds.complete, 41, 'the same answer twice');
});

for (const budgetMs of [20_000, 60_000, 180_000, 600_000]) {
  test(`as long as there is a doubt, a budget of ${budgetMs / 1000} s buys rounds until another one does not fit`, async () => {
    const { run, rounds, clock } = simulated({ budgetMs, look: () => undefined });
    assert.equal(await run(), 'over');
    assert.ok(clock() <= budgetMs, `${clock()}`);
    assert.ok(clock() + 2 * (SLICE.ms + OVERHEAD_MS) > budgetMs, `${clock()}`);
    assert.equal(rounds.complete, Math.floor(budgetMs / (2 * (SLICE.ms + OVERHEAD_MS))));
  });
}

test('with no time at all one round is made', async () => {
  const { run, rounds, session } = simulated({ budgetMs: 1 });
  assert.equal(await run(), 'over');
  rounds.finish();
  assert.deepEqual([rounds.complete, session.isCutShort], [1, true]);
});

test('what an interrupted round has of some is left out of all', async () => {
  const { run, rounds, turns, session } = simulated({
    onTake: (taken, abort) => {
      if (taken.round !== 4 || taken.what !== 'b') return taken;
      abort();
      return undefined;
    },
  });
  assert.equal(await run(), 'interrupted');
  assert.deepEqual(
    turns.map((turn) => rounds.of(turn).length),
    [4, 4],
  );
  rounds.finish();
  assert.deepEqual([session.isCutShort, session.skipped], [true, []]);
});

test('of the first round, what was measured is better than nothing', async () => {
  const { run, rounds, turns } = simulated({
    onTake: (taken, abort) => {
      if (taken.what === 'b') abort();
      return taken.what === 'b' ? undefined : taken;
    },
  });
  assert.equal(await run(), 'interrupted');
  assert.deepEqual(
    turns.map((turn) => rounds.of(turn).length),
    [1, 0],
  );
});

test('each round begins with another one, and no lane is left out of any', async () => {
  const { run, taken } = simulated({ budgetMs: 20_000, turns: 3, needed: 3 });
  await run();
  const orders = Array.from({ length: 4 }, (_, round) =>
    taken.flatMap((each) => (each.round === round ? [each.what] : [])).join(''),
  );
  assert.deepEqual(orders, ['abc', 'bca', 'cab', 'abc']);
});

for (const [turns, needed, openMs, startMs = 0] of [
  [8, 2, 1000],
  [8, 8, 0],
  [4, 4, 900],
  [4, 4, 900, 1000],
] as const) {
  const opening = `${openMs} ms to start, ${startMs} for the command`;
  test(`${turns} lanes, ${needed} of them needed, ${opening}: the first answer comes early, and is refined`, async () => {
    const answers: number[] = [];
    const simulation = simulated({
      turns,
      needed,
      openMs,
      startMs,
      more: { slice: { ms: 600, least: 50 } },
      look: () => void answers.push(simulation.clock()),
    });
    const { run, taken } = simulation;
    await run();
    assert.ok(answers[0]! <= FIRST_ANSWER_MS, `${answers[0]} ms`);
    assert.ok(answers.length > ENOUGH_ROUNDS);
    const last = taken.filter(({ round }) => round === FEWEST_ROUNDS);
    assert.equal(last.length, turns, 'after it everything is measured');
    assert.ok(last.every(({ ms }) => ms === 600));
  });
}

test('rounds of the first look do not count where there are enough others', async () => {
  const more = { slice: { ms: 600, least: 50 } };
  const { run, rounds, turns } = simulated({ turns: 8, more, look: () => undefined });
  await run();
  for (const turn of turns) {
    const slices = rounds.of(turn);
    assert.equal(slices.length, rounds.complete - FEWEST_ROUNDS);
    assert.ok(slices.every(({ ms }) => ms === 600));
  }
});

test('where rounds as they are give an early answer, there are no others', async () => {
  const { run, taken } = simulated({ look: () => undefined });
  await run();
  assert.ok(taken.every(({ ms }) => ms === SLICE.ms));
});

test('a small budget is not spent on rounds that do not count', async () => {
  const more = { slice: { ms: 600, least: 50 } };
  const { run, taken } = simulated({ budgetMs: 20_000, turns: 8, more, look: () => undefined });
  await run();
  const first = taken.filter(({ round }) => round === 0).length;
  assert.ok(first > 2, `${first} of 8 lanes, of which 2 are needed`);
});

test('rounds that were not warm yet do not count where there are enough others', async () => {
  const more = { coldOf: () => 2 };
  const short = simulated({ budgetMs: 5 * 2 * (SLICE.ms + OVERHEAD_MS), more });
  await short.run();
  assert.equal(short.rounds.of(short.turns[0]!).length, 5);
  const long = simulated({ budgetMs: 20_000, more });
  await long.run();
  assert.equal(long.rounds.of(long.turns[0]!)[0]?.round, 2);
});

test('what there is no time for is left out, least important first, and said', async () => {
  const { run, rounds, session, turns } = simulated({ budgetMs: 8000, turns: 8, needed: 2, overheadMs: 200 });
  assert.equal(await run(), 'over');
  rounds.finish();
  const measured = turns.filter((turn) => rounds.of(turn).length > 0).map(({ what }) => what);
  assert.deepEqual(measured.slice(0, 2), ['a', 'b']);
  const left = session.skipped.map(({ what }) => what);
  assert.deepEqual(
    [...measured, ...left],
    turns.map(({ what }) => what),
    'nothing is lost in silence',
  );
  assert.ok(left.length > 0);
  assert.ok(rounds.complete >= ENOUGH_ROUNDS);
});

test('without what all others are compared with, there is nothing more to measure', async () => {
  const { run, rounds, taken, session } = simulated({
    onTake: (one) => (one.what === 'a' && one.round === 2 ? undefined : one),
  });
  assert.equal(await run(), 'failed');
  const count = taken.length;
  assert.equal(await run(), 'failed');
  assert.equal(taken.length, count);
  rounds.finish();
  assert.equal(session.isCutShort, false, 'it is not the time that was missing');
});

test('one of the others that fails is done without', async () => {
  const dead = new Set<string>();
  const simulation = simulated({
    turns: 3,
    needed: 3,
    budgetMs: 20_000,
    onTake: (one) => {
      if (one.what !== 'b' || one.round !== 1) return one;
      dead.add('b');
      return undefined;
    },
  });
  for (const turn of simulation.turns) {
    Object.assign(turn, { isDead: () => dead.has(turn.what) });
  }
  assert.equal(await simulation.run(), 'over');
  const { rounds, turns, taken } = simulation;
  assert.equal(rounds.of(turns[1]!).length, 1, 'places of two series belong together');
  assert.equal(taken.filter(({ what }) => what === 'b').length, 2);
});

test('it goes on where it was when there is more time, and only as long as there is a doubt', async () => {
  let isCertain = false;
  const { rounds, clock } = simulated({ look: () => (isCertain ? 'threads' : undefined) });
  assert.equal(await rounds.run({ endMs: 10_000 }), 'over');
  const before = rounds.complete;
  assert.equal(await rounds.run({ endMs: 20_000 }), 'over');
  assert.ok(rounds.complete > before);
  isCertain = true;
  assert.equal(await rounds.run({ endMs: 60_000 }), 'certain');
  assert.ok(clock() < 21_000);
});

test('as long as there are too few rounds they may take what others would get', async () => {
  const { rounds, clock } = simulated({ look: () => 'threads' });
  assert.equal(await rounds.run({ endMs: 1000, latestMs: 30_000 }), 'certain');
  assert.ok(clock() > 1000);
  assert.equal(rounds.complete, ENOUGH_ROUNDS);
});
