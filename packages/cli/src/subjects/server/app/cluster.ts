/** The first process of a cluster (node:cluster): starts those that run the app, and speaks for all of them. It loads nothing of the user's. */
import cluster from 'node:cluster';
import { fileURLToPath } from 'node:url';
import { Child, describeFailure, type Outcome } from '../../../experiment/child.js';
import { Gauges } from '../../../experiment/gauges.js';
import type { AppOpened, AppSetup, AppSlice, AppTalk, Playing } from './process.js';

const PROCESS = fileURLToPath(new URL('./process.js', import.meta.url));
/** The command has a limit of its own, and ends this process with all others. Milliseconds. */
const LIMIT_MS = 3_600_000;

export async function openCluster(
  setup: AppSetup,
  processes: number,
): Promise<Playing & { opened: AppOpened }> {
  cluster.setupPrimary({ exec: PROCESS, args: [], serialization: 'advanced' });
  const { signal } = new AbortController();
  const workers = Array.from(
    { length: processes },
    () => new Child<AppTalk>(cluster.fork().process, { signal }),
  );
  const askAll = <K extends keyof AppTalk>(type: K, asks: AppTalk[K]['asks']) =>
    Promise.all(workers.map(async (worker) => answerOf<K>(await worker.ask(type, asks, LIMIT_MS))));
  const opened = await askAll('open', setup);
  // If one of them ends from now on, all end, since a smaller cluster must not be measured. What it wrote last is in our standard error.
  cluster.on('exit', (_, code, by) => {
    if (by) process.kill(process.pid, by);
    else process.exit(code === 0 ? 1 : code);
  });
  const origins = new Set(opened.map(({ origin }) => origin));
  if (origins.size > 1) throw new Error(`its processes do not share a port: ${[...origins].join(', ')}`);
  const own = new Gauges();
  return {
    opened: opened[0]!,
    begin: async () => {
      await askAll('begin', undefined);
      await own.begin();
    },
    end: async () => {
      const { cpuMs, elapsedMs, residentBytes } = await own.end();
      const slices = await askAll('end', undefined);
      return together([
        { loopDelayMs: 0, loopShare: 0, cpuShare: cpuMs / elapsedMs, residentBytes },
        ...slices,
      ]);
    },
    settle: async (limitMs) => void (await askAll('settle', limitMs)),
  };
}

/** Memory and CPU time of all, also of this process; the event loop of the one that is worst off. */
function together(slices: readonly AppSlice[]): AppSlice {
  return slices.reduce((all, each) => ({
    loopDelayMs: Math.max(all.loopDelayMs, each.loopDelayMs),
    loopShare: Math.max(all.loopShare, each.loopShare),
    cpuShare: all.cpuShare + each.cpuShare,
    residentBytes: all.residentBytes + each.residentBytes,
  }));
}

/** Throws where it failed, or ended before it had answered. */
function answerOf<K extends keyof AppTalk>(outcome: Outcome<AppTalk[K]['gets']>): AppTalk[K]['gets'] {
  if (outcome.kind === 'done') return outcome.value;
  if (outcome.kind === 'failed') {
    const { message, name } = outcome.error;
    throw Object.assign(new Error(message), { name });
  }
  throw new Error(describeFailure(outcome).replace('its process', 'a process of the cluster'));
}
