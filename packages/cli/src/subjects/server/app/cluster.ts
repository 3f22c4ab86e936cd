/** The primary process of a cluster (node:cluster): starts the processes that run the app, and answers for them. It loads no user code. */
import cluster from 'node:cluster';
import { fileURLToPath } from 'node:url';
import { Child, describeFailure, type Outcome } from '../../../experiment/child.js';
import { watchProcess } from '../../../experiment/gauges.js';
import type { AppSetup, AppSlice, AppTalk, Playing } from './process.js';

const PROCESS = fileURLToPath(new URL('./process.js', import.meta.url));
/** How many milliseconds an answer may take: practically no limit, since the command has one, and then ends this process, too. */
const LIMIT_MS = 3_600_000;

export async function openCluster(setup: AppSetup, processes: number): Promise<Playing> {
  cluster.setupPrimary({ exec: PROCESS, args: [], serialization: 'advanced' });
  const workers = Array.from({ length: processes }, () => new Child<AppTalk>(cluster.fork().process));
  const askAll = <K extends keyof AppTalk>(type: K, asks: AppTalk[K]['asks']) =>
    Promise.all(workers.map(async (worker) => answerOf(await worker.ask(type, asks, LIMIT_MS))));
  const opened = await askAll('open', setup);
  // If one process ends from now on, all end: a smaller cluster must not be measured. Its last output is in our standard error.
  cluster.on('exit', (_, code, by) => {
    if (by) process.kill(process.pid, by);
    else process.exit(code === 0 ? 1 : code);
  });
  const origins = new Set(opened.map(({ origin }) => origin));
  if (origins.size > 1) throw new Error(`its processes do not share a port: ${[...origins].join(', ')}`);
  return {
    opened: opened[0]!,
    step: async (ms) => {
      const end = await watchProcess();
      const slices = await askAll('step', ms);
      return together([{ ...(await end()), loopShare: 0 }, ...slices]);
    },
    settle: async (limitMs) => void (await askAll('settle', limitMs)),
  };
}

/** The memory and CPU time of all processes together, also of this one; the delay and busy share of the event loop that has the largest. */
function together(slices: readonly AppSlice[]): AppSlice {
  return slices.reduce((all, each) => ({
    loopDelayMs: Math.max(all.loopDelayMs, each.loopDelayMs),
    loopShare: Math.max(all.loopShare, each.loopShare),
    cpuShare: all.cpuShare + each.cpuShare,
    residentBytes: all.residentBytes + each.residentBytes,
  }));
}

/** Throws if the process failed, or ended before it answered. */
function answerOf<T>(outcome: Outcome<T>): T {
  if (outcome.kind === 'done') return outcome.value;
  if (outcome.kind === 'failed') {
    const { message, name } = outcome.error;
    throw Object.assign(new Error(message), { name });
  }
  throw new Error(describeFailure(outcome).replace('its process', 'a process of the cluster'));
}
