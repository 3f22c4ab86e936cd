/** Visits to a dashboard whose server is the stand-in; on every page that is left, nothing may have gone wrong. */
import assert from 'node:assert/strict';
import { after } from 'node:test';
import { Visit } from './browser.mjs';
import { startStandIn } from './stand-in.mjs';

const opened = [];
after(() => Promise.all(opened.map((each) => each.close())));

/** `server`: options of the stand-in; the others are the browser's. */
export async function visit(pools, { server = {}, fragment = '', ...options } = {}) {
  const standIn = await startStandIn({ pools, ...server });
  opened.push(standIn);
  const there = await Visit.to(standIn.url, { fragment, ...options });
  return { standIn, visit: there, page: there.page };
}

/** Nothing in the console, nothing sent to anyone else. */
export async function leave({ visit: there }) {
  assert.deepEqual(there.errors, []);
  assert.deepEqual(there.foreign, []);
  await there.close();
}
