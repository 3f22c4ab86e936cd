import assert from 'node:assert/strict';
import { hostname } from 'node:os';
import { test } from 'node:test';
import { isLoopback, ownHosts } from './addresses.js';

test('only addresses that mean this machine are loopback', () => {
  for (const host of ['127.0.0.1', '127.1.2.3', '::1', 'localhost', 'LOCALHOST'])
    assert.ok(isLoopback(host), host);
  for (const host of [
    '0.0.0.0',
    '::',
    '10.0.0.1',
    '128.0.0.1',
    'localhost.example.com',
    '127.0.0.1.example.com',
    '',
  ]) {
    assert.equal(isLoopback(host), false, host);
  }
});

test('a server is spoken to by the names of its address, with its port', () => {
  assert.deepEqual(
    ownHosts('127.0.0.1', '127.0.0.1', 9464),
    new Set(['127.0.0.1:9464', 'localhost:9464', '[::1]:9464']),
  );
  assert.ok(ownHosts('Box.Example', '192.0.2.1', 9464).has('box.example:9464'));
  assert.ok(ownHosts('Box.Example', '192.0.2.1', 9464).has('192.0.2.1:9464'));
  assert.ok(ownHosts('2001:DB8:0::1', '2001:db8::1', 9464).has('[2001:db8::1]:9464'));
  assert.ok(ownHosts('fe80::1', 'fe80::1', 9464).has('[fe80::1]:9464'));
  // The first is as curl writes the address, the second as browsers and fetch write it.
  assert.ok(ownHosts('::ffff:127.0.0.1', '::ffff:127.0.0.1', 9464).has('[::ffff:127.0.0.1]:9464'));
  assert.ok(ownHosts('::ffff:127.0.0.1', '::ffff:127.0.0.1', 9464).has('[::ffff:7f00:1]:9464'));
  assert.ok(ownHosts('fe80::1%eth0', 'fe80::1%eth0', 9464).has('[fe80::1]:9464'));
});

test('on port 80 the port may be left out, on others not', () => {
  assert.ok(ownHosts('127.0.0.1', '127.0.0.1', 80).has('localhost'));
  assert.ok(ownHosts('127.0.0.1', '127.0.0.1', 80).has('localhost:80'));
  assert.equal(ownHosts('127.0.0.1', '127.0.0.1', 8080).has('localhost'), false);
});

test('a server on all addresses of a machine has its name too', () => {
  assert.ok(ownHosts('::0', '::', 1).has(`${hostname().toLowerCase()}:1`));
  for (const host of ['0.0.0.0', '::'])
    assert.ok(ownHosts(host, host, 1).has(`${hostname().toLowerCase()}:1`));
  assert.equal(
    ownHosts('127.0.0.1', '127.0.0.1', 1).has(`${hostname().toLowerCase()}:1`),
    hostname() === 'localhost',
  );
});
