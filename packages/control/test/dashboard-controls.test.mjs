/** What can be done with the dashboard: each change is asked for, made, or refused with what the server says. */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { skip } from 'threadwise-test/browser';
import { Visit } from './dashboard/browser.mjs';
import { FakePool } from './dashboard/fake-pool.mjs';
import { startStandIn } from './dashboard/stand-in.mjs';

const opened = [];
after(() => Promise.all(opened.map((each) => each.close())));

async function visit({
  pools = [new FakePool('images', { threads: 4, min: 4, max: 4 })],
  fragment,
  ...options
} = {}) {
  const standIn = await startStandIn({ pools, ...options });
  opened.push(standIn);
  const dashboard = await Visit.to(standIn.url, { fragment });
  return { pool: pools[0], standIn, dashboard, page: dashboard.page };
}

async function visitPool(options) {
  const there = await visit(options);
  await there.page.locator('#pool:not(.empty)').waitFor();
  return there;
}

/** `expected`: what the browser itself writes to the console for an answer that is an error. */
async function leave({ dashboard }, { expected = /^$/ } = {}) {
  assert.deepEqual(
    dashboard.errors.filter((text) => !expected.test(text)),
    [],
  );
  assert.deepEqual(dashboard.foreign, []);
  await dashboard.close();
}

const REFUSED_BY_SERVER = /the server responded with a status of 40[01]/;
const changesOf = (standIn) => standIn.requests.filter((line) => !line.startsWith('GET '));
const focusedId = (page) => page.evaluate(() => document.activeElement.id);

test('resizes a pool, says before what will happen, and follows the change', { skip }, async () => {
  const there = await visitPool();
  const { page, dashboard, standIn } = there;
  await page.getByRole('button', { name: 'Threads…' }).click();
  const dialog = page.getByRole('dialog', { name: 'Change the number of workers: images' });
  await dialog.waitFor();
  await dialog.getByLabel('Exactly, workers').fill('7');
  await dashboard.sees('#action-effect', 'There will be exactly 7 workers, 3 more than now.');
  await dashboard.sees('#action-request', 'PATCH /api/pools/images {"threads":7}');
  assert.deepEqual(changesOf(standIn), [], 'nothing is sent before it is confirmed');
  await dialog.getByRole('button', { name: 'Change the workers' }).click();
  await dialog.waitFor({ state: 'hidden' });
  assert.deepEqual(standIn.changes, [{ threads: 7 }]);
  await dashboard.sees('#result', 'The bounds of the workers are changed.');
  await dashboard.sees('.card:first-child .lead', '7 workers');
  await dashboard.sees('#decisions tbody', 'the bounds were changed');
  await dashboard.sees('#workers tbody', 'starting');
  await dashboard.sees('#pools tbody', '7 of 7');
  await leave(there);
});

test('sends bounds, auto, a strategy, a placement and a limit as they were chosen', { skip }, async () => {
  const there = await visitPool();
  const { page, standIn } = there;
  const change = async (button, fill) => {
    await page.getByRole('button', { name: button }).click();
    await fill();
    await page.locator('#action-apply').click();
    await page.locator('#action').waitFor({ state: 'hidden' });
  };
  await change('Threads…', async () => {
    await page.getByLabel('between').check();
    await page.getByLabel('At least, workers').fill('2');
    await page.getByLabel('At most, workers').fill('9');
  });
  await change('Threads…', () => page.getByLabel('automatic').check());
  await change('Strategy…', () => page.getByLabel('round-robin').check());
  await change('Placement…', () => page.getByLabel('inline: every task').check());
  await change('Queue limit…', async () => {
    await page.getByLabel('at most', { exact: true }).check();
    await page.getByLabel('At most, tasks').fill('50');
  });
  await change('Queue limit…', () => page.getByLabel('any number').check());
  assert.deepEqual(standIn.changes, [
    { min: 2, max: 9 },
    { threads: 'auto' },
    { choose: 'round-robin' },
    { placement: 'inline' },
    { queueLimit: 50 },
    { queueLimit: null },
  ]);
  await leave(there);
});

