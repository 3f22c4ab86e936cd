// A process of its own for one sample: one contender, one scenario, once. So no contender runs on what another one left
// behind in the heap, the compiler or the scheduler, and a contender that does not end is found out.
import { byId, contenders, experiments } from './catalog.js';
import { NotAvailable } from './not-available.js';

const order = JSON.parse(process.argv[2]);
const experiment = byId(await experiments(), order.experiment);
const scenario = byId(experiment.scenarios, order.scenario);
const contender = byId(await contenders(), order.contender);

const answer = await run();
// The channel is this process's last handle, if the contender has closed its own: then the process ends by itself.
process.send(answer, () => process.disconnect());

async function run() {
  const { way, given, budget } = order;
  const threads = scenario.threads ?? experiment.threads;
  try {
    return { values: await scenario.run({ contender, threads, way, given, budget }) };
  } catch (error) {
    if (error instanceof NotAvailable) return { notAvailable: error.message };
    throw error;
  }
}
