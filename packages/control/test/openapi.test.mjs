/** The description of the interface, held against what the server does. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { test } from 'node:test';
import { fastify } from 'fastify';
import { createPool } from 'threadwise';
import { REQUEST_ERRORS } from '../dist/errors.js';
import { FakeFleet, FakePool, follow, patch, poolPath, post, send, serve } from './helpers.mjs';

const METHODS = ['get', 'patch', 'post', 'put', 'delete', 'head', 'options'];

async function describe(t, pools = [], options = {}, limits = {}) {
  const server = await serve(t, pools, options, limits);
  const { status, json } = await send(server, '/openapi.json');
  assert.equal(status, 200);
  return { server, document: json };
}

/** Every operation: its path, method and what is said of it. */
function operationsOf({ paths }) {
  return Object.entries(paths).flatMap(([path, item]) =>
    METHODS.filter((method) => method in item).map((method) => ({ path, method, item, ...item[method] })),
  );
}

/** Whether a value is what a schema of the description says. */
async function validator(document) {
  const app = fastify({
    ajv: { customOptions: { strict: false, coerceTypes: false, removeAdditional: false } },
  });
  app.addSchema({ $id: 'api', components: document.components });
  // References inside of the description are references to the whole of it.
  const schema = (name) => ({ $ref: `api#/components/schemas/${name}` });
  const checks = new Map();
  for (const name of Object.keys(document.components.schemas)) {
    app.post(`/${name}`, { schema: { body: schema(name) } }, async () => 'ok');
    checks.set(name, async (value) => {
      const { statusCode, body } = await app.inject({ method: 'POST', url: `/${name}`, payload: value });
      assert.equal(statusCode, 200, `${name}: ${body}`);
    });
  }
  await app.ready();
  return (name, value) => checks.get(name)(value);
}

test('it is OpenAPI 3.1, and every reference leads somewhere', async (t) => {
  const { document } = await describe(t);
  assert.equal(document.openapi, '3.1.0');
  const references = [...JSON.stringify(document).matchAll(/"\$ref":"#\/([^"]+)"/g)].map(([, path]) => path);
  assert.ok(references.length > 10);
  for (const path of references) {
    const target = path.split('/').reduce((value, key) => value?.[key], document);
    assert.ok(target, path);
  }
  const used = new Set(references.map((path) => path.split('/').at(-1)));
  assert.deepEqual(used, new Set(Object.keys(document.components.schemas)));
});

test('operations have names of their own, and all that their paths mention', async (t) => {
  const { document } = await describe(t);
  const operations = operationsOf(document);
  const ids = operations.map(({ operationId }) => operationId);
  assert.equal(new Set(ids).size, ids.length);
  for (const { path, item, parameters = [], summary, responses, security } of operations) {
    assert.ok(summary && security, path);
    const mentioned = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name);
    const described = [...(item.parameters ?? []), ...parameters].map(({ name }) => name);
    assert.deepEqual(described, mentioned, path);
    assert.ok(Object.keys(responses).some((status) => status.startsWith('2')));
  }
});

test('its paths lead to the server that it came from, also under the path of a proxy', async (t) => {
  const { document } = await describe(t);
  for (const root of ['http://127.0.0.1:9464', 'https://example.com/tools/control']) {
    // A client resolves the server's URL against that of the document, and puts a path behind it.
    const [url] = document.servers.map((each) => new URL(each.url, `${root}/openapi.json`).href);
    assert.equal(url.replace(/\/$/, ''), root);
  }
});

test('it has every path and method of the interface', async (t) => {
  const { document } = await describe(t);
  const described = operationsOf(document).map(({ path, method }) => `${method.toUpperCase()} ${path}`);
  assert.deepEqual(
    new Set(described),
    new Set([
      'GET /',
      'GET /assets/{file}',
      'GET /api/pools',
      'GET /api/pools/{name}',
      'PATCH /api/pools/{name}',
      'GET /api/pools/{name}/events',
      'GET /api/pools/{name}/history',
      'POST /api/pools/{name}/pause',
      'POST /api/pools/{name}/resume',
      'POST /api/pools/{name}/drain',
      'POST /api/pools/{name}/recycle',
      'GET /api/fleets',
      'GET /api/fleets/{name}',
      'GET /metrics',
      'GET /healthz',
      'GET /readyz',
      'GET /openapi.json',
    ]),
  );
});

