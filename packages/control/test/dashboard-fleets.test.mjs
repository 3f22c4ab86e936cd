/** What the dashboard shows of fleets, and that a page without any is not troubled with them. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { brokenRules, skip } from 'threadwise-test/browser';
import { FakePool } from './dashboard/fake-pool.mjs';
import { leave, visit } from './dashboard/visits.mjs';
import { FLEET } from './helpers.mjs';

const error = { code: 'ERR_CONTROL_FLEET', message: 'Redis has not answered within 2000 ms' };
const away = { name: 'away', stats: null, error };
const there = { name: 'thumbnails', stats: FLEET, error: null };
const texts = async (page, selector) =>
  (await page.locator(selector).allInnerTexts()).map((text) => text.replaceAll('\u00a0', ' '));

test('each fleet, and each machine; of one whose Redis is away, why', { skip }, async () => {
  const fleets = [there, away];
  const visited = await visit([new FakePool('images')], { server: { fleets } });
  const { visit: dashboard, page } = visited;
  await dashboard.sees('#fleets', 'thumbnails');
  assert.deepEqual(await texts(page, '#fleets tbody tr:nth-child(1) > *'), [
    ...['thumbnails', 'answers', '2', '6', '11', '5', '3', '40', '2'],
  ]);
  assert.deepEqual(await texts(page, '#fleets tbody tr:nth-child(2) > *'), [
    ...['away', error.message, ...Array(7).fill('–')],
  ]);
  assert.deepEqual(await texts(page, '#machines tbody tr:nth-child(1) > *'), [
    ...['same', 'thumbnails', 'running', '4', '3', '8', '30', '1', '6', '9', '5 s'],
  ]);
  assert.equal(await page.locator('#machines tbody tr').count(), 2);
  fleets.length = 0;
  await page.locator('#fleets-section').waitFor({ state: 'hidden' });
  await leave(visited);
});

test('a name stays on one line beside a long message, at any width', { skip }, async () => {
  const message = 'Redis at redis.example:6379 was not reached within 2000 ms: connect ECONNREFUSED '.repeat(
    2,
  );
  const fleets = [there, { ...away, error: { ...error, message } }];
  const visited = await visit([new FakePool('images')], { server: { fleets } });
  const { visit: dashboard, page } = visited;
  await dashboard.sees('#fleets', 'ECONNREFUSED');
  for (const width of [390, 1280]) {
    await page.setViewportSize({ width, height: 900 });
    const name = page.locator('#fleets .name', { hasText: 'thumbnails' });
    assert.equal(await name.evaluate((node) => node.getClientRects().length), 1, `${width} pixels`);
  }
  await leave(visited);
});

test('without fleets there is nothing of them, and nobody asks', { skip }, async () => {
  const visited = await visit([new FakePool('images')]);
  await visited.visit.sees('#pool-name', 'images');
  assert.equal(await visited.page.locator('#fleets-section').isHidden(), true);
  assert.ok(!visited.standIn.requests.some((request) => request.includes('fleets')));
  await leave(visited);
});

test('a checker finds nothing serious in the tables', { skip }, async () => {
  const visited = await visit([new FakePool('images')], {
    ...{ server: { fleets: [there, away] }, viewport: { width: 390, height: 900 }, bypassCSP: true },
  });
  await visited.visit.sees('#machines', 'running');
  assert.deepEqual(await brokenRules(visited.page, '#fleets-section', 3), []);
  await visited.visit.close();
});
