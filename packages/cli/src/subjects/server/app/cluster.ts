/** The first process of a cluster (node:cluster): starts those that run the app, and speaks for all of them. It loads nothing of the user's. */
import cluster, { type Worker } from 'node:cluster';
import { once } from 'node:events';
import { performance } from 'node:perf_hooks';
import { fileURLToPath } from 'node:url';
import { cpuMs } from '../../../experiment/gauges.js';
import { MARK, unwrap } from '../../function/probe/protocol.js';
import type { AppOpened, AppSetup, AppSlice, AppTalk, OffloadedCalls, Reply } from '../measure/protocol.js';

const PROCESS = fileURLToPath(new URL('./process.js', import.meta.url));

interface Opened {
  readonly opened: AppOpened;
  readonly handlers: {
    [K in Exclude<keyof AppTalk, 'open'>]: (asks: AppTalk[K]['asks']) => Promise<AppTalk[K]['gets']>;
  };
}

export async function openCluster(setup: AppSetup, processes: number): Promise<Opened> {
  cluster.setupPrimary({ exec: PROCESS, args: [], serialization: 'advanced' });
  const workers = Array.from({ length: processes }, () => cluster.fork());
  const opened = await Promise.all(workers.map((worker) => open(worker, setup)));
  // From now on one that ends is the end of all: a smaller cluster is not what is measured. Its last words are in our standard error.
  cluster.on('exit', (_, code, signal) => {
    if (signal) process.kill(process.pid, signal);
    else process.exit(code === 0 ? 1 : code);
  });
  const origins = new Set(opened.map(({ origin }) => origin));
  if (origins.size > 1) throw new Error(`its processes do not share a port: ${[...origins].join(', ')}`);
  return { opened: opened[0]!, handlers: handlersOf(workers) };
}

function handlersOf(workers: readonly Worker[]): Opened['handlers'] {
  let [ownCpuMs, begin] = [0, 0];
  return {
    begin: async () => {
      await Promise.all(workers.map((worker) => ask(worker, 'begin', undefined)));
      [ownCpuMs, begin] = [cpuMs(), performance.now()];
    },
    end: async () => {
      const own = (cpuMs() - ownCpuMs) / (performance.now() - begin);
      const slices = await Promise.all(workers.map((worker) => ask(worker, 'end', undefined)));
      return together(slices, own);
    },
    settle: async (limitMs) =>
      void (await Promise.all(workers.map((worker) => ask(worker, 'settle', limitMs)))),
    calls: async (): Promise<OffloadedCalls> => ({ calls: 0, failed: 0, firstFailure: undefined }),
  };
}

/** Memory and CPU time of all, also of this process; the event loop of the one that is worst off. */
function together(slices: readonly AppSlice[], ownShare: number): AppSlice {
  const sum = (of: (slice: AppSlice) => number): number => slices.reduce((all, each) => all + of(each), 0);
  return {
    loopDelayMs: Math.max(...slices.map((slice) => slice.loopDelayMs)),
    loopShare: Math.max(...slices.map((slice) => slice.loopShare)),
    cpuShare: ownShare + sum((slice) => slice.cpuShare),
    residentBytes: process.memoryUsage.rss() + sum((slice) => slice.residentBytes),
  };
}

/** As soon as it listens to us. */
async function open(worker: Worker, setup: AppSetup): Promise<AppOpened> {
  await answerOf(worker, hello);
  return ask(worker, 'open', setup);
}

/** Rejects where it fails, or ends before it has answered. */
function ask<K extends keyof AppTalk>(
  worker: Worker,
  type: K,
  asks: AppTalk[K]['asks'],
): Promise<AppTalk[K]['gets']> {
  worker.send({ [MARK]: { type, asks } });
  return answerOf(worker, reply<AppTalk[K]['gets']>);
}

/** What it says next; or that it ends instead. */
async function answerOf<G>(
  worker: Worker,
  listen: (worker: Worker, signal: AbortSignal) => Promise<G>,
): Promise<G> {
  const over = new AbortController();
  const { signal } = over;
  const ended = once(worker, 'exit', { signal }).then(([code, by]) => {
    throw new Error(`a process of the cluster ended (${by || `exit code ${code}`})`);
  });
  try {
    return await Promise.race([listen(worker, signal), ended]);
  } finally {
    over.abort();
  }
}

async function hello(worker: Worker, signal: AbortSignal): Promise<void> {
  while ((await nextOf(worker, signal)).type !== 'hello');
}

async function reply<G>(worker: Worker, signal: AbortSignal): Promise<G> {
  for (;;) {
    const said = await nextOf(worker, signal);
    if (said.type === 'done') return said.value as G;
    if (said.type === 'failed') throw Object.assign(new Error(said.error.message), { name: said.error.name });
  }
}

async function nextOf(worker: Worker, signal: AbortSignal): Promise<Reply> {
  for (;;) {
    const [message] = await once(worker, 'message', { signal });
    const said = unwrap<Reply>(message);
    if (said !== undefined) return said;
  }
}
