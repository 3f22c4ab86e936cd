/** What the dashboard shows: true numbers, as text, in time. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { skip } from 'threadwise-test/browser';
import { FakePool } from './dashboard/fake-pool.mjs';
import { rowOf } from '../dashboard/sample.js';
import { leave, visit } from './dashboard/visits.mjs';

/** As they are seen, but for spaces that do not break. */
const plain = (found) => found.map((text) => text.replaceAll('\u00a0', ' '));
const texts = async (page, selector) => plain(await page.locator(selector).allInnerTexts());

test("shows a pool's numbers, with their units", { skip }, async () => {
  const pool = new FakePool('images', { threads: 3, min: 2, max: 6 });
  Object.assign(pool.tasks, {
    completed: 1_234_567,
    submitted: 1_234_600,
    failed: 12,
    open: 21,
    timedOut: 3,
  });
  Object.assign(pool, { queue: 18, oldestMs: 2500, limit: 100, throughput: 87.25, crashes: 4 });
  Object.assign(pool, { runP50: 0.25, waitP50: 1500, mainUtilization: 0.42 });
  pool.coordinator = { utilization: 0.07, restarts: 2 };
  Object.assign(pool.workers[1], { load: 1, completed: 7001, utilization: 0.66, ageMs: 90_061_000 });
  // However slow the page is, no worker has had its task for a second by its clock.
  const there = await visit([pool], { stopsClock: true });
  const { visit: dashboard, page } = there;
  await dashboard.opens('images');
  await dashboard.sees('#pool-facts', / · strategy least-busy · /);
  const expected = {
    Workers: ['3 workers', 'there 3', 'busy 1', 'idle 2', 'starting 0', 'bounds 2 to 6'],
    Queue: ['18 tasks waiting', 'waiting 18', 'oldest waits 2.50 s', 'limit 100', 'open calls 21'],
    Throughput: ['87.3 tasks/s', 'completed 1,234,567'],
    'Run time': ['p50 0.25 ms', 'p90 1 ms', 'p99 3 ms', 'longest since it began 9 ms'],
    'Wait time': ['p50 1.50 s', 'p90 12 s', 'p99 36 s', 'longest since it began 1 min 48 s'],
    'Event loops': ['main 42% busy', 'workers, mean 22%', 'coordinator 7%'],
    Memory: ['412 MiB', 'process, resident 412 MiB', 'heap of main 83.5 MiB'],
    Counts: [
      'completed 1,234,567',
      'failed 12',
      'timed out 3',
      'workers crashed 4',
      'coordinator restarts 2',
    ],
  };
  for (const [title, parts] of Object.entries(expected)) {
    const card = page.locator('.card').filter({ has: page.locator(`h4:text-is("${title}")`) });
    const text = plain(await card.locator('dl > div, tr, .lead').allInnerTexts())
      .join(' ')
      .replace(/\s+/g, ' ');
    for (const part of parts) assert.ok(text.includes(part), `'${part}' in card ${title}: ${text}`);
  }
  const row = await texts(page, '#pools tbody tr > *');
  assert.deepEqual(row, [
    ...['images', '●open', '18 of 100', '2.50 s', '87.3 tasks/s', '3 of 2–6', '0.25 ms', '3 ms', '36 s'],
    ...['15', '4'],
  ]);
  const worker = await texts(page, '#workers tbody tr:nth-child(2) > *');
  assert.deepEqual(worker.slice(0, 6), ['2', 'ready', '1', '66%', 'not yet seen', '7,001']);
  assert.equal(worker.at(-1), '1 d 1 h');
  await leave(there);
});

test('follows the numbers, and says what grew', { skip }, async () => {
  const pool = new FakePool('images');
  const there = await visit([pool]);
  await there.visit.sees('.card:nth-child(2) .lead', '0 tasks');
  pool.queue = 7;
  pool.tasks.failed = 5;
  pool.crashes = 1;
  there.standIn.push();
  await there.visit.sees('.card:nth-child(2) .lead', '7 tasks waiting');
  await there.visit.sees('.counts tr.bad', /failed5\+5/);
  await there.visit.sees('#notable', /1 worker crashed in the last/);
  await leave(there);
});

