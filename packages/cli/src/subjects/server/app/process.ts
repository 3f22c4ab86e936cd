/** A process that runs the user's app, alone or as one of a cluster; or the primary process of a cluster, which starts the others. */
import cluster from 'node:cluster';
import { performance } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import { cpuMs, idleDelayMs, type Reading, watchProcess } from '../../../experiment/gauges.js';
import { serve, type TalkOf } from '../../../experiment/serve.js';
import { UsageError } from '../../../exit-code.js';
import type { ServerPlan } from '../measure/measure.js';
import type { ServerSamples } from '../rules/samples.js';

/** What a process of the app is told: parts of the plan, and what differs by lane. */
export interface AppSetup extends Pick<ServerPlan, 'module' | 'export' | 'args' | 'port' | 'offload'> {
  readonly threads: number;
  readonly processes?: number; // undefined: one process
  readonly limitMs: number; // how many milliseconds it may take to load and to listen
}

export interface AppOpened {
  readonly origin: string; // `http://127.0.0.1:43210`
  readonly form: NonNullable<ServerSamples['subject']['form']>;
}

export type AppSlice = Pick<Reading, 'loopDelayMs' | 'loopShare' | 'residentBytes' | 'cpuShare'>;

export type Playing = Awaited<ReturnType<typeof openAlone>>;

let playing: Playing | undefined;

async function open(setup: AppSetup): Promise<AppOpened> {
  const { processes } = setup;
  const isAlone = processes === undefined || cluster.isWorker;
  playing = isAlone
    ? await openAlone(setup)
    : await (await import('./cluster.js')).openCluster(setup, processes);
  return playing.opened;
}

async function openAlone(setup: AppSetup) {
  // Loaded only where the app runs: the primary process of a cluster needs none of it.
  const { openApp } = await import('./open-app.js');
  const opened = await Promise.race([openApp(setup), refuseOwnCluster()]);
  // How late timers are in the idle process is measured now, before there is any load.
  const idleMs = await idleDelayMs(IDLE_MS);
  /** Resolves to the figures of the next `ms` milliseconds. */
  const step = async (ms: number): Promise<AppSlice> => {
    const end = await watchProcess(idleMs);
    await sleep(ms);
    return end();
  };
  return { opened, step, settle };
}

const IDLE_MS = 60; // how long an idle process is watched: enough for the 99th percentile of a timer of a millisecond
/** How many milliseconds one look at the process takes, and which share of a core a process may use that counts as idle. */
const LOOK_MS = 15;
const IDLE_SHARE = 0.2;

/** Waits until the app is idle: requests that nobody waits for any more would disturb the next measurement. */
async function settle(limitMs: number): Promise<void> {
  const end = performance.now() + limitMs;
  while (performance.now() < end) {
    const [cpu, time] = [cpuMs(), performance.now()];
    await sleep(LOOK_MS);
    if (cpuMs() - cpu < IDLE_SHARE * (performance.now() - time)) return;
  }
}

/** Rejects when the app starts a cluster by itself: its processes could not be measured. */
function refuseOwnCluster(): Promise<never> {
  return new Promise((_, reject) => {
    if (!cluster.isPrimary) return;
    cluster.once('fork', (worker) => {
      worker.process.kill('SIGKILL');
      const expected =
        'the module that each of its processes runs, or an option of the app that leaves it out';
      reject(new UsageError(`the app starts a cluster by itself: expected ${expected}`));
    });
  });
}

const handlers = {
  open,
  step: (ms: number) => playing!.step(ms),
  settle: (limitMs: number) => playing!.settle(limitMs),
  calls: async () => (await import('./offload.js')).seen,
};

export type AppTalk = TalkOf<typeof handlers>;

serve(handlers);
