// How much memory stays resident after pools were made, used and closed one after another, beside bare workers.
// node bench/micro/closed-pools.js [pools]
import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { Worker } from 'node:worker_threads';

const self = fileURLToPath(import.meta.url);
const COUNT = Number(process.argv[2] ?? 1000);
const THREADS = 2;
const MIB = 2 ** 20;
/** How many times memory is measured on the way: a leak grows, a level does not. */
const STEPS = 5;
const ECHO =
  "const { parentPort } = require('node:worker_threads'); parentPort.on('message', (m) => parentPort.postMessage(m));";

const rounds = {
  async threadwise() {
    const { createPool } = await import('threadwise');
    return async (i) => {
      const pool = createPool(new URL('../driver/tasks.js', import.meta.url), { threads: THREADS });
      if ((await pool.run('increment', [i])) !== i + 1) throw new Error('wrong result');
      await pool.close();
    };
  },
  async 'bare workers'() {
    return async (i) => {
      const workers = Array.from({ length: THREADS }, () => new Worker(ECHO, { eval: true }));
      await Promise.all(
        workers.map((worker) => {
          worker.postMessage(i);
          return once(worker, 'message');
        }),
      );
      await Promise.all(workers.map((worker) => worker.terminate()));
    };
  },
};

async function measure(name) {
  const round = await rounds[name]();
  const resident = [];
  for (let i = 0; i <= COUNT; i++) {
    await round(i);
    if (i % Math.ceil(COUNT / STEPS) === 0 || i === COUNT) resident.push(process.memoryUsage.rss() / MIB);
  }
  return resident;
}

const [name] = process.argv.slice(3);
if (name !== undefined) {
  process.stdout.write(JSON.stringify(await measure(name)));
} else {
  console.log(
    `MiB resident while ${COUNT} pools of ${THREADS} threads are made and closed, ${process.version}`,
  );
  for (const each of Object.keys(rounds)) {
    const resident = JSON.parse(
      execFileSync(process.execPath, [self, String(COUNT), each], { encoding: 'utf8' }),
    );
    console.log(`  ${each.padEnd(14)} ${resident.map((mib) => mib.toFixed(0).padStart(6)).join('')}`);
  }
}