test('lists the sizing decisions with their reasons, the newest first', { skip }, async () => {
  const pool = new FakePool('images');
  const at = Date.parse('2030-04-05T03:12:04Z');
  pool.decide(4, 5, '3 tasks wait for a worker', at);
  pool.decide(5, 4, 'a worker has been idle for 30000 ms', at + 60_000);
  const there = await visit([pool], { timezoneId: 'UTC' });
  await there.visit.sees('#decisions tbody', 'idle for');
  const rows = await texts(there.page, '#decisions tbody tr');
  assert.match(rows[0], /2030.*3:13:04.*5 → 4.*a worker has been idle for 30000 ms/s);
  assert.match(rows[1], /2030.*3:12:04.*4 → 5.*3 tasks wait for a worker/s);
  // One that comes by the stream, and with the next statistics again, is there once.
  there.standIn.emit('pool:size', { pool: 'images', ...pool.decide(4, 6, 'twice as many', at + 90_000) });
  there.standIn.push();
  await there.visit.sees('#decisions tbody tr', 'twice as many');
  assert.equal(await there.page.locator('#decisions tbody tr').count(), 3);
  await leave(there);
});

test('shows where functions run and why, and which worker is stuck', { skip }, async () => {
  const pool = new FakePool('images');
  pool.workers[2].load = 1;
  const first = Date.now();
  const there = await visit([pool]);
  await there.visit.sees('#functions tbody', 'the way to a thread takes longer');
  const [resize, parse] = await texts(there.page, '#functions tbody tr');
  assert.match(resize, /resize\s+worker threads\s+the mean run time is above/);
  assert.match(parse, /parse\s+main thread/);
  const pushing = setInterval(() => there.standIn.push(), 1000);
  await there.visit.sees('#workers tbody tr:nth-child(3)', /≥ [1-9]\d* s ago/);
  clearInterval(pushing);
  assert.ok(Date.now() - first >= 900, 'it has counted, not guessed');
  await leave(there);
});

test('shows what failed, of which function, with the last error and its stack', { skip }, async () => {
  const pool = new FakePool('images');
  const there = await visit([pool], { timezoneId: 'UTC' });
  await there.visit.sees('#functions tbody', 'resize');
  assert.equal(
    await there.page.locator('#functions details').count(),
    0,
    'nothing to unfold without an error',
  );
  const stack = 'RangeError: no such size\n    at resize (/srv/images.js:12:9)';
  Object.assign(pool.functions[0], {
    ...{ calls: 120, failures: 7, timeouts: 2 },
    lastError: {
      at: Date.parse('2030-04-05T03:12:04Z'),
      name: 'RangeError',
      code: 'ERR_MINE',
      message: 'no such size',
      stack,
    },
  });
  Object.assign(pool.tasks, { failed: 5, timedOut: 2 });
  pool.interrupted = 2;
  there.standIn.push();
  await there.visit.sees('#functions tbody', 'no such size');
  const [resize, parse] = await texts(there.page, '#functions tbody tr');
  assert.match(resize, /120\s+0\s+7\s+2\s+12\.3 ms.*3:12:04.*RangeError \[ERR_MINE\]: no such size/s);
  assert.match(parse, /–$/);
  // Those that failed, and those that timed out.
  await there.visit.sees('#pools tbody tr > :nth-last-child(2)', /^7$/);
  const frames = there.page.locator('#functions pre');
  assert.equal(await frames.isVisible(), false);
  await there.page.locator('#functions summary').click();
  assert.equal(await frames.textContent(), stack);
  await there.visit.sees('#notable', /7 calls failed in the last [^,]+, 2 of them by a timeout\./);
  await there.visit.sees(
    '#notable',
    /2 workers were replaced because a task went on after its timeout or abort/,
  );
  await there.visit.sees(
    '#notable',
    /7 calls of .resize. failed in the last .*, the last with RangeError \[ERR_MINE\]: no such size/,
  );
  await there.visit.sees('.counts tr.bad', 'failed');
  await there.visit.sees('.counts', /replaced after timeout or abort2\+2/);
  await leave(there);
});

