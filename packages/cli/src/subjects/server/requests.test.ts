/** Routes, headers and bodies from the options: what is no path of the app itself is refused. */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { requestsOf } from './command.js';

const none = { headers: [], body: undefined };
const routes = (...given: string[]) =>
  requestsOf('--route', given, none).map(({ method, path }) => `${method} ${path}`);

test('a path with its query, with a method before it where it is not a GET', () => {
  assert.deepEqual(routes('/main?name=x', 'POST /render', 'put /a'), [
    'GET /main?name=x',
    'POST /render',
    'PUT /a',
  ]);
});

test('what has no place in a request line is encoded', () => {
  assert.deepEqual(routes('/café'), ['GET /caf%C3%A9']);
});

test('nothing leads to another host', () => {
  assert.deepEqual(routes('//example.org/x'), ['GET //example.org/x']);
  for (const bad of ['http://example.org/', 'example.org', '', 'GET', '/a b']) {
    assert.throws(() => routes(bad), { name: 'UsageError', message: /--route: expected a path such as/ });
  }
  assert.throws(() => routes('HEAD /'), /expected one of GET, POST.*got 'HEAD'/);
});

test('headers and a body, which makes a route a POST unless it says otherwise', (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'threadwise-requests-'));
  t.after(() => rmSync(folder, { recursive: true }));
  const body = join(folder, 'body.json');
  writeFileSync(body, '{}');
  const [post, get] = requestsOf('--route', ['/a', 'GET /b'], {
    headers: ['content-type: application/json'],
    body,
  });
  assert.equal(post!.method, 'POST');
  assert.equal(Buffer.from(post!.body!).toString(), '{}');
  assert.deepEqual(post!.headers, { 'content-type': 'application/json' });
  assert.equal(get!.body, undefined);
  assert.throws(
    () => requestsOf('--route', ['/'], { headers: [], body: join(folder, 'none') }),
    /--body: cannot read .*no such file/,
  );
  assert.throws(
    () => requestsOf('--route', ['/'], { headers: ['cookie: a=1', 'Cookie: b=2'], body: undefined }),
    /--header: expected each name once, got 'cookie' again/,
  );
  for (const header of ['nonsense', ': x', 'a b: c', 'a: b\r\nc: d']) {
    assert.throws(
      () => requestsOf('--route', ['/'], { headers: [header], body: undefined }),
      /--header: expected/,
    );
  }
});
