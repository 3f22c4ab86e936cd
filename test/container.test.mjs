// The default thread count under the real limits of a container. A test is skipped, with the reason, where its limit cannot be set up.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, rmdirSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';

const ASK = "import { availableThreads } from 'threadwise'; console.log(availableThreads());";
const isRoot = process.getuid?.() === 0;

/** Runs `shell`, which starts `$ASK` in Node.js, and returns the JSON that it prints. */
function ask(shell, script = ASK) {
  const { stdout, stderr, status } = spawnSync('bash', ['-c', shell], {
    cwd: new URL('.', import.meta.url),
    env: { ...process.env, ASK: script, NODE: process.execPath },
    encoding: 'utf8',
  });
  assert.equal(status, 0, stderr);
  return JSON.parse(stdout);
}

const RUN = 'exec "$NODE" --input-type=module -e "$ASK"';

/** Calls `use` in a cgroup of version 1 with these settings; skips the test, with the reason, if that cannot be made. */
function cgroupV1(t, controller, settings, use, script = ASK) {
  const mount = `/sys/fs/cgroup/${controller}`;
  if (!isRoot) return t.skip('needs root');
  const first = Object.keys(settings)[0];
  if (!existsSync(join(mount, first)) && !existsSync(join(mount, 'tasks'))) {
    return t.skip(`no cgroup v1 controller '${controller}'`);
  }
  const dir = join(mount, `threadwise-test-${process.pid}-${Object.values(settings).join('-')}`);
  try {
    mkdirSync(dir);
  } catch (error) {
    return t.skip(`cannot make a cgroup: ${error.code}`);
  }
  try {
    for (const [name, value] of Object.entries(settings)) writeFileSync(join(dir, name), String(value));
    use(ask(`echo $$ > ${dir}/tasks; ${RUN}`, script));
  } finally {
    rmdirSync(dir);
  }
}

test('CPU affinity: one core, one thread', (t) => {
  if (spawnSync('taskset', ['--version']).error) return t.skip('no taskset');
  assert.equal(ask(`taskset -c 0 bash -c '${RUN}'`), 1);
});

test('cgroup v1: half a CPU and one and a half are one thread each', (t) => {
  for (const quota of [50_000, 150_000]) {
    cgroupV1(t, 'cpu', { 'cpu.cfs_quota_us': quota }, (threads) => assert.equal(threads, 1));
  }
});

test('cgroup v1: a memory limit of 96 MiB leaves room for one worker', (t) => {
  cgroupV1(t, 'memory', { 'memory.limit_in_bytes': 96 * 2 ** 20 }, (threads) => assert.equal(threads, 1));
});

const EXHAUST = `
  import { createPool } from 'threadwise';
  const module = 'data:text/javascript,' + encodeURIComponent(\`
    const all = [];
    export const exhaust = () => { for (;;) all.push(Buffer.alloc(2 ** 24, 1)); };
    export const echo = (value) => value;
  \`);
  const pool = createPool(module, { threads: 2, isolation: 'process' });
  const [lost, kept] = await Promise.allSettled([pool.run('exhaust', []), pool.run('echo', [1])]);
  console.log(JSON.stringify([lost.reason.code, kept.value, await pool.run('echo', [2])]));
  await pool.close();`;

test('cgroup v1: a process that the kernel kills for its memory costs the task that ran there, and says why', (t) => {
  const settings = { 'memory.limit_in_bytes': 400 * 2 ** 20 };
  cgroupV1(t, 'memory', settings, (said) => assert.deepEqual(said, ['ERR_WORKER_MEMORY', 1, 2]), EXHAUST);
});

test('cgroup v2: the quota in cpu.max', (t) => {
  if (!isRoot) return t.skip('needs root');
  if (spawnSync('unshare', ['-m', 'true']).status !== 0) return t.skip('no private mount namespace');
  const under = (cpuMax) =>
    ask(`unshare -m bash -c '
      mount -t tmpfs none /sys/fs/cgroup && echo "${cpuMax}" > /sys/fs/cgroup/cpu.max &&
      echo 100 > /sys/fs/cgroup/cpu.weight && echo cpu > /sys/fs/cgroup/cgroup.controllers &&
      echo "0::/" > /sys/fs/cgroup/self && mount --bind /sys/fs/cgroup/self /proc/$$/cgroup && ${RUN}'`);
  assert.equal(under('50000 100000'), 1);
  assert.equal(under('max 100000'), os.availableParallelism());
});