test(
  'with several pools, each has its throughput of the last two minutes beside the figure',
  { skip },
  async () => {
    const pools = [new FakePool('busy'), new FakePool('calm')];
    pools[0].throughput = 40;
    const there = await visit(pools, { fragment: '#pool=busy' });
    await there.visit.sees('#pools tbody', 'busy');
    pools[0].throughput = 80;
    const lines = there.page.locator('#pools tbody polyline');
    const pointsOf = async (i) =>
      ((await lines.nth(i).getAttribute('points')) ?? '').split(' ').filter(Boolean);
    const heights = async (i) => new Set((await pointsOf(i)).map((point) => point.split(',')[1]));
    const pushing = setInterval(() => there.standIn.push(), 200);
    while ((await heights(0)).size < 2 || (await pointsOf(1)).length < 2) {
      await there.page.waitForResponse(/api\/pools$/);
    }
    clearInterval(pushing);
    assert.equal((await heights(1)).size, 1, 'nothing ended in the other one');
    const names = await there.page
      .locator('#pools tbody svg')
      .evaluateAll((all) => all.map((svg) => svg.getAttribute('aria-label')));
    assert.match(names[0], /^Throughput over time, at most 80/);
    assert.deepEqual(
      await there.page
        .locator('#pools tbody svg')
        .evaluateAll((all) => all.map((svg) => svg.checkVisibility())),
      [true, true],
    );
    await leave(there);
    const alone = await visit([new FakePool('only')]);
    await alone.visit.sees('#pool-name', 'only');
    assert.equal(await alone.page.locator('#pools tbody svg').isVisible(), false, 'its chart is below');
    await leave(alone);
  },
);

test('tells errors and the ends of workers, and only those if asked', { skip }, async () => {
  const there = await visit([new FakePool('images')]);
  await there.visit.opens('images');
  const error = { name: 'RangeError', message: 'Invalid array length', code: 'ERR_MINE' };
  there.standIn.emit('worker:ready', { pool: 'images', workerId: 9, startMs: 41 });
  there.standIn.emit('worker:exit', { pool: 'images', workerId: 8, reason: 'crashed', exitCode: 7, error });
  there.standIn.push();
  await there.visit.sees('#events tbody tr:first-child', /Worker 8 ended \(crashed, exit code 7\)/);
  await there.visit.sees('#events tbody tr:first-child', 'RangeError [ERR_MINE]: Invalid array length');
  await there.visit.sees('#announcer', 'Worker 8 ended');
  assert.equal(await there.page.locator('#events tbody tr').count(), 2);
  await there.page.getByLabel('Errors only').check();
  assert.equal(await there.page.locator('#events tbody tr').count(), 1);
  await leave(there);
});

const HOSTILE = [
  '<img src=x onerror="window.pwned=1">',
  '</script><script>window.pwned=1</script>',
  '\u202egnp.exe "&amp;\'`',
];

test('shows hostile names as text', { skip }, async () => {
  const pools = HOSTILE.map((name) => new FakePool(name));
  pools[0].functions = HOSTILE.map((name) => ({
    name,
    place: 'inline',
    why: name,
    calls: 1,
    inline: 1,
    runMs: 1,
  }));
  pools[0].decide(1, 2, HOSTILE[0]);
  pools[0].choose = HOSTILE[1];
  const there = await visit(pools);
  await there.visit.sees('#pools tbody', '<img');
  for (const [i, name] of HOSTILE.entries()) {
    const link = there.page.locator('#pools tbody tr').nth(i).getByRole('link');
    assert.equal(await link.textContent(), name);
    await link.click();
    await there.visit.opens(name);
    await there.page.locator('#do-pause').click();
    assert.equal(await there.page.locator('#action-title bdi').textContent(), name);
    await there.page.locator('#action-cancel').click();
  }
  await there.page.locator('#pools tbody a').first().click();
  await there.visit.opens(HOSTILE[0]);
  there.standIn.emit('error', { pool: HOSTILE[0], error: { name: HOSTILE[0], message: HOSTILE[1] } });
  there.standIn.push();
  await there.visit.sees('#events tbody', '</script>');
  assert.equal(await there.page.evaluate(() => document.querySelectorAll('main img, main script').length), 0);
  assert.equal(await there.page.evaluate(() => window.pwned), undefined);
  await leave(there);
});

test('ten pools with 64 workers: frames go on, and nothing is built anew', { skip }, async () => {
  const names = Array.from({ length: 10 }, (_, i) => `pool-${i}`);
  const pools = names.map((name, i) => new FakePool(name, { threads: 64, max: 64, seed: i }));
  const there = await visit(pools, { server: { tickMs: 1000 }, fragment: '#pool=pool-3' });
  await there.visit.sees('#workers tbody tr:nth-child(64)', 'ready');
  const seen = await there.page.evaluate(watchUpdates);
  assert.equal(seen.elements, 0, 'elements that were added or removed while only numbers changed');
  assert.ok(seen.texts > 100, `the numbers change: ${seen.texts}`);
  // Many times fewer than a second has, so that a slow machine passes, and a page that is stuck does not.
  for (const frames of seen.frames) assert.ok(frames >= 4, `frames between updates: ${seen.frames}`);
  await leave(there);
});