test('what needs a token according to it, and nothing else, is refused without one', async (t) => {
  for (const isLocal of [true, false]) {
    const options = isLocal ? {} : { host: '0.0.0.0', token: 'secret' };
    const server = await serve(t, [new FakePool('p')], options);
    const local = { url: `http://127.0.0.1:${new URL(server.url).port}` };
    const { json: document } = await send(local, '/openapi.json', { token: server.token });
    for (const { path, method, security } of operationsOf(document)) {
      if (path.endsWith('/events') && isLocal) continue; // has no end
      const url = path.replace('{name}', 'p').replace('{file}', 'index.html');
      const { status } = await send(local, url, { method: method.toUpperCase() });
      const isNeeded =
        security.length > 0 && (!isLocal || !security.some((each) => Object.keys(each).length === 0));
      assert.equal(status === 401, isNeeded, `${method} ${path}: ${status}`);
      if (isNeeded) assert.deepEqual(security.at(-1), { token: [] });
    }
  }
});

test('answers are what it says they are', async (t) => {
  const pool = createPool('data:text/javascript,export const one = () => 1', {
    name: 'real',
    threads: { min: 1, max: 2 },
    dispatch: 'coordinator',
    queue: { limit: 5 },
  });
  t.after(() => pool.destroy());
  await pool.run('one', []);
  const fake = new FakePool('fake');
  const away = new FakeFleet('away', () => Promise.reject(new Error('gone')));
  const fleets = [new FakeFleet('thumbnails'), away];
  const often = [{ historyMs: 1000, fleets }, { historyIntervalMs: 5 }];
  const { server, document } = await describe(t, [pool, fake], ...often);
  const check = await validator(document);
  await check('Overview', (await send(server, '/api/pools')).json);
  await check('PoolStats', (await send(server, poolPath('real'))).json);
  await check('Fleets', (await send(server, '/api/fleets')).json);
  await check('Fleet', (await send(server, '/api/fleets/thumbnails')).json);
  await check('Error', (await send(server, '/api/fleets/away')).json);
  await check('PoolStats', (await patch(server, 'real', { max: 3 })).json);
  await check('PoolStats', (await post(server, 'real', 'recycle')).json);
  await once(fake.watch, 'stats');
  const { json: history } = await send(server, poolPath('real', '/history'));
  await check('History', history);
  for (const row of history.rows) assert.equal(row.length, history.columns.length);
  assert.ok(history.rows.length > 0);
  await check('Health', (await send(server, '/healthz')).json);
  await check('Readiness', (await send(server, '/readyz')).json);
  await check('Error', (await send(server, '/nothing')).json);
  await check('Error', (await patch(server, 'real', { min: 0.5 })).json);
  const stream = await follow(t, server, 'real');
  await check('PoolStats', await stream.next('stats'));
  // And that these checks can fail.
  await assert.rejects(check('PoolStats', { name: 'x' }));
  await assert.rejects(check('Error', { error: 'x' }));
  await assert.rejects(check('Fleet', { name: 'x', stats: {}, error: null }));
});

/** The names of a value's fields that its schema does not have, in all its depth. */
function undescribed(value, schema, { components }) {
  const {
    properties,
    items,
    anyOf = [],
  } = schema.$ref ? components.schemas[schema.$ref.split('/').at(-1)] : schema;
  if (anyOf.length > 0) return value === null ? [] : undescribed(value, anyOf.at(-1), { components });
  if (Array.isArray(value)) return value.flatMap((each) => undescribed(each, items, { components }));
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, field]) =>
    properties[name] === undefined ? [name] : undescribed(field, properties[name], { components }),
  );
}

