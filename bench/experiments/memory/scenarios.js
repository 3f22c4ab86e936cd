// One scenario for each number of idle threads, and one for each size of a module that threads load; how memory is measured, and the modules.
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import { AS_PUBLISHED } from '../../contenders/as-published.js';
import { openReady } from '../../driver/with-pool.js';
import { inFolder } from '../../fixtures/folder.js';
import { addedMebibytes, mebibytes } from '../crossing/metrics.js';

const STATUS = '/proc/self/status';

/** The size of this process, as the system sees it, in MiB. The virtual size and the size of what can be written are undefined on other systems than Linux. */
export function sizesOf(status = readStatus()) {
  return {
    residentMiB: process.memoryUsage.rss() / 2 ** 20,
    virtualMiB: mebibytesOf(status, ['VmSize']),
    sizeMiB: mebibytesOf(status, ['VmData', 'VmStk']),
  };
}

/** The sum of some entries. `ps` calls data and stack SIZE: what would be swapped out if each of its pages were written to. */
export function mebibytesOf(status, names) {
  const each = names.map((name) => new RegExp(`^${name}:\\s*(\\d+) kB$`, 'm').exec(status ?? '')?.[1]);
  if (each.includes(undefined)) return undefined;
  return each.reduce((sum, kibibytes) => sum + Number(kibibytes), 0) / 1024;
}

function readStatus() {
  try {
    return readFileSync(STATUS, 'utf8');
  } catch {
    return undefined;
  }
}

/** How large the source of each module is that threads load: it does nothing, is made for a run, and removed afterwards. */
export const KIBIBYTES = [0, 256, 1024, 4096];

/** Makes a kibibyte of source: a function of its own, as real code has, and not one large text. */
function functionOf(index) {
  const head = `exports.f${index} = function f${index}(value) {\n  let sum = value;\n`;
  const tail = '  return sum;\n};\n';
  let body = '';
  for (let step = 0; ; step++) {
    const line = `  if (sum > ${step}) sum = (sum * ${index + 3} + ${step}) % 1009;\n`;
    if (head.length + body.length + line.length + tail.length > 1024) break;
    body += line;
  }
  return `${head}${body}${tail}`.padEnd(1024, '\n');
}

export function sourceOf(kibibytes) {
  return Array.from({ length: kibibytes }, (_, i) => functionOf(i)).join('');
}

/** `given.paths`: the path of each module by KiB. */
export const moduleFiles = inFolder((folder) => ({
  paths: Object.fromEntries(
    KIBIBYTES.map((kibibytes) => {
      const path = join(folder, `module-${kibibytes}.cjs`);
      writeFileSync(path, sourceOf(kibibytes));
      return [kibibytes, path];
    }),
  ),
}));

const THREADS = [0, 1, 2, 4, 8, 16];
const QUICK_THREADS = [0, 1, 4, 16];
const POOLS = ['threadwise', 'piscina', AS_PUBLISHED];

/** The published worker: it writes a line, and starts a timer. */
const IDLE = "console.log('WPID: ' + process.pid); setTimeout(() => {}, 3_600_000);";
/** How many threads load a module. A bare thread is started before them, so that what the first thread costs does not count. */
const LOADING_THREADS = 4;
const IDLING = 'idle threads';
export const LOADING = 'threads that load a module';

async function run({ contender, threads, budget: { settleMs } }) {
  const opened = await open(contender, threads);
  globalThis.gc?.();
  await pause(settleMs);
  globalThis.gc?.();
  const sizes = sizesOf();
  await opened.close();
  return sizes;
}

function open(contender, threads) {
  if (threads === 0) return { close: async () => {} };
  return contender.id === AS_PUBLISHED ? openIdle(threads) : openReady(contender, threads);
}

/** @param code what each worker runs before it reports that it is ready */
async function openIdle(threads, code = '') {
  const ready = "require('node:worker_threads').parentPort.postMessage('ready');";
  const workers = Array.from(
    { length: threads },
    () => new Worker(`${code}${IDLE}${ready}`, { eval: true, stdout: true }),
  );
  await Promise.all(workers.map((worker) => once(worker, 'message')));
  return { close: () => Promise.all(workers.map((worker) => worker.terminate())) };
}

/** How much memory each thread takes that loads a module of this many KiB, and does nothing else. */
async function runLoading(kibibytes, { given, budget: { settleMs } }) {
  const resident = async () => {
    globalThis.gc?.();
    await pause(settleMs);
    return sizesOf().residentMiB;
  };
  const first = await openIdle(1);
  const before = await resident();
  const path = JSON.stringify(given.paths[kibibytes]);
  const others = await openIdle(LOADING_THREADS, `globalThis.kept = require(${path});`);
  const perThreadMiB = ((await resident()) - before) / LOADING_THREADS;
  await Promise.all([first.close(), others.close()]);
  return { perThreadMiB };
}

const idling = (threads) => ({
  id: `idle-${threads}`,
  title: `The size of a process with idle threads: ${threads}`,
  curve: IDLING,
  x: threads,
  threads,
  isQuick: QUICK_THREADS.includes(threads),
  metrics: [
    mebibytes('residentMiB', 'resident MiB'),
    { ...mebibytes('virtualMiB', 'virtual MiB'), isOptional: true },
    { ...mebibytes('sizeMiB', 'SIZE MiB'), isOptional: true },
  ],
  takes: ({ id }) => POOLS.includes(id),
  run,
});

const loading = (kibibytes) => ({
  id: `module-${kibibytes}`,
  title: `Memory of each of ${LOADING_THREADS} threads that load a module of ${kibibytes} KiB of source`,
  curve: LOADING,
  x: kibibytes,
  threads: LOADING_THREADS,
  fixture: moduleFiles,
  metrics: [addedMebibytes('perThreadMiB', 'MiB/thread')],
  takes: ({ id }) => id === AS_PUBLISHED,
  run: (context) => runLoading(kibibytes, context),
});

export const scenarios = [...THREADS.map(idling), ...KIBIBYTES.map(loading)];