/** Runs in the page, for six updates of the opened pool: counts what changes, and how many frames are drawn between two updates. */
function watchUpdates() {
  const seen = { elements: 0, texts: 0, frames: [] };
  let frames = 0;
  let isOver = false;
  const count = () => {
    frames++;
    if (!isOver) requestAnimationFrame(count);
  };
  requestAnimationFrame(count);
  const changes = new MutationObserver((records) => {
    for (const { type, addedNodes, removedNodes } of records) {
      if (type === 'characterData') seen.texts++;
      else seen.elements += [...addedNodes, ...removedNodes].filter(({ nodeType }) => nodeType === 1).length;
    }
  });
  changes.observe(document.querySelector('main'), { subtree: true, childList: true, characterData: true });
  return new Promise((resolve) => {
    const updates = new MutationObserver(() => {
      seen.frames.push(frames);
      frames = 0;
      if (seen.frames.length < 6) return;
      // The first update may come at once after the watch began, before any frame.
      seen.frames.shift();
      isOver = true;
      changes.disconnect();
      updates.disconnect();
      resolve(seen);
    });
    // The ages of the workers change with each update, and all at once.
    const workers = document.getElementById('workers');
    updates.observe(workers, { subtree: true, childList: true, characterData: true });
  });
}

test('does not hold more and more while it asks', { skip }, async () => {
  const there = await visit([new FakePool('images')]);
  const { page } = there;
  await there.visit.sees('#pool-state', 'open');
  const held = await page.evaluateHandle(() => {
    const listeners = { count: 0 };
    for (const [name, change] of [
      ['addEventListener', 1],
      ['removeEventListener', -1],
    ]) {
      const own = AbortSignal.prototype[name];
      AbortSignal.prototype[name] = function (...args) {
        listeners.count += change;
        return own.apply(this, args);
      };
    }
    return listeners;
  });
  for (let polls = 0; polls < 4; polls++) await page.waitForResponse(/api\/pools$/);
  const { count } = await held.jsonValue();
  assert.ok(count <= 1, `${count} more listeners`);
  await leave(there);
});

test('changes the screen once in a second, however often the server sends', { skip }, async () => {
  const pool = new FakePool('images');
  const there = await visit([pool]);
  await there.visit.sees('.card:nth-child(2) .lead', '0 tasks');
  const pushing = setInterval(() => {
    pool.queue++;
    there.standIn.push();
  }, 20);
  const gaps = await there.page.evaluate(
    () =>
      new Promise((resolve) => {
        const times = [];
        const observer = new MutationObserver(() => {
          times.push(performance.now());
          if (times.length < 4) return;
          observer.disconnect();
          resolve(times.slice(1).map((time, i) => time - times[i]));
        });
        const options = { subtree: true, childList: true, characterData: true };
        observer.observe(document.querySelector('.card:nth-child(2) .lead'), options);
      }),
  );
  clearInterval(pushing);
  for (const gap of gaps) assert.ok(gap > 900, `${gaps} ms`);
  await leave(there);
});

test('the frozen display stands still, and goes on where the pool is by then', { skip }, async () => {
  const pool = new FakePool('images');
  const there = await visit([pool]);
  await there.visit.sees('.card:nth-child(2) .lead', '0 tasks');
  await there.page.getByRole('button', { name: 'Freeze display' }).click();
  await there.visit.sees('#link-state', 'frozen at');
  pool.queue = 5;
  there.standIn.push();
  const polls = there.standIn.requests.length;
  await there.page.waitForResponse(/api\/pools$/);
  assert.ok(there.standIn.requests.length > polls);
  assert.match(await there.page.locator('.card:nth-child(2) .lead').textContent(), /^0.tasks/);
  await there.page.getByRole('button', { name: 'Freeze display' }).click();
  await there.visit.sees('.card:nth-child(2) .lead', '5 tasks');
  await leave(there);
});

