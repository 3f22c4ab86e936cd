/** The metrics: what each says of a pool, and that its page says what each means. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { FakePool, send, serve } from './helpers.mjs';

const PAGE = new URL('../../../docs/metrics.md', import.meta.url);

const worker = (id, fields) => ({
  id,
  state: 'ready',
  inline: false,
  load: 0,
  completed: 0,
  utilization: 0.5,
  heapUsedBytes: 4096,
  ageMs: 1,
  cpu: { usedMs: 1500, waitedMs: 250 },
  ...fields,
});

/** Every sample by its name and labels, as text; the types by name. */
async function scrape(server) {
  const { status, headers, text } = await send(server, '/metrics');
  assert.equal(status, 200);
  assert.match(headers['content-type'], /^text\/plain; version=0\.0\.4/);
  const lines = text.split('\n').filter((line) => line !== '');
  const samples = lines.filter((line) => !line.startsWith('#')).map((line) => /^(.*) (\S+)$/.exec(line));
  const types = lines.filter((line) => line.startsWith('# TYPE ')).map((line) => line.split(' ').slice(2));
  return {
    lines,
    samples: Object.fromEntries(samples.map(([, series, value]) => [series, Number(value)])),
    count: samples.length,
    types: Object.fromEntries(types),
  };
}

/** Labels of a pool that is called p. */
const p = (labels = '') => `{pool="p"${labels && `,${labels}`}}`;

test('where the system does not tell how much memory there is in use, only that metric is missing', async (t) => {
  t.mock.method(process.memoryUsage, 'rss', () => {
    throw new Error('EMFILE: too many open files, uv_resident_set_memory');
  });
  const { samples } = await scrape(await serve(t, [new FakePool('p')]));
  assert.equal(samples.threadwise_process_resident_bytes, undefined);
  assert.equal(samples[`threadwise_queue_size${p()}`], 5);
});