test('cancel has the focus, and changes nothing; neither does Escape', { skip }, async () => {
  const there = await visitPool();
  const { page, standIn } = there;
  const buttons = await page.locator('#buttons button').all();
  assert.equal(buttons.length, 8);
  for (const [i, button] of buttons.entries()) {
    await button.click();
    assert.equal(await focusedId(page), 'action-cancel', await button.getAttribute('id'));
    await page.keyboard.press(i % 2 === 0 ? 'Enter' : 'Escape');
    await page.locator('#action').waitFor({ state: 'hidden' });
    assert.equal(await focusedId(page), await button.getAttribute('id'), 'the focus is back where it was');
  }
  assert.deepEqual(changesOf(standIn), []);
  await leave(there);
});

test('asks for a whole number, and sends nothing else', { skip }, async () => {
  const there = await visitPool();
  const { page, dashboard, standIn } = there;
  await page.getByRole('button', { name: 'Threads…' }).click();
  for (const wrong of ['', '-1', '2.5']) {
    await page.getByLabel('Exactly, workers').fill(wrong);
    await dashboard.sees('#action-effect', 'fill in its numbers as whole numbers');
    await page.locator('#action-apply').click();
    assert.equal(await page.locator('#action').isVisible(), true);
  }
  assert.deepEqual(changesOf(standIn), []);
  await leave(there);
});

test('shows what the server says when it refuses, and lets it be put right', { skip }, async () => {
  const there = await visitPool();
  const { page, dashboard, pool } = there;
  await page.getByRole('button', { name: 'Threads…' }).click();
  await page.getByLabel('between').check();
  await page.getByLabel('At least, workers').fill('9');
  await page.locator('#action-apply').click();
  const message = 'threads.min must not be above threads.max (4), got 9';
  await dashboard.sees('#action-error', `Refused: ${message} (ERR_OPTION)`);
  assert.equal(await focusedId(page), 'action-cancel');
  assert.equal(pool.workers.length, 4);
  await page.getByLabel('At least, workers').fill('3');
  await dashboard.sees('#action-error', /^$/);
  await page.locator('#action-apply').click();
  await page.locator('#action').waitFor({ state: 'hidden' });
  assert.equal(pool.min, 3);
  await leave(there, { expected: REFUSED_BY_SERVER });
});

test('pauses, resumes, drains and recycles', { skip }, async () => {
  const there = await visitPool();
  const { page, dashboard, pool, standIn } = there;
  const act = async (button, apply) => {
    await page.getByRole('button', { name: button }).click();
    await page.getByRole('dialog').getByRole('button', { name: apply, exact: true }).click();
    await page.locator('#action').waitFor({ state: 'hidden' });
  };
  pool.queue = 3;
  await act('Pause…', 'Pause');
  await dashboard.sees('#pool-state', 'paused');
  await dashboard.sees('#notable', 'Paused: calls are accepted and wait');
  await dashboard.sees('#announcer', 'Pool images is paused.');
  await act('Resume…', 'Resume');
  await dashboard.sees('#pool-state', 'open');
  await act('Drain…', 'Refuse new calls');
  await dashboard.sees('#notable', 'Drained: no call is open');
  await act('Recycle…', 'Replace the workers');
  await dashboard.sees('#workers tbody tr:first-child', /^5starting/);
  assert.deepEqual(
    changesOf(standIn),
    ['pause', 'resume', 'drain', 'recycle'].map((what) => `POST /api/pools/images/${what}`),
  );
  await leave(there);
});