test('a pool that is opened is shown as it is: not like the one before, nor frozen', { skip }, async () => {
  const pools = ['images', 'mail'].map((name) => new FakePool(name));
  pools[1].state = 'paused';
  const there = await visit(pools, { fragment: '#pool=images' });
  const { visit: dashboard, page } = there;
  await dashboard.sees('#pool-state', 'open');
  await page.evaluate(() => (location.hash = 'pool=none'));
  await dashboard.sees('#banner', 'no such pool');
  assert.equal(await page.locator('#pool-state').isVisible(), false);
  assert.equal(await page.locator('#pool-facts').isVisible(), false);
  await page.getByRole('button', { name: 'Freeze display' }).click();
  await page.getByRole('link', { name: 'mail' }).click();
  await dashboard.sees('#pool-state', 'paused');
  await dashboard.sees('#pool-facts', 'dispatch');
  await dashboard.sees('#link-state', 'Connected');
  assert.equal(await page.locator('#freeze').getAttribute('aria-pressed'), 'false');
  await dashboard.close();
});

test('has what was before it was opened, and says what grew since then', { skip }, async () => {
  const [images, mail] = [new FakePool('images'), new FakePool('mail')];
  for (const pool of [images, mail]) {
    for (const at of [-300_000, -298_000]) {
      pool.throughput = at === -300_000 ? 111 : 0;
      pool.past.push(rowOf(pool.stats(), at));
    }
  }
  images.tasks.failed = 7;
  const there = await visit([images, mail], { fragment: '#pool=images' });
  await there.visit.sees('.counts tr.bad', /failed7\+7/);
  await there.visit.sees('#notable', '7 calls failed in the last 5 min 0 s.');
  await there.page.locator('canvas[aria-label*="highest 111"]').waitFor();
  await there.page.locator('#pools tbody tr:nth-child(2) [aria-label*="at most 111"]').waitFor();
  await leave(there);
});

test(
  'many pools are drawn when the program has been asked, and not each time that the past of one comes',
  { skip },
  async () => {
    const pools = Array.from({ length: 30 }, (_, i) => new FakePool(`batch ${i}`));
    for (const pool of pools) for (const at of [-4000, -2000]) pool.past.push(rowOf(pool.stats(), at));
    const there = await visit(pools);
    const { page, standIn } = there;
    await page.addInitScript(() => {
      window.drawn = 0;
      const { getAttribute } = Element.prototype;
      Element.prototype.getAttribute = function (name) {
        if (name === 'points') window.drawn++;
        return getAttribute.call(this, name);
      };
    });
    standIn.requests.length = 0;
    await page.reload();
    await page.waitForFunction((count) => {
      const lines = [...document.querySelectorAll('#pools polyline')];
      return lines.length === count && lines.every(({ points }) => points.numberOfItems > 1);
    }, pools.length);
    const drawn = await page.evaluate(() => window.drawn);
    const asked = standIn.requests.filter((request) => request === 'GET /api/pools').length;
    assert.ok(drawn <= pools.length * (asked + 1), `${drawn} rows, asked ${asked} times`);
    await leave(there);
  },
);

test('the pasts of many pools are asked for one after the other, and hold up nothing', { skip }, async () => {
  const pools = Array.from({ length: 10 }, (_, i) => new FakePool(`batch ${i}`));
  for (const pool of pools) for (const at of [-4000, -2000]) pool.past.push(rowOf(pool.stats(), at));
  const there = await visit(pools);
  const { page } = there;
  await page.goto('about:blank');
  const held = [];
  let isHeld = true;
  await page.route('**/history', (route) => (isHeld ? held.push(route) : route.continue()));
  await page.goto(there.standIn.url);
  for (let i = 0; i < 2; i++) await page.waitForResponse(/api.pools$/);
  assert.equal(held.length, 1);
  isHeld = false;
  await held[0].continue();
  await page.waitForFunction((count) => {
    const lines = [...document.querySelectorAll('#pools polyline')];
    return lines.length === count && lines.every(({ points }) => points.numberOfItems > 1);
  }, pools.length);
  await leave(there);
});

test('a hidden page does not ask for the past of every pool each time that it wakes', { skip }, async () => {
  const there = await visit([new FakePool('images'), new FakePool('mail')], { stopsClock: true });
  const { page, standIn } = there;
  const pastOf = (name) => standIn.requests.filter((request) => request.endsWith(`/${name}/history`)).length;
  await there.visit.sees('#pools tbody', 'mail');
  const wakeAfterAMinute = async (hidden) => {
    await page.evaluate((value) => {
      Object.defineProperty(document, 'hidden', { configurable: true, value });
      const at = Date.now() + 60_000;
      Date.now = () => at;
    }, hidden);
    for (let i = 0; i < 2; i++) await page.waitForResponse(/api.pools$/);
  };
  await wakeAfterAMinute(true);
  assert.equal(pastOf('mail'), 1);
  const asked = page.waitForResponse(/mail.history$/);
  await wakeAfterAMinute(false);
  await asked;
  await leave(there);
});