test('a pool is what its stats say, in base units', async (t) => {
  const pool = new FakePool('p', {
    coordinator: { utilization: 0.125, restarts: 3 },
    sizing: { policy: 'auto', decisions: [{ at: 1000 }, { at: 1_700_000_000_500 }] },
    buckets: {
      runMs: [
        { belowMs: 2 ** -6, count: 1 },
        { belowMs: 256, count: 3 },
      ],
      waitMs: undefined,
    },
    workers: [worker(1), worker(2, { cpu: null, utilization: 1 }), worker(3, { inline: true })],
  });
  const server = await serve(t, [pool]);
  const { samples } = await scrape(server);
  const { threadwise_process_resident_bytes: resident, ...rest } = samples;
  assert.ok(resident > 10_000_000);
  assert.deepEqual(rest, {
    [`threadwise_pool_state${p('state="open"')}`]: 1,
    [`threadwise_pool_state${p('state="paused"')}`]: 0,
    [`threadwise_pool_state${p('state="draining"')}`]: 0,
    [`threadwise_pool_state${p('state="broken"')}`]: 0,
    [`threadwise_pool_state${p('state="closing"')}`]: 0,
    [`threadwise_pool_state${p('state="closed"')}`]: 0,
    [`threadwise_pool_threads${p('state="starting"')}`]: 1,
    [`threadwise_pool_threads${p('state="idle"')}`]: 1,
    [`threadwise_pool_threads${p('state="busy"')}`]: 1,
    [`threadwise_pool_threads_limit${p('bound="min"')}`]: 1,
    [`threadwise_pool_threads_limit${p('bound="max"')}`]: 4,
    [`threadwise_queue_size${p()}`]: 5,
    [`threadwise_queue_limit${p()}`]: 100,
    [`threadwise_queue_oldest_seconds${p()}`]: 1.5,
    [`threadwise_tasks_submitted_total${p()}`]: 34,
    [`threadwise_tasks_total${p('outcome="completed"')}`]: 10,
    [`threadwise_tasks_total${p('outcome="failed"')}`]: 2,
    [`threadwise_tasks_total${p('outcome="aborted"')}`]: 3,
    [`threadwise_tasks_total${p('outcome="timed_out"')}`]: 4,
    [`threadwise_tasks_total${p('outcome="crashed"')}`]: 1,
    [`threadwise_tasks_total${p('outcome="rejected"')}`]: 6,
    [`threadwise_tasks_open${p()}`]: 8,
    [`threadwise_retries_total${p()}`]: 7,
    [`threadwise_task_run_seconds_bucket${p('le="0.000015625"')}`]: 1,
    [`threadwise_task_run_seconds_bucket${p('le="0.256"')}`]: 3,
    [`threadwise_task_run_seconds_bucket${p('le="+Inf"')}`]: 4,
    [`threadwise_task_run_seconds_sum${p()}`]: 1,
    [`threadwise_task_run_seconds_count${p()}`]: 4,
    // Of a library that tells no buckets.
    [`threadwise_task_wait_seconds_bucket${p('le="+Inf"')}`]: 0,
    [`threadwise_task_wait_seconds_sum${p()}`]: 0,
    [`threadwise_task_wait_seconds_count${p()}`]: 0,
    [`threadwise_crashes_total${p()}`]: 1,
    [`threadwise_recycled_total${p()}`]: 2,
    [`threadwise_coordinator_restarts_total${p()}`]: 3,
    [`threadwise_sizing_last_decision_timestamp_seconds${p()}`]: 1_700_000_000.5,
    [`threadwise_event_loop_utilization_ratio${p('thread="main"')}`]: 0.25,
    [`threadwise_event_loop_utilization_ratio${p('thread="coordinator"')}`]: 0.125,
    [`threadwise_event_loop_utilization_ratio${p('thread="1"')}`]: 0.5,
    [`threadwise_event_loop_utilization_ratio${p('thread="2"')}`]: 1,
    [`threadwise_worker_heap_bytes${p('thread="1"')}`]: 4096,
    [`threadwise_worker_heap_bytes${p('thread="2"')}`]: 4096,
    [`threadwise_worker_cpu_seconds_total${p('thread="1"')}`]: 1.5,
    [`threadwise_worker_cpu_wait_seconds_total${p('thread="1"')}`]: 0.25,
    threadwise_control_event_streams: 0,
  });
});

test('failures of each function, and workers that a timeout has cost', async (t) => {
  const counts = { calls: 9, inline: 0, runMs: 1, place: 'threads', why: '' };
  const functions = [
    { ...counts, name: 'resize', failures: 4, timeouts: 3, lastError: null },
    { ...counts, name: 'of an older library' },
  ];
  const server = await serve(t, [new FakePool('p', { functions, interrupted: 3 })]);
  const { samples } = await scrape(server);
  const of = (name) => Object.entries(samples).filter(([series]) => series.startsWith(`threadwise_${name}`));
  assert.deepEqual(of('function_failures_total'), [
    [`threadwise_function_failures_total${p('function="resize",reason="timeout"')}`, 3],
    [`threadwise_function_failures_total${p('function="resize",reason="other"')}`, 1],
  ]);
  assert.deepEqual(of('interrupted_total'), [[`threadwise_interrupted_total${p()}`, 3]]);
});

test('what a pool does not have is not there', async (t) => {
  const queue = { size: 0, limit: null, oldestMs: 0 };
  const server = await serve(t, [new FakePool('p', { queue, process: undefined })]);
  const { samples } = await scrape(server);
  const there = Object.keys(samples);
  for (const name of [
    'queue_limit',
    'coordinator_restarts',
    'interrupted',
    'function',
    'sizing_last_decision',
    'event_loop_utilization',
  ]) {
    assert.deepEqual(
      there.filter((series) => series.startsWith(`threadwise_${name}`)),
      [],
    );
  }
});

