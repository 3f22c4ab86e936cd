// Measures how busy each core is over time.
import { once } from 'node:events';
import { Worker } from 'node:worker_threads';

const samplerModule = new URL('./core-sampler.js', import.meta.url);

/** @returns `stop()`, which resolves to what `loadsOf` returns for the time since now */
export async function watchCores() {
  const sampler = new Worker(samplerModule);
  await once(sampler, 'message');
  return {
    async stop() {
      sampler.postMessage('stop');
      const [looks] = await once(sampler, 'message');
      await sampler.terminate();
      return loadsOf(looks);
    },
  };
}

/**
 * @param looks readings in order, each with the times of every core so far: { busy, idle }
 * @returns { coresPercent, busiestPercent, overTime }: the load in per cent of all cores, of the busiest one, and of each between
 *   two readings; the first two are undefined if the clock of the system did not move on
 */
export function loadsOf(looks) {
  const whole = loadsBetween(looks[0], looks.at(-1));
  const known = whole.filter((load) => load !== undefined);
  const overTime = looks.slice(1).map((look, i) => loadsBetween(looks[i], look));
  if (known.length === 0) return { overTime };
  const coresPercent = known.reduce((sum, load) => sum + load, 0) / known.length;
  return { coresPercent, busiestPercent: Math.max(...known), overTime };
}

function loadsBetween(before, after) {
  return after.map(({ busy, idle }, core) => {
    const busyMs = busy - before[core].busy;
    const allMs = busyMs + idle - before[core].idle;
    return allMs > 0 ? (100 * busyMs) / allMs : undefined;
  });
}
