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

test('a Redis that answers nothing for long is connected to again, and not one that is slow', async (t) => {
  t.mock.timers.enable({ apis: ['setInterval'] });
  const pings: (() => void)[] = [];
  const cuts: string[] = [];
  const redis = Object.assign(new EventEmitter(), {
    status: 'ready',
    ping: () => new Promise<void>((resolve) => pings.push(resolve)),
    stream: { destroy: (error: Error) => cuts.push(error.message) },
  });
  new Link(redis as unknown as Redis, 1000);
  t.mock.timers.tick(30_000);
  assert.equal(pings.length, 1);
  pings[0]!(); // an answer that comes late
  await Promise.resolve();
  t.mock.timers.tick(30_000);
  assert.deepEqual([pings.length, cuts], [2, []]);
  t.mock.timers.tick(10_000);
  assert.deepEqual(cuts, ['Redis has answered nothing for 30 s: connecting again']);
  redis.status = 'reconnecting';
  t.mock.timers.tick(100_000);
  redis.emit('end');
  redis.status = 'ready';
  t.mock.timers.tick(100_000);
  assert.deepEqual([pings.length, cuts.length], [2, 1]);
});
