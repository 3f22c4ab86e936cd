/** What can be changed: on pools of the library, since which values are right is theirs to say. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createPool, ThreadwiseError } from 'threadwise';
import { FakePool, patch, poolPath, post, send, serve } from './helpers.mjs';

/** `hold` keeps its worker until the shared word is set. */
const MODULE = `data:text/javascript,
  export const one = () => 1;
  export const hold = (words) => void Atomics.wait(words, 0, 0);`;

function realPool(t, options = {}) {
  const pool = createPool(MODULE, {
    name: 'real',
    threads: { min: 1, max: 2 },
    dispatch: 'direct',
    ...options,
  });
  t.after(() => pool.destroy());
  return pool;
}

/** A call that ends when it is released. */
function held(pool) {
  const words = new Int32Array(new SharedArrayBuffer(4));
  const call = pool.run('hold', [words]);
  const release = () => {
    Atomics.store(words, 0, 1);
    Atomics.notify(words, 0);
  };
  return { call, release };
}

const settings = ({ threads: { min, max }, choose, placement, queue: { limit } }) => ({
  min,
  max,
  choose,
  placement,
  limit,
});

test('each option can be changed, alone and with others', async (t) => {
  const pool = realPool(t);
  const server = await serve(t, [pool]);
  let expected = settings(pool.stats());
  const changes = [
    [{ threads: 3 }, { min: 3, max: 3 }],
    [{ threads: { min: 1, max: 4 } }, { min: 1, max: 4 }],
    [{ min: 2 }, { min: 2 }],
    [{ max: 3 }, { max: 3 }],
    [
      { min: 0, max: 1 },
      { min: 0, max: 1 },
    ],
    [{ choose: 'round-robin' }, { choose: 'round-robin' }],
    [{ placement: 'inline' }, { placement: 'inline' }],
    [{ queueLimit: 7 }, { limit: 7 }],
    [{ queueLimit: null }, { limit: null }],
    [
      { max: 2, choose: 'least-busy', placement: 'threads', queueLimit: 0 },
      { max: 2, choose: 'least-busy', placement: 'threads', limit: 0 },
    ],
  ];
  for (const [change, effect] of changes) {
    expected = { ...expected, ...effect };
    const { status, json } = await patch(server, 'real', change);
    assert.equal(status, 200, JSON.stringify(json));
    assert.deepEqual(settings(json), expected, JSON.stringify(change));
    assert.deepEqual(settings(pool.stats()), expected);
  }
});

for (const [change, bounds] of [
  [{ max: 4 }, { min: 2, max: 4 }],
  [{ min: 1 }, { min: 1, max: 3 }],
]) {
  test(`${JSON.stringify(change)} leaves the other bound as it is while calls run inline`, async (t) => {
    const threads = { min: 2, max: 3 };
    const placed = realPool(t, { threads });
    const begun = realPool(t, { name: 'begun', threads, placement: 'inline' });
    const server = await serve(t, [placed, begun]);
    await patch(server, 'real', { placement: 'inline' });
    for (const pool of [placed, begun]) {
      const { json } = await patch(server, pool.name, change);
      assert.deepEqual(json, { ...json, threads: { ...json.threads, ...bounds } });
      await patch(server, pool.name, { placement: 'threads' });
      const { min, max } = pool.stats().threads;
      assert.deepEqual({ min, max }, bounds);
    }
  });
}

test("'auto' lets the machine decide", async (t) => {
  const pool = realPool(t, { threads: 3 });
  const automatic = realPool(t, { name: 'automatic', threads: 'auto' });
  const server = await serve(t, [pool]);
  const { json } = await patch(server, 'real', { threads: 'auto' });
  assert.deepEqual(json.threads.min, automatic.stats().threads.min);
});

