// Takes one sample in a process of its own: one contender, one scenario, once. So no contender is affected by what another
// one left in the heap, the compiler or the scheduler, and a contender that does not end is noticed.
import { byId, contenders, experimentOf } from '../catalog.js';
import { NotAvailable } from './not-available.js';

const order = JSON.parse(process.argv[2]);
const experiment = await experimentOf(order.experiment);
const scenario = byId(experiment.scenarios, order.scenario);
const contender = byId(await contenders(), order.contender);

// If the run is ended, nobody waits for the answer. Listening for the end must not keep this process alive.
const exit = () => process.exit();
process.once('disconnect', exit);
process.channel.unref();

const answer = await run();
process.off('disconnect', exit);
// If the contender has closed its handles, the channel is the last one, and the process ends by itself.
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
