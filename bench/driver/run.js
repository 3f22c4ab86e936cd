// Runs one experiment: measures, draws the conclusions, and puts together what is saved.
import { planOf } from '../choices.js';
import { describeCommit, describeMachine, versionOf } from './machine.js';
import { measure } from './measure.js';
import { takeSample } from './sampling.js';
import { summarize } from '../conclusions/summary.js';
import { conclude } from '../conclusions/tools.js';

/**
 * @param options as choices.js reads them @param onSample called before each sample
 * @returns what is saved. `conclusionsFailed`: why there are no conclusions; the figures are saved all the same
 */
export async function runExperiment(experiment, contenders, options, onSample) {
  const { rounds, budget, quick } = options;
  const place = { machine: describeMachine(), git: describeCommit() }; // before the measurement loads the machine
  const plan = planOf(experiment, contenders, options);
  const began = performance.now();
  // A claim `byConstruction` compares rows, which must not share their cores then.
  const isTogether = options.isTogether && experiment.byConstruction === undefined;
  const settings = { experiment: experiment.id, rounds, budget, isTogether };
  const results = await measure(plan, { ...settings, takeSample, onSample });
  const scenarios = summarize(plan, results, describeContender);
  const { id, title, threads, published, differs } = experiment;
  return {
    ...{ experiment: id, title, threads, date: new Date().toISOString(), quick, rounds, budget },
    ...{ ...place, durationMs: Math.round(performance.now() - began), published, differs, scenarios },
    ...concluded(experiment, { scenarios, ...place }),
  };
}

function concluded(experiment, result) {
  try {
    return { conclusions: conclude(experiment, result) };
  } catch (error) {
    return { conclusions: [], conclusionsFailed: error.message };
  }
}

function describeContender({ role, package: packageName }) {
  return { role, package: packageName, version: packageName && versionOf(packageName) };
}
