/** Changes that meet: others at the same time, a pool that closes, a server that closes. */
import assert from 'node:assert/strict';
import diagnostics from 'node:diagnostics_channel';
import { EventEmitter } from 'node:events';
import { test } from 'node:test';
import { createPool } from 'threadwise';
import { headOf, patch, poolPath, post, rawConnection, readToEnd, serve, until } from './helpers.mjs';

function realPool(t, options = {}) {
  const pool = createPool('data:text/javascript,export const one = () => 1', {
    name: 'real',
    threads: { min: 1, max: 4 },
    dispatch: 'direct',
    ...options,
  });
  t.after(() => pool.destroy());
  return pool;
}

const bounds = (pool) => {
  const { min, max } = pool.stats().threads;
  return { min, max };
};

/** Emits 'request' when the headers of one have come to a server of this process. */
function arrivals(t) {
  const arrived = Object.assign(new EventEmitter(), { count: 0 });
  const note = () => {
    arrived.count++;
    arrived.emit('request');
  };
  diagnostics.subscribe('http.server.request.start', note);
  t.after(() => diagnostics.unsubscribe('http.server.request.start', note));
  return arrived;
}

/** A change of which the headers have been sent. `say` sends of the body what is said; `answer` is the status and the JSON. */
async function beginChange(t, server, body) {
  const socket = await rawConnection(t, server);
  const answer = readToEnd(socket).then((text) => {
    const [head, json] = text.split('\r\n\r\n');
    return { status: Number(head.split(' ')[1]), json: json && JSON.parse(json) };
  });
  const headers = [
    `Authorization: Bearer ${server.token}`,
    'Content-Type: application/json',
    `Content-Length: ${body.length}`,
    'Connection: close',
  ];
  socket.write(headOf(server, 'PATCH', poolPath('real'), headers));
  return { say: (piece) => new Promise((resolve) => socket.write(piece, resolve)), answer };
}

test('bodies that come in pieces, one among the other: each change is whole', async (t) => {
  const pool = realPool(t);
  const server = await serve(t, [pool]);
  const bodies = [2, 3, 4].map((threads) => JSON.stringify({ threads, queueLimit: threads * 10 }));
  const changes = await Promise.all(bodies.map((body) => beginChange(t, server, body)));
  for (const at of bodies[0].split('').keys()) {
    for (const [i, { say }] of changes.entries()) await say(bodies[i][at]);
  }
  for (const [i, { answer }] of changes.entries()) {
    const { status, json } = await answer;
    assert.equal(status, 200);
    assert.deepEqual(
      [json.threads.max, json.queue.limit],
      [i + 2, (i + 2) * 10],
      'it answers its own change',
    );
  }
  const { threads, queue } = pool.stats();
  assert.deepEqual([threads.min, queue.limit], [threads.max, threads.max * 10]);
});

/**
 * Changes that the server gets in one piece, so that it has all of them before it has answered one. Resolves to the answers,
 * in their order.
 */
async function together(t, server, changes) {
  const socket = await rawConnection(t, server);
  const answers = readToEnd(socket);
  const requests = changes.map((change, i) => {
    const body = JSON.stringify(change);
    const headers = [
      `Authorization: Bearer ${server.token}`,
      'Content-Type: application/json',
      `Content-Length: ${body.length}`,
      ...(i === changes.length - 1 ? ['Connection: close'] : []),
    ];
    return headOf(server, 'PATCH', poolPath('real'), headers) + body;
  });
  socket.write(requests.join(''));
  return (await answers).split(/(?=HTTP\/1\.1 )/).map((text) => {
    const [head, json] = text.split('\r\n\r\n');
    return { status: Number(head.split(' ')[1]), json: JSON.parse(json) };
  });
}

