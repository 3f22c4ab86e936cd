// The command: `npm run bench -- --help` lists its arguments.
import { readFileSync, writeFileSync } from 'node:fs';
import { relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { contenders as allContenders, experiments as allExperiments, byId } from './catalog.js';
import { HELP, planOf, readArguments } from './choices.js';
import { describeCommit, describeMachine, versionOf } from './machine.js';
import { markersOf, renderMarkdown, replaceBetween } from './markdown.js';
import { measure } from './measure.js';
import { renderGoals, renderScenario } from './report.js';
import { load, save } from './results.js';
import { takeSample } from './sampling.js';
import { summarize } from './summary.js';

const readme = fileURLToPath(new URL('../README.md', import.meta.url));
/** What a shell reports for a process that was interrupted, or ended. */
const EXIT_CODES = { SIGINT: 130, SIGTERM: 143 };

/** Shows what is being measured: in place on a terminal, a line for each round elsewhere. */
function progress(experiment, rounds) {
  const { isTTY } = process.stderr;
  let lastRound = -1;
  return ({ round, scenario, entry }) => {
    const where = `${experiment.id}: round ${round + 1} of ${rounds}`;
    if (isTTY) process.stderr.write(`\r\x1b[K${where}, ${scenario}, ${entry}`);
    else if (round !== lastRound) process.stderr.write(`${where}\n`);
    lastRound = round;
  };
}

async function runExperiment(experiment, contenders, options) {
  const { rounds, budget, quick } = options;
  const place = { machine: describeMachine(), git: describeCommit() }; // before the load that this makes itself
  const plan = planOf(experiment, contenders, options);
  const results = await measure(plan, {
    ...{ experiment: experiment.id, rounds, budget, takeSample },
    onSample: progress(experiment, rounds),
  });
  if (process.stderr.isTTY) process.stderr.write('\r\x1b[K');
  const scenarios = summarize(plan, results, describeContender);
  const { id, title, threads } = experiment;
  return {
    ...{ experiment: id, title, threads, date: new Date().toISOString(), quick, rounds, budget },
    ...{ ...place, scenarios },
  };
}

function describeContender({ role, package: packageName }) {
  return { role, package: packageName, version: packageName && versionOf(packageName) };
}

function print({ experiment, title, threads, rounds, quick, machine, scenarios }) {
  const { cpu, cores, node } = machine;
  console.log(`\n${experiment}: ${title}`);
  console.log(`${threads} threads, ${cores} x ${cpu}, Node ${node}, median of ${rounds} rounds\n`);
  for (const scenario of scenarios) console.log(renderScenario(scenario));
  console.log(renderGoals(scenarios));
  if (quick) console.log('Quick figures: a look, not a measurement.');
}

function list(experiments, contenders) {
  const namesOf = (all) => all.map(({ id }) => id).join(', ');
  for (const { id, title, scenarios } of experiments) console.log(`${id}  ${title}\n  ${namesOf(scenarios)}`);
  console.log(`contenders: ${namesOf(contenders)}`);
}

/** The saved figures of an experiment, between its markers in the README. */
function writeReport(experiments, ids) {
  for (const { id } of ids.length === 0 ? experiments : ids.map((name) => byId(experiments, name))) {
    const table = renderMarkdown(load(id));
    writeFileSync(readme, replaceBetween(readFileSync(readme, 'utf8'), markersOf(id), table));
    console.log(`The figures of '${id}' are in ${relative(process.cwd(), readme)}`);
  }
}

async function measureAndSave(experiments, contenders, options) {
  const wanted = options.ids.length === 0 ? experiments : options.ids.map((id) => byId(experiments, id));
  for (const experiment of wanted) {
    const result = await runExperiment(experiment, contenders, options);
    print(result);
    console.log(`Saved in ${relative(process.cwd(), save(result, options.isComplete))}`);
    if (result.scenarios.some(({ rows }) => rows.some(({ failure }) => failure !== undefined)))
      process.exitCode = 1;
  }
}

async function main() {
  const options = readArguments(process.argv.slice(2));
  if (options.help) return void process.stdout.write(HELP);
  const [experiments, contenders] = await Promise.all([allExperiments(), allContenders()]);
  if (options.list) return list(experiments, contenders);
  if (options.command === 'report') return writeReport(experiments, options.ids);
  await measureAndSave(experiments, contenders, options);
}

// An exit runs what was left for it to do: the files that samples share are removed.
for (const [signal, code] of Object.entries(EXIT_CODES)) process.once(signal, () => process.exit(code));
try {
  await main();
} catch (error) {
  process.stderr.write(`${error.message}\n`);
  process.exitCode = 2;
}
