/** A user's strategy cannot break the pool. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { isThreadwiseError } from '../../core/options/errors.js';
import type { ChooseFunction } from '../../core/options/options.js';
import { anyTask, choiceConformance, unexpected, worker } from './choice.case.js';
import { guarded } from './strategies.js';

const workers = [worker(1, { load: 2 }), worker(2, { load: 0 }), worker(3, { load: 1 })];
const last: ChooseFunction = (_task, candidates) => candidates.at(-1)!;
const boom = new Error('the strategy is wrong');
const bad: Record<string, ChooseFunction> = {
  throws: () => {
    throw boom;
  },
  'answers nothing': () => undefined as never,
  'answers a stranger': () => worker(99),
  'answers a copy': (_task, [first]) => ({ ...first! }),
  'answers a promise': (async () => workers[0]) as never,
};

choiceConformance('guarded around a good strategy', () => guarded('good', last, unexpected));
for (const [what, choose] of Object.entries(bad)) {
  choiceConformance(`guarded around one that ${what}`, () => guarded('bad', choose, () => undefined));
}

describe('guarded', () => {
  test('carries the name it is given', () => {
    assert.equal(guarded('mine', last, unexpected).name, 'mine');
  });

  test('lets a good strategy choose, gives it task and candidates, and reports nothing', () => {
    const seen: unknown[] = [];
    const choose: ChooseFunction = (task, candidates) => {
      seen.push(task, candidates);
      return candidates[0]!;
    };
    assert.equal(guarded('good', choose, unexpected).choose(anyTask, workers).id, 1);
    assert.deepEqual(seen, [anyTask, workers]);
  });

  for (const [what, choose] of Object.entries(bad)) {
    test(`reports one that ${what} once, and gives every task to the least busy`, () => {
      const reports: unknown[] = [];
      const choice = guarded('bad', choose, (error) => reports.push(error));
      for (let i = 0; i < 3; i++) assert.equal(choice.choose(anyTask, workers).id, 2);
      assert.equal(reports.length, 1);
    });
  }

  test('a strategy may take workers out of the list that it is given', () => {
    const emptied: ChooseFunction = (_task, candidates) =>
      (candidates as (typeof workers)[number][]).splice(0)[2]!;
    assert.equal(guarded('good', emptied, unexpected).choose(anyTask, workers.slice()).id, 3);
    const none: ChooseFunction = (task, candidates) => void emptied(task, candidates) as never;
    assert.equal(guarded('bad', none, () => undefined).choose(anyTask, workers.slice()).id, 2);
  });

  test('reports what the strategy threw, as it is', () => {
    const reports: unknown[] = [];
    guarded('bad', bad.throws!, (error) => reports.push(error)).choose(anyTask, workers);
    assert.equal(reports[0], boom);
  });

  test('reports a wrong answer as ERR_OPTION that says what came', () => {
    const reports: unknown[] = [];
    guarded('bad', bad['answers nothing']!, (error) => reports.push(error)).choose(anyTask, workers);
    const [error] = reports;
    assert.ok(isThreadwiseError(error) && error.code === 'ERR_OPTION');
    assert.match(error.message, /'choose'.*undefined/);
  });

  test('does not ask a strategy again that failed once', () => {
    let asked = 0;
    const choice = guarded(
      'bad',
      () => {
        asked++;
        throw boom;
      },
      () => undefined,
    );
    for (let i = 0; i < 5; i++) choice.choose(anyTask, workers);
    assert.equal(asked, 1);
  });
});