const refused = [
  [{ threads: 0 }, /Option 'threads': expected a whole number from 1 to \d+, got 0/],
  [{ threads: 10_000 }, /Option 'threads': expected a whole number from 1 to \d+, got 10000/],
  [{ threads: 1.5 }, /'threads'.*got 1.5/],
  [{ threads: { min: 3, max: 2 } }, /'threads': expected min not larger than max/],
  [{ min: 3 }, /'threads': expected min not larger than max, got "3 > 2"/],
  [{ max: 0 }, /'threads.max'.*got 0/],
  [{ min: -1 }, /'threads.min'.*got -1/],
  [{ max: 10_000 }, /'threads.max'.*got 10000/],
  [{ choose: 'fastest' }, /'choose'.*"fastest"/],
  [{ queueLimit: -1 }, /'queue.limit'.*got -1/],
  [{ threads: 2, min: 1 }, /Give 'threads', or 'min' and 'max', not both/],
  [{ threads: true }, /'threads': expected a number, \{ min, max \} or 'auto', got true/],
  [{ threads: 'many' }, /'threads': expected a number, \{ min, max \} or 'auto', got "many"/],
  [{ threads: null }, /'threads'.*got null/],
  [{ threads: [] }, /'threads'.*got an array of 0/],
  [{ threads: { min: '1' } }, /'threads[.]min': expected a whole number.*got "1"/],
  [{ min: '1' }, /'threads[.]min': expected a whole number.*got "1"/],
  [{ min: 1, max: null }, /'max': expected a value, got null/],
  [{ choose: 5 }, /'choose': expected 'least-busy' or .*got 5/],
  [{ placement: 'moon' }, /'placement': expected 'threads' or 'auto' or 'inline'.*got "moon"/],
  [{ placement: null }, /'placement'.*got null/],
  [{ queueLimit: '5' }, /'queue[.]limit': expected a whole number.*got "5"/],
  [
    { thread: 1, foo: 2 },
    /Unknown field: "thread", "foo"\. Known: threads, min, max, choose, placement, queueLimit/,
  ],
  [{ threads: { min: 1, most: 2 } }, /threads\.most/],
  [{}, /Expected a JSON object with some of threads/],
  [[], /Expected a JSON object/],
  [null, /Expected a JSON object/],
  [5, /Expected a JSON object/],
];

test('what is not right is 400, says why, and changes nothing', async (t) => {
  const pool = realPool(t);
  const server = await serve(t, [pool]);
  const before = settings(pool.stats());
  for (const [change, message] of refused) {
    const { status, json } = await patch(server, 'real', change);
    assert.deepEqual([status, json.error.code], [400, 'ERR_OPTION'], JSON.stringify(change));
    assert.match(json.error.message, message);
    assert.deepEqual(settings(pool.stats()), before);
  }
});

test('a number that is too large for JavaScript is no limit of a queue: only null takes that away', async (t) => {
  const pool = new FakePool();
  const server = await serve(t, [pool]);
  const headers = { 'content-type': 'application/json' };
  const change = { method: 'PATCH', token: server.token, headers, body: '{"queueLimit":1e400}' };
  const { status, json } = await send(server, poolPath('fake'), change);
  assert.deepEqual([status, json.error.code], [400, 'ERR_OPTION']);
  assert.match(
    json.error.message,
    /'queueLimit': expected a whole number, or null for no limit, got Infinity/,
  );
  assert.deepEqual(pool.done, []);
});

test("what the library refuses is said in the library's words", async (t) => {
  const pool = realPool(t);
  const server = await serve(t, [pool]);
  for (const threads of [0, 10_000, { min: 3, max: 2 }]) {
    let expected;
    assert.throws(
      () => pool.configure({ threads }),
      (error) => {
        expected = error;
        return true;
      },
    );
    const { json } = await patch(server, 'real', { threads });
    assert.deepEqual(json.error, { code: expected.code, message: expected.message });
  }
});

test('a change of which one part is wrong is not done at all', async (t) => {
  const pool = realPool(t);
  const server = await serve(t, [pool]);
  const before = settings(pool.stats());
  for (const change of [
    { threads: 4, queueLimit: -1 },
    { queueLimit: 5, threads: 0 },
    { choose: 'round-robin', max: 3, foo: 1 },
  ]) {
    assert.equal((await patch(server, 'real', change)).status, 400);
    assert.deepEqual(settings(pool.stats()), before, JSON.stringify(change));
  }
});

