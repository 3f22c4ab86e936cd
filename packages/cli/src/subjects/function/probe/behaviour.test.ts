/** What is known of each input after it was tried, here of one whose second call fails; and the thread that watches over that process. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { copyFileSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { pathToFileURL } from 'node:url';
import type { Worker } from 'node:worker_threads';
import { Child } from '../../../experiment/child.js';
import type { StepsOf } from '../../../experiment/serve.js';

const BUSY_MS = 100;
const BUSY = `for (const end = performance.now() + ${BUSY_MS}; performance.now() < end; );`;

/** What is said of a module with one function, called with these inputs. */
async function reportOf(code: string, inputs: readonly unknown[]) {
  const probe = new Child<StepsOf<typeof import('./behaviour.js').open>>(
    new URL('./behaviour.js', import.meta.url),
  );
  const module = `data:text/javascript,${encodeURIComponent(code)}`;
  const subject = { module, export: undefined, passing: 'value' } as const;
  const outcome = await probe.ask('open', { subject, inputs, shareMs: 60_000 }, 60_000);
  await probe.kill();
  assert.ok(outcome.kind === 'done', outcome.kind);
  return outcome.value;
}

test('the time of a call that failed is not the time of its input', async () => {
  const once = `
    let calls = 0;
    export const once = (input) => {
      if (calls++ > 0) throw new Error('only once');
      ${BUSY}
      return input;
    };`;
  const { inputMs, behaviour } = await reportOf(once, [1]);
  assert.equal(behaviour.failures.failed, 1);
  assert.ok(inputMs.length === 1 && inputMs[0]! >= BUSY_MS, `${inputMs}`);
});

test('a function that keeps its results is seen, since a call with the same input is far sooner over', async () => {
  const kept = `
    const known = new Set();
    export const kept = (input) => {
      if (!known.has(input)) { ${BUSY} }
      known.add(input);
      return input;
    };`;
  const slowAtTimes = kept.replace('!known.has(input)', '!known.has(input) && input % 2 === 0');
  const computes = `export const computes = (input) => { ${BUSY} return input; };`;
  const remembers = async (code: string, inputs: unknown[]) =>
    (await reportOf(code, inputs)).behaviour.remembers;
  assert.equal(await remembers(kept, [1, 2, 3, 4, 5]), true);
  assert.equal(await remembers(kept, [1, 2]), false, 'one pair may be chance');
  assert.equal(await remembers(slowAtTimes, [1, 2, 3, 4, 5]), false, 'two of four may be chance');
  assert.equal(await remembers(computes, [1, 2, 3, 4, 5]), false);
});

test('the thread that watches over the process needs no file: one in an archive of Yarn could not be read', async () => {
  const copy = join(mkdtempSync(join(tmpdir(), 'threadwise-watchdog-')), 'watchdog.mjs');
  copyFileSync(new URL('./watchdog.js', import.meta.url), copy);
  const { watchParent } = (await import(pathToFileURL(copy).href)) as typeof import('./watchdog.js');
  rmSync(dirname(copy), { recursive: true });
  const alive = setInterval(() => undefined, 60_000); // the thread does not keep the process alive
  const watches = once(process, 'worker').then(([thread]) => once(thread as Worker, 'message'));
  await Promise.all([watches, watchParent()]).finally(() => clearInterval(alive));
});
