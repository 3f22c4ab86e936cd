/** How many threads there may be: from quotas, memory limits and affinity, each read where the system tells them. */
import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import os from 'node:os';
import { describe, test } from 'node:test';
import fc from 'threadwise-test/fast-check';
import { availableThreads, cpuQuota, type LimitSources, memory } from './limits.js';

/** A system with 16 CPUs, these files and no memory limit, unless `given` says otherwise. */
function system(files: Record<string, string> = {}, given: Partial<LimitSources> = {}): LimitSources {
  return { parallelism: 16, memoryLimitBytes: 0, read: (path) => files[path], ...given };
}

const MiB = 2 ** 20;

describe('limits: cgroup v2', () => {
  const inGroup = (path: string) => ({ '/proc/self/cgroup': `0::${path}\n` });

  test('a quota limits the threads, rounded down, and at least one is left', () => {
    for (const [quota, threads] of [
      ['50000 100000', 1],
      ['100000 100000', 1],
      ['150000 100000', 1],
      ['200000 100000', 2],
      ['799999 100000', 7],
      ['300000 50000', 6],
    ] as const) {
      const files = { ...inGroup('/'), '/sys/fs/cgroup/cpu.max': `${quota}\n` };
      assert.equal(availableThreads(system(files)), threads, quota);
    }
  });

  test('no quota, or no file, leaves what the CPUs allow', () => {
    const files = { ...inGroup('/'), '/sys/fs/cgroup/cpu.max': 'max 100000\n' };
    assert.equal(availableThreads(system(files)), 16);
    assert.equal(availableThreads(system(inGroup('/'))), 16);
  });

  test('the smallest quota of the group and all above it holds', () => {
    const at = (path: string) => `/sys/fs/cgroup${path}/cpu.max`;
    const all = {
      [at('/a/b/c')]: '800000 100000',
      [at('/a/b')]: '400000 100000',
      [at('/a')]: '600000 100000',
    };
    assert.equal(availableThreads(system({ ...inGroup('/a/b/c'), ...all })), 4);
    assert.equal(availableThreads(system({ ...inGroup('/a'), ...all })), 6, 'what is below does not matter');
    assert.equal(availableThreads(system({ ...inGroup('/other'), ...all })), 16, 'nor what is beside');
  });

  test('in a container that sees the path outside, its own root holds', () => {
    const files = { ...inGroup('/../kubepods/pod1'), '/sys/fs/cgroup/cpu.max': '300000 100000' };
    assert.equal(availableThreads(system(files)), 3);
  });
});

describe('limits: cgroup v1', () => {
  const lines = '5:memory:/x\n3:cpu,cpuacct:/docker/1\n1:name=systemd:/\n';
  const cpuFiles = (dir: string, quota: number, period = 100_000) => ({
    '/proc/self/cgroup': lines,
    [`${dir}/cpu.cfs_quota_us`]: `${quota}\n`,
    [`${dir}/cpu.cfs_period_us`]: `${period}\n`,
  });

  test('a quota is found under the name of the controller, and under the whole list of the mount', () => {
    for (const mount of ['cpu', 'cpu,cpuacct']) {
      const files = cpuFiles(`/sys/fs/cgroup/${mount}/docker/1`, 250_000);
      assert.equal(availableThreads(system(files)), 2, mount);
    }
  });

  test('a quota of -1 is none', () => {
    assert.equal(availableThreads(system(cpuFiles('/sys/fs/cgroup/cpu/docker/1', -1))), 16);
  });

  test('the period counts', () => {
    assert.equal(availableThreads(system(cpuFiles('/sys/fs/cgroup/cpu/docker/1', 100_000, 20_000))), 5);
  });

  test('a group above with a smaller quota holds', () => {
    const files = {
      ...cpuFiles('/sys/fs/cgroup/cpu/docker/1', 800_000),
      ...cpuFiles('/sys/fs/cgroup/cpu/docker', 300_000),
    };
    assert.equal(availableThreads(system(files)), 3);
  });

  test('in a container the root of the mount is its own group', () => {
    assert.equal(availableThreads(system(cpuFiles('/sys/fs/cgroup/cpu', 400_000))), 4);
  });

  test('quotas of other controllers do not matter', () => {
    const files = { ...cpuFiles('/sys/fs/cgroup/memory/x', 100_000), '/proc/self/cgroup': '5:memory:/x\n' };
    assert.equal(availableThreads(system(files)), 16);
  });

  test('beside v2 in one system, the smaller of both holds', () => {
    const files = {
      ...cpuFiles('/sys/fs/cgroup/cpu/docker/1', 500_000),
      '/proc/self/cgroup': `${lines}0::/docker/1\n`,
      '/sys/fs/cgroup/docker/1/cpu.max': '300000 100000',
    };
    assert.equal(availableThreads(system(files)), 3);
  });
});