test('names of the prototype are unknown fields', async (t) => {
  const pool = new FakePool();
  const server = await serve(t, [pool]);
  const headers = { 'content-type': 'application/json' };
  for (const name of ['__proto__', 'constructor', 'toString']) {
    const body = `{"${name}":{"threads":1}}`;
    const { status, json } = await send(server, poolPath('fake'), {
      method: 'PATCH',
      token: server.token,
      headers,
      body,
    });
    assert.equal(status, 400);
    assert.ok(json.error.message.startsWith(`Unknown field: "${name}"`), json.error.message);
  }
  assert.deepEqual(pool.done, []);
});

test('a body that is not JSON is 400; one of another type is 415', async (t) => {
  const pool = new FakePool();
  const server = await serve(t, [pool]);
  const change = (type, body) =>
    send(server, poolPath('fake'), {
      method: 'PATCH',
      token: server.token,
      headers: type === undefined ? {} : { 'content-type': type },
      body,
    });
  for (const body of ['{', 'threads=1', '{"threads":1e}', '']) {
    const { status, json } = await change('application/json', body);
    assert.equal(status, 400, body);
    assert.equal(json.error.code, body === '' ? 'ERR_OPTION' : 'ERR_CONTROL_REQUEST');
  }
  for (const type of [
    'text/plain',
    'application/x-www-form-urlencoded',
    'multipart/form-data',
    'x',
    undefined,
  ]) {
    const { status, json } = await change(type, '{"threads":1}');
    assert.deepEqual([status, json.error.code], [415, 'ERR_CONTROL_MEDIA_TYPE'], type);
  }
  assert.deepEqual(pool.done, []);
  assert.equal((await change('application/json; charset=utf-8', '{"threads":1}')).status, 200);
});

test('of two changes at once, both are done, and the last one wins', async (t) => {
  const pool = new FakePool();
  const server = await serve(t, [pool]);
  const answers = await Promise.all([1, 2, 3].map((threads) => patch(server, 'fake', { threads })));
  for (const { status } of answers) assert.equal(status, 200);
  const done = pool.done.map(([, { threads }]) => threads);
  assert.deepEqual(done.toSorted(), [1, 2, 3]);

  const real = realPool(t);
  const other = await serve(t, [real]);
  const wholes = [
    { threads: 1, queueLimit: 10 },
    { threads: 3, queueLimit: 30 },
  ];
  await Promise.all(wholes.map((change) => patch(other, 'real', change)));
  const { threads, queue } = real.stats();
  assert.equal(threads.min, threads.max);
  assert.equal(queue.limit, threads.max * 10, 'one change whole, not half of each');
});

test('a right change is done though a wrong one comes at the same time', async (t) => {
  const pool = realPool(t);
  const server = await serve(t, [pool]);
  const [right, wrong] = await Promise.all([
    patch(server, 'real', { threads: 2 }),
    patch(server, 'real', { threads: 0 }),
  ]);
  assert.deepEqual([right.status, wrong.status], [200, 400]);
  assert.deepEqual(pool.stats().threads.min, 2);
});

test('pause, resume, drain and recycle do what they say', async (t) => {
  const pool = realPool(t);
  await pool.run('one', []);
  const [{ id }] = pool.stats().workers;
  const server = await serve(t, [pool]);
  const states = [
    ['pause', 'paused'],
    ['resume', 'open'],
    ['drain', 'draining'],
    ['resume', 'open'],
  ];
  for (const [action, state] of states) {
    const { status, json } = await post(server, 'real', action);
    assert.deepEqual([status, json.state], [202, state], action);
    assert.equal(pool.stats().state, state);
  }
  const gone = new Promise((resolve) =>
    pool.on('worker:exit', ({ workerId }) => workerId === id && resolve()),
  );
  assert.equal((await post(server, 'real', 'recycle')).status, 202);
  await gone;
  assert.equal(await pool.run('one', []), 1);
});

