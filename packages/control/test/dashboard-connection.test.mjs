/** When the line to the server is lost: it is said, the old numbers are called old, and it comes back by itself. */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { skip } from 'threadwise-test/browser';
import { Visit } from './dashboard/browser.mjs';
import { FakePool } from './dashboard/fake-pool.mjs';
import { startStandIn } from './dashboard/stand-in.mjs';

const opened = [];
after(() => Promise.all(opened.map((each) => each.close())));

async function visit(pools = [new FakePool('images')]) {
  const standIn = await startStandIn({ pools, tickMs: 500 });
  opened.push(standIn);
  const dashboard = await Visit.to(standIn.url);
  const { page } = dashboard;
  await page.locator('#pool:not(.empty)').waitFor();
  return { standIn, dashboard, page, pool: pools[0] };
}

test('says that the connection is lost, and follows the pool again when it is back', { skip }, async () => {
  const { standIn, dashboard, page, pool } = await visit();
  await standIn.down();
  await dashboard.sees('#banner', 'Connection lost');
  await dashboard.sees('#banner', 'cannot be reached');
  await dashboard.sees('#banner-next', /Next attempt in \d+ s\./);
  await dashboard.sees('#pool-stale', 'These numbers are old');
  await dashboard.sees('#announcer', 'Connection lost.');
  await standIn.up();
  await dashboard.sees('#link-state', 'Connected');
  await dashboard.sees('#announcer', 'Connected again.');
  assert.equal(await page.locator('#banner').isVisible(), false);
  assert.equal(await page.locator('#pool-stale').isVisible(), false);
  await dashboard.sees('#events tbody', /Connected again, after \d+ s\./);
  pool.state = 'paused';
  await dashboard.sees('#pool-state', 'paused');
  assert.equal(standIn.streams, 1, 'one stream, not one for each attempt');
  const unexpected = dashboard.errors.filter((text) => !/net::ERR_/.test(text));
  assert.deepEqual([unexpected, dashboard.foreign], [[], []]);
  await dashboard.close();
});

test('waits longer from attempt to attempt, and tries at once if told to', { skip }, async () => {
  const { standIn, dashboard, page } = await visit();
  await standIn.down();
  await dashboard.sees('#banner-next', /in [34] s/);
  await standIn.up();
  await page.getByRole('button', { name: 'Try now' }).click();
  await dashboard.sees('#link-state', 'Connected');
  await dashboard.close();
});

test('says what it means when the process is there, but does not answer', { skip }, async () => {
  const { standIn, dashboard } = await visit();
  standIn.isHung = true;
  await dashboard.sees('#banner', /its event loop blocked/);
  standIn.isHung = false;
  await dashboard.sees('#link-state', 'Connected');
  assert.deepEqual(dashboard.foreign, []);
  await dashboard.close();
});

/** To a browser without windows, no page is hidden. */
function hide(page, isHidden) {
  return page.evaluate((value) => {
    Object.defineProperty(document, 'hidden', { configurable: true, value });
    document.dispatchEvent(new Event('visibilitychange'));
  }, isHidden);
}

test(
  'in more tabs than a browser has connections, each shows its pool; hidden ones do without a stream',
  { skip },
  async () => {
    const { standIn, dashboard, page: first, pool } = await visit();
    for (let page = first, i = 1; i < 7; i++) {
      await hide(page, true);
      page = await first.context().newPage();
      await page.goto(standIn.url);
      await page.locator('#pool:not(.empty)').waitFor();
    }
    pool.state = 'paused';
    assert.match(await first.locator('#pool-state').textContent(), /open/);
    await hide(first, false);
    await dashboard.sees('#events tbody', /Not followed for \d+ s: the tab was hidden/);
    await dashboard.sees('#pool-state', 'paused');
    assert.deepEqual([dashboard.errors, dashboard.foreign], [[], []]);
    await dashboard.close();
  },
);

test('a change that gets no answer is not called made, nor not made', { skip }, async () => {
  const { standIn, dashboard, page } = await visit();
  await page.getByRole('button', { name: 'Recycle…' }).click();
  standIn.isHung = true;
  await page.locator('#action-apply').click();
  await dashboard.sees('#action-error', 'It is not known whether the change was made.');
  standIn.isHung = false;
  await dashboard.close();
});

test('a pool that is gone is called gone', { skip }, async () => {
  const pools = [new FakePool('images'), new FakePool('mail')];
  const standIn = await startStandIn({ pools, tickMs: 500 });
  opened.push(standIn);
  const dashboard = await Visit.to(standIn.url, { fragment: '#pool=mail' });
  await dashboard.page.locator('#pool:not(.empty)').waitFor();
  pools.pop();
  standIn.dropStreams();
  await dashboard.sees('#announcer', 'Pool mail is gone.');
  await dashboard.sees('#banner', "There is no pool 'mail'");
  await dashboard.sees('#link-state', 'There is no such pool');
  await dashboard.sees('#pools tbody', /^images/);
  assert.equal(await dashboard.page.locator('#pools tbody tr').count(), 1);
  await dashboard.page.getByRole('link', { name: 'images' }).click();
  await dashboard.sees('#link-state', 'Connected');
  await dashboard.sees('#events-note', '0 errors');
  assert.equal(await dashboard.page.locator('#events tbody tr').count(), 0, 'what was lost was not this one');
  await dashboard.close();
});
