/** A real Prometheus scrapes a real pool: what it answers is what the pool has done. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { EventEmitter, once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { before, describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { createPool } from 'threadwise';
import { freePort } from 'threadwise-test/free-port';
import { FakeFleet, FakePool, send, serve } from './helpers.mjs';

const ENSURE = fileURLToPath(new URL('../../../scripts/ensure-prometheus.mjs', import.meta.url));
const PAGE = new URL('../../../docs/metrics.md', import.meta.url);
/** For all of a test: to start, to scrape, to answer. */
const DEADLINE_MS = 60_000;

/** The first block of a language on the page of the metrics. */
function blockOf(language) {
  return readFileSync(PAGE, 'utf8').split(`\`\`\`${language}\n`)[1].split('```')[0];
}

/** Everything that a program says; it may be given its input. */
async function run(command, args, input = '') {
  const child = spawn(command, args, { stdio: ['pipe', 'pipe', 'pipe'] });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (chunk) => {
      output += chunk;
    });
  }
  child.stdin.on('error', () => undefined).end(input);
  const [code] = await once(child, 'close');
  return { code, output };
}

/** Started, and ended with the test. Resolves to its address when it is ready. */
async function startPrometheus(t, scrapeConfigs) {
  const dir = mkdtempSync(join(tmpdir(), 'threadwise-prometheus-'));
  const config = join(dir, 'prometheus.json'); // YAML, of which JSON is a part
  writeFileSync(config, JSON.stringify({ global: { scrape_interval: '1s' }, scrape_configs: scrapeConfigs }));
  const port = await freePort();
  const address = `127.0.0.1:${port}`;
  const child = spawn(
    'prometheus',
    [
      `--config.file=${config}`,
      `--storage.tsdb.path=${join(dir, 'data')}`,
      `--web.listen-address=${address}`,
    ],
    { stdio: ['ignore', 'ignore', 'pipe'] },
  );
  const ended = once(child, 'exit');
  t.after(async () => {
    child.kill();
    await ended;
    rmSync(dir, { recursive: true });
  });
  const said = [];
  for await (const line of createInterface({ input: child.stderr })) {
    said.push(line);
    if (line.includes('Server is ready to receive web requests')) break;
  }
  child.stderr.resume();
  assert.equal(child.exitCode, null, said.join('\n'));
  return `http://${address}`;
}

/** What a query answers: each series by its labels, and its value. */
async function query(prometheus, expression) {
  const response = await fetch(`${prometheus}/api/v1/query?${new URLSearchParams({ query: expression })}`);
  const { status, data, error } = await response.json();
  assert.equal(status, 'success', error);
  return data.result.map(({ metric, value }) => ({ labels: metric, value: Number(value[1]) }));
}

/** A pool that says 'scrape' whenever it is looked at. */
function watched(pool) {
  const scrapes = new EventEmitter();
  const { name } = pool;
  const stats = () => {
    scrapes.emit('scrape');
    return pool.stats();
  };
  return { scrapes, pool: { name, stats, on: () => undefined, off: () => undefined } };
}

describe('Prometheus', { timeout: 2 * DEADLINE_MS + 300_000 }, () => {
  let missing;

  before(async () => {
    const { code, output } = await run(process.execPath, [ENSURE]);
    if (code !== 0) missing = `no Prometheus: ${output.trim().split('\n').at(-1)}`;
  });

  test('promtool has nothing to say against the exposition', async (t) => {
    if (missing !== undefined) return t.skip(missing);
    const coordinator = { utilization: 0.5, restarts: 0 };
    const odd = new FakePool('odd "name" \\ {}\n\r\t ü 💥', { coordinator });
    const real = createPool('data:text/javascript,export const one = () => 1', { name: 'real', threads: 1 });
    t.after(() => real.destroy());
    await real.run('one', []);
    const fleets = [
      new FakeFleet('odd "name"'),
      new FakeFleet('away', () => Promise.reject(new Error('gone'))),
    ];
    const server = await serve(t, [odd, real, new FakePool('odd'), new FakePool('odd')], { fleets });
    const { text } = await send(server, '/metrics');
    assert.deepEqual(await run('promtool', ['check', 'metrics'], text), { code: 0, output: '' });
    // And it would have something to say.
    const { code } = await run('promtool', ['check', 'metrics'], `${text}x{ 1\n`);
    assert.notEqual(code, 0);
  });

  test('the documented configuration is one', async (t) => {
    if (missing !== undefined) return t.skip(missing);
    const dir = mkdtempSync(join(tmpdir(), 'threadwise-prometheus-'));
    t.after(() => rmSync(dir, { recursive: true }));
    const config = join(dir, 'prometheus.yml');
    writeFileSync(config, blockOf('yaml'));
    const { code, output } = await run('promtool', ['check', 'config', config]);
    assert.equal(code, 0, output);
  });

  test('a query answers how many tasks a pool has completed', { timeout: DEADLINE_MS }, async (t) => {
    if (missing !== undefined) return t.skip(missing);
    const name = 'scraped\0 "pool" ü';
    const pool = createPool('data:text/javascript,export const twice = (x) => 2 * x', { name, threads: 2 });
    t.after(() => pool.destroy());
    const { scrapes, pool: scraped } = watched(pool);
    const open = await serve(t, [scraped]);
    const guarded = await serve(t, [scraped], { host: '0.0.0.0', token: 'for-prometheus' });
    const target = (server) => [{ targets: [`127.0.0.1:${new URL(server.url).port}`] }];
    const prometheus = await startPrometheus(t, [
      { job_name: 'open', static_configs: target(open) },
      {
        job_name: 'guarded',
        static_configs: target(guarded),
        authorization: { type: 'Bearer', credentials: 'for-prometheus' },
      },
      { job_name: 'refused', static_configs: target(guarded) },
    ]);

    const tasks = Array.from({ length: 123 }, (_, i) => pool.run('twice', [i]));
    await Promise.all(tasks);
    const completed = `threadwise_tasks_total{outcome="completed"} == ${tasks.length}`;
    let found = [];
    while (found.length < 2) {
      await once(scrapes, 'scrape');
      found = await query(prometheus, completed);
    }
    assert.deepEqual(found.map(({ labels }) => labels.job).sort(), ['guarded', 'open']);
    for (const { labels, value } of found)
      assert.deepEqual([labels.pool, value], [name.replace('\0', '\ufffd'), tasks.length]);

    const [count] = await query(prometheus, 'threadwise_task_run_seconds_count{job="open"}');
    assert.equal(count.value, tasks.length);
    const threads = await query(prometheus, 'sum by (pool) (threadwise_pool_threads{job="open"})');
    assert.equal(threads[0].value, pool.stats().threads.current);
    const documented = blockOf('promql')
      .split('\n')
      .filter((line) => line !== '' && !line.startsWith('#'));
    assert.ok(documented.length >= 5);
    for (const expression of documented) await query(prometheus, expression);

    let up = [];
    while (up.length < 3) {
      await once(scrapes, 'scrape');
      up = await query(prometheus, 'up');
    }
    assert.deepEqual(Object.fromEntries(up.map(({ labels, value }) => [labels.job, value])), {
      open: 1,
      guarded: 1,
      refused: 0,
    });
  });
});
