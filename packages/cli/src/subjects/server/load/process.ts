/** The process that sends the requests: neither the command's nor the app's, so that neither is slowed down by it. Started by measure.ts. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { LoadTalk } from '../measure/protocol.js';
import { serve } from '../measure/serve.js';
import { ask } from './ask.js';
import { Load } from './load.js';

let load: Load | undefined;

serve<LoadTalk>({
  ask,
  start: async (setup) => {
    load = new Load(setup);
    await sleep(setup.rampMs);
    return undefined;
  },
  measure: (ms) => load!.measure(ms),
  stop: async () => {
    await load?.stop();
    load = undefined;
    return undefined;
  },
});
