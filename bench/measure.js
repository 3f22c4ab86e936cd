// Takes the samples of an experiment: rounds, in each of which every contender has its turn.

/**
 * @param options contenders: ids; rounds: how many samples of each; takeSample: see sampling.js; onSample: told of each
 * @returns samples[scenario][contender]: a list of values, one for each round; and what failed
 */
export async function measure(experiment, { contenders, rounds, budget, takeSample, onSample = () => {} }) {
  const samples = Object.fromEntries(
    experiment.scenarios.map(({ id }) => [
      id,
      Object.fromEntries(contenders.map((contender) => [contender, []])),
    ]),
  );
  const failures = [];
  const hasFailed = (scenario, contender) =>
    failures.some((failure) => failure.scenario === scenario && failure.contender === contender);
  for (let round = 0; round < rounds; round++) {
    for (const { id: scenario } of experiment.scenarios) {
      for (const contender of rotate(contenders, round)) {
        if (hasFailed(scenario, contender)) continue;
        onSample({ round, scenario, contender });
        try {
          samples[scenario][contender].push(
            await takeSample({ experiment: experiment.id, scenario, contender, budget }),
          );
        } catch (error) {
          failures.push({ scenario, contender, round, message: error.message });
        }
      }
    }
  }
  return { samples, failures };
}

/** Every round begins with another one, so that nobody always has the machine as it is after the same neighbour. */
function rotate(list, by) {
  const start = by % list.length;
  return [...list.slice(start), ...list.slice(0, start)];
}
