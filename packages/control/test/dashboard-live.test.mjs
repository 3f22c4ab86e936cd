/** The dashboard of a real server, with real pools: what it shows is what they say, and what it does happens. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createPool } from 'threadwise';
import { skip } from 'threadwise-test/browser';
import { serveControl } from '../dist/index.js';
import { Visit } from './dashboard/browser.mjs';

const module = new URL('./dashboard/tasks.js', import.meta.url);
const REFUSED_BY_SERVER = /the server responded with a status of 4\d\d/;

async function visit(t, options, { withToken = true } = {}) {
  const pool = createPool(module, { name: 'live', ...options });
  // Errors that belong to no call: the dashboard shows them.
  pool.on('error', () => undefined);
  await pool.ready;
  const server = await serveControl([pool]);
  t.after(async () => {
    await server.close();
    await pool.destroy();
  });
  const fragment = withToken ? `#token=${server.token}` : '';
  const dashboard = await Visit.to(`${server.url}/`, { fragment });
  t.after(() => dashboard.close());
  await dashboard.page.locator('#pool:not(.empty)').waitFor();
  return { pool, server, dashboard, page: dashboard.page };
}

function assertClean({ errors, foreign }, expected = /^$/) {
  assert.deepEqual(
    errors.filter((text) => !expected.test(text)),
    [],
  );
  assert.deepEqual(foreign, []);
}

const figure = (n) => new Intl.NumberFormat('en-US').format(n);

async function act(page, button, fill = () => undefined) {
  await page.getByRole('button', { name: button }).click();
  await fill();
  await page.locator('#action-apply').click();
  await page.locator('#action').waitFor({ state: 'hidden' });
}

test('shows what a running pool says of itself', { skip }, async (t) => {
  const { pool, dashboard } = await visit(t, { threads: 2 });
  await Promise.all(Array.from({ length: 1234 }, (_, i) => pool.run('add', [i, 1])));
  const { tasks, threads, workers, dispatch } = pool.stats();
  assert.equal(tasks.completed, 1234);
  await dashboard.sees('.counts tbody', `completed${figure(tasks.completed)}`);
  await dashboard.sees('.card:first-child .lead', `${threads.current} workers`);
  // No strategy: with this dispatch none chooses.
  assert.equal(dispatch, 'shared-queue');
  await dashboard.sees('#pool-facts', 'dispatch shared-queue · placement threads · sizing measured');
  await dashboard.sees('#pools tbody', 'open');
  for (const { id, completed } of workers) {
    await dashboard.sees('#workers tbody', new RegExp(`${id}ready.*${figure(completed)}`));
  }
  assertClean(dashboard);
});

test('resizes the real pool, and shows why it has the size that it has', { skip }, async (t) => {
  const { pool, dashboard, page } = await visit(t, { threads: 1 });
  await act(page, 'Threads…', () => page.getByLabel('Exactly, workers').fill('3'));
  assert.deepEqual([pool.stats().threads.min, pool.stats().threads.max], [3, 3]);
  await dashboard.sees('.card:first-child .lead', '3 workers');
  await dashboard.sees('#workers tbody tr:nth-child(3)', 'ready');
  const { from, to, why } = pool.stats().sizing.decisions.at(-1);
  await dashboard.sees('#decisions tbody tr:first-child', `${from} → ${to}${why}`);
  assertClean(dashboard);
});

test('pauses, resumes, drains and recycles the real pool', { skip }, async (t) => {
  const { pool, dashboard, page } = await visit(t, { threads: 1 });
  await act(page, 'Pause…');
  const call = pool.run('add', [1, 2]);
  await dashboard.sees('#pool-state', 'paused');
  await dashboard.sees('.card:nth-child(2) .lead', '1 task waiting');
  assert.equal(pool.stats().tasks.completed, 0);
  await act(page, 'Resume…');
  assert.equal(await call, 3);
  await act(page, 'Drain…');
  await dashboard.sees('#pool-state', 'draining');
  await assert.rejects(pool.run('add', [1, 2]), { code: 'ERR_POOL_CLOSED' });
  await act(page, 'Resume…');
  const [{ id: before }] = pool.stats().workers;
  const ready = new Promise((resolve) => pool.on('worker:ready', resolve));
  await act(page, 'Recycle…');
  const { workerId } = await ready;
  assert.notEqual(workerId, before);
  await dashboard.sees('#workers tbody', new RegExp(`^\\s*${workerId}ready`));
  await dashboard.sees('#events tbody', `Worker ${before} ended (recycled`);
  assert.equal(await pool.run('add', [2, 2]), 4);
  assertClean(dashboard);
});

test('asks for the token, and shows what the library refuses', { skip }, async (t) => {
  const { pool, server, dashboard, page } = await visit(t, { threads: 2 }, { withToken: false });
  await page.getByRole('button', { name: 'Threads…' }).click();
  await page.getByLabel('between').check();
  await page.getByLabel('At least, workers').fill('5');
  await page.locator('#action-apply').click();
  await page.getByLabel('Token', { exact: true }).fill(server.token);
  await page.getByRole('button', { name: 'Use it' }).click();
  await dashboard.sees('#action-error', /^Refused: .*min.*max.* \(ERR_OPTION\)$/);
  assert.equal(pool.stats().threads.min, 2);
  assertClean(dashboard, REFUSED_BY_SERVER);
});

test('shows a worker that hangs, and one that crashed', { skip }, async (t) => {
  const { pool, dashboard } = await visit(t, { threads: 2 });
  const shared = new SharedArrayBuffer(4);
  const held = pool.run('hold', [shared]);
  await dashboard.sees('#workers tbody', /\d+ s ago/);
  await assert.rejects(pool.run('crash', []), { code: 'ERR_WORKER_CRASHED' });
  await dashboard.sees('#events tbody', /Worker \d+ ended \(crashed, exit code 7\)/);
  await dashboard.sees('#notable', '1 worker crashed');
  Atomics.store(new Int32Array(shared), 0, 1);
  Atomics.notify(new Int32Array(shared), 0);
  assert.equal(await held, 'let go');
  assertClean(dashboard);
});

test(
  'shows a pool that is closed, whether it was opened before or after, and follows the next one of its name',
  {
    skip,
  },
  async (t) => {
    const pools = [createPool(module, { name: 'live', threads: 1 })];
    await pools[0].run('add', [1, 1]);
    const server = await serveControl(pools);
    t.after(() => server.close());
    const before = await Visit.to(`${server.url}/`);
    t.after(() => before.close());
    await before.opens('live');
    await pools[0].close();
    const after = await Visit.to(`${server.url}/`);
    t.after(() => after.close());
    for (const each of [before, after]) {
      await each.sees('#pool-state', 'closed');
      await each.sees('.counts tbody', 'completed1');
      await each.sees('#link-state', 'Connected');
      assert.equal(await each.page.locator('#banner').isVisible(), false);
      assert.equal(await each.page.locator('#pool-stale').isVisible(), false);
    }
    assert.doesNotMatch(await before.page.locator('#events').textContent(), /Lost/);
    pools[0] = createPool(module, { name: 'live', threads: 1 });
    t.after(() => pools[0].destroy());
    for (const each of [before, after]) {
      await each.sees('#pool-state', 'open');
      assertClean(each, REFUSED_BY_SERVER);
    }
  },
);

test('what would get into the page as markup does not run', { skip }, async (t) => {
  const { dashboard, page } = await visit(t);
  const ran = await page.evaluate(async () => {
    document.body.insertAdjacentHTML('beforeend', '<img src="data:," onerror="globalThis.ran = true">');
    await new Promise((resolve) => document.body.lastElementChild.addEventListener('error', resolve));
    return 'ran' in globalThis;
  });
  assert.equal(ran, false);
  assertClean(dashboard, /Content Security Policy|net::ERR_INVALID_URL/);
});
