// Whether a published curve has the shape of ours: where it bends. Published times are those of another
// machine, and are not compared with ours.
import { times } from '@threadwise/cli/analysis';
import { judge, withInterval } from './conclusions.js';
import { goodnessOf, pointsOf } from './rows.js';

/** Published figures have no interval, so a difference below this factor does not count, there or here. */
const NOTABLE = 1.125;

/**
 * Whether a larger x helps as it did there: from one to the number of cores, and from there to the largest.
 * @param published { points: [[x, value], …], better, cores }
 * @returns { agrees, sentence }; agrees: undefined if it cannot be told
 */
export function curveAgrees(machine, published, scenarios, row, metricId) {
  if (published.cores === undefined) {
    return {
      agrees: undefined,
      sentence:
        'Where the published curve should bend cannot be told: on how many cores it was measured is not known',
    };
  }
  const cores = machine.availableParallelism ?? machine.cores;
  const points = pointsOf(scenarios, row, metricId).map(({ x, scenario }) => ({
    x,
    series: goodnessOf(scenario, row, metricId),
  }));
  const here = partsOf(points, cores, measuredStep);
  const there = partsOf(publishedPoints(published), published.cores, publishedStep);
  const agrees = allAgree(there, here);
  const ends = {
    true: 'the curve has the published shape',
    false: 'that is not the published shape',
    undefined: 'whether that is the published shape cannot be told',
  };
  const sentence = `Published, on ${published.cores} cores: ${saidOf(there)}. Here, on ${cores}, ${row}: ${saidOf(here)}: ${ends[agrees]}`;
  return { agrees, sentence };
}

function publishedPoints({ points, better }) {
  return points.map(([x, value]) => ({ x, series: [better === 'lower' ? 1 / value : value] }));
}

/** Two steps: from the smallest x to the number of cores, and from there to the largest x. */
function partsOf(points, cores, step) {
  const sorted = points.toSorted((a, b) => a.x - b.x);
  const [first, last] = [sorted[0], sorted.at(-1)];
  const full = sorted.findLast(({ x }) => x <= cores);
  return {
    upTo: full === undefined || full === first ? undefined : step(full, first),
    beyond: full === undefined || full === last ? undefined : step(last, full),
  };
}

const publishedStep = (to, from) => {
  const value = to.series[0] / from.series[0];
  return { said: times({ value }), change: changeOf({ value, low: value, high: value }) };
};

const measuredStep = (to, from) => {
  const { verdict, ratio: compared } = judge(to.series, from.series);
  if (compared === undefined) return { said: 'one round, cannot tell', change: undefined };
  return { said: withInterval(compared), change: verdict === 'unknown' ? undefined : changeOf(compared) };
};

/** @returns 'better', 'same' or 'worse'; undefined if the interval allows for more than one of these */
function changeOf({ value, low, high }) {
  if (low > 1 && value >= NOTABLE) return 'better';
  if (high < 1 && value <= 1 / NOTABLE) return 'worse';
  return low > 1 / NOTABLE && high < NOTABLE ? 'same' : undefined;
}

const STEPS = ['upTo', 'beyond'];

/** Whether all steps agree; undefined if one was measured on one side only, or cannot be told. */
function allAgree(there, here) {
  const compared = STEPS.filter((step) => there[step] !== undefined);
  const changes = compared.map((step) => [there[step].change, here[step]?.change]);
  if (changes.some(([published, own]) => published && own && published !== own)) return false;
  const isComplete = changes.length > 0 && changes.every(([published, own]) => published && own);
  return isComplete ? true : undefined;
}

const NAMES = {
  upTo: {
    better: 'gets faster up to the number of cores',
    same: 'stays the same up to the number of cores',
    worse: 'gets slower up to the number of cores',
  },
  beyond: { better: 'faster still beyond', same: 'the same beyond', worse: 'slower beyond' },
};

function saidOf(parts) {
  const said = STEPS.flatMap((step) => {
    if (parts[step] === undefined) return [];
    const { said: figures, change } = parts[step];
    const unclear = step === 'upTo' ? 'cannot tell up to the number of cores' : 'cannot tell beyond';
    return [`${change === undefined ? unclear : NAMES[step][change]} (${figures})`];
  });
  return said.length === 0 ? 'not measured' : said.join(', ');
}