test(
  'of a change that is made while another pool is open already, it says which pool was changed',
  { skip },
  async () => {
    const pools = ['images', 'mail'].map((name) => new FakePool(name));
    const there = await visitPool({ pools, fragment: '#pool=images', token: 'right-token' });
    const { page, dashboard } = there;
    const askAndGoOn = async () => {
      await page.getByRole('button', { name: 'Pause…' }).click();
      // The browser's back button changes the address in the same way, and leaves the dialog open.
      await page.evaluate(() => (location.hash = 'pool=mail'));
      await dashboard.opens('mail');
      await page.locator('#action-apply').click();
    };
    await askAndGoOn();
    await page.getByLabel('Token', { exact: true }).fill('right-token');
    await page.keyboard.press('Enter');
    await dashboard.sees('#result', /: \u2068images\u2069: The pool is paused\.$/);
    assert.deepEqual(
      pools.map(({ state }) => state),
      ['paused', 'open'],
    );
    await leave(there, { expected: REFUSED_BY_SERVER });
  },
);

/** Tab until the element with that id has the focus, as somebody without a mouse has to. */
async function tabTo(page, id) {
  for (let i = 0; i < 60; i++) {
    if ((await focusedId(page)) === id) return;
    await page.keyboard.press('Tab');
  }
  assert.fail(`#${id} is not reached with Tab`);
}

test('all of it works by keyboard, and the focus is seen', { skip }, async () => {
  const there = await visit({ pools: [new FakePool('images'), new FakePool('mail')] });
  const { page, dashboard, standIn } = there;
  await dashboard.sees('#pools tbody', 'mail');
  await page.keyboard.press('Tab');
  for (let i = 0; i < 60; i++) {
    if ((await page.evaluate(() => document.activeElement.textContent)) === 'mail') break;
    await page.keyboard.press('Tab');
  }
  await page.keyboard.press('Enter');
  await dashboard.opens('mail');
  await tabTo(page, 'do-threads');
  const outline = await page.evaluate(() => getComputedStyle(document.activeElement).outlineWidth);
  assert.equal(outline, '3px');
  await page.keyboard.press('Enter');
  assert.equal(await focusedId(page), 'action-cancel');
  // Backwards from Cancel: the last number, then the choice itself.
  await page.keyboard.press('Shift+Tab');
  assert.equal(await page.evaluate(() => document.activeElement.name), 'max');
  await page.keyboard.press('ControlOrMeta+a');
  await page.keyboard.type('6');
  await page.keyboard.press('Tab');
  await page.keyboard.press('Tab');
  assert.equal(await focusedId(page), 'action-apply');
  await page.keyboard.press('Enter');
  await dashboard.sees('#result', 'are changed');
  assert.deepEqual(standIn.changes, [{ min: 1, max: 6 }]);
  await tabTo(page, 'timeline');
  await page.keyboard.press('ArrowDown');
  await dashboard.sees('#timeline-readout', /^Worker 1, .*: ready, event loop 0% busy, 0 tasks$/);
  await page.keyboard.press('ArrowDown');
  await dashboard.sees('#timeline-readout', /^Worker 2, /);
  await leave(there);
});

test('asks for the token when a change needs one, and then makes the change', { skip }, async () => {
  const there = await visitPool({ token: 'right-token' });
  const { page, dashboard, pool } = there;
  assert.equal(await page.locator('#token').isVisible(), false, 'reading needs none');
  await page.getByRole('button', { name: 'Pause…' }).click();
  await page.locator('#action-apply').click();
  await page.getByLabel('Token', { exact: true }).fill('wrong-token');
  await page.getByRole('button', { name: 'Use it' }).click();
  await dashboard.sees('#token-error', 'That token is not the right one');
  assert.equal(pool.state, 'open');
  await page.getByLabel('Token', { exact: true }).fill('right-token');
  await page.keyboard.press('Enter');
  await page.locator('#action').waitFor({ state: 'hidden' });
  assert.equal(pool.state, 'paused');
  assert.deepEqual(await placesOf(page, 'right-token'), ['sessionStorage']);
  await leave(there, { expected: REFUSED_BY_SERVER });
});

