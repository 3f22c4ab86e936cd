// Jobs of several lengths, and jobs that take longer than their lock lasts. Redis, machine and caller are separate processes.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { freePort } from 'threadwise-test/free-port';
import { redisProgram } from 'threadwise-test/redis-program';
import { AS_PUBLISHED } from '../../contenders/as-published.js';
import { NotAvailable } from '../../driver/not-available.js';
import { countPrimes } from '../../driver/tasks.js';
import { ask, endProcess, startProcess } from '../../fixtures/processes.js';
import { limitOf } from '../../fixtures/users.js';
import { milliseconds, perSecond } from '../crossing/metrics.js';

/** Resolves to undefined if there is no Redis on this machine. */
export async function startRedis() {
  if (redisProgram === undefined) return undefined;
  const port = await freePort();
  const settings = { port, bind: '127.0.0.1', save: '', appendonly: 'no', 'maxmemory-policy': 'noeviction' };
  const args = Object.entries(settings).flatMap(([name, value]) => [`--${name}`, String(value)]);
  const [command, ...rest] = [...redisProgram, ...args];
  const child = spawn(command, rest, { stdio: ['ignore', 'pipe', 'inherit'] });
  const ended = once(child, 'exit');
  for await (const line of createInterface(child.stdout)) if (line.includes('Ready to accept')) break;
  child.stdout.resume();
  const stop = () => {
    child.kill();
    return ended;
  };
  return { port, stop };
}

/** About how many milliseconds a job computes, and how many jobs there are for each 100 ms of the budget. */
const LENGTHS = [
  { jobMs: 1, jobsIn100Ms: 100 },
  { jobMs: 20, jobsIn100Ms: 10 },
  { jobMs: 200, jobsIn100Ms: 2 },
];

/** BullMQ's defaults. */
const USUAL = { lockMs: 30_000, stalledCheckMs: 30_000 };
const SHORT_LOCK = { lockMs: 2000, stalledCheckMs: 500 };
/** How many milliseconds a job computes that takes longer than its lock lasts. */
const LONG_JOB_MS = 3000;
/** How many milliseconds a sample waits: twice what all jobs take one after the other, since some ways never finish a job. */
const MOST_MS = 8 * LONG_JOB_MS;

const way = (id, contender) => ({ id, row: `${contender}, ${id}`, takes: (each) => each.id === contender });
export const WAYS = [
  way('fleet', 'threadwise'),
  way('in process', AS_PUBLISHED),
  way('processes', AS_PUBLISHED),
  way('threads', AS_PUBLISHED),
];

async function run({ way: kind, threads, budget }, { jobMs, count, lock, mostMs }) {
  const redis = await startRedis();
  if (redis === undefined) throw new NotAvailable('there is no redis-server: node scripts/ensure-redis.mjs');
  const { Queue, QueueEvents, Worker } = await import('bullmq');
  const connection = { host: '127.0.0.1', port: redis.port };
  const queue = new Queue('jobs', { connection });
  const events = new QueueEvents('jobs', { connection, lastEventId: '0' });
  // Another machine, which takes no jobs: a thread that computes cannot see that its own locks have expired.
  const watcher = new Worker('jobs', null, {
    connection,
    stalledInterval: lock.stalledCheckMs,
    maxStalledCount: 1000,
  });
  const machine = startProcess(new URL('machine.js', import.meta.url));
  try {
    const limit = limitOf(jobMs);
    const expected = countPrimes(limit);
    const jobs = count(budget);
    await watcher.startStalledCheckTimer();
    const found = listen(events, { jobs, expected, mostMs });
    await queue.addBulk(Array.from({ length: jobs }, () => ({ name: 'countPrimes', data: [limit] })));
    await ask(machine, { way: kind, queue: 'jobs', port: redis.port, threads, ...lock });
    const { elapsedMs, done, stalled } = await found;
    const { cpuMs } = await ask(machine, { end: true });
    return {
      jobsPerSecond: (done * 1000) / elapsedMs,
      ...(cpuMs === undefined || done === 0 ? {} : { cpuMs: cpuMs / done }),
      stalled,
    };
  } finally {
    await endProcess(machine);
    await Promise.all([queue.close(), events.close(), watcher.close()]);
    await redis.stop();
  }
}

/**
 * Resolves when each job has its result, or `mostMs` after the first one began: to how many have, how long that took, and how many times a
 * job was called stalled.
 */
function listen(events, { jobs, expected, mostMs }) {
  const done = new Set();
  let [begin, stalled] = [0, 0];
  return new Promise((resolve, reject) => {
    const end = () => resolve({ elapsedMs: performance.now() - begin, done: done.size, stalled });
    events.once('active', () => {
      begin = performance.now();
      if (mostMs !== undefined) setTimeout(end, mostMs).unref();
    });
    events.on('stalled', () => {
      stalled++;
    });
    events.on('failed', ({ failedReason }) => reject(new Error(failedReason)));
    events.on('completed', ({ jobId, returnvalue }) => {
      assert.equal(returnvalue, expected);
      done.add(jobId);
      if (done.size === jobs) end();
    });
  });
}

const shared = {
  metrics: [
    perSecond('jobsPerSecond', 'jobs'),
    // Includes the start of the machine.
    { ...milliseconds('cpuMs', 'CPU ms/job'), isOptional: true },
    { id: 'stalled', label: 'called stalled', unit: 'jobs', better: 'lower' },
  ],
  ways: WAYS,
  takes: ({ id }) => ['threadwise', AS_PUBLISHED].includes(id),
};

export const scenarios = [
  ...LENGTHS.map(({ jobMs, jobsIn100Ms }) => ({
    ...shared,
    id: `compute-${jobMs}`,
    title: `Jobs that compute for ${jobMs} ms, a full queue`,
    run: (sample) => {
      const count = ({ loadMs }) => Math.max(4, Math.round((loadMs / 100) * jobsIn100Ms));
      return run(sample, { jobMs, count, lock: USUAL });
    },
  })),
  {
    ...shared,
    id: 'longer-than-lock',
    isQuick: false,
    mostMs: 60_000,
    title: `Jobs that compute for ${LONG_JOB_MS} ms, with a lock of ${SHORT_LOCK.lockMs} ms`,
    run: (sample) => run(sample, { jobMs: LONG_JOB_MS, count: () => 4, lock: SHORT_LOCK, mostMs: MOST_MS }),
  },
];
