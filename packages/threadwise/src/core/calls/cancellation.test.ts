/** The core's own abort signal: cancels once, and follows another one until told not to. */
import assert from 'node:assert/strict';
import { getEventListeners } from 'node:events';
import { describe, test } from 'node:test';
import { Cancellation } from './cancellation.js';

describe('Cancellation', () => {
  test('tells every listener once, with the first reason', () => {
    const cancellation = new Cancellation();
    const told: unknown[] = [];
    cancellation.addEventListener('abort', () => told.push(['first', cancellation.reason]));
    cancellation.addEventListener('abort', () => told.push(['second', cancellation.reason]));
    assert.equal(cancellation.aborted, false);
    cancellation.cancel('why');
    cancellation.cancel('again');
    assert.equal(cancellation.aborted, true);
    assert.equal(cancellation.reason, 'why');
    assert.deepEqual(told, [
      ['first', 'why'],
      ['second', 'why'],
    ]);
  });

  test('tells no listener that was removed', () => {
    const cancellation = new Cancellation();
    const listener = () => assert.fail('told');
    cancellation.addEventListener('abort', listener);
    cancellation.removeEventListener('abort', listener);
    cancellation.cancel('why');
    assert.equal(cancellation.aborted, true);
  });

  test('cancels when the signal that it follows aborts, with its reason', () => {
    const [cancellation, controller] = [new Cancellation(), new AbortController()];
    cancellation.follow(controller.signal);
    controller.abort('why');
    assert.equal(cancellation.aborted, true);
    assert.equal(cancellation.reason, 'why');
  });

  test('cancels at once when the signal has aborted already', () => {
    const cancellation = new Cancellation();
    cancellation.follow(AbortSignal.abort('before'));
    assert.equal(cancellation.reason, 'before');
  });

  test('follows nothing when there is no signal', () => {
    const cancellation = new Cancellation();
    cancellation.follow(undefined);
    assert.equal(cancellation.aborted, false);
  });

  test('does not follow any more after dispose, and leaves no listener behind', () => {
    const [cancellation, { signal }] = [new Cancellation(), new AbortController()];
    cancellation.follow(signal);
    assert.equal(getEventListeners(signal, 'abort').length, 1);
    cancellation.dispose();
    assert.equal(getEventListeners(signal, 'abort').length, 0);
  });

  test('leaves no listener on the signal when it is cancelled by itself', () => {
    const [cancellation, { signal }] = [new Cancellation(), new AbortController()];
    cancellation.follow(signal);
    cancellation.cancel('own');
    assert.equal(getEventListeners(signal, 'abort').length, 0);
  });
});