test('without a token the change is refused, and that is said', { skip }, async () => {
  const there = await visitPool({ token: 'right-token' });
  const { page, dashboard, pool } = there;
  await page.getByRole('button', { name: 'Drain…' }).click();
  await page.locator('#action-apply').click();
  await page.locator('#token-cancel').click();
  await dashboard.sees('#action-error', 'Refused: A token is needed (ERR_TOKEN)');
  assert.equal(pool.state, 'open');
  await leave(there, { expected: REFUSED_BY_SERVER });
});

test('asks once for the token that reading needs; until then it says so', { skip }, async () => {
  const there = await visit({ token: 'right-token', readsNeedToken: true, fragment: '#pool=images' });
  const { page, dashboard, standIn } = there;
  await page.getByRole('dialog', { name: 'The server asks for a token' }).waitFor();
  await page.locator('#token-cancel').click();
  await dashboard.sees('#banner', 'The server wants a token');
  await page.getByRole('button', { name: 'Give the token…' }).click();
  await page.getByLabel('Token', { exact: true }).fill('right-token');
  await page.keyboard.press('Enter');
  await dashboard.sees('#link-state', 'Connected');
  await page.locator('#pool:not(.empty)').waitFor();
  assert.equal(await page.locator('#banner').isVisible(), false);
  assert.equal(standIn.streams, 1, 'the stream, too, was given the token');
  await leave(there, { expected: REFUSED_BY_SERVER });
});

test('takes the token from the address, and out of it', { skip }, async () => {
  const there = await visit({
    token: 'right-token',
    readsNeedToken: true,
    fragment: '#token=right-token&pool=images',
  });
  const { page, standIn } = there;
  await page.locator('#pool:not(.empty)').waitFor();
  assert.equal(page.url(), `${standIn.url}#pool=images`);
  assert.equal(await page.locator('#token').isVisible(), false);
  assert.deepEqual(await placesOf(page, 'right-token'), ['sessionStorage']);
  await page.reload();
  await page.locator('#pool:not(.empty)').waitFor();
  await leave(there);
});

test('asks for another token where no header can carry the one that it was given', { skip }, async () => {
  const there = await visit({ token: 'right-token', readsNeedToken: true, fragment: '#token=right…token' });
  const { page, dashboard } = there;
  await dashboard.sees('#token-error', 'visible ASCII characters');
  await page.getByLabel('Token', { exact: true }).fill('right-token');
  await page.keyboard.press('Enter');
  await dashboard.sees('#link-state', 'Connected');
  await leave(there);
});

/** Where in the page a text can be found. */
function placesOf(page, text) {
  return page.evaluate((wanted) => {
    const places = {
      sessionStorage: JSON.stringify({ ...sessionStorage }),
      localStorage: JSON.stringify({ ...localStorage }),
      cookies: document.cookie,
      address: location.href,
      document: document.documentElement.outerHTML,
      fields: [...document.querySelectorAll('input')].map(({ value }) => value).join(),
    };
    return Object.keys(places).filter((name) => places[name].includes(wanted));
  }, text);
}

test('what stops calls looks so, before and in the question', { skip }, async () => {
  const there = await visitPool();
  const { page } = there;
  const colorOf = (selector) =>
    page.locator(selector).evaluate((node) => getComputedStyle(node).borderTopColor);
  const [plain, pause, drain, recycle] = [
    await colorOf('#do-threads'),
    await colorOf('#do-pause'),
    await colorOf('#do-drain'),
    await colorOf('#do-recycle'),
  ];
  assert.equal(pause, drain);
  assert.notEqual(pause, plain);
  assert.equal(recycle, plain, 'no call is lost or waits by it');
  await page.locator('#do-drain').click();
  assert.equal(await colorOf('#action-apply'), drain);
  await page.locator('#action-cancel').click();
  await page.locator('#do-threads').click();
  assert.notEqual(await colorOf('#action-apply'), drain);
  await page.locator('#action-cancel').click();
  await leave(there);
});
