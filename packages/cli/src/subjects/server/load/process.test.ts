/** What the load generator says of single requests that go wrong, asked as the command asks it. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, test } from 'node:test';
import { Child } from '../../../experiment/child.js';
import type { LoadTalk } from './process.js';

const GET = { method: 'GET', headers: {}, body: undefined };
/** It never ends an answer: /half begins one, and /reset breaks it off. */
const app = http.createServer(({ url }, response) => {
  if (url === '/never') return;
  response.write('half', () => url === '/reset' && response.destroy());
});
const load = new Child<LoadTalk>(new URL('./process.js', import.meta.url));
after(async () => {
  await load.kill();
  app.closeAllConnections();
  app.close();
});

test('an answer that does not end is late, as is one that does not begin; one that breaks off fails', async () => {
  await once(app.listen(0, '127.0.0.1'), 'listening');
  const origin = `http://127.0.0.1:${(app.address() as AddressInfo).port}`;
  const said = async (path: string, limitMs: number) => {
    const outcome = await load.ask('ask', { origin, requests: [{ ...GET, path }], limitMs }, 60_000);
    assert.ok(outcome.kind === 'done');
    return outcome.value[0]?.failed;
  };
  assert.equal(await said('/never', 300), 'does not answer within 0.3 s');
  assert.equal(await said('/half', 300), 'does not answer within 0.3 s');
  assert.equal(await said('/reset', 30_000), 'fails: it closed the connection in the middle of the answer');
});
