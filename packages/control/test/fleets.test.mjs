/** Fleets beside the pools: what is told of them, and that one that does not answer holds nothing up. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FakeFleet, FakePool, FLEET, send, serve } from './helpers.mjs';

/** What a fleet answers whose Redis is away: nothing. */
const silence = () => new Promise(() => undefined);
const SOON = { fleetTimeoutMs: 20 };

/** Every sample of a fleet, by its name and labels, as text. */
async function samplesOf(server) {
  const { status, text } = await send(server, '/metrics');
  assert.equal(status, 200);
  const found = text.matchAll(/^(threadwise_fleet\S+\{.*\}) (\S+)$/gm);
  return Object.fromEntries(Array.from(found, ([, series, value]) => [series, Number(value)]));
}

test('a fleet is what its stats say', async (t) => {
  const server = await serve(t, [], { fleets: [new FakeFleet('thumbnails')] });
  const fleet = { name: 'thumbnails', stats: FLEET, error: null };
  assert.deepEqual((await send(server, '/api/fleets')).json, { fleets: [fleet] });
  assert.deepEqual((await send(server, '/api/fleets/thumbnails')).json, fleet);
  assert.deepEqual((await send(server, '/api/pools')).json.fleets, ['thumbnails']);
});

test('its metrics: the queue, and each machine, also where two have one name', async (t) => {
  const server = await serve(t, [], { fleets: [new FakeFleet('f')] });
  const fleet = (labels = '') => `{fleet="f"${labels}}`;
  const machine = (id, labels = '') => fleet(`,machine="same",id="${id}"${labels}`);
  const expected = {
    [`threadwise_fleet_up${fleet()}`]: 1,
    [`threadwise_fleet_jobs${fleet(',state="waiting"')}`]: 11,
    [`threadwise_fleet_jobs${fleet(',state="active"')}`]: 5,
    [`threadwise_fleet_jobs${fleet(',state="delayed"')}`]: 3,
    [`threadwise_fleet_jobs${fleet(',state="failed"')}`]: 2,
    [`threadwise_fleet_jobs${fleet(',state="completed"')}`]: 40,
    [`threadwise_fleet_machines${fleet()}`]: 2,
    [`threadwise_fleet_open_calls${fleet()}`]: 12,
  };
  const machines = {
    'id-a': {
      threads: 4,
      concurrency: 8,
      active: 3,
      completed: 30,
      failed: 1,
      returned: 6,
      recovered: 7,
      repeated: 9,
    },
    'id-b': {
      threads: 2,
      concurrency: 2,
      active: 2,
      completed: 10,
      failed: 0,
      returned: 0,
      recovered: 0,
      repeated: 0,
    },
  };
  for (const [id, each] of Object.entries(machines)) {
    for (const [name, value] of [
      [`threads${machine(id)}`, each.threads],
      [`concurrency${machine(id)}`, each.concurrency],
      [`active_jobs${machine(id)}`, each.active],
      [`jobs_total${machine(id, ',outcome="completed"')}`, each.completed],
      [`jobs_total${machine(id, ',outcome="failed"')}`, each.failed],
      [`jobs_total${machine(id, ',outcome="returned"')}`, each.returned],
      [`recovered_total${machine(id)}`, each.recovered],
      [`repeated_total${machine(id)}`, each.repeated],
    ])
      expected[`threadwise_fleet_machine_${name}`] = value;
  }
  assert.deepEqual(await samplesOf(server), expected);
});

test('a Redis that does not answer is waited for no longer than the limit; the others are told of', async (t) => {
  const fleets = [new FakeFleet('away', silence), new FakeFleet('there')];
  const server = await serve(t, [new FakePool('p')], { fleets }, SOON);
  const { json } = await send(server, '/api/fleets');
  const message = 'There are no statistics of fleet "away": Redis has not answered within 20 ms';
  assert.deepEqual(json.fleets, [
    { name: 'away', stats: null, error: { code: 'ERR_CONTROL_FLEET', message } },
    { name: 'there', stats: FLEET, error: null },
  ]);
  const alone = await send(server, '/api/fleets/away');
  assert.deepEqual([alone.status, alone.json], [503, { error: { code: 'ERR_CONTROL_FLEET', message } }]);
  const samples = await samplesOf(server);
  assert.equal(samples['threadwise_fleet_up{fleet="there"}'], 1);
  const ofAway = Object.entries(samples).filter(([series]) => series.includes('"away"'));
  assert.deepEqual(ofAway, [['threadwise_fleet_up{fleet="away"}', 0]]);
  assert.match((await send(server, '/metrics')).text, /^threadwise_queue_size\{pool="p"\} 5$/m);
  // Health and readiness are the pools'.
  assert.equal((await send(server, '/readyz')).status, 200);
});

test('one that does not answer is not asked again before it has; then it is', async (t) => {
  let answer;
  const fleet = new FakeFleet('slow', () => new Promise((resolve) => (answer = resolve)));
  const server = await serve(t, [], { fleets: [fleet] }, SOON);
  for (const path of ['/metrics', '/api/fleets', '/api/fleets/slow']) await send(server, path);
  assert.equal(fleet.asked, 1);
  answer(FLEET);
  fleet.answer = FLEET;
  assert.equal((await send(server, '/api/fleets/slow')).status, 200);
  assert.equal(fleet.asked, 2);
});

test('a fleet that refuses says why, with its code', async (t) => {
  const refusals = [
    [
      Object.assign(new Error('Redis at x was not reached'), { code: 'ERR_FLEET_CONNECTION' }),
      'x was not reached (ERR_FLEET_CONNECTION)',
    ],
    [undefined, ': undefined'],
  ];
  for (const [error, says] of refusals) {
    const fleet = new FakeFleet('f', () => Promise.reject(error));
    const server = await serve(t, [], { fleets: [fleet] });
    const { status, json } = await send(server, '/api/fleets/f');
    assert.equal(status, 503);
    assert.ok(json.error.message.endsWith(says), json.error.message);
    assert.deepEqual(await samplesOf(server), { 'threadwise_fleet_up{fleet="f"}': 0 });
  }
});

test('fleets come and go, and two of one queue are two', async (t) => {
  const fleets = new Set([new FakeFleet('q'), new FakeFleet('q')]);
  const server = await serve(t, [], { fleets });
  const names = async () => (await send(server, '/api/fleets')).json.fleets.map(({ name }) => name);
  assert.deepEqual(await names(), ['q', 'q~2']);
  const [first] = fleets;
  fleets.delete(first);
  assert.deepEqual(await names(), ['q~2']);
  const { status, json } = await send(server, '/api/fleets/q');
  assert.deepEqual([status, json.error.code], [404, 'ERR_CONTROL_NOT_FOUND']);
  assert.equal(json.error.message, 'No fleet "q". There are: "q~2"');
});
