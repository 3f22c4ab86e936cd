// How much resident memory a further worker takes that is a process: this process and its children are counted. Linux only.
import { readdirSync, readFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { NotAvailable } from '../../driver/not-available.js';
import { openReady } from '../../driver/with-pool.js';
import { addedMebibytes } from '../crossing/metrics.js';
import { hasProcesses } from './calls.js';

const FURTHER_WORKERS = 4;

async function run({ contender, budget: { settleMs } }, isolation) {
  if (process.platform !== 'linux') throw new NotAvailable('only Linux tells it in files');
  const first = await openReady(contender, 1, { isolation });
  await pause(settleMs);
  const before = residentBytes();
  const others = await openReady(contender, FURTHER_WORKERS, { isolation });
  await pause(settleMs);
  const after = residentBytes();
  await Promise.all([first.close(), others.close()]);
  return { perWorkerMiB: (after - before) / FURTHER_WORKERS / 2 ** 20 };
}

function residentBytes() {
  const children = readdirSync('/proc').filter((pid) => /^\d+$/.test(pid) && parentOf(pid) === process.pid);
  return process.memoryUsage.rss() + children.reduce((sum, pid) => sum + field(pid, 'VmRSS') * 1024, 0);
}

const parentOf = (pid) => field(pid, 'PPid');

/** A number from the status of a process; 0 if the process has ended. */
function field(pid, name) {
  try {
    const status = readFileSync(`/proc/${pid}/status`, 'latin1');
    return Number(new RegExp(`^${name}:\\s*(\\d+)`, 'm').exec(status)?.[1] ?? 0);
  } catch {
    return 0;
  }
}

const scenario = (id, title, isolation, takes) => ({
  id,
  title,
  metrics: [addedMebibytes('perWorkerMiB', 'MiB/worker')],
  takes,
  run: (context) => run(context, isolation),
});

export const memory = scenario(
  'memory',
  'Resident memory of each further worker, a process',
  'process',
  hasProcesses,
);

/** Only threadwise can have several workers in a process. */
export const sharedMemory = scenario(
  'memory-shared',
  `Resident memory of each further worker, ${FURTHER_WORKERS} of them in a process`,
  { threads: FURTHER_WORKERS },
  ({ id }) => id === 'threadwise',
);