test('drain answers at once, also while a task runs', async (t) => {
  const pool = realPool(t);
  const { call, release } = held(pool);
  const server = await serve(t, [pool]);
  const { status, json } = await post(server, 'real', 'drain');
  assert.deepEqual([status, json.state, json.tasks.open], [202, 'draining', 1]);
  release();
  await call;
});

test('a body where none belongs is 400', async (t) => {
  const pool = new FakePool();
  const server = await serve(t, [pool]);
  const headers = { 'content-type': 'application/json' };
  const pause = (body) =>
    send(server, poolPath('fake', '/pause'), { method: 'POST', token: server.token, headers, body });
  const deep = '['.repeat(8000) + ']'.repeat(8000); // too deep for functions that call themselves
  for (const body of ['{"timeoutMs":5}', '[1]', '[]', '5', 'null', deep]) {
    const { status, json } = await pause(body);
    assert.deepEqual([status, json.error.code], [400, 'ERR_OPTION'], body);
  }
  assert.deepEqual(pool.done, []);
  for (const body of ['{}', '']) assert.equal((await pause(body)).status, 202, body);
});

test('a request without a body may name any type of one, as curl -d "" and wget do', async (t) => {
  const pool = new FakePool();
  const server = await serve(t, [pool]);
  const headers = { 'content-type': 'application/x-www-form-urlencoded', 'content-length': 0 };
  const pause = { method: 'POST', token: server.token, headers };
  assert.equal((await send(server, poolPath('fake', '/pause'), pause)).status, 202);
  assert.deepEqual(pool.done, [['pause']]);
});

test('a pool that closes, or is closed, is not changed: 409', async (t) => {
  const pool = realPool(t);
  const server = await serve(t, [pool]);
  const { call, release } = held(pool);
  const closed = pool.close();
  const refusals = async (state) => {
    assert.equal(pool.stats().state, state);
    const answers = [await patch(server, 'real', { threads: 2 })];
    for (const action of ['pause', 'resume', 'drain', 'recycle'])
      answers.push(await post(server, 'real', action));
    for (const { status, json } of answers) {
      assert.deepEqual([status, json.error.code], [409, 'ERR_POOL_CLOSED'], state);
    }
  };
  await refusals('closing');
  release();
  await call;
  await closed;
  await refusals('closed');
});

test('a broken pool is not changed: 409, with the reason', async (t) => {
  const pool = createPool('data:text/javascript,throw new Error("no such thing")', {
    name: 'broken',
    threads: 1,
  });
  t.after(() => pool.destroy());
  await assert.rejects(pool.ready, { code: 'ERR_MODULE_LOAD' });
  const server = await serve(t, [pool]);
  const { status, json } = await post(server, 'broken', 'pause');
  assert.deepEqual([status, json.error.code], [409, 'ERR_MODULE_LOAD']);
  assert.match(json.error.message, /no such thing/);
});

test('what is refused by a promise is 409 too', async (t) => {
  const pool = new FakePool();
  const server = await serve(t, [pool]);
  pool.drain = () => Promise.reject(new ThreadwiseError('ERR_POOL_CLOSED', 'it closes'));
  assert.equal((await post(server, 'fake', 'drain')).status, 409);
});

test('what fails after the answer is no unhandled rejection', async (t) => {
  const pool = new FakePool();
  const server = await serve(t, [pool]);
  let fail;
  pool.recycle = () =>
    new Promise((_resolve, reject) => {
      fail = () => reject(new Error('too late'));
    });
  assert.equal((await post(server, 'fake', 'recycle')).status, 202);
  const unhandled = [];
  const listener = (reason) => unhandled.push(reason.message);
  process.on('unhandledRejection', listener);
  t.after(() => process.off('unhandledRejection', listener));
  fail();
  // Node tells of one when the microtasks of this turn are done: an answer takes several turns.
  assert.equal((await send(server, '/healthz')).status, 200);
  assert.deepEqual(unhandled, []);
});
