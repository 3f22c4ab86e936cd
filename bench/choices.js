// What the command line says: which experiments, scenarios and contenders, and how thoroughly.
import { parseArgs } from 'node:util';
import { byId } from './catalog.js';
import { FULL, QUICK } from './efforts.js';
import { entriesOf } from './entries.js';

export const HELP = `npm run bench -- [experiment…] [options]
npm run bench -- report [experiment]

Measures the contenders side by side, prints a table for each scenario, and saves what was measured as JSON.
Without an experiment, all of them. 'report' writes the saved figures into the README.

  --quick             one short round, one variant of each package; saved apart
  --rounds <n>        samples of each contender (${FULL.rounds}; quick: ${QUICK.rounds})
  --only <names>      only contenders whose names begin so, separated by commas: --only threadwise,piscina
  --scenario <names>  only scenarios whose names begin so: --scenario bytes,hash-direct-2
  --list              the experiments, their scenarios, and the contenders
`;

export function readArguments(args) {
  const { values, positionals } = parseArgs({
    args,
    allowPositionals: true,
    options: {
      quick: { type: 'boolean', default: false },
      rounds: { type: 'string' },
      only: { type: 'string' },
      scenario: { type: 'string' },
      list: { type: 'boolean', default: false },
      help: { type: 'boolean', short: 'h', default: false },
    },
  });
  const effort = values.quick ? QUICK : FULL;
  const rounds = Number(values.rounds ?? effort.rounds);
  if (!Number.isInteger(rounds) || rounds < 1)
    throw new Error(`--rounds: a number from 1, not '${values.rounds}'`);
  const isPartial = values.quick || values.only !== undefined || values.scenario !== undefined;
  const isComplete = !isPartial && rounds >= FULL.rounds;
  const [command, ...ids] = positionals[0] === 'report' ? positionals : ['measure', ...positionals];
  return { ...values, command, ids, rounds, budget: effort.budget, isComplete };
}

/** @returns what to measure: [{ scenario, entries }]. A scenario that nobody takes part in is left out. */
export function planOf(experiment, contenders, { only, scenario: names, quick }) {
  const chosen = startingWith(contenders, only);
  // Who is asked for by name is taken in a quick run, too.
  const isQuick = quick && only === undefined;
  return scenariosOf(experiment, names, quick)
    .map((scenario) => ({ scenario, entries: entriesOf(scenario, chosen, { isQuick }) }))
    .filter(({ entries }) => entries.length > 0);
}

function scenariosOf({ scenarios }, names, isQuick) {
  const chosen = startingWith(scenarios, names);
  const named = names?.split(',') ?? [];
  return chosen.filter((scenario) => !isQuick || scenario.isQuick !== false || named.includes(scenario.id));
}

/** Those whose ids begin with one of the names. Throws if a name fits none. */
function startingWith(all, names) {
  if (names === undefined) return all;
  const list = names.split(',');
  const unknown = list.find((name) => !all.some(({ id }) => id.startsWith(name)));
  if (unknown !== undefined) byId(all, unknown);
  return all.filter(({ id }) => list.some((name) => id.startsWith(name)));
}
