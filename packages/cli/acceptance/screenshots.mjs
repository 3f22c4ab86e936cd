/**
 * Takes pictures of the three reports and of the dashboard, as people see them: real figures, a narrow and a wide window, light and dark.
 * Prints what axe finds in them.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { serveControl } from '@threadwise/control';
import { launch, seriousFaults, skip } from 'threadwise-test/browser';
import { createPool } from 'threadwise';

const here = (path) => fileURLToPath(new URL(path, import.meta.url));
const MAIN = here('../bin/threadwise.js');
const MODULE = here('known.mjs');
const OFFLOAD = here('../../../examples/03-http-offload/');
const WIDTHS = [390, 1280];
const THEMES = ['light', 'dark'];
/** How many milliseconds the dashboard's pool works before its picture is taken: its charts need something to show. */
const WORK_MS = 20_000;

/** @returns whether axe has found nothing serious */
export async function takeScreenshots(into, budget) {
  if (skip) throw new Error(skip);
  mkdirSync(into, { recursive: true });
  const folder = mkdtempSync(join(os.tmpdir(), 'threadwise-screenshots-'));
  const browser = await launch();
  try {
    const wrong = [];
    for (const [name, url] of await reports(folder, budget))
      wrong.push(...(await pictures(browser, into, name, url)));
    wrong.push(...(await withDashboard((url) => pictures(browser, into, 'dashboard', url))));
    for (const each of wrong) console.log(each);
    return wrong.length === 0;
  } finally {
    await browser.close();
    rmSync(folder, { recursive: true });
  }
}

async function reports(folder, budget) {
  const inputs = join(folder, 'inputs.json');
  writeFileSync(inputs, JSON.stringify([3_000_000, 3_000_001]));
  const subjects = {
    function: [`${MODULE}#steps`, '--json', inputs],
    server: [
      'server',
      join(OFFLOAD, 'server.js#buildServer'),
      ...['--route', '/main?name=Ada', '--offload', join(OFFLOAD, 'tasks.js#render')],
    ],
    folder: ['files', here('../src')],
  };
  const urls = [];
  for (const [name, args] of Object.entries(subjects)) {
    const out = join(folder, `${name}.html`);
    const own = [MAIN, 'analyze', ...args, '--budget', budget, '--quiet', '--out', out];
    const child = spawn(process.execPath, own, { stdio: ['ignore', 'ignore', 'inherit'] });
    const [code] = await once(child, 'exit');
    if (code !== 0) throw new Error(`analyze of the ${name} ended with exit code ${code}`);
    urls.push([name, pathToFileURL(out).href]);
  }
  return urls;
}

/** Shows a dashboard of a pool that computes, and fails now and then. */
async function withDashboard(visit) {
  const pool = createPool(pathToFileURL(MODULE), { name: 'images', threads: { min: 1, max: 2 } });
  const control = await serveControl([pool], { port: 0 });
  let isOver = false;
  const work = async () => {
    for (let i = 0; !isOver; i += 1) {
      if (i % 50 === 49) await pool.run('slug', [i]).catch(() => undefined);
      await pool.run(i % 3 === 0 ? 'derive' : 'steps', [i % 3 === 0 ? 'secret' : 1_000_000]);
      await sleep(i % 20);
    }
  };
  const workers = Promise.all([work(), work(), work()]);
  try {
    await sleep(WORK_MS);
    return await visit(`${control.url}#pool=images`);
  } finally {
    isOver = true;
    await workers;
    await control.close();
    await pool.close();
  }
}

async function pictures(browser, into, name, url) {
  const wrong = [];
  for (const colorScheme of THEMES) {
    for (const width of WIDTHS) {
      // The content security policy of the dashboard would block axe.
      const context = await browser.newContext({
        ...{ colorScheme, viewport: { width, height: 844 } },
        bypassCSP: true,
      });
      const page = await context.newPage();
      await page.goto(url);
      await page.locator('h1').first().waitFor();
      // The dashboard gets new figures once a second.
      if (name === 'dashboard') await sleep(4000);
      const picture = `${name}-${width}-${colorScheme}`;
      await page.screenshot({ path: resolve(into, `${picture}.png`), fullPage: true });
      const overflows = await page.locator('html').evaluate((node) => node.scrollWidth > node.clientWidth);
      if (overflows) wrong.push(`${picture}: the page is wider than the window`);
      for (const fault of await seriousFaults(page)) wrong.push(`${picture}: ${fault}`);
      await context.close();
    }
  }
  return wrong;
}
