// Takes the samples of an experiment in rounds: in each round every entry of every scenario has its turn.
import { NotAvailable } from './not-available.js';

/**
 * @param plan [{ scenario, entries }]: entries as entries.js returns them
 * @param options rounds: how many samples of each entry, or fewer if its scenario has `mostRounds`; takeSample: see sampling.js;
 *   isTogether: whether all entries of a scenario are measured at the same time; onSample: called before each sample
 * @returns samples[scenario][entry]: a list of values, one for each round; and failures: what failed, or was not available
 */
export async function measure(plan, options) {
  const { experiment, rounds, budget, takeSample, isTogether = false, onSample = () => {} } = options;
  const samples = Object.fromEntries(
    plan.map(({ scenario, entries }) => [scenario.id, Object.fromEntries(entries.map(({ id }) => [id, []]))]),
  );
  const failures = [];
  const hasFailed = (scenario, entry) =>
    failures.some((failure) => failure.scenario === scenario.id && failure.entry === entry.id);

  async function take(scenario, { id, contender, way }, round, given) {
    onSample({ round, scenario: scenario.id, entry: id });
    const ids = { experiment, scenario: scenario.id, contender: contender.id };
    const { mostMs, metrics } = scenario;
    const limit = mostMs === undefined ? {} : { mostMs };
    try {
      const values = await takeSample({ ...ids, way, given, budget, ...limit });
      checkNumbers(values, metrics);
      samples[scenario.id][id].push(values);
    } catch (error) {
      const isAvailable = !(error instanceof NotAvailable);
      failures.push({ scenario: scenario.id, entry: id, round, isAvailable, message: error.message });
    }
  }

  const fixtures = makeFixtures(plan, budget);
  try {
    for (let round = 0; round < rounds; round++) {
      for (const { scenario, entries } of plan.filter(
        ({ scenario }) => round < (scenario.mostRounds ?? rounds),
      )) {
        const given = fixtures.get(scenario.fixture)?.given;
        const present = rotate(entries, round).filter((entry) => !hasFailed(scenario, entry));
        if (isTogether || scenario.isTogether) {
          await Promise.all(present.map((entry) => take(scenario, entry, round, given)));
        } else {
          for (const entry of present) await take(scenario, entry, round, given);
        }
      }
    }
  } finally {
    for (const { remove } of fixtures.values()) remove();
  }
  return { samples, failures };
}

/**
 * A value that is no number comes as null from the process of a sample, and null would count as zero. Only a difference of two figures
 * may be below zero, if it is within their noise.
 */
function checkNumbers(values, metrics = []) {
  for (const { id, isOptional = false, isDifference = false } of metrics) {
    const value = values[id];
    const isNumber = Number.isFinite(value) && (value >= 0 || isDifference);
    if (isNumber || (isOptional && value === undefined)) continue;
    throw new Error(`expected a number${value < 0 ? ' from 0' : ''} for '${id}', got ${value}`);
  }
}

/** Makes what samples share, such as files, once for all of them. */
function makeFixtures(plan, budget) {
  const wanted = new Set(plan.map(({ scenario }) => scenario.fixture).filter(Boolean));
  return new Map([...wanted].map((fixture) => [fixture, fixture.make(budget)]));
}

/** Begins every round with another entry, so that no entry always runs after the same neighbour. */
function rotate(list, by) {
  const start = by % Math.max(1, list.length);
  return [...list.slice(start), ...list.slice(0, start)];
}
