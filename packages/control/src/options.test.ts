import assert from 'node:assert/strict';
import { test } from 'node:test';
import { checkPools, resolveOptions } from './options.js';

test('without options: this machine alone, any port, a random token', () => {
  const { token, ...rest } = resolveOptions(undefined);
  assert.deepEqual(rest, {
    host: '127.0.0.1',
    port: 0,
    allowedHosts: [],
    historyMs: 600_000,
    fleets: [],
    isLocal: true,
  });
  assert.notEqual(token, resolveOptions({}).token);
});

const bad: readonly [what: string, options: unknown, message: RegExp][] = [
  ['no object', 5, /Option 'options': expected an object, got 5/],
  ['an array', [], /Option 'options': expected an object, got an array of 0/],
  ['an unknown option', { prot: 1 }, /Unknown option 'prot'. Known: host, port, token, allowedHosts/],
  ['a negative port', { port: -1 }, /Option 'port': expected a whole number from 0 to 65535, got -1/],
  ['a port out of range', { port: 65_536 }, /'port'.*got 65536/],
  ['a port that is a string', { port: '80' }, /'port'.*got "80"/],
  ['half a port', { port: 1.5 }, /'port'.*got 1.5/],
  ['an empty host', { host: '' }, /Option 'host': expected an address or a host name, got ""/],
  ['a URL for a host', { host: 'http://localhost' }, /'host'/],
  ['a host in brackets', { host: '[::1]' }, /'host'/],
  ['a host that is a number', { host: 1 }, /'host'.*got 1/],
  ['an empty token', { token: '' }, /Option 'token': expected printable ASCII.*a string of 0 characters/],
  ['a token with a space', { token: 'a b' }, /'token'.*a string of 3 characters$/],
  ['a token with a line break', { token: 'ab\n' }, /'token'/],
  ['a token that is no string', { token: 5 }, /'token'.*got 5/],
  [
    'a history that is no number of milliseconds',
    { historyMs: true },
    /'historyMs'.*from 0 to 3600000, got true/,
  ],
  ['a history of a day', { historyMs: 86_400_000 }, /'historyMs'.*got 86400000/],
  ['fleets that are no list', { fleets: { a: 1 } }, /Option 'fleets': expected an array or a set of fleets/],
  ['hosts that are no list', { allowedHosts: 'box' }, /Option 'allowedHosts': expected an array/],
  ['a host that is a URL', { allowedHosts: ['http://box'] }, /'allowedHosts': expected a host/],
];
for (const [what, options, message] of bad) {
  test(`${what} is refused`, () => {
    assert.throws(() => resolveOptions(options), {
      name: 'ControlError',
      code: 'ERR_CONTROL_OPTION',
      message,
    });
  });
}

test('an address that others can reach needs a token', () => {
  for (const host of ['0.0.0.0', '::', '192.0.2.1', 'box.example']) {
    const expected = { code: 'ERR_CONTROL_TOKEN_REQUIRED', message: /THREADWISE_CONTROL_TOKEN/ };
    assert.throws(() => resolveOptions({ host }), expected, host);
    assert.equal(resolveOptions({ host, token: 'secret' }).isLocal, false);
  }
});

test('pools have to be iterable', () => {
  for (const pools of [undefined, null, {}, 5, 'pools']) {
    assert.throws(() => checkPools(pools), { code: 'ERR_CONTROL_OPTION', message: /'pools'/ });
  }
  const once = { code: 'ERR_CONTROL_OPTION', message: /an array or a set of pools, got an iterator/ };
  for (const pools of [new Map().values(), [].values()]) assert.throws(() => checkPools(pools), once);
  for (const pools of [[], new Set()]) assert.equal(checkPools(pools), pools);
});

test('what is served has to be pools, and fleets', () => {
  const stats = () => ({});
  const pool = { stats, name: 'images' };
  const fleet = { stats, queue: { name: 'work' } };
  const service = { pool, stats };
  for (const pools of [[service], new Set([fleet]), [undefined], [[pool]], new Map([['images', pool]])]) {
    const message = /'pools': expected an array or a set of pools, got (undefined|an \w+ .*) in it/;
    assert.throws(() => checkPools(pools), { code: 'ERR_CONTROL_OPTION', message });
  }
  for (const fleets of [[service], new Set([pool]), [null]]) {
    const message = /'fleets': expected an array or a set of fleets, got (null|an object .*) in it/;
    assert.throws(() => resolveOptions({ fleets }), { code: 'ERR_CONTROL_OPTION', message });
  }
  checkPools([pool]);
  resolveOptions({ fleets: new Set([fleet]) });
});
