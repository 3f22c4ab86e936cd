// Reads the command line: which experiments, scenarios and contenders, and with how much effort.
import { parseArgs } from 'node:util';
import { byId } from './catalog.js';
import { FULL, LEAST, QUICK } from './driver/efforts.js';
import { entriesOf } from './driver/entries.js';

export const HELP = `threadwise bench [experiment…] [options]
threadwise bench report [experiment…]

Measures the contenders side by side, prints what was published and a table for each scenario, draws the conclusions,
and saves what was measured as JSON. Without an experiment, all of them. 'report' makes the tables of README.md and all
of docs/experiments.md and docs/performance.md from what was saved. In a clone of the repository, 'npm run bench --' is the same, and builds first.

  --quick             a look: one short round, few contenders; less than 30 seconds for each experiment; saved apart
  --least             everything once, as shortly as possible: tells whether it runs, not how fast
  --rounds <n>        samples of each contender (${FULL.rounds}; quick: ${QUICK.rounds})
  --only <names>      only contenders whose names begin with these, separated by commas: --only threadwise,piscina
  --scenario <names>  only scenarios whose names begin with these: --scenario bytes,quiet
  --into <folder>     where what was measured is saved, one file for each experiment
  --missing           only experiments that were not measured in full with the present code, machine and Node.js, or have a failed row; then 'report'
  --list              the experiments, their scenarios, and the contenders
`;

export function readArguments(args) {
  const { values, positionals } = parseArgs({
    args,
    allowPositionals: true,
    options: {
      quick: { type: 'boolean', default: false },
      least: { type: 'boolean', default: false },
      rounds: { type: 'string' },
      only: { type: 'string' },
      scenario: { type: 'string' },
      into: { type: 'string' },
      missing: { type: 'boolean', default: false },
      list: { type: 'boolean', default: false },
      help: { type: 'boolean', short: 'h', default: false },
    },
  });
  const effort = values.least ? LEAST : values.quick ? QUICK : FULL;
  const { budget, published, isTogether = false, isQuick: quick = false } = effort;
  const rounds = Number(values.rounds ?? effort.rounds);
  if (!Number.isInteger(rounds) || rounds < 1)
    throw new Error(`--rounds: a number from 1, not '${values.rounds}'`);
  const isPartial = quick || values.only !== undefined || values.scenario !== undefined;
  const isComplete = !isPartial && rounds >= FULL.rounds;
  const [command, ...ids] = positionals[0] === 'report' ? positionals : ['measure', ...positionals];
  if (values.missing && !isComplete)
    throw new Error(
      `--missing: expected a complete measurement, of at least ${FULL.rounds} rounds and without --quick, --least, --only or --scenario`,
    );
  return { ...values, quick, command, ids, rounds, budget, published, isTogether, isComplete };
}

/** @returns what to measure: [{ scenario, entries }], without the scenarios that have no entries */
export function planOf(experiment, contenders, { only, scenario: names, quick, published }) {
  const chosen = startingWith(contenders, only);
  // A contender that is named is measured in a quick run, too.
  const isQuick = quick && only === undefined;
  return scenariosOf(experiment, names, quick)
    .map((scenario) => ({ scenario, entries: entriesOf(scenario, chosen, { isQuick, published }) }))
    .filter(({ entries }) => entries.length > 0);
}

/** A quick run leaves some scenarios out, but none that is named, and none of those that a name begins if it fits no other. */
function scenariosOf({ scenarios }, names, isQuickRun) {
  const chosen = startingWith(scenarios, names);
  if (!isQuickRun) return chosen;
  const quick = chosen.filter(({ isQuick }) => isQuick !== false);
  const isNamed = ({ id }, name) =>
    id === name || (id.startsWith(name) && !quick.some((other) => other.id.startsWith(name)));
  const isAsked = (scenario) => names?.split(',').some((name) => isNamed(scenario, name));
  return chosen.filter((scenario) => quick.includes(scenario) || isAsked(scenario));
}

/** The items whose ids begin with one of the names. Throws if a name fits none. */
function startingWith(all, names) {
  if (names === undefined) return all;
  const list = names.split(',');
  const unknown = list.find((name) => !all.some(({ id }) => id.startsWith(name)));
  if (unknown !== undefined) byId(all, unknown);
  return all.filter(({ id }) => list.some((name) => id.startsWith(name)));
}
