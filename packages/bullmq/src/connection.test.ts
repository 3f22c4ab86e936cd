import assert from 'node:assert/strict';
import { EventEmitter } from 'node:events';
import { test } from 'node:test';
import type { Redis } from 'ioredis';
import { connectTo, Link } from './connection.js';

test('a URL that is none of Redis, or cannot be read, is refused at once, without its password', () => {
  for (const connection of [
    'redis://:s%cret@host:6379',
    'redis://ann:s/cret@host:6379',
    'redis://ann:s#cret@host:6379',
    'valkeys://ann:s+cret@host:6379',
    'redis:/:s+cret@host:6379',
    ':s+cret@host:6379',
    '10.0.0.1:6379?password=s+cret',
    'unix:///tmp/redis.sock',
    'host.example:6379/2',
  ])
    assert.throws(
      () => connectTo(connection),
      ({ code, message }: NodeJS.ErrnoException) => {
        assert.match(message, /'connection': expected a string with a URL .*percent-encoded.*, got "/);
        assert.doesNotMatch(message, /cret/);
        return code === 'ERR_OPTION';
      },
      connection,
    );
});

test('a Redis that answers nothing for long is connected to again, and not one that is slow or away', (t) => {
  t.mock.timers.enable({ apis: ['setInterval'] });
  let pings = 0;
  const cuts: string[] = [];
  const streamOf = () => ({ bytesRead: 0, destroy: (error: Error) => cuts.push(error.message) });
  const ping = () => Promise.resolve(pings++);
  const redis = Object.assign(new EventEmitter(), { status: 'ready', ping, stream: streamOf() });
  new Link(redis as unknown as Redis, 1000);
  for (let i = 0; i < 5; i++) {
    t.mock.timers.tick(20_000);
    redis.stream.bytesRead++;
  }
  assert.deepEqual([pings, cuts], [10, []]);
  const silent = ['Redis has answered nothing for 30 s: connecting again'];
  t.mock.timers.tick(40_000);
  assert.deepEqual(cuts, silent);
  Object.assign(redis, { status: 'reconnecting' });
  t.mock.timers.tick(100_000);
  assert.deepEqual([pings, cuts], [13, silent]);
  // Who has been connected to answers not even whether it is ready.
  Object.assign(redis, { status: 'connect', stream: streamOf() });
  t.mock.timers.tick(40_000);
  assert.deepEqual([pings, cuts], [13, [...silent, ...silent]]);
  redis.emit('end');
  Object.assign(redis, { status: 'ready', stream: streamOf() });
  t.mock.timers.tick(100_000);
  assert.deepEqual([pings, cuts.length], [13, 2]);
});
