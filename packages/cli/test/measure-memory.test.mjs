/** Where memory is short, the processes that measure do not wait for their turn all at once. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { openInline, watchBehaviour } from '../dist/subjects/function/measure/behaviour-step.js';
import { FunctionSession } from '../dist/subjects/function/measure/session.js';
import { roundsOf, settingsOf } from '../dist/subjects/function/measure/turns.js';
import { temporaryFolder } from './command.mjs';

const MIB = 2 ** 20;

/** Two rounds of a machine with so much memory, however long they take: what came of them, and how many processes there were. */
async function roundsWith(memoryBytes, isEnd = (what) => /^round 3/.test(what)) {
  const pidFile = join(temporaryFolder(), 'pids');
  process.env.TEST_PIDS = pidFile;
  const controller = new AbortController();
  const progress = ({ what }) => {
    if (isEnd(what)) controller.abort();
  };
  const plan = {
    module: new URL('fixtures/analyze/pids.mjs', import.meta.url).href,
    moduleGiven: 'pids.mjs',
    export: 'default',
    inputs: [1],
    inputCount: 1,
    inputsHow: 'listed',
    budgetMs: 300_000,
    signal: controller.signal,
  };
  const session = new FunctionSession(plan, { progress });
  const { draft } = session;
  draft.machine = { ...draft.machine, memoryBytes };
  const subject = await watchBehaviour(session);
  const inline = await openInline(session, subject, [1]);
  const { all } = settingsOf(session, subject, inline.warm, 2, 2);
  const settings = { all: all.slice(0, 2), needed: 2 };
  const rounds = roundsOf(session, inline, settings, [1]);
  await rounds.run();
  await rounds.finish();
  await session.close();
  const pids = readFileSync(pidFile, 'utf8').trim().split('\n');
  return { draft, processes: new Set(pids).size };
}

test('with memory for all of them, one process for each setting is started, once', async () => {
  const { draft, processes } = await roundsWith(16_000 * MIB);
  assert.equal(draft.inline.rate.length, 2);
  assert.equal(draft.threads.length, 2);
  // The two settings, the calling thread, and the one that saw to its behaviour.
  assert.equal(processes, 4);
});

test('without, each is started for its turn, in every round', async () => {
  const { draft, processes } = await roundsWith(200 * MIB);
  const rounds = draft.inline.rate.length;
  assert.equal(rounds, 2);
  for (const { rate } of draft.threads) assert.equal(rate.length, rounds);
  assert.ok(processes >= 2 + 2 * rounds, `${processes} processes in ${rounds} rounds`);
});

test('what an interrupted round has of some is left out of all', async () => {
  let turns = 0;
  const isSecondTurn = (what) => what === '2 threads' && ++turns === 2;
  const { draft } = await roundsWith(200 * MIB, isSecondTurn);
  assert.equal(draft.inline.rate.length, 1);
  assert.deepEqual(
    draft.threads.map(({ threads, rate }) => [threads, rate.length]),
    [
      [1, 1],
      [2, 1],
    ],
  );
});
