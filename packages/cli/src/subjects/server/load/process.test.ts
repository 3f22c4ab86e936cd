/** What the load generator says of single requests that go wrong, asked as the command asks it. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, test } from 'node:test';
import autocannon from 'autocannon';
import { Child } from '../../../experiment/child.js';
import { keepNoBody, type LoadTalk } from './process.js';

const GET = { method: 'GET', headers: {}, body: undefined };
/** /half begins an answer and never ends it, /reset breaks it off, and nothing but the end of the connection ends that to /closed. */
const app = http.createServer(({ url }, response) => {
  if (url === '/never') return;
  if (url === '/hinted') response.writeEarlyHints({ link: '</style.css>; rel=preload' });
  if (url === '/empty') return void response.writeHead(204).end();
  if (url === '/closed') response.removeHeader('transfer-encoding');
  if (url === '/page' || url === '/hinted') return void response.end('a page');
  response.write('half', () => url === '/reset' && response.destroy());
  if (url === '/closed') response.end();
});
const listens = once(app.listen(0, '127.0.0.1'), 'listening');
const originOf = () => `http://127.0.0.1:${(app.address() as AddressInfo).port}`;
const load = new Child<LoadTalk>(new URL('./process.js', import.meta.url));
after(async () => {
  await load.kill();
  app.closeAllConnections();
  app.close();
});

test('an answer that does not end is late, as is one that does not begin; one that breaks off fails, and so does one that another comes before, or that has no end of its own', async () => {
  await listens;
  const origin = originOf();
  const said = async (path: string, limitMs: number) => {
    const outcome = await load.ask('ask', { origin, requests: [{ ...GET, path }], limitMs }, 60_000);
    assert.ok(outcome.kind === 'done');
    return outcome.value[0]?.failed;
  };
  assert.equal(await said('/never', 300), 'does not answer within 0.3 s');
  assert.equal(await said('/half', 300), 'does not answer within 0.3 s');
  assert.equal(await said('/reset', 30_000), 'fails: it closed the connection in the middle of the answer');
  assert.equal(await said('/page', 30_000), undefined);
  assert.equal(await said('/empty', 30_000), undefined);
  assert.match(
    (await said('/closed', 30_000))!,
    /^ends its answer by closing the connection, which the load /,
  );
  assert.match((await said('/hinted', 30_000))!, /^sends status 103 before its answer, which the load /);
});

test('autocannon does not keep the answers: many megabytes would take most of its time', async () => {
  await listens;
  const got: unknown[] = [];
  const requests = [{ path: '/page', onResponse: (...args: unknown[]) => got.push(...args.slice(0, 2)) }];
  await autocannon({ url: originOf(), connections: 1, amount: 1, requests, setupClient: keepNoBody });
  assert.deepEqual(got, [200, '']);
});
