// The command: `npm run bench -- --help` lists its arguments.
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { contenders as allContenders, experiments as allExperiments, byId } from './catalog.js';
import { describeCommit, describeMachine, versionOf } from './machine.js';
import { measure } from './measure.js';
import { renderScenario } from './report.js';
import { takeSample } from './sampling.js';
import { summarize } from './summary.js';

/**
 * Times in milliseconds. A fresh process needs most of a second until everything that runs often is compiled. Quick
 * figures are a look and not a measurement: one round says nothing about the noise.
 */
const FULL = { rounds: 5, budget: { warmUpMs: 700, measureMs: 500 } };
const QUICK = { rounds: 1, budget: { warmUpMs: 600, measureMs: 200 } };

const HELP = `npm run bench -- [experiment…] [options]

Measures the contenders side by side, prints a table for each scenario, and saves what was measured as JSON.
Without an experiment, all of them.

  --quick          one short round, one variant of each package; saved apart
  --rounds <n>     samples of each contender (${FULL.rounds}; quick: ${QUICK.rounds})
  --only <names>   only contenders whose names begin so, separated by commas: --only threadwise,piscina
  --list           the experiments and the contenders
`;

function readArguments() {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      quick: { type: 'boolean', default: false },
      rounds: { type: 'string' },
      only: { type: 'string' },
      list: { type: 'boolean', default: false },
      help: { type: 'boolean', short: 'h', default: false },
    },
  });
  const settings = values.quick ? QUICK : FULL;
  const rounds = Number(values.rounds ?? settings.rounds);
  if (!Number.isInteger(rounds) || rounds < 1)
    throw new Error(`--rounds: a number from 1, not '${values.rounds}'`);
  const isComplete = !values.quick && values.only === undefined && rounds >= FULL.rounds;
  return { ...values, rounds, budget: settings.budget, isComplete, ids: positionals };
}

function chosenContenders(all, { only, quick }) {
  if (only === undefined) return quick ? all.filter(({ isQuick }) => isQuick) : all;
  const names = only.split(',');
  const unknown = names.find((name) => !all.some(({ id }) => id.startsWith(name)));
  if (unknown !== undefined) byId(all, unknown);
  return all.filter(({ id }) => names.some((name) => id.startsWith(name)));
}

/** Shows what is being measured: in place on a terminal, a line for each round elsewhere. */
function progress(experiment, rounds) {
  const { isTTY } = process.stderr;
  let lastRound = -1;
  return ({ round, scenario, contender }) => {
    const where = `${experiment.id}: round ${round + 1} of ${rounds}`;
    if (isTTY) process.stderr.write(`\r\x1b[K${where}, ${scenario}, ${contender}`);
    else if (round !== lastRound) process.stderr.write(`${where}\n`);
    lastRound = round;
  };
}

async function runExperiment(experiment, contenders, { rounds, budget, quick }) {
  const place = { machine: describeMachine(), git: describeCommit() }; // before the load that this makes itself
  const results = await measure(experiment, {
    contenders: contenders.map(({ id }) => id),
    rounds,
    budget,
    takeSample,
    onSample: progress(experiment, rounds),
  });
  if (process.stderr.isTTY) process.stderr.write('\r\x1b[K');
  const described = contenders.map(({ id, role, package: packageName }) => ({
    id,
    role,
    package: packageName,
    version: packageName && versionOf(packageName),
  }));
  const scenarios = summarize(experiment, described, results);
  const { id, title, threads } = experiment;
  return {
    ...{ experiment: id, title, threads, date: new Date().toISOString(), quick, rounds, budget },
    ...{ ...place, scenarios },
  };
}

function print({ experiment, title, threads, rounds, quick, machine, scenarios }) {
  const { cpu, cores, node } = machine;
  console.log(`\n${experiment}: ${title}`);
  console.log(`${threads} threads, ${cores} x ${cpu}, Node ${node}, median of ${rounds} rounds\n`);
  for (const scenario of scenarios) console.log(renderScenario(scenario));
  if (quick) console.log('Quick figures: a look, not a measurement.');
}

/** A run that is quick or leaves something out goes where git does not see it, and replaces no measurement. */
function save(result, isComplete) {
  const folder = isComplete ? './results/' : './.cache/';
  const path = fileURLToPath(new URL(`${folder}${result.experiment}.json`, import.meta.url));
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, `${JSON.stringify(result, undefined, 2)}\n`);
  console.log(`Saved in ${relative(process.cwd(), path)}`);
}

async function main() {
  const options = readArguments();
  if (options.help) return void process.stdout.write(HELP);
  const [experiments, contenders] = await Promise.all([allExperiments(), allContenders()]);
  if (options.list) {
    for (const { id, title } of experiments) console.log(`${id}  ${title}`);
    return console.log(`contenders: ${contenders.map(({ id }) => id).join(', ')}`);
  }
  const wanted = options.ids.length === 0 ? experiments : options.ids.map((id) => byId(experiments, id));
  const chosen = chosenContenders(contenders, options);
  for (const experiment of wanted) {
    const result = await runExperiment(experiment, chosen, options);
    print(result);
    save(result, options.isComplete);
    if (result.scenarios.some(({ rows }) => rows.some(({ failure }) => failure !== undefined)))
      process.exitCode = 1;
  }
}

try {
  await main();
} catch (error) {
  process.stderr.write(`${error.message}\n`);
  process.exitCode = 2;
}
