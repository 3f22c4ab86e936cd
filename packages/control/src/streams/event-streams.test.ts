import assert from 'node:assert/strict';
import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import { test } from 'node:test';
import type { ControllablePool } from '../controllable-pool.js';
import { LIMITS } from '../limits.js';
import { openStreams } from './event-streams.js';

const noHistories = { note: () => undefined };

/** A pool that counts its listeners. */
function listenedTo() {
  const counts = { listeners: 0 };
  const pool = {
    name: 'p',
    stats: () => ({ name: 'p' }),
    on: () => counts.listeners++,
    off: () => counts.listeners--,
  };
  return { counts, served: { name: 'p', item: pool as unknown as ControllablePool } };
}

const response = () => new ServerResponse(new IncomingMessage(new Socket()));

test('a client that is gone before its stream begins is not waited for', () => {
  const { counts, served } = listenedTo();
  const streams = openStreams(LIMITS, noHistories);
  const gone = response();
  gone.destroy();
  streams.begin(served, served.item.stats(), gone, {});
  assert.deepEqual([streams.open, counts.listeners], [0, 0]);
});

test('a stream ends with its response', () => {
  const { counts, served } = listenedTo();
  const streams = openStreams(LIMITS, noHistories);
  const stays = response();
  streams.begin(served, served.item.stats(), stays, {});
  assert.deepEqual([streams.open, counts.listeners], [1, 6]);
  stays.emit('close');
  assert.deepEqual([streams.open, counts.listeners], [0, 0]);
});
