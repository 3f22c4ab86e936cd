/** `threadwise analyze server` as a user starts it: what it says, what it writes, what it refuses, what it leaves behind. Never who is faster. */

import assert from 'node:assert/strict';
import { existsSync, readFileSync, watch } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { run, start, temporaryFolder } from './command.mjs';

const BUDGET = ['--budget', '2s', '--connections', '6'];
const ANSWERS = ['leave', 'offload', 'cluster', 'unknown'];

const fixtures = fileURLToPath(new URL('fixtures/server/', import.meta.url));
const app = (name) => join(fixtures, name);
const example = fileURLToPath(new URL('../../../examples/03-http-offload/server.js', import.meta.url));

/** Runs it, and reads its report. */
async function analyze(name, args = [], { env, own = [] } = {}) {
  const file = join(temporaryFolder(), 'report.json');
  const path = name.startsWith('/') ? name : app(name);
  const ended = await run(['analyze', 'server', path, ...BUDGET, ...args, '--out', file, '--', ...own], {
    env,
    input: '', // in a process of its own: some are measured at the same time
  });
  assert.equal(ended.code, 0, ended.stderr);
  return { ...ended, report: JSON.parse(readFileSync(file, 'utf8')) };
}

/** Each way was measured: figures for each round, requests that were answered, none of them badly. */
function assertMeasured(report, lanes) {
  for (const lane of lanes) {
    const { rate, p99Ms, loopDelayMs, residentBytes, errors } = report.samples[lane];
    assert.ok(rate.length >= 1, `${lane}: ${JSON.stringify(report.samples.skipped)}`);
    assert.equal(p99Ms.length, rate.length, lane);
    assert.equal(loopDelayMs.length, rate.length, lane);
    assert.ok(residentBytes[0] > 0, lane);
    assert.ok(errors.answers > 0, lane);
    assert.equal(errors.bad + errors.sockets + errors.timeouts, 0, `${lane}: ${errors.first}`);
  }
}

const isAlive = (pid) => {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
};

/** The processes of an app that has noted them. */
const pidsIn = (notes) => [...notes.matchAll(/^pid (\d+)$/gm)].map(([, pid]) => Number(pid));