test(
  'after the computer has slept it has what the program did meanwhile, at the time at which it was',
  { skip },
  async () => {
    const [images, mail] = [new FakePool('images'), new FakePool('mail')];
    images.tasks.failed = 7;
    const there = await visit([images, mail], { fragment: '#pool=images', stopsClock: true });
    await there.visit.sees('#notable', 'Nothing.');
    for (const pool of [images, mail]) {
      pool.past.push(rowOf(pool.stats(), -100_000));
      pool.tasks.failed = 10;
    }
    // While the computer sleeps, `performance.now()` stands still in most browsers, and `Date.now()` goes on.
    await there.page.evaluate(() => {
      const at = Date.now() + 120_000;
      Date.now = () => at;
    });
    there.standIn.push();
    await there.visit.sees('#notable', '3 calls failed in the last 1 min 40 s.');
    await leave(there);
  },
);

test(
  'shows the pools that closed last, for ten minutes, and says how many it leaves out',
  { skip },
  async () => {
    const pools = Array.from({ length: 24 }, (_, i) => new FakePool(`batch ${i}`));
    const there = await visit([new FakePool('images'), ...pools]);
    const { visit: dashboard, page } = there;
    await dashboard.sees('#pools-summary', /^25 pools · /);
    for (const pool of pools.slice(0, 21)) pool.state = 'closed';
    await dashboard.sees('#pools-summary', /^24 pools · .* · 1 closed pool left out$/);
    for (const pool of pools) pool.state = 'closed';
    await dashboard.sees('#pools-summary', /^21 pools · .* · 4 closed pools left out$/);
    assert.deepEqual(await texts(page, '#pools tbody .name'), [
      'images',
      ...pools.slice(4).map(({ name }) => name),
    ]);
    // What is opened stays as long as it is.
    await page.getByText('batch 9', { exact: true }).click();
    await dashboard.sees('#pool-state', 'closed');
    await page.clock.install();
    await page.clock.fastForward(600_000);
    await dashboard.sees('#pools-summary', /^2 pools · .* · 23 closed pools left out$/);
    assert.deepEqual(await texts(page, '#pools tbody .name'), ['images', 'batch 9']);
    await leave(there);
  },
);

test('counts anew when the program was started again', { skip }, async () => {
  const pools = [new FakePool('images'), new FakePool('sounds')];
  for (const { tasks } of pools) Object.assign(tasks, { completed: 70, failed: 5 });
  const there = await visit(pools, { fragment: '#pool=images' });
  const { visit: dashboard, standIn } = there;
  await dashboard.sees('.counts', /failed50/);
  pools.splice(0, 2, ...pools.map(({ name }) => new FakePool(name)));
  standIn.dropStreams();
  await dashboard.sees('.counts', /failed00/);
  pools[0].tasks.failed = 3;
  standIn.push();
  await dashboard.sees('.counts', /failed3\+3/);
  await dashboard.sees('#notable', /3 calls failed in the last/);
  await leave(there);
});

test('forgets a pool that is gone: another one of its name begins with nothing', { skip }, async () => {
  const pools = [new FakePool('images'), new FakePool('sounds')];
  const there = await visit(pools, { fragment: '#pool=images' });
  const { visit: dashboard, page, standIn } = there;
  pools[0].tasks.failed = 5;
  standIn.push();
  await dashboard.sees('.counts', /failed5\+5/);
  standIn.emit('worker:ready', { pool: 'images', workerId: 9, startMs: 41 });
  standIn.push();
  await dashboard.sees('#events tbody', 'Worker 9');
  await page.locator('#pool-close').click();
  pools.shift();
  await dashboard.sees('#pools-summary', /^1 pool · /);
  pools.push(new FakePool('images'));
  await dashboard.sees('#pools-summary', /^2 pools · /);
  await page.getByText('images', { exact: true }).first().click();
  await dashboard.sees('.counts', /failed00/);
  assert.equal(await page.locator('#events tbody tr').count(), 0);
  await leave(there);
});
