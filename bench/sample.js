// A process of its own for one sample: one contender, one scenario, once. So no contender runs on what another one left
// behind in the heap, the compiler or the scheduler, and a contender that does not end is found out.
import { byId, contenders, experiments } from './catalog.js';

const {
  experiment: experimentId,
  scenario: scenarioId,
  contender: contenderId,
  budget,
} = JSON.parse(process.argv[2]);
const experiment = byId(await experiments(), experimentId);
const scenario = byId(experiment.scenarios, scenarioId);
const { open } = byId(await contenders(), contenderId);

const values = await scenario.run({ open, threads: experiment.threads, budget });
// The channel is this process's last handle, if the contender has closed its own: then the process ends by itself.
process.send(values, () => process.disconnect());
