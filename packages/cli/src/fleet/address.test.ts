import assert from 'node:assert/strict';
import { test } from 'node:test';
import { UsageError } from '../exit-code.js';
import { parseFleetAddress } from './address.js';

test('reads where Redis is and which queue is meant, and shows no password', () => {
  assert.deepEqual(parseFleetAddress('redis://db:6379/0#thumbnails'), {
    connection: 'redis://db:6379/0',
    queue: 'thumbnails',
    shown: "'thumbnails' at db:6379/0",
  });
  const { connection, shown } = parseFleetAddress('rediss://ann:secret@db/#large images');
  assert.equal(connection, 'rediss://ann:secret@db/');
  assert.equal(shown, "'large images' at db");
});

test('shows no password of what it refuses', () => {
  for (const text of ['redis://ann:secret@db', 'redis:/:secret@db#q', ':secret@db#q', 'db?password=secret#q'])
    assert.throws(
      () => parseFleetAddress(text),
      ({ message }: Error) => !message.includes('secret'),
      text,
    );
});

test('refuses what names no Redis, or no queue', () => {
  for (const text of [
    '',
    'thumbnails',
    '#thumbnails',
    'redis://db:6379/0',
    'redis://db:6379/0#',
    'redis://db#a:b',
    'http://db#thumbnails',
    'redis://db:port#thumbnails',
  ])
    assert.throws(() => parseFleetAddress(text), UsageError, text);
  assert.throws(
    () => parseFleetAddress('redis://db#a:b'),
    /whose name has no ':', .*, got 'redis:\/\/db#a:b'$/,
  );
});
