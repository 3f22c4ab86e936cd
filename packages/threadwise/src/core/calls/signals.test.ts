/** One listener for each signal, however many follow it. */
import assert from 'node:assert/strict';
import { getEventListeners } from 'node:events';
import { describe, test } from 'node:test';
import { follow, onAbort } from './signals.js';

const listeners = (signal: AbortSignal) => getEventListeners(signal, 'abort').length;

describe('onAbort', () => {
  const nothing = () => () => undefined;

  test('puts one listener on a signal, however many follow it', () => {
    const [one, other] = [new AbortController().signal, new AbortController().signal];
    for (let i = 0; i < 50; i++) onAbort(one, nothing());
    onAbort(other, nothing());
    assert.equal(listeners(one), 1);
    assert.equal(listeners(other), 1);
  });

  test('tells each follower of the signal that aborts, once, the last one first, and no follower of another', () => {
    const told: string[] = [];
    const [one, other] = [new AbortController(), new AbortController()];
    onAbort(one.signal, () => void told.push('a'));
    onAbort(one.signal, () => void told.push('b'));
    onAbort(other.signal, () => void told.push('c'));
    one.abort();
    assert.deepEqual(told, ['b', 'a']);
  });

  test('removes the listener with the last follower, and not before', () => {
    const { signal } = new AbortController();
    const [first, second] = [onAbort(signal, nothing()), onAbort(signal, nothing())];
    first();
    assert.equal(listeners(signal), 1);
    first(); // once more changes nothing
    assert.equal(listeners(signal), 1);
    second();
    assert.equal(listeners(signal), 0);
  });

  test('does not tell who has left, and can be followed again afterwards', () => {
    const told: string[] = [];
    const controller = new AbortController();
    const leave = onAbort(controller.signal, () => void told.push('left'));
    leave();
    onAbort(controller.signal, () => void told.push('came'));
    leave();
    assert.equal(listeners(controller.signal), 1);
    controller.abort();
    assert.deepEqual(told, ['came']);
  });

  test('tells everybody although each leaves when it is told', () => {
    const controller = new AbortController();
    const told: string[] = [];
    for (const item of ['a', 'b', 'c']) {
      const leave = onAbort(controller.signal, () => {
        leave();
        told.push(item);
      });
    }
    controller.abort();
    assert.deepEqual(told, ['c', 'b', 'a']);
    assert.equal(listeners(controller.signal), 0);
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
