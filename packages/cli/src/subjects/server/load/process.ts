/** The process that sends the requests: neither the command's nor the app's, so that neither is slowed down by it. */
import { setTimeout as sleep } from 'node:timers/promises';
import { serve, type TalkOf } from '../../../experiment/serve.js';
import type { LoadSetup } from '../measure/protocol.js';
import { ask } from './ask.js';
import { Load } from './load.js';

let load: Load | undefined;

const handlers = {
  /** Each request once, one after the other. */
  ask,
  start: async (setup: LoadSetup) => {
    load = new Load(setup);
    await sleep(setup.rampMs);
  },
  /** So many milliseconds of what has been started. */
  measure: (ms: number) => load!.measure(ms),
  stop: async () => {
    await load?.stop();
    load = undefined;
  },
};

export type LoadTalk = TalkOf<typeof handlers>;
export type LoadSlice = LoadTalk['measure']['gets'];

serve(handlers);
