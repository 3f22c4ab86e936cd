// How long the first result takes: from making a pool to the result of its first call, with the package loaded.
import assert from 'node:assert/strict';
import { performance } from 'node:perf_hooks';
import { oneOfEach } from './calls.js';
import { cpuMs, milliseconds } from './metrics.js';

async function run({ contender: { open, package: packageName } }) {
  if (packageName !== undefined) await import(packageName);
  const cpuBefore = process.cpuUsage();
  const start = performance.now();
  const pool = await open({ threads: 1, isCold: true });
  const result = await pool.call('increment', 1);
  const firstResultMs = performance.now() - start;
  const { user, system } = process.cpuUsage(cpuBefore);
  assert.equal(result, 2);
  await pool.close();
  return { firstResultMs, cpuMs: (user + system) / 1000 };
}

export const coldStart = [
  {
    id: 'cold-start',
    title: 'From making a pool of one thread to the first result of x => x + 1',
    threads: 1,
    metrics: [milliseconds('firstResultMs', 'first result ms'), cpuMs],
    takes: (contender) =>
      contender.id === 'bare Worker' || (contender.role !== 'inline' && oneOfEach(contender)),
    goals: [
      {
        text: 'at most 1.3 times what a bare Worker takes',
        metric: 'firstResultMs',
        by: 'share',
        to: 'bare',
        atMost: 1.3,
      },
    ],
    highlights: [{ metric: 'firstResultMs', text: 'From making a pool to its first result' }],
    run,
  },
];
