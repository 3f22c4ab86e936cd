/** `threadwise ctl`: what it sends, what it prints, and what its exit codes say. */

import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer as createHttpServer } from 'node:http';
import { createServer } from 'node:net';
import { test } from 'node:test';
import { freePort } from 'threadwise-test/free-port';
import { run, start } from './command.mjs';
import { startServer, TOKEN } from './fixtures/control/server.mjs';
import { pool } from './fixtures/control/stats.mjs';

const WITH_TOKEN = { THREADWISE_CONTROL_TOKEN: TOKEN };
const WITHOUT_TOKEN = { THREADWISE_CONTROL_TOKEN: '' };

/** A server until the end of the test. */
async function serve(t, pools, options) {
  const server = await startServer(pools, options);
  t.after(() => server.close());
  return server;
}

const ctl = (server, args, env = WITH_TOKEN) => run(['ctl', server.url, ...args], { env });

/** What was printed: one document and nothing beside it. */
function documentOf({ code, stdout, stderr }) {
  assert.deepEqual([code, stderr], [0, '']);
  return JSON.parse(stdout);
}

test('pools, show, health, ready: the answers, as JSON', async (t) => {
  const [images, mail] = [pool('images'), pool('mail', { state: 'paused' })];
  const server = await serve(t, [images, mail]);
  const overview = documentOf(await ctl(server, ['pools'], WITHOUT_TOKEN));
  assert.deepEqual(overview.pools, [images, mail]);
  assert.equal(overview.process.pid, 4242);
  assert.deepEqual(documentOf(await ctl(server, ['show', 'mail'], WITHOUT_TOKEN)), mail);
  assert.deepEqual(documentOf(await ctl(server, ['health'], WITHOUT_TOKEN)), { status: 'ok' });
  assert.deepEqual(documentOf(await ctl(server, ['ready'], WITHOUT_TOKEN)), {
    ready: true,
    pools: [
      { name: 'images', state: 'open' },
      { name: 'mail', state: 'paused' },
    ],
  });
});

test('metrics are JSON, too', async (t) => {
  const server = await serve(t, [pool('images')]);
  assert.deepEqual(documentOf(await ctl(server, ['metrics'])), [
    {
      name: 'threadwise_queue_size',
      type: 'gauge',
      help: 'Tasks that wait.',
      samples: [{ name: 'threadwise_queue_size', labels: { pool: 'images' }, value: 37 }],
    },
  ]);
});

test('not ready: the answer all the same, which pool it is, and exit code 6', async (t) => {
  const server = await serve(t, [pool('images', { state: 'draining' }), pool('mail')]);
  const { code, stdout, stderr } = await ctl(server, ['ready']);
  assert.equal(code, 6);
  assert.equal(JSON.parse(stdout).ready, false);
  assert.equal(stderr, 'threadwise: Not ready: images is draining.\n');
});

test('what another server answers is neither ready nor well, whatever JSON it is: exit code 1', async (t) => {
  const cases = [
    [['ready'], 200, '{"ok":1}'],
    [['ready'], 200, 'null'],
    [['ready'], 200, '{"ready":false,"pools":[]}'],
    [['ready'], 503, '{"message":"no upstream"}'],
    [['health'], 200, '{"healthy":false}'],
    [['metrics'], 200, ''],
    [['show', 'x'], 400, '{"error":{"reason":"unknown"}}'],
  ];
  let answer;
  const other = createHttpServer((_request, response) => {
    response.writeHead(answer.status, { 'content-type': 'application/json' }).end(answer.body);
  });
  other.listen(0, '127.0.0.1');
  await once(other, 'listening');
  t.after(() => other.close());
  for (const [words, status, body] of cases) {
    answer = { status, body };
    const { code, stdout, stderr } = await ctl({ url: String(other.address().port) }, words);
    assert.deepEqual([code, stdout], [1, ''], `${words} ${body}`);
    assert.match(stderr, /answers, but not as the control server of a program with threadwise/);
  }
});

