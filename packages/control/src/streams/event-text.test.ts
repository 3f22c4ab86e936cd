import assert from 'node:assert/strict';
import { test } from 'node:test';
import { encodeEvent } from './event-text.js';

/** The name and the parsed data of one event. */
function parse(bytes: Buffer): { name: string | undefined; data: unknown } {
  const text = bytes.toString();
  const [, name, json] = /^event: ([^\r\n]*)\ndata: ([^\r\n]*)\n\n$/.exec(text) ?? [];
  return { name, data: JSON.parse(json ?? '') };
}
const described = (error: unknown) =>
  (parse(encodeEvent('error', { pool: 'a', error }, 'a')).data as { error: unknown }).error;

test('an event carries its fields, and the name under which the pool is served', () => {
  const event = { pool: 'a', workerId: 3, startMs: 1.5 };
  assert.deepEqual(parse(encodeEvent('worker:ready', event, 'a~2')), {
    name: 'worker:ready',
    data: { pool: 'a~2', workerId: 3, startMs: 1.5 },
  });
});

test('an error is its name, message and code', () => {
  const error = Object.assign(new RangeError('too far'), { code: 'ERR_FAR', secret: 1 });
  assert.deepEqual(described(error), { name: 'RangeError', message: 'too far', code: 'ERR_FAR' });
  assert.deepEqual(described(new Error('plain')), { name: 'Error', message: 'plain' });
  const killed = Object.assign(new Error('killed'), { code: null });
  assert.deepEqual(
    described(killed),
    { name: 'Error', message: 'killed' },
    'as of a child process that a signal has ended',
  );
  assert.equal(described(undefined), null);
});

test('a line break in a message does not end the event', () => {
  const error = new Error('one\n\nevent: two\r\u2028');
  assert.deepEqual(described(error), { name: 'Error', message: error.message });
});

test('a message is cut where nobody would read on', () => {
  const { message } = described(new Error('x'.repeat(1_000_000))) as { message: string };
  assert.match(message, /^x{1000,20000}$/);
});

test('whatever was thrown can be described', () => {
  const circle: Record<string, unknown> = {};
  circle.self = circle;
  const bare = Object.create(null) as unknown;
  const trap = Object.defineProperty(new Error('x'), 'message', {
    get: () => {
      throw new Error('no');
    },
  });
  assert.deepEqual(described('text'), { name: 'string', message: 'text' });
  assert.deepEqual(described(5n), { name: 'bigint', message: '5' });
  assert.deepEqual(described(circle), { name: 'object', message: '[object Object]' });
  for (const odd of [bare, trap])
    assert.deepEqual(described(odd), { name: 'Error', message: 'It cannot be described' });
});