test('each pool has its own series, whatever its name', async (t) => {
  const names = [
    'plain',
    'plain',
    'a "b"',
    'back\\slash',
    'two\nlines',
    'ü 💥',
    '\ud800',
    '\udfff',
    '{}',
    '',
  ];
  const server = await serve(
    t,
    names.map((name) => new FakePool(name)),
  );
  const { samples, count } = await scrape(server);
  assert.equal(Object.keys(samples).length, count, 'no series twice');
  const labels = [
    'plain',
    'plain~2',
    'a \\"b\\"',
    'back\\\\slash',
    'two\\nlines',
    'ü 💥',
    '\ufffd',
    '\ufffd~2',
  ];
  for (const label of labels) assert.equal(samples[`threadwise_queue_size{pool="${label}"}`], 5, label);
});

test('a scrape looks at each pool once, and nobody looks at it between', async (t) => {
  const pool = new FakePool();
  const server = await serve(t, [pool]);
  assert.equal(pool.asked, 0);
  await scrape(server);
  assert.equal(pool.asked, 1);
  await Promise.all([scrape(server), scrape(server)]);
  assert.equal(pool.asked, 3);
});

test('without pools there is what the process has', async (t) => {
  const { samples } = await scrape(await serve(t, []));
  assert.deepEqual(Object.keys(samples), [
    'threadwise_process_resident_bytes',
    'threadwise_control_event_streams',
  ]);
});

test('two servers of a program know nothing of each other', async (t) => {
  const [first, second] = [await serve(t, [new FakePool('one')]), await serve(t, [new FakePool('two')])];
  const pools = async (server) =>
    Object.keys((await scrape(server)).samples).filter((series) =>
      series.startsWith('threadwise_queue_size'),
    );
  assert.deepEqual(await pools(first), ['threadwise_queue_size{pool="one"}']);
  assert.deepEqual(await pools(second), ['threadwise_queue_size{pool="two"}']);
});

test('the sum of a histogram never goes down, whatever the mean of a growing count is rounded to', async (t) => {
  const pool = new FakePool('images');
  const server = await serve(t, [pool]);
  const { stats } = pool;
  let last = 0;
  for (let count = 100; count < 150; count++) {
    pool.stats = () => {
      const all = stats.call(pool);
      return { ...all, runMs: { ...all.runMs, count, mean: 56409.7880859375 / count } };
    };
    const { text } = await send(server, '/metrics');
    const sum = Number(/^threadwise_task_run_seconds_sum\S* (\S+)$/m.exec(text)[1]);
    assert.ok(sum >= last, `${sum} after ${last}`);
    last = sum;
  }
});

test('the page of the metrics has each of them, with its type, and no other', async (t) => {
  const { types } = await scrape(await serve(t, []));
  const rows = readFileSync(PAGE, 'utf8').matchAll(/^\| `(threadwise_\w+)`[^|]*\| (\w+)/gm);
  assert.deepEqual(Object.fromEntries([...rows].map(([, name, type]) => [name, type])), types);
});

test('each name says its unit, a base unit, and whether it counts', () => {
  const endings = { seconds: /_seconds$/, bytes: /_bytes$/, '0 to 1': /_ratio$/ };
  const rows = [...readFileSync(PAGE, 'utf8').matchAll(/^\| `(threadwise_\w+)` \| (\w+), ([^|]+) \|/gm)];
  assert.ok(rows.length > 20);
  for (const [, name, type, text] of rows) {
    const unit = text.replace(/ since 1970$/, '');
    const stem = name.replace(/_total$/, '');
    assert.equal(name !== stem, type === 'counter', `${name}: counters, and no others, end in _total`);
    if (unit in endings) assert.match(stem, endings[unit]);
    else
      assert.doesNotMatch(
        stem,
        /_(seconds|bytes|ratio|ms|millis\w*|micros|\w?i?b|percent)$/,
        `${name} is ${unit}`,
      );
  }
});

test('the help says in one line what each means', async (t) => {
  const { lines, types } = await scrape(await serve(t, []));
  for (const name of Object.keys(types)) {
    assert.ok(
      lines.some((line) => line.startsWith(`# HELP ${name} `) && line.length > `# HELP ${name} `.length + 10),
      name,
    );
  }
});