const changes = [
  [['--threads', '4'], { threads: 4 }],
  [['--threads', 'auto'], { threads: 'auto' }],
  [['--threads', '2-8'], { min: 2, max: 8 }],
  [['--min', '1', '--max', '3'], { min: 1, max: 3 }],
  [['--max', '3'], { max: 3 }],
  [['--choose', 'round-robin'], { choose: 'round-robin' }],
  [['--placement', 'auto'], { placement: 'auto' }],
  [['--queue-limit', '100'], { queueLimit: 100 }],
  [['--queue-limit', 'none'], { queueLimit: null }],
  [['--threads=2', '--queue-limit=0'], { threads: 2, queueLimit: 0 }],
];
for (const [args, body] of changes) {
  test(`set ${args.join(' ')} sends ${JSON.stringify(body)}, and nothing else`, async (t) => {
    const server = await serve(t, [pool('images')]);
    const printed = documentOf(await ctl(server, ['set', 'images', ...args]));
    const [request, ...others] = server.requests;
    assert.deepEqual(
      [request.method, request.path, request.body, others],
      ['PATCH', '/api/pools/images', body, []],
    );
    assert.equal(printed.name, 'images');
  });
}

for (const [command, state] of [
  ['pause', 'paused'],
  ['resume', 'open'],
  ['drain', 'draining'],
  ['recycle', 'open'],
]) {
  test(`${command} asks for it once and prints the pool`, async (t) => {
    const server = await serve(t, [pool('images')]);
    assert.equal(documentOf(await ctl(server, [command, 'images'])).state, state);
    const [{ method, path, body }, ...others] = server.requests;
    assert.deepEqual([method, path, body, others], ['POST', `/api/pools/images/${command}`, undefined, []]);
  });
}

test('the token comes from the environment or from an option, which wins, wherever it stands', async (t) => {
  const server = await serve(t, [pool('images')], { needsToken: true });
  const env = { THREADWISE_CONTROL_TOKEN: 'wrong' };
  documentOf(await ctl(server, ['show', 'images']));
  documentOf(await ctl(server, ['show', 'images', '--token', TOKEN], env));
  documentOf(await run(['ctl', '--token', TOKEN, server.url, 'show', 'images'], { env }));
  documentOf(await ctl(server, ['show', 'images'], { THREADWISE_CONTROL_TOKEN: `${TOKEN}\n` }));
});

test('without a token, or with a wrong one: exit code 4, and what to do', async (t) => {
  const server = await serve(t, [pool('images')]);
  for (const env of [WITHOUT_TOKEN, { THREADWISE_CONTROL_TOKEN: 'wrong' }]) {
    const { code, stdout, stderr } = await ctl(server, ['pause', 'images'], env);
    assert.deepEqual([code, stdout], [4, '']);
    assert.match(stderr, /A token is needed.*Set THREADWISE_CONTROL_TOKEN/);
  }
});

test('the only pool may be left out', async (t) => {
  const server = await serve(t, [pool('images')]);
  assert.equal(documentOf(await ctl(server, ['show'])).name, 'images');
  assert.equal(documentOf(await ctl(server, ['set', '--threads', '3'])).threads.max, 3);
  assert.equal(documentOf(await ctl(server, ['pause'])).state, 'paused');
});

test('of several pools one must be named; the message names them', async (t) => {
  const server = await serve(t, [pool('images'), pool('mail')]);
  const { code, stdout, stderr } = await ctl(server, ['pause']);
  assert.deepEqual([code, stdout], [2, '']);
  assert.equal(stderr, 'threadwise: Which pool? The program has 2: images, mail.\n');
  assert.ok(server.requests.every(({ method }) => method === 'GET'));
});

test('a program without pools says so', async (t) => {
  const { code, stderr } = await ctl(await serve(t, []), ['show']);
  assert.deepEqual([code, stderr], [2, 'threadwise: The program has no pool at the moment.\n']);
});

test('names of any characters reach the program as they are, and the terminal as none of its own', async (t) => {
  const name = 'a/b ?#%\x1b[31m\u009bä';
  const server = await serve(t, [pool(name)]);
  const result = await ctl(server, ['show', name]);
  assert.equal(documentOf(result).name, name);
  assert.doesNotMatch(result.stdout.replaceAll('\n', ''), /\p{Cc}/u);
});

