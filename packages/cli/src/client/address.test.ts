import assert from 'node:assert/strict';
import { test } from 'node:test';
import { UsageError } from '../exit-code.js';
import { addressFrom, parseAddress, shown } from './address.js';

const forms: readonly (readonly [string, string])[] = [
  ['9000', 'http://127.0.0.1:9000/'],
  [':9000', 'http://127.0.0.1:9000/'],
  ['localhost:9000', 'http://localhost:9000/'],
  ['box.example:9000', 'http://box.example:9000/'],
  ['[::1]:9000', 'http://[::1]:9000/'],
  ['http://127.0.0.1:9000', 'http://127.0.0.1:9000/'],
  ['HTTPS://box/control', 'https://box/control/'],
  ['http://box/control/?q#top', 'http://box/control/'],
  [' 9000 ', 'http://127.0.0.1:9000/'],
  // A server that listens on all interfaces is reached on the loopback one.
  ['0.0.0.0:9000', 'http://127.0.0.1:9000/'],
  ['[::]:9000', 'http://[::1]:9000/'],
];

for (const [text, url] of forms) {
  test(`${text} is ${url}`, () => assert.equal(parseAddress(text).href, url));
}

for (const text of ['', 'pools', '0', ':0', '65536', 'http://', 'localhost', '-1', '9000x', 'a b:9000']) {
  test(`'${text}' is no address, and the message says what is one`, () => {
    assert.throws(
      () => parseAddress(text),
      (error) =>
        error instanceof UsageError && error.message.includes(`'${text}'`) && /9000/.test(error.message),
    );
  });
}

test('another protocol is refused', () => {
  assert.throws(() => parseAddress('ftp://box:21'), /Expected http or https/);
});

test('a password is refused and not repeated', () => {
  assert.throws(
    () => parseAddress('http://me:secret@box:9000'),
    (error) => error instanceof UsageError && !error.message.includes('secret'),
  );
});

test('the environment names the address; its name is in the message when it is none', () => {
  assert.equal(addressFrom({ THREADWISE_CONTROL: '9464' }).href, 'http://127.0.0.1:9464/');
  assert.throws(() => addressFrom({}), /THREADWISE_CONTROL, which is not set/);
  assert.throws(() => addressFrom({ THREADWISE_CONTROL: ' ' }), /which is not set/);
  assert.throws(() => addressFrom({ THREADWISE_CONTROL: 'yes' }), /^UsageError: THREADWISE_CONTROL: 'yes'/);
});

test('is shown without the slash at its end', () => {
  assert.equal(shown(parseAddress('9000')), 'http://127.0.0.1:9000');
  assert.equal(shown(parseAddress('https://box/control')), 'https://box/control');
});
