// A real browser for tests of pages, and what a checker of accessibility finds in them.
import { createRequire } from 'node:module';
import { chromium } from 'playwright-core';
import { ensureChromium } from '../scripts/ensure-chromium.mjs';

const AXE = createRequire(import.meta.url).resolve('axe-core/axe.min.js');
const found = ensureChromium();

/** For `test(name, { skip }, …)`: false, or why there is no browser. */
export const skip = found.reason ?? false;

export function launch() {
  return chromium.launch({ executablePath: found.path, args: ['--no-sandbox'] });
}

/**
 * What axe finds in a page: a line for each rule that is broken, its impact first. The page is to be opened with `bypassCSP` if its policy lets no
 * other script run.
 * @param within a selector: only that part of the page
 * @param leastKept with no more rules kept than that, axe has looked at next to nothing, and this rejects
 */
export async function brokenRules(page, within, leastKept) {
  await page.addScriptTag({ path: AXE });
  // All nodes only of the rules that are broken: to note those that keep a rule takes as long as to look.
  const { violations, passes } = await page.evaluate(
    (within) => globalThis.axe.run(within, { resultTypes: ['violations'] }),
    within,
  );
  if (passes.length <= leastKept)
    throw new Error(`axe has looked at next to nothing: ${passes.length} rules are kept`);
  return violations.map(
    ({ impact, id, help, nodes }) =>
      `${impact}: ${id} (${help}): ${nodes.map(({ html }) => html.slice(0, 200)).join('; ')}`,
  );
}

/** The rules that the whole page breaks, and that keep somebody from using it. */
export async function seriousFaults(page) {
  return (await brokenRules(page, 'html', 10)).filter((line) => /^(serious|critical):/.test(line));
}