test('behind -- a name may begin with a dash', async (t) => {
  const server = await serve(t, [pool('--help'), pool('mail')]);
  assert.equal(documentOf(await ctl(server, ['show', '--', '--help'])).name, '--help');
});

test('refused: exit code 3, with what the program says', async (t) => {
  const server = await serve(t, [pool('images'), pool('mail', { state: 'closed' })]);
  const cases = [
    [['set', 'images', '--threads', '999'], 'Expected fewer threads, got 999 (400 ERR_OPTION)'],
    [['show', 'nobody'], 'No pool nobody (404 ERR_CONTROL_NOT_FOUND)'],
    [['drain', 'mail'], 'The pool is closed (409 ERR_POOL_CLOSED)'],
  ];
  for (const [args, message] of cases) {
    const { code, stdout, stderr } = await ctl(server, args);
    assert.deepEqual([code, stdout, stderr], [3, '', `threadwise: ${message}\n`]);
  }
});

test('nothing answers: exit code 5, and how the program is to be started', async () => {
  const port = await freePort();
  const { code, stdout, stderr } = await run(['ctl', String(port), 'pools']);
  assert.deepEqual([code, stdout], [5, '']);
  assert.equal(
    stderr,
    `threadwise: Nothing answers at http://127.0.0.1:${port} (ECONNREFUSED). ` +
      `Is the program running with THREADWISE_CONTROL=${port}?\n`,
  );
});

test('a port that HTTP clients refuse is told apart from one that nobody has', async () => {
  const { code, stderr } = await run(['ctl', '6000', 'pools']);
  assert.equal(code, 5);
  assert.match(stderr, /Port 6000 .* is one that HTTP clients refuse to use/);
});

test('no answer in time: exit code 7', async (t) => {
  const server = await serve(t, [pool('images')], { answer: () => 'never' });
  const { code, stdout, stderr } = await ctl(server, ['show', 'images', '--timeout', '200ms']);
  assert.deepEqual([code, stdout], [7, '']);
  assert.match(
    stderr,
    /No answer from http:\/\/127\.0\.0\.1:\d+ within 200 ms\. .*main thread may be blocked/,
  );
});

const strangers = [
  ['a web page', () => ({ body: '<h1>hello</h1>', type: 'text/html' }), 'expected JSON'],
  ['JSON of something else', () => ({ body: { hello: 1 } }), 'expected { "pools": [...] }'],
  [
    'a page that is not found',
    () => ({ status: 404, body: 'no such page', type: 'text/plain' }),
    'it answered 404',
  ],
  [
    'an error of a proxy',
    () => ({ status: 502, body: 'bad gateway', type: 'text/plain' }),
    'it answered 502',
  ],
];
for (const [what, answer, expected] of strangers) {
  test(`${what} is told as another server: exit code 1`, async (t) => {
    const server = await serve(t, [], { answer });
    const { code, stdout, stderr } = await ctl(server, ['pools']);
    assert.deepEqual([code, stdout], [1, '']);
    assert.ok(
      stderr.includes(`but not as the control server of a program with threadwise: ${expected}.`),
      stderr,
    );
  });
}

test('what speaks no HTTP is told so', async (t) => {
  const server = createServer((socket) => socket.end('SSH-2.0-OpenSSH_9.6\r\n'));
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.after(() => server.close());
  const { code, stderr } = await run(['ctl', String(server.address().port), 'pools']);
  assert.equal(code, 5);
  assert.match(stderr, /does not speak http \(.+\)/);
});

test('a connection that is closed as soon as it is made: exit code 5, without waiting for the timeout', async (t) => {
  const server = createServer((socket) => socket.on('error', () => {}).destroy());
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.after(() => server.close());
  const { code, stdout, stderr } = await run(['ctl', String(server.address().port), 'pools']);
  assert.deepEqual([code, stdout], [5, '']);
  assert.match(stderr, /The connection to http:\/\/127\.0\.0\.1:\d+ was lost/);
});

