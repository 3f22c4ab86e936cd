/** One listener for each signal, however many follow it. */
import assert from 'node:assert/strict';
import { getEventListeners } from 'node:events';
import { describe, test } from 'node:test';
import { follow, SharedSignals } from './signals.js';

const listeners = (signal: AbortSignal) => getEventListeners(signal, 'abort').length;

describe('SharedSignals', () => {
  test('puts one listener on a signal, however many follow it', () => {
    const signals = new SharedSignals<number>(() => undefined);
    const [one, other] = [new AbortController().signal, new AbortController().signal];
    for (let i = 0; i < 50; i++) signals.follow(one, i);
    signals.follow(other, 50);
    assert.equal(listeners(one), 1);
    assert.equal(listeners(other), 1);
  });

  test('tells each follower of the signal that aborts, once, and no follower of another', () => {
    const told: string[] = [];
    const signals = new SharedSignals<string>((item) => told.push(item));
    const [one, other] = [new AbortController(), new AbortController()];
    signals.follow(one.signal, 'a');
    signals.follow(one.signal, 'b');
    signals.follow(other.signal, 'c');
    one.abort();
    assert.deepEqual(told, ['a', 'b']);
  });

  test('removes the listener with the last follower, and not before', () => {
    const signals = new SharedSignals<string>(() => undefined);
    const { signal } = new AbortController();
    signals.follow(signal, 'a');
    signals.follow(signal, 'b');
    signals.unfollow(signal, 'a');
    assert.equal(listeners(signal), 1);
    signals.unfollow(signal, 'stranger');
    assert.equal(listeners(signal), 1);
    signals.unfollow(signal, 'b');
    assert.equal(listeners(signal), 0);
  });

  test('does not tell who has left, and can be followed again afterwards', () => {
    const told: string[] = [];
    const signals = new SharedSignals<string>((item) => told.push(item));
    const controller = new AbortController();
    signals.follow(controller.signal, 'left');
    signals.unfollow(controller.signal, 'left');
    signals.follow(controller.signal, 'came');
    assert.equal(listeners(controller.signal), 1);
    controller.abort();
    assert.deepEqual(told, ['came']);
  });

  test('tells everybody although each leaves when it is told', () => {
    const controller = new AbortController();
    const told: string[] = [];
    const signals: SharedSignals<string> = new SharedSignals((item) => {
      signals.unfollow(controller.signal, item);
      told.push(item);
    });
    for (const item of ['a', 'b', 'c']) signals.follow(controller.signal, item);
    controller.abort();
    assert.deepEqual(told, ['a', 'b', 'c']);
    assert.equal(listeners(controller.signal), 0);
  });

  test('has nothing to do without a signal', () => {
    const signals = new SharedSignals<string>(() => assert.fail('told'));
    signals.follow(undefined, 'a');
    signals.unfollow(undefined, 'a');
    signals.unfollow(new AbortController().signal, 'never followed');
  });
});

describe('follow', () => {
  test('many controllers put one listener on a signal, and leave none behind', () => {
    const { signal } = new AbortController();
    const controllers = Array.from({ length: 20 }, () => new AbortController());
    const undo = controllers.map((controller) => follow(signal, controller));
    assert.equal(listeners(signal), 1);
    for (const each of undo) each();
    assert.equal(listeners(signal), 0);
  });

  test('aborts when the signal does, with its reason, and at once where it has', () => {
    const source = new AbortController();
    const [before, undone, after] = Array.from({ length: 3 }, () => new AbortController()) as [
      AbortController,
      AbortController,
      AbortController,
    ];
    follow(source.signal, before);
    follow(source.signal, undone)();
    source.abort('enough');
    follow(source.signal, after);
    assert.deepEqual([before.signal.reason, after.signal.reason], ['enough', 'enough']);
    assert.equal(undone.signal.aborted, false);
  });

  test('without a signal there is nothing to undo', () => {
    const controller = new AbortController();
    follow(undefined, controller)();
    assert.equal(controller.signal.aborted, false);
  });
});
