/** Waiting for room: first come, first served, and no more are woken than there is room for. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Engine } from '../engine.js';
import { RoomQueue } from './room.js';

const turn = () => new Promise<void>((resolve) => setImmediate(resolve));

/** A queue with that many free places, and the names of those who were woken, in order. */
function queue(places = 0) {
  const state = { places, woken: [] as string[], expire: () => {} };
  const room = new RoomQueue({
    admission: { freePlaces: () => state.places },
    parts: { platform: { nextTurn: (callback: () => void) => (state.expire = callback) } },
    lifecycle: { updateKeepAlive: () => undefined },
  } as unknown as Engine);
  const wait = (name: string, signal?: AbortSignal) => {
    void room.wait(signal).then(() => state.woken.push(name));
  };
  return { state, room, wait };
}

describe('RoomQueue', () => {
  test('lets through at once while there is room and nobody waits', async () => {
    const { state, wait } = queue(1);
    wait('a');
    await turn();
    assert.deepEqual(state.woken, ['a']);
  });

  test('lets nobody through while there is no room, however often it looks', async () => {
    const { state, room, wait } = queue(0);
    wait('a');
    room.update();
    state.places = -3;
    room.update();
    await turn();
    assert.deepEqual(state.woken, []);
  });

  test('wakes in the order of coming, and no more than there is room for', async () => {
    const { state, room, wait } = queue(0);
    for (const name of ['a', 'b', 'c', 'd']) wait(name);
    state.places = 2;
    room.update();
    await turn();
    assert.deepEqual(state.woken, ['a', 'b']);
    room.update();
    await turn();
    assert.deepEqual(state.woken, ['a', 'b'], 'the places are promised, though nobody has taken them yet');
    room.taken();
    room.taken();
    state.places = 1;
    room.update();
    await turn();
    assert.deepEqual(state.woken, ['a', 'b', 'c']);
  });

  test('promises a place to whoever finds room at once, too', async () => {
    const { state, wait } = queue(1);
    wait('a');
    wait('b');
    await turn();
    assert.deepEqual(state.woken, ['a']);
  });

  test('gives a place that was promised and not taken to the next one', async () => {
    const { state, wait } = queue(1);
    wait('never calls');
    wait('b');
    state.expire();
    await turn();
    assert.deepEqual(state.woken, ['never calls', 'b']);
  });

  test('lets nobody overtake those who wait, though there should be room', async () => {
    const { state, room, wait } = queue(0);
    wait('early');
    state.places = 1;
    wait('late');
    await turn();
    assert.deepEqual(state.woken, []);
    room.update();
    await turn();
    assert.deepEqual(state.woken, ['early']);
  });

  test('promises a place to whoever asks without waiting, unless somebody waits or there is none', async () => {
    const { state, room, wait } = queue(2);
    assert.equal(room.take(), true);
    wait('a');
    assert.equal(room.take(), false, 'both places are promised');
    await turn();
    assert.deepEqual(state.woken, ['a']);
    wait('early');
    state.places = 3;
    assert.equal(room.take(), false);
    room.update();
    await turn();
    assert.deepEqual(state.woken, ['a', 'early']);
  });

  test('wakes whoever aborts, out of turn, and leaves the place to the next', async () => {
    const { state, room, wait } = queue(0);
    const controller = new AbortController();
    wait('aborting', controller.signal);
    wait('patient');
    controller.abort('enough');
    await turn();
    assert.deepEqual(state.woken, ['aborting']);
    state.places = 1;
    room.update();
    await turn();
    assert.deepEqual(state.woken, ['aborting', 'patient']);
  });

  test('leaves no listener on the signal of somebody who was woken', async () => {
    const { state, room } = queue(0);
    const listeners = new Set<unknown>();
    const signal = {
      aborted: false,
      reason: undefined,
      addEventListener: (_: string, listener: unknown) => void listeners.add(listener),
      removeEventListener: (_: string, listener: unknown) => void listeners.delete(listener),
    };
    const waiting = room.wait(signal);
    assert.equal(listeners.size, 1);
    state.places = 1;
    room.update();
    await waiting;
    assert.equal(listeners.size, 0);
  });

  test('wakes everybody when it closes', async () => {
    const { state, room, wait } = queue(0);
    wait('a');
    wait('b');
    room.close();
    await turn();
    assert.deepEqual(state.woken, ['a', 'b']);
  });
});