describe('limits: memory and affinity', () => {
  test('no limit, and the absurd numbers that mean none, limit nothing', () => {
    for (const memoryLimitBytes of [0, 2 ** 63 - 4096, 2 ** 63, 2 ** 64, Number.POSITIVE_INFINITY]) {
      assert.equal(availableThreads(system({}, { memoryLimitBytes })), 16, String(memoryLimitBytes));
    }
  });

  test('a limit leaves a part to the main thread and reckons 64 MiB for each worker', () => {
    assert.equal(availableThreads(system({}, { memoryLimitBytes: 512 * MiB })), 6);
    assert.equal(availableThreads(system({}, { memoryLimitBytes: 256 * MiB })), 3);
    assert.equal(availableThreads(system({}, { memoryLimitBytes: 100 * 2 ** 30 })), 16);
  });

  test('a limit above what the machine has is none: what is used of the machine counts', (t) => {
    t.mock.method(process, 'constrainedMemory', () => 2 * os.totalmem());
    assert.equal(memory().limitBytes, os.totalmem());
    t.mock.method(process, 'constrainedMemory', () => os.totalmem() / 2);
    assert.equal(memory().limitBytes, os.totalmem() / 2);
  });

  test('a limit too small for any worker leaves one', () => {
    assert.equal(availableThreads(system({}, { memoryLimitBytes: 16 * MiB })), 1);
  });

  test('never more than the affinity allows', () => {
    const files = { '/proc/self/cgroup': '0::/\n', '/sys/fs/cgroup/cpu.max': '800000 100000' };
    assert.equal(availableThreads(system(files, { parallelism: 2 })), 2);
    assert.equal(availableThreads(system({}, { parallelism: 1 })), 1);
  });

  test('whatever the files hold, at least one and a whole number', () => {
    const texts = fc.oneof(
      fc.string(),
      fc.constantFrom('max', '0 0', '-1', '1e999 1', 'NaN NaN', '', '\n', '100000', '0 100000'),
    );
    const groups = fc.oneof(
      fc.string(),
      fc.constantFrom('0::/', '0::', '1:cpu:/a:b', '0::/a//b/', '3:cpu,cpuacct:/', ':::', '0::/\n0::/x\n'),
    );
    fc.assert(
      fc.property(groups, texts, fc.integer({ min: 1, max: 256 }), (group, text, parallelism) => {
        const read = (path: string) => (path === '/proc/self/cgroup' ? group : text);
        const threads = availableThreads({ parallelism, memoryLimitBytes: 0, read });
        assert.ok(Number.isInteger(threads) && threads >= 1 && threads <= parallelism, String(threads));
      }),
    );
  });

  test('files that cannot be read limit nothing', () => {
    assert.equal(cpuQuota({ read: () => undefined }), Number.POSITIVE_INFINITY);
  });
});

/** The command that prints the result of `availableThreads()` in a process of its own. */
const ask = [
  process.execPath,
  '--input-type=module',
  '-e',
  `import { availableThreads } from ${JSON.stringify(new URL('./limits.js', import.meta.url).href)}; console.log(availableThreads())`,
];

function isThere(command: string): boolean {
  return spawnSync(command, ['--version']).status === 0;
}

/** Why a private mount namespace cannot be made here; false where it can. */
function whyNoNamespace(): string | false {
  if (process.platform !== 'linux') return 'cgroups are Linux’s';
  if (process.getuid?.() !== 0) return 'mounting needs root';
  if (!isThere('unshare')) return 'there is no unshare';
  const { status } = spawnSync('unshare', ['-m', 'mount', '-t', 'tmpfs', 'x', '/sys/fs/cgroup']);
  return status === 0 ? false : 'mounting is not allowed here';
}

test('limits: a cgroup v2 quota of this process is found', { skip: whyNoNamespace() }, () => {
  const script = [
    'mount -t tmpfs x /sys/fs/cgroup',
    'echo "$QUOTA" > /sys/fs/cgroup/cpu.max',
    'echo 100 > /sys/fs/cgroup/cpu.weight',
    'echo cpu > /sys/fs/cgroup/cgroup.controllers',
    'echo "0::/" > /sys/fs/cgroup/self',
    'mount --bind /sys/fs/cgroup/self /proc/$$/cgroup',
    'exec "$@"',
  ].join(' && ');
  const under = (QUOTA: string) => {
    const options = { env: { ...process.env, QUOTA }, encoding: 'utf8' } as const;
    return Number(execFileSync('unshare', ['-m', 'bash', '-c', script, 'bash', ...ask], options));
  };
  assert.equal(under('50000 100000'), 1);
  assert.equal(under('100000 100000'), 1);
  assert.ok(under('max 100000') <= os.availableParallelism());
  if (os.availableParallelism() > 1) assert.equal(under('200000 100000'), 2);
});

const noTaskset =
  process.platform !== 'linux' ? 'affinity is Linux’s' : !isThere('taskset') && 'there is no taskset';

test('limits: a process bound to one CPU gets one thread', { skip: noTaskset }, () => {
  const allowed = /Cpus_allowed_list:\s*(\d+)/.exec(readFileSync('/proc/self/status', 'utf8'))![1]!;
  const [command, ...args] = ask as [string, ...string[]];
  const printed = execFileSync('taskset', ['-c', allowed, command, ...args], { encoding: 'utf8' });
  assert.equal(Number(printed), 1);
});

test('limits: without limits of its own a process gets what its CPUs allow, or less', () => {
  const threads = availableThreads();
  assert.ok(threads >= 1 && threads <= os.availableParallelism());
});