test('a redirection is not followed: it would carry the token away', async (t) => {
  const other = await serve(t, [pool('images')]);
  const redirecting = await startRedirect(t, other.url);
  const { code } = await run(['ctl', redirecting, 'show', 'images'], { env: WITH_TOKEN });
  assert.equal(code, 1);
  assert.deepEqual(other.requests, []);
});

async function startRedirect(t, to) {
  const server = createServer((socket) => {
    socket.once('data', () =>
      socket.end(
        `HTTP/1.1 307 Temporary Redirect\r\nLocation: ${to}/api/pools/images\r\nContent-Length: 0\r\n\r\n`,
      ),
    );
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.after(() => server.close());
  return `127.0.0.1:${server.address().port}`;
}

const misuses = [
  [['ctl'], /Usage: threadwise ctl <url> <command>/],
  [['ctl', '9000'], /Usage: threadwise ctl <url> <command>/],
  [['ctl', 'pause', 'images'], /where the program listens before the command: threadwise ctl 9000 pause/],
  [['ctl', '9000', 'stop'], /unknown command 'stop'/],
  [['ctl', 'nowhere', 'pools'], /'nowhere' is no address/],
  [['ctl', '9000', 'set', 'images'], /Nothing to change: expected one or more of --threads/],
  [
    ['ctl', '9000', 'set', 'images', '--threads', '2', '--max', '3'],
    /--threads, or --min and --max, but both came/,
  ],
  [['ctl', '9000', 'set', 'images', '--min', '4', '--max', '3'], /--min to be at most --max; 4 and 3 came/],
  [['ctl', '9000', 'set', 'images', '--threads', 'many'], /'many' is invalid. Expected auto, a number/],
  [['ctl', '9000', 'set', 'images', '--queue-limit', '-1'], /Expected a number of calls, or none/],
  [['ctl', '9000', 'events', 'images', '--count', '0'], /at least 1/],
  [['ctl', '9000', 'pools', 'images'], /too many arguments/],
  [['ctl', '9000', 'pools', '--timeout', 'soon'], /Expected a time such as/],
  [['ctl', '9000', 'pools', '--token', 'two words'], /The token has characters that no token has/],
];
for (const [args, message] of misuses) {
  test(`${args.join(' ')}: exit code 2, before anything is asked`, async () => {
    const { code, stdout, stderr } = await run(args, { env: WITHOUT_TOKEN });
    assert.deepEqual([code, stdout], [2, '']);
    assert.match(stderr, message);
  });
}

for (const args of [
  ['ctl', '--help'],
  ['help', 'ctl'],
  ['ctl', '9000', '--help'],
  ['ctl', '9000', 'help'],
]) {
  test(`${args.join(' ')} lists the commands and the exit codes`, async () => {
    const { code, stdout } = await run(args);
    assert.equal(code, 0);
    assert.match(stdout, /drain \[options\] \[pool\]/);
    assert.match(stdout, /6 not ready/);
  });
}

test('the help of a command needs no address', async () => {
  for (const args of [
    ['ctl', 'set', '--help'],
    ['ctl', '9000', 'set', '--help'],
  ]) {
    const { code, stdout } = await run(args);
    assert.equal(code, 0);
    assert.match(stdout, /--queue-limit <n\|none>/);
  }
});

test('the help does not tell the token that is set', async () => {
  const { stdout } = await run(['ctl', '--help'], { env: { THREADWISE_CONTROL_TOKEN: 'top-secret' } });
  assert.doesNotMatch(stdout, /top-secret/);
});

test('a reader that has enough is no failure', { timeout: 60_000 }, async (t) => {
  const server = await serve(t, [pool('images')]);
  const { child, ended } = start(['ctl', server.url, 'events', 'images'], { env: WITH_TOKEN });
  child.stdout.once('data', () => {
    child.stdout.destroy();
    server.sendStats('images');
  });
  const { code, stderr } = await ended;
  assert.deepEqual([code, stderr], [0, '']);
});
