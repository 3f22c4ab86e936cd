/** A process that runs the user's app, alone or as one of a cluster; or the first of a cluster, which starts the others. Started by lanes.ts. */
import cluster from 'node:cluster';
import { UsageError } from '../../../usage-error.js';
import type { AppSetup, AppTalk } from '../measure/protocol.js';
import { serve } from '../measure/serve.js';

type Handlers = { [K in keyof AppTalk]: (asks: AppTalk[K]['asks']) => Promise<AppTalk[K]['gets']> };

let playing: Omit<Handlers, 'open'> | undefined;

async function open(setup: AppSetup): Promise<AppTalk['open']['gets']> {
  if (setup.processes !== undefined && cluster.isPrimary) {
    const { openCluster } = await import('./cluster.js');
    const { opened, handlers } = await openCluster(setup, setup.processes);
    playing = handlers;
    return opened;
  }
  // Loaded only where the app runs: the first of a cluster needs none of it.
  const [{ openApp }, { AppGauges, settle }, { takeCalls }] = await Promise.all([
    import('./open-app.js'),
    import('./gauges.js'),
    import('./offload/calls.js'),
  ]);
  const opened = await Promise.race([openApp(setup), refuseOwnCluster()]);
  const gauges = new AppGauges();
  await gauges.calibrate();
  playing = {
    begin: async () => void (await gauges.begin()),
    end: () => gauges.end(),
    settle: async (limitMs) => void (await settle(limitMs)),
    calls: async () => takeCalls(),
  };
  return opened;
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

serve<AppTalk>({
  open,
  begin: () => playing!.begin(undefined),
  end: () => playing!.end(undefined),
  settle: (limitMs) => playing!.settle(limitMs),
  calls: () => playing!.calls(undefined),
});
