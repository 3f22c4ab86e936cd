/** What the option `choose` means. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { anyTask, choiceConformance, unexpected, worker } from './choice.case.js';
import { choiceNames, resolveChoice } from './strategies.js';

const workers = [worker(1, { load: 5 }), worker(2)];

for (const name of choiceNames) {
  choiceConformance(`the strategy named '${name}'`, () => resolveChoice(name, unexpected));
}

describe('resolveChoice', () => {
  test('the first name is the default, least-busy', () => {
    assert.equal(choiceNames[0], 'least-busy');
  });

  test('every name gives the strategy of that name', () => {
    for (const name of choiceNames) assert.equal(resolveChoice(name, unexpected).name, name);
  });

  test('a strategy with state is made anew for each pool', () => {
    assert.notEqual(resolveChoice('round-robin', unexpected), resolveChoice('round-robin', unexpected));
  });

  test('a function and an object with choose are asked, by their own names', () => {
    function mine() {
      return workers[0]!;
    }
    const byFunction = resolveChoice(mine, unexpected);
    assert.equal(byFunction.name, 'mine');
    assert.equal(byFunction.choose(anyTask, workers).id, 1);
    const byObject = resolveChoice({ name: 'theirs', choose: mine }, unexpected);
    assert.equal(byObject.name, 'theirs');
    assert.equal(byObject.choose(anyTask, workers).id, 1);
  });

  test('an object keeps its `this`', () => {
    const stateful = {
      name: 'stateful',
      at: 0,
      choose() {
        return workers[this.at++ % 2]!;
      },
    };
    const choice = resolveChoice(stateful, unexpected);
    assert.deepEqual([choice.choose(anyTask, workers).id, choice.choose(anyTask, workers).id], [1, 2]);
  });

  test('what is wrong with a given strategy is reported, and the least busy takes over', () => {
    const reports: unknown[] = [];
    const choice = resolveChoice(
      () => undefined as never,
      (error) => reports.push(error),
    );
    assert.equal(choice.choose(anyTask, workers).id, 2);
    assert.equal(reports.length, 1);
  });
});
