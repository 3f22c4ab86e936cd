import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { test } from 'node:test';
import { open, STRATEGIES } from '../../contenders/as-published.js';
import { ask, endProcess, listen, startProcess } from '../../fixtures/processes.js';
import { everyThread } from '../../driver/with-pool.js';
import { render } from '../../driver/tasks.js';
import { watchEventLoop } from './event-loop.js';

const CONNECTIONS = 2;

/** Loads a server that answers with `answer`. */
async function loaded(answer) {
  const server = createServer(answer);
  const url = `http://127.0.0.1:${await listen(server)}`;
  const loader = startProcess(new URL('../../fixtures/http-load.js', import.meta.url));
  try {
    return await ask(loader, { url, connections: CONNECTIONS, loadMs: 20, expected: 'right' });
  } finally {
    await endProcess(loader);
    server.close();
    await once(server, 'close');
  }
}

test('autocannon loads from another process, and tells how many were answered', async () => {
  const { requestsPerSecond, latencyP50Ms, latencyP99Ms } = await loaded((_request, response) =>
    response.end('right'),
  );
  assert.ok(requestsPerSecond > 0);
  assert.ok(latencyP50Ms >= 0 && latencyP99Ms >= latencyP50Ms);
});

test('a load in which nothing was answered is no figure, but repeated', async () => {
  let requests = 0;
  const { requestsPerSecond } = await loaded((_request, response) => {
    requests++;
    if (requests > CONNECTIONS) response.end('right');
  });
  assert.ok(requests > CONNECTIONS);
  assert.ok(requestsPerSecond > 0);
});

test('a wrong answer, or a wrong status, fails the load', async () => {
  await assert.rejects(
    loaded((_request, response) => response.end('wrong')),
    /[1-9]\d* wrong answers/,
  );
  await assert.rejects(
    loaded((_request, response) => response.writeHead(500).end('right')),
    /[1-9]\d* with a wrong status/,
  );
});

test('the event loop is watched: a turn that computes is a delay', async () => {
  const loop = await watchEventLoop();
  // The first setImmediate is pending when the loop is blocked, so it takes as long as the block. So does the timer: the block lasts to the end.
  const end = performance.now() + 30;
  while (performance.now() < end);
  const { immediateUs, eachUs, loopDelayP99Ms } = await loop.stop();
  assert.ok(immediateUs > 1000, `${immediateUs}`);
  assert.ok(eachUs.length > 0 && Math.max(...eachUs) >= immediateUs);
  assert.ok(loopDelayP99Ms > 20, `${loopDelayP99Ms}`);
});

test('a template is rendered by how many sentences it has', () => {
  for (const sentences of [1, 5, 80])
    assert.equal(
      render({ sentences, name: 'Ada', guest: 'Grace' }),
      'Ada will meet Grace.\n'.repeat(sentences),
    );
});

for (const strategy of ['roundrobin', 'random', 'leastbusy']) {
  test(`the published pool, ${strategy}: every call has its own answer, on every thread`, async () => {
    const pool = open({ threads: 3 }, strategy);
    try {
      assert.equal((await everyThread(pool, 3)).size, 3);
      const results = await Promise.all(Array.from({ length: 60 }, (_, i) => pool.call('increment', i)));
      assert.deepEqual(
        results,
        Array.from({ length: 60 }, (_, i) => i + 1),
      );
    } finally {
      await pool.close();
    }
  });
}

test('the published strategies: in turn, any, and where fewest calls are open', () => {
  const workers = [2, 1, 3].map((open) => ({ waiting: new Set(Array.from({ length: open }, (_, i) => i)) }));
  const [a, b, c] = workers;
  const inTurn = STRATEGIES.roundrobin();
  assert.deepEqual(
    [1, 2, 3, 4].map(() => inTurn(workers)),
    [a, b, c, a],
  );
  assert.equal(STRATEGIES.leastbusy()(workers), b);
  for (let i = 0; i < 100; i++) assert.ok(workers.includes(STRATEGIES.random()(workers)));
});

test('the published pool: what a method throws comes back', async () => {
  const pool = open({ threads: 1 });
  try {
    await assert.rejects(pool.call('render', { sentences: -1 }), Error);
    await assert.rejects(pool.call('nothing'), TypeError);
  } finally {
    await pool.close();
  }
});