describe('threadwise analyze server', { concurrency: 4 }, () => {
  test('as it is, offloaded, and as a cluster: a verdict first, and the reports that were asked for', async () => {
    const folder = temporaryFolder();
    const notes = join(folder, 'notes');
    const [html, md] = [join(folder, 'report.html'), join(folder, 'deep/er/report.md')];
    const { stdout, report } = await analyze(
      'computes.mjs',
      [
        '--route',
        '/a?b=c',
        '--offload',
        `${app('tasks.mjs')}#compute`,
        '--processes',
        '2',
        '--out',
        html,
        md,
      ],
      { env: { TEST_NOTES: notes } },
    );
    assert.deepEqual([report.kind, report.schemaVersion], ['server', 1]);
    assert.ok(ANSWERS.includes(report.verdict.answer));
    assert.match(stdout, /^(Leave it|Offload compute|Cluster it|Cannot tell|Probably|Likely|Hardly)/);
    assert.ok(stdout.replace(/\s+/g, ' ').startsWith(report.verdict.sentence));
    assertMeasured(report, ['asIs', 'control', 'offloaded', 'cluster']);
    const { subject } = report.samples;
    assert.deepEqual([subject.form, subject.routes], ['listener', ['GET /a?b=c']]);
    assert.match(readFileSync(html, 'utf8'), /^<!doctype html>/i);
    assert.ok(readFileSync(md, 'utf8').startsWith('# '));

    const noted = readFileSync(notes, 'utf8');
    const ways = new Set([...noted.matchAll(/^from (.*)$/gm)].map(([, way]) => way));
    assert.deepEqual([...ways], ['127.0.0.1 to 127.0.0.1']);
    const pids = new Set(pidsIn(noted));
    assert.equal(pids.size, 5, 'as it is, again, offloaded, and two of a cluster');
    assert.deepEqual([...pids].filter(isAlive), []);
  });

  test('a server that is exported and only waits', async () => {
    const { report } = await analyze('waits.mjs');
    assertMeasured(report, ['asIs', 'control', 'cluster']);
    assert.equal(report.samples.subject.form, 'server');
    assert.ok(!('offloaded' in report.samples));
    assert.ok(report.reasons.some((text) => /no function was named/.test(text)));
  });

  test('an app that listens by itself, with its own arguments, on a port that is taken', async () => {
    const taken = createServer();
    await new Promise((resolve) => taken.listen(0, '127.0.0.1', resolve));
    after(() => taken.close());
    const port = String(taken.address().port);
    const { report } = await analyze('listens.mjs', ['--port', port], { own: ['--port', port] });
    assertMeasured(report, ['asIs', 'control', 'cluster']);
    assert.equal(report.samples.subject.form, 'listens');
  });

  test('CommonJS: what is required is offloaded as well; a function that makes a server', async () => {
    const offload = ['required.cjs#double', 'callable.cjs#half'].flatMap((each) => ['--offload', app(each)]);
    const { report } = await analyze('common.cjs', offload);
    assertMeasured(report, ['asIs', 'offloaded', 'cluster']);
    assert.equal(report.samples.subject.form, 'server');
  });

  test('a function that the app calls as a property of a default import is offloaded as well', async () => {
    const { report } = await analyze('imports-default.mjs', ['--offload', `${app('required.cjs')}#double`]);
    assertMeasured(report, ['asIs', 'offloaded', 'cluster']);
  });

  test('CommonJS that was compiled: its own default export is the server', async () => {
    const { report } = await analyze('compiled.cjs');
    assertMeasured(report, ['asIs']);
    assert.equal(report.samples.subject.form, 'server');
  });

  test('the example: a route that is offloaded already, against the one that is not', async () => {
    const { report } = await analyze(`${example}#buildServer`, ['--route', '/main', '--against', '/pool']);
    assertMeasured(report, ['asIs', 'offloaded', 'cluster']);
    assert.deepEqual(report.samples.subject.against, ['GET /pool']);
  });

  test('a function whose result is not awaited is not offloaded, and the reason is told', async () => {
    const { report } = await analyze('forgets-to-await.mjs', ['--offload', `${app('tasks.mjs')}#compute`]);
    assert.ok(!('offloaded' in report.samples));
    const left = report.samples.skipped.find(({ what }) => what === 'offloading');
    assert.match(left.why, /GET \/: the answer differs: does the app await compute\(\)\?/);
    assert.notEqual(report.verdict.answer, 'offload');
  });

  test('a function that is never called is not offloaded, and the reason is told', async () => {
    const { report } = await analyze('waits.mjs', ['--offload', `${app('tasks.mjs')}#compute`]);
    const left = report.samples.skipped.find(({ what }) => what === 'offloading');
    assert.match(left.why, /never call .*tasks\.mjs#compute/);
  });

  test('an app that ends under load: no verdict, and its last words', async () => {
    const { report } = await analyze('crashes.mjs');
    assert.equal(report.verdict.answer, 'unknown');
    assert.match(
      report.verdict.sentence,
      /the app ended under load \(exit code 1\): RangeError: out of answers/,
    );
  });

  test('error pages: no verdict from them', async () => {
    const { report } = await analyze('fails.mjs');
    assert.equal(report.verdict.answer, 'unknown');
    assert.match(report.verdict.sentence, /answers with errors: .*status 503/);
  });

  test('Ctrl-C tells what is known so far, and leaves nothing behind: exit code 130', async () => {
    const folder = temporaryFolder();
    const [notes, file] = [join(folder, 'notes'), join(folder, 'report.json')];
    const args = ['analyze', 'server', app('computes.mjs'), '--budget', '5m', '--out', file];
    const { child, ended } = start(args, { input: '', env: { TEST_NOTES: notes } });
    await new Promise((resolve) => {
      const watcher = watch(folder, () => {
        if (!existsSync(notes) || pidsIn(readFileSync(notes, 'utf8')).length < 2) return;
        watcher.close();
        resolve();
      });
    });
    child.kill('SIGINT');
    const { code, stdout } = await ended;
    assert.equal(code, 130);
    assert.match(stdout, /^Cannot tell: /);
    assert.equal(JSON.parse(readFileSync(file, 'utf8')).samples.isCutShort, true);
    assert.deepEqual(pidsIn(readFileSync(notes, 'utf8')).filter(isAlive), []);
  });

  test('an app that listens on a socket file is told so at once, and leaves no such file', async () => {
    const socket = join(temporaryFolder(), 'socket');
    const { code, stderr } = await run(['analyze', 'server', app('socket.mjs'), '--', socket]);
    assert.ok(stderr.includes(`socket.mjs listens on '${socket}', and the load needs a port.`), stderr);
    assert.deepEqual([code, existsSync(socket)], [2, false]);
  });

  for (const [name, args, expected] of [
    ['none.mjs', [], /cannot find module '.*none\.mjs': no such file/],
    ['throws.mjs', [], /cannot load '.*throws\.mjs': TypeError: no database/],
    [
      '../../../../../test/fixtures/bad-modules/syntax.mjs',
      [],
      /cannot load '.*syntax\.mjs': SyntaxError: Unexpected token ';' \(.*syntax\.mjs:1\)/,
    ],
    ['exits.mjs', [], /does not start: .*exit code 3.*: configuration is missing/s],
    ['nothing.mjs', [], /listens on no port, and exports no server.*it exports VERSION, build/],
    [
      'tasks.mjs#compute',
      [],
      /listens on no port, and 'compute' gives no server and no request listener; it exports compute, .*, a server$/m,
    ],
    ['routes.mjs', ['extra'], /expected one app, and its own arguments after --, got 'extra'/],
    ['routes.mjs', ['extra', '--', 'own'], /arguments after --, got 'extra'/],
    ['http2.mjs', [], /http2\.mjs listens with node:http2, and the load speaks HTTP\/1\.1/],
    [
      'tcp.mjs',
      ['--', '9000'],
      /tcp\.mjs listens on port 9000 without node:http, and the load speaks HTTP\/1\.1/,
    ],
    ['tcp.mjs', [], /tcp\.mjs listens on port [1-9]\d* without node:http/],
    [
      'waits-forever.mjs',
      ['--budget', '2s'],
      /waits-forever\.mjs let no server of Node\.js listen on a port within 10 s/,
    ],
    ['clusters-itself.mjs', [], /starts a cluster by itself/],
    [
      'listens.mjs',
      ['--port', '81', '--', '--port', '82'],
      /--port: expected one that it listens on, which is 82, got 81/,
    ],
    ['waits.mjs#sever', [], /no export 'sever'.*it exports server\. Did you mean 'server'\?/],
    ['routes.mjs', ['--route', '/gone'], /GET \/gone answers 404\. Expected a status of 2xx/],
    [
      'routes.mjs',
      ['--route', '/moved'],
      /302, a redirect to 'http:\/\/example\.org\/', and redirects are not followed/,
    ],
    ['routes.mjs', ['--route', '/hangs-up'], /GET \/hangs-up fails: socket hang up/],
    ['routes.mjs', ['--route', '/never', '--budget', '2s'], /GET \/never does not answer within 5 s/],
    ['routes.mjs', ['--against', '/gone'], /--against: GET \/gone answers 404/],
    [
      'routes.mjs',
      ['--route', 'http://example.org/'],
      /--route: expected a path such as .*, got 'http:\/\/example\.org\/'/,
    ],
    [
      'routes.mjs',
      ['--routes', '/a,/b', '--against', '/c'],
      /--against: expected one for each route.* 2, got 1/,
    ],
    ['routes.mjs', ['--out', 'report.pdf'], /ends in \.json, \.html, \.md, got 'report\.pdf'/],
    ['routes.mjs', ['--budget', '1s'], /--budget: expected at least 2s, got 1 s/],
    ['routes.mjs', ['--port', 'x'], /Expected a port/],
    ['routes.mjs', ['--processes', '3000'], /Expected a number from 1 to 1024\./],
    ['routes.mjs', ['--threads', '1025'], /Expected a number from 1 to 1024\./],
    ['computes.mjs', ['--offload', app('tasks.mjs')], /--offload: expected a module and its functions/],
    ['computes.mjs', ['--offload', `${app('tasks.mjs')}#none`], /no export 'none'; it exports #compute/],
    ['computes.mjs', ['--offload', `${app('tasks.mjs')}#notAFunction`], /no function 'notAFunction'/],
    ['computes.mjs', ['--offload', `${app('computes.mjs')}#default`], /is the app itself/],
  ]) {
    test(`refused with exit code 2: ${name} ${args.join(' ').replace(/\S*fixtures\S*\//, '')}`, async () => {
      // Those that wait do so at the same time.
      const own = args.includes('--budget') ? { input: '' } : {};
      const { code, stdout, stderr } = await run(['analyze', 'server', app(name), ...args], own);
      assert.equal(code, 2, stderr + stdout);
      assert.match(stderr, expected);
    });
  }
});