for (const options of [{ dispatch: 'coordinator' }, { isolation: 'process' }, { placement: 'auto' }]) {
  test(`every field of the statistics is in it: ${JSON.stringify(options)}`, async (t) => {
    const source = 'export const fails = () => { throw new Error("on purpose"); }';
    const pool = createPool(`data:text/javascript,${source}`, { name: 'real', threads: 2, ...options });
    t.after(() => pool.destroy());
    await assert.rejects(pool.run('fails', []), /on purpose/);
    const { server, document } = await describe(t, [pool]);
    const { json } = await send(server, poolPath('real'));
    const schema = { $ref: '#/components/schemas/PoolStats' };
    assert.ok(json.workers.length > 0 && json.functions[0].lastError !== null);
    assert.deepEqual(undescribed(json, schema, document), []);
    assert.deepEqual(undescribed({ ...json, nonsense: 1 }, schema, document), ['nonsense']);
  });
}

test('the fields of a change are the ones that can be changed', async (t) => {
  const { document } = await describe(t);
  const { properties, additionalProperties } = document.components.schemas.Changes;
  assert.equal(additionalProperties, false);
  const expected = ['threads', 'min', 'max', 'choose', 'placement', 'queueLimit'];
  assert.deepEqual(Object.keys(properties), expected);
  const { server } = await describe(t, [new FakePool()]);
  const { json } = await patch(server, 'fake', { nonsense: 1 });
  assert.ok(json.error.message.endsWith(`Known: ${expected.join(', ')}`));
});

test('a change of a kind that it forbids is refused, and one that it allows is made', async (t) => {
  const pool = createPool('data:text/javascript,export const one = () => 1', {
    name: 'real',
    threads: 2,
    dispatch: 'direct',
  });
  t.after(() => pool.destroy());
  const { server, document } = await describe(t, [pool]);
  const check = await validator(document);
  const refused = [
    ...[
      {},
      { nonsense: 1 },
      { min: null },
      { min: 0.5 },
      { min: -1 },
      { max: 0 },
      { max: 1.5 },
      { max: '3' },
    ],
    ...[
      { threads: 0 },
      { threads: 1.5 },
      { threads: 'many' },
      { threads: { max: 0 } },
      { threads: { most: 1 } },
    ],
    ...[{ queueLimit: -1 }, { queueLimit: 1.5 }, { placement: 'moon' }, { choose: 5 }],
  ];
  for (const change of refused) {
    assert.equal((await patch(server, 'real', change)).status, 400, JSON.stringify(change));
    await assert.rejects(check('Changes', change), /Changes: /, JSON.stringify(change));
  }
  for (const change of [
    ...[{ min: 0 }, { max: 3 }, { threads: 2 }, { threads: 'auto' }, { threads: { min: 0, max: 1 } }],
    ...[{ queueLimit: 0 }, { queueLimit: null }, { placement: 'auto' }, { choose: 'random' }],
  ]) {
    assert.equal((await patch(server, 'real', change)).status, 200, JSON.stringify(change));
    await check('Changes', change);
  }
});

test('every code of an error is in it, with its status', async (t) => {
  const { document } = await describe(t);
  /** Those that any request can be answered with. */
  const general = [405, 408, 431, 500];
  for (const [code, status] of Object.entries(REQUEST_ERRORS)) {
    const described = operationsOf(document).map(({ responses }) => responses[status]?.description ?? '');
    const texts = general.includes(status) ? [document.info.description] : described;
    assert.ok(
      texts.some((text) => text.includes(general.includes(status) ? `${status}` : code)),
      code,
    );
  }
});

test('it tells how a GET is answered that names no path, or no host', async (t) => {
  const { server, document } = await describe(t);
  const { status, json } = await send(server, '/api/pools/%E0%A4%A');
  assert.ok(document.info.description.includes(`${status} (${json.error.code})`), json.error.message);
});
