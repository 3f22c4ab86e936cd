// How long the first result takes: the import of the package, and the time from making a pool to the result of the first call. The two
// belong together: what an import does not load, the first pool may have to load.
import assert from 'node:assert/strict';
import { performance } from 'node:perf_hooks';
import { oneOfEach } from './calls.js';
import { cpuMs, milliseconds } from './metrics.js';

async function run({ contender: { open, package: packageName } }) {
  const cpuBefore = process.cpuUsage();
  const begin = performance.now();
  if (packageName !== undefined) await import(packageName);
  const start = performance.now();
  const pool = await open({ threads: 1, isCold: true });
  const result = await pool.call('increment', 1);
  const end = performance.now();
  const { user, system } = process.cpuUsage(cpuBefore);
  assert.equal(result, 2);
  await pool.close();
  return {
    importMs: start - begin,
    firstResultMs: end - start,
    coldMs: end - begin,
    cpuMs: (user + system) / 1000,
  };
}

export const coldStart = [
  {
    id: 'cold-start',
    title: 'From an import, and from making a pool of one thread, to the first result of x => x + 1',
    threads: 1,
    metrics: [
      milliseconds('coldMs', 'both ms'),
      milliseconds('importMs', 'import ms'),
      milliseconds('firstResultMs', 'pool to result ms'),
      cpuMs,
    ],
    takes: (contender) =>
      contender.id === 'bare Worker' || (contender.role !== 'inline' && oneOfEach(contender)),
    goals: [
      {
        text: 'from making a pool to the first result at most 1.05 times what a bare Worker takes',
        ...{ metric: 'firstResultMs', by: 'share', to: 'bare', atMost: 1.05 },
      },
    ],
    highlights: [{ metric: 'coldMs', text: 'From the import to the first result' }],
    run,
  },
];
