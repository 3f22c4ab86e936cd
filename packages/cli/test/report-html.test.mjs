/** The pages that `threadwise analyze --out report.html` writes, in a real browser, from a file, without a network. */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { launch, seriousFaults, skip } from 'threadwise-test/browser';
import { analyzeFolder } from '../dist/subjects/folder/rules/analyze.js';
import { renderHtml as view } from '../dist/report/html/page.js';
import { FAKE_MADE } from '../dist/report/made.test.fake.js';
import { folderReport } from '../dist/subjects/folder/report.js';
import {
  FEWER_ASYNC,
  fakeClass,
  fakeFolder,
  fakeRounds,
  MORE_IN_WORKERS,
} from '../dist/subjects/folder/rules/samples.test.fake.js';
import {
  fakeFindings,
  fakeSamples,
  five,
  hostileFindings,
  nothingFound,
} from '../dist/subjects/function/report/findings.test.fake.js';
import { functionReport } from '../dist/subjects/function/report/report.js';
import { findServer } from '../dist/subjects/server/rules/find.js';
import { fakeServer } from '../dist/subjects/server/rules/samples.test.fake.js';
import { serverReport } from '../dist/subjects/server/report.js';

const dir = mkdtempSync(join(tmpdir(), 'threadwise-report-'));
const folder = fakeFolder([
  fakeClass(fakeRounds({ ...FEWER_ASYNC, ...MORE_IN_WORKERS })),
  fakeClass(fakeRounds({ 'async-all': 1.9 }), { fromBytes: 4096, belowBytes: 65_536 }),
]);
const server = fakeServer({
  asIs: { rate: 1000, p99Ms: 60 },
  offloaded: { rate: 1500, p99Ms: 40 },
  cluster: { rate: 1900, p99Ms: 30 },
});
/** The longest names of ways of calling, and figures with many digits. */
function wideFindings() {
  const { inline, threads, ...samples } = fakeSamples();
  const way = { ...threads.at(-1), size: 1024, rate: five(6_360_000) };
  const variants = [
    { ...way, name: 'batch' },
    { ...way, name: 'read' },
  ];
  const gain = { value: 11, low: 10, high: 12 };
  const told = { gain, changesVerdict: false, sentence: 'more' };
  return fakeFindings({
    alternatives: variants.map(({ name }) => ({ name, ...told })),
    samples: { ...samples, threads, variants, inline: { ...inline, rate: five(496_000_000) } },
  });
}

const renderHtml = (report) => view(report, FAKE_MADE);
const pages = {
  measured: renderHtml(functionReport(fakeFindings())),
  hostile: renderHtml(functionReport(hostileFindings())),
  wide: renderHtml(functionReport(wideFindings())),
  nothing: renderHtml(functionReport(nothingFound())),
  folder: renderHtml(folderReport(analyzeFolder(folder))),
  server: renderHtml(serverReport(findServer(server))),
};
const urls = Object.fromEntries(
  Object.entries(pages).map(([name, html]) => {
    const path = join(dir, `${name}.html`);
    writeFileSync(path, html);
    return [name, pathToFileURL(path).href];
  }),
);
let browser;

before(async () => {
  if (!skip) browser = await launch();
});
after(async () => {
  await browser?.close();
  rmSync(dir, { recursive: true });
});

/** Opens a page, and notes what it asks for, and what it complains of. */
async function open(name, options = {}) {
  const context = await browser.newContext({ offline: true, ...options });
  const page = await context.newPage();
  const requests = [];
  const errors = [];
  page.on('request', (request) => requests.push(request.url()));
  page.on('pageerror', (error) => errors.push(String(error)));
  page.on('dialog', (dialog) => {
    errors.push(`a dialog: ${dialog.message()}`);
    return dialog.dismiss();
  });
  page.on('console', (message) => errors.push(message.text()));
  await page.goto(urls[name]);
  return { context, page, requests: () => requests.filter((url) => !url.startsWith('data:')), errors };
}

/** In the page: texts of its charts that lie on each other, or are cut off. */
function misplaced() {
  return [...document.querySelectorAll('svg[role=img]')].flatMap((chart) => {
    const frame = chart.getBoundingClientRect();
    const texts = [...chart.querySelectorAll('text')].map((node) => {
      const { left, right, top, bottom } = node.getBoundingClientRect();
      return { text: node.textContent, left, right, top, bottom };
    });
    const cut = texts.filter(
      ({ left, right, top, bottom }) =>
        left < frame.left || right > frame.right || top < frame.top || bottom > frame.bottom,
    );
    // A box has room above and below its letters.
    const meet = (a, b) =>
      a.left < b.right && b.left < a.right && a.top < b.bottom - 4 && b.top < a.bottom - 4;
    const pairs = texts.flatMap((a, i) =>
      texts
        .slice(i + 1)
        .filter((b) => meet(a, b))
        .map((b) => [a, b]),
    );
    return [
      ...cut.map(({ text }) => `cut off: ${text}`),
      ...pairs.map(([a, b]) => `on each other: ${a.text} and ${b.text}`),
    ];
  });
}

async function unfold(page) {
  for (const summary of await page.locator('summary').all()) await summary.click();
}

const setAll = (page, isOpen) =>
  page.evaluate((isOpen) => {
    for (const each of document.querySelectorAll('details')) each.open = isOpen;
  }, isOpen);

for (const name of Object.keys(pages)) {
  test(`asks for nothing but itself, and runs nothing: ${name}`, { skip }, async () => {
    const { context, page, requests, errors } = await open(name);
    await unfold(page);
    assert.deepEqual(requests(), [urls[name]]);
    assert.deepEqual(errors, []);
    assert.equal(await page.locator('script').count(), 0);
    await context.close();
  });

  test(`everybody can read it: ${name}`, { skip }, async (t) => {
    // The policy of the page forbids what the checker is; everything else of it has been tried above.
    const { context, page } = await open(name, { bypassCSP: true });
    for (const width of [390, 1280]) {
      for (const colorScheme of ['light', 'dark']) {
        await t.test(`${width} pixels, ${colorScheme}`, async () => {
          await page.setViewportSize({ width, height: 900 });
          await page.emulateMedia({ colorScheme });
          await setAll(page, false);
          assert.deepEqual(await page.evaluate(misplaced), []);
          await setAll(page, true);
          const wide = await page.evaluate(() => document.documentElement.scrollWidth);
          assert.ok(wide <= width, `the page is ${wide} pixels wide`);
          assert.deepEqual(await seriousFaults(page), []);
        });
      }
    }
    await context.close();
  });
}

test('tables scroll in boxes of their own, which the keyboard reaches', { skip }, async () => {
  const { context, page } = await open('measured', { viewport: { width: 390, height: 900 } });
  await unfold(page);
  const box = page.getByRole('region', { name: 'Rate by threads, table' });
  const { inside, outside } = await box.evaluate((node) => ({
    inside: node.scrollWidth,
    outside: node.clientWidth,
  }));
  assert.ok(inside > outside, `${inside} in ${outside}`);
  await box.focus();
  await page.keyboard.press('ArrowRight');
  await page.waitForFunction((node) => node.scrollLeft > 0, await box.elementHandle());
  await context.close();
});

test('charts are pictures with a name and a description', { skip }, async () => {
  const { context, page } = await open('measured');
  const chart = page.getByRole('img', { name: /^Rate by number of threads/ });
  assert.equal(await chart.count(), 1);
  const text = await page.locator('#rate-desc').textContent();
  assert.match(text, /4 threads: 3,600/);
  assert.ok((await page.getByRole('img').count()) >= 5);
  await context.close();
});
