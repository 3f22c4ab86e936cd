import assert from 'node:assert/strict';
import { test } from 'node:test';
import { connectTo } from './connection.js';

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
