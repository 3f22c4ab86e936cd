/** Everyone can read the dashboard: on any screen, in any colours, without motion, and by ear. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { seriousFaults, skip } from 'threadwise-test/browser';
import { rowOf } from '../dashboard/sample.js';
import { unreadable } from './dashboard/contrast.mjs';
import { FakePool } from './dashboard/fake-pool.mjs';
import { leave, visit } from './dashboard/visits.mjs';

const failure = {
  at: 0,
  name: 'RangeError',
  code: null,
  message: 'no such size',
  stack: 'RangeError: no such size',
};

for (const colorScheme of ['light', 'dark']) {
  test(`every text has contrast AA in ${colorScheme}`, { skip }, async () => {
    const pools = ['open', 'paused', 'draining', 'broken', 'closing', 'closed'].map((state) => {
      const pool = new FakePool(state);
      return Object.assign(pool, { state, crashes: 0 });
    });
    const there = await visit(pools, { colorScheme, fragment: '#pool=draining' });
    await there.visit.sees('#notable', 'Drained');
    pools[2].crashes = 2;
    there.standIn.emit('error', { error: { name: 'Error', message: 'gone wrong' } });
    there.standIn.push();
    await there.visit.sees('#events tr.bad', 'gone wrong');
    assert.deepEqual(await there.page.evaluate(unreadable, 'body'), []);
    await there.page.locator('#do-threads').click();
    assert.deepEqual(await there.page.evaluate(unreadable, '#action'), []);
    await there.page.locator('#action-cancel').click();
    await there.standIn.down();
    await there.page.locator('#banner').waitFor();
    assert.deepEqual(await there.page.evaluate(unreadable, '#banner'), []);
    await there.visit.close();
  });
}

for (const colorScheme of ['light', 'dark']) {
  for (const width of [390, 1280]) {
    test(`a checker finds nothing serious: ${width} pixels, ${colorScheme}`, { skip }, async () => {
      const pools = [new FakePool('images'), new FakePool('mail')];
      for (const pool of pools) pool.past.push(rowOf(pool.stats(), -60_000));
      pools[0].advance();
      pools[0].tasks.failed = 3;
      Object.assign(pools[0].functions[0], { failures: 3, lastError: failure });
      // The policy of the page forbids what the checker is.
      const there = await visit(pools, {
        ...{ colorScheme, viewport: { width, height: 900 }, bypassCSP: true },
        fragment: '#pool=images',
      });
      await there.visit.sees('#notable', '3 calls of');
      assert.deepEqual(await seriousFaults(there.page), []);
      await leave(there);
    });
  }
}

test('what is drawn follows the colour scheme at once', { skip }, async () => {
  const pool = new FakePool('images');
  pool.advance();
  const there = await visit([pool], { colorScheme: 'light' });
  await there.visit.sees('#workers tbody', 'ready');
  const canvases = ['#timeline-canvas', '.card canvas', '#timeline-legend canvas'];
  const drawn = (selector) => document.querySelector(selector).toDataURL();
  const before = await Promise.all(canvases.map((selector) => there.page.evaluate(drawn, selector)));
  await there.page.emulateMedia({ colorScheme: 'dark' });
  for (const [i, selector] of canvases.entries()) {
    await there.page.waitForFunction(
      ({ selector, before }) => document.querySelector(selector).toDataURL() !== before,
      { selector, before: before[i] },
    );
  }
  await leave(there);
});

test('fits every width from 320 to 2000 pixels', { skip }, async () => {
  const pools = [
    new FakePool('a-name-without-any-place-to-break-it-that-goes-on-for-quite-a-while'.repeat(3)),
  ];
  pools[0].advance();
  const there = await visit(pools);
  await there.visit.sees('#workers tbody', 'ready');
  for (const width of [320, 390, 768, 1280, 2000]) {
    await there.page.setViewportSize({ width, height: 900 });
    const wide = await there.page.evaluate(() => document.documentElement.scrollWidth);
    assert.ok(wide <= width, `${wide} pixels at ${width}`);
    await there.page.locator('#do-threads').click();
    const box = await there.page.locator('#action').boundingBox();
    assert.ok(box.x >= 0 && box.x + box.width <= width, `the dialog at ${width}: ${JSON.stringify(box)}`);
    await there.page.keyboard.press('Escape');
  }
  await leave(there);
});

test(
  'figures of hundreds of thousands of millions fit, and the keyboard gets to those beside a small screen',
  { skip },
  async () => {
    const pool = new FakePool('images');
    pool.tasks.completed = 405_216_000_000;
    const there = await visit([pool]);
    const { page } = there;
    await there.visit.sees('.counts', /completed405,216,000,000/);
    pool.tasks.completed += 2_814_000_000;
    there.standIn.push();
    await there.visit.sees('.counts', /completed408,030,000,000\+2,814,000,000/);
    const counts = page.locator('.counts');
    for (const width of [1280, 1160, 640, 320]) {
      await page.setViewportSize({ width, height: 900 });
      const wide = await page.evaluate(() => document.documentElement.scrollWidth);
      assert.ok(wide <= width, `${wide} pixels at ${width}`);
      const beside = await counts.evaluate((table) => table.offsetWidth - table.parentElement.clientWidth);
      if (width > 320) assert.equal(beside, 0, `${beside} pixels are not to be seen at ${width}`);
    }
    await page.getByRole('group', { name: 'Counts, table; scrolls' }).waitFor();
    await leave(there);
  },
);

test('can be read by a screen reader, which is not told of each tick', { skip }, async () => {
  const pools = [new FakePool('images'), new FakePool('mail')];
  pools[0].advance();
  const there = await visit(pools, { fragment: '#pool=images' });
  const { page } = there;
  await there.visit.sees('#workers tbody', 'ready');
  assert.equal(await page.getByRole('main').count(), 1);
  assert.equal(await page.getByRole('banner').count(), 1);
  assert.equal(await page.getByRole('heading', { level: 1 }).count(), 1);
  const nameless = await page.evaluate(() => {
    const heads = [...document.querySelectorAll('th')].filter((th) => !th.scope).length;
    const tables = [...document.querySelectorAll('table')].filter(
      (table) => !table.hasAttribute('aria-labelledby') && !table.hasAttribute('aria-label'),
    ).length;
    const charts = [...document.querySelectorAll('canvas')].filter(
      (canvas) => canvas.ariaHidden !== 'true' && !/now .*lowest .*highest /.test(canvas.ariaLabel),
    ).length;
    return { heads, tables, charts };
  });
  assert.deepEqual(nameless, { heads: 0, tables: 0, charts: 0 });
  const spoken = await page.evaluateHandle(() => {
    const texts = [];
    const observer = new MutationObserver((records) => {
      for (const { target } of records) texts.push(target.textContent);
    });
    for (const node of document.querySelectorAll('[aria-live], [role=status], [role=alert], output')) {
      observer.observe(node, { subtree: true, childList: true, characterData: true });
    }
    return texts;
  });
  for (const queue of [3, 4]) {
    pools[0].queue = queue;
    there.standIn.push();
    await there.visit.sees('.card:nth-child(2) .lead', `${queue} tasks`);
  }
  assert.deepEqual(await spoken.jsonValue(), []);
  pools[1].state = 'paused';
  await there.visit.sees('#announcer', 'Pool mail is paused.');
  await leave(there);
});

test('the focus stays on a row when rows before it go and come', { skip }, async () => {
  const pools = ['images', 'sounds', 'mail'].map((name) => new FakePool(name));
  const [images] = pools;
  const there = await visit(pools, { fragment: '#pools' });
  await there.visit.sees('#pools-summary', /^3 pools/);
  const link = there.page.getByRole('link', { name: 'mail' });
  await link.focus();
  pools.shift();
  await there.visit.sees('#pools-summary', /^2 pools/);
  assert.ok(await link.evaluate((node) => node === document.activeElement));
  pools.unshift(images);
  await there.visit.sees('#pools-summary', /^3 pools/);
  assert.ok(await link.evaluate((node) => node === document.activeElement));
  await leave(there);
});

for (const reducedMotion of ['no-preference', 'reduce']) {
  test(
    `draws with each update, or less often where motion is unwanted: ${reducedMotion}`,
    {
      skip,
    },
    async () => {
      const pool = new FakePool('images');
      const there = await visit([pool], { reducedMotion });
      await there.visit.sees('.card:nth-child(2) .lead', '0 tasks');
      const drawn = await there.page.evaluateHandle(() => {
        const chart = document.querySelector('.card:nth-child(2) canvas');
        const counts = { drawn: 0 };
        new MutationObserver((records) => {
          counts.drawn += records.length;
        }).observe(chart, { attributes: true, attributeFilter: ['aria-label'] });
        return counts;
      });
      const updates = [1, 2, 3, 4];
      for (const queue of updates) {
        pool.queue = queue;
        there.standIn.push();
        await there.visit.sees('.card:nth-child(2) .lead', `${queue} task`);
      }
      const { drawn: times } = await drawn.jsonValue();
      if (reducedMotion === 'reduce') assert.ok(times < updates.length, `${times} times`);
      else assert.equal(times, updates.length);
      await leave(there);
    },
  );
}