test('many at the same time: each is whole, each is answered, and the last one wins', async (t) => {
  const pool = realPool(t);
  const server = await serve(t, [pool]);
  const sizes = Array.from({ length: 20 }, (_, i) => 1 + ((i * 5) % 6));
  const answers = await together(
    t,
    server,
    sizes.map((threads) => ({ threads, queueLimit: threads * 10 })),
  );
  assert.deepEqual(
    answers.map(({ status, json }) => [status, json.threads.min, json.threads.max, json.queue.limit]),
    sizes.map((threads) => [200, threads, threads, threads * 10]),
  );
  const { threads, queue } = pool.stats();
  assert.deepEqual([threads.max, queue.limit], [sizes.at(-1), sizes.at(-1) * 10]);
});

test('one bound each, at the same time: neither undoes the other', async (t) => {
  const pool = realPool(t);
  const server = await serve(t, [pool]);
  for (const [min, max] of [
    [2, 6],
    [1, 3],
    [3, 5],
    [0, 8],
  ]) {
    for (const { status } of await together(t, server, [{ min }, { max }])) assert.equal(status, 200);
    assert.deepEqual(bounds(pool), { min, max });
  }
});

test('of two that cannot both be, the first is done and the second refused', async (t) => {
  const pool = realPool(t);
  const server = await serve(t, [pool]);
  const [done, refused] = await together(t, server, [{ min: 3 }, { max: 2 }]);
  assert.deepEqual([done.status, refused.status, refused.json.error.code], [200, 400, 'ERR_OPTION']);
  assert.match(refused.json.error.message, /min not larger than max, got "3 > 2"/);
  assert.deepEqual(bounds(pool), { min: 3, max: 4 });
});

test('opposite actions at the same time: each is accepted, and no call is lost', async (t) => {
  const pool = realPool(t);
  const server = await serve(t, [pool]);
  const calls = Array.from({ length: 50 }, () => pool.run('one', []));
  const actions = ['pause', 'recycle', 'resume', 'drain', 'pause', 'resume', 'drain', 'recycle'];
  const answers = await Promise.all(actions.map((action) => post(server, 'real', action)));
  assert.deepEqual(
    answers.map(({ status }) => status),
    actions.map(() => 202),
  );
  assert.equal((await post(server, 'real', 'resume')).json.state, 'open');
  assert.deepEqual(
    await Promise.all(calls),
    calls.map(() => 1),
  );
  assert.equal(await pool.run('one', []), 1);
});

test('a change that is still coming when its pool closes is 409', async (t) => {
  const pool = realPool(t);
  const server = await serve(t, [pool]);
  const arrived = arrivals(t);
  const body = '{"threads":2}';
  const { say, answer } = await beginChange(t, server, body);
  await until(arrived, 'request', () => arrived.count > 0);
  await say(body.slice(0, 5));
  await pool.close();
  await say(body.slice(5));
  const { status, json } = await answer;
  assert.deepEqual([status, json.error.code], [409, 'ERR_POOL_CLOSED']);
});

test('a change that is still coming when the server closes is not done, and not waited for', async (t) => {
  const pool = realPool(t);
  const server = await serve(t, [pool]);
  const arrived = arrivals(t);
  const body = '{"threads":2}';
  const { say, answer } = await beginChange(t, server, body);
  await until(arrived, 'request', () => arrived.count > 0);
  await say(body.slice(0, -1));
  await server.close();
  assert.ok(Number.isNaN((await answer).status), 'it got no answer');
  assert.deepEqual(bounds(pool), { min: 1, max: 4 });
  assert.equal(await pool.run('one', []), 1);
});

test('changes while the server closes: what is answered is done, nothing hangs, the pool goes on', async (t) => {
  const pool = realPool(t);
  const server = await serve(t, [pool]);
  const sizes = Array.from({ length: 20 }, (_, i) => i + 1);
  const outcomes = Promise.allSettled(sizes.map((max) => patch(server, 'real', { max })));
  await server.close();
  const done = (await outcomes).filter(({ status }) => status === 'fulfilled').map(({ value }) => value);
  for (const { status } of done) assert.equal(status, 200);
  const { max } = bounds(pool);
  assert.ok([4, ...sizes].includes(max));
  assert.equal(await pool.run('one', []), 1);
});
