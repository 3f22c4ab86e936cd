/** A process that runs the user's app, alone or as one of a cluster; or the first of a cluster, which starts the others. */
import cluster from 'node:cluster';
import { performance } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import { cpuMs, Gauges, idleDelayMs, type Reading } from '../../../experiment/gauges.js';
import { serve, type TalkOf } from '../../../experiment/serve.js';
import { UsageError } from '../../../exit-code.js';
import type { ServerPlan } from '../measure/measure.js';
import type { ServerSubject } from '../rules/samples.js';

/** Of the plan, and what differs by lane. */
export interface AppSetup extends Pick<ServerPlan, 'module' | 'export' | 'args' | 'port' | 'offload'> {
  readonly threads: number;
  /** Undefined: one process. */
  readonly processes: number | undefined;
  /** To load, and to listen. */
  readonly limitMs: number;
}

export interface AppOpened {
  /** `http://127.0.0.1:43210`. */
  readonly origin: string;
  readonly form: NonNullable<ServerSubject['form']>;
}

export type AppSlice = Pick<Reading, 'loopDelayMs' | 'loopShare' | 'residentBytes'> & {
  readonly cpuShare: number;
};

export interface Playing {
  begin(): Promise<void>;
  /** Of the time since `begin`. */
  end(): Promise<AppSlice>;
  /** Until it has done what it was still asked, or the limit is over. */
  settle(limitMs: number): Promise<void>;
}

let playing: Playing | undefined;

async function open(setup: AppSetup): Promise<AppOpened> {
  if (setup.processes !== undefined && cluster.isPrimary) {
    const { openCluster } = await import('./cluster.js');
    const { opened, ...all } = await openCluster(setup, setup.processes);
    playing = all;
    return opened;
  }
  // Loaded only where the app runs: the first of a cluster needs none of it.
  const { openApp } = await import('./open-app.js');
  const opened = await Promise.race([openApp(setup), refuseOwnCluster()]);
  // Before any load: what a timer is late by where nothing runs.
  const gauges = new Gauges(await idleDelayMs(IDLE_MS));
  const end = async (): Promise<AppSlice> => {
    const { cpuMs: used, elapsedMs, loopDelayMs, loopShare, residentBytes } = await gauges.end();
    return { loopDelayMs, loopShare, residentBytes, cpuShare: used / elapsedMs };
  };
  playing = { begin: () => gauges.begin(), end, settle };
  return opened;
}

/** Long enough for the 99th percentile of a timer each millisecond. */
const IDLE_MS = 60;
/** One look, and how much of it may be in use by a process that has nothing to do. Milliseconds; a share of a core. */
const LOOK_MS = 15;
const IDLE_SHARE = 0.2;

/** What was asked of it and is wanted no more would be in the way of what is measured next. */
async function settle(limitMs: number): Promise<void> {
  const end = performance.now() + limitMs;
  while (performance.now() < end) {
    const [cpu, time] = [cpuMs(), performance.now()];
    await sleep(LOOK_MS);
    if (cpuMs() - cpu < IDLE_SHARE * (performance.now() - time)) return;
  }
}

/** What such an app does in its own processes, nobody here could see. */
function refuseOwnCluster(): Promise<never> {
  return new Promise((_, reject) => {
    if (!cluster.isPrimary) return;
    cluster.once('fork', (worker) => {
      worker.process.kill('SIGKILL');
      reject(
        new UsageError(
          'the app starts a cluster by itself: expected the module that each of its processes runs, or an option of the app that leaves it out',
        ),
      );
    });
  });
}

const handlers = {
  open,
  begin: () => playing!.begin(),
  end: () => playing!.end(),
  settle: (limitMs: number) => playing!.settle(limitMs),
  calls: async () => (await import('./offload/calls.js')).takeCalls(),
};

export type AppTalk = TalkOf<typeof handlers>;

serve(handlers);
