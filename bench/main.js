// The command: `threadwise bench --help` lists its arguments.
import { readFileSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { contenders as allContenders, experiments as allExperiments, byId } from './catalog.js';
import { HELP, readArguments } from './choices.js';
import { renderDocuments, saved } from './report/document.js';
import { placeOf, withTables } from './report/markdown.js';
import { renderConclusions, renderGoals, renderPublished, renderScenario } from './report/terminal.js';
import { load, openFolder, save } from './report/results.js';
import { hasFailed, isMeasured } from './driver/machine.js';
import { runExperiment } from './driver/run.js';

const inRepository = (path) => fileURLToPath(new URL(`../${path}`, import.meta.url));
const README = inRepository('README.md');
const DOCS = inRepository('docs/');
/** The exit codes that shells report for a process that a signal ended. */
const EXIT_CODES = { SIGINT: 130, SIGTERM: 143, SIGHUP: 129 };

const LOOK =
  'Quick figures: a look and not a measurement. One round, of less work than the titles say, in code that is hardly warm.';

/** Reports what is being measured: in place on a terminal, as one line per round elsewhere. */
function progress({ id }, rounds) {
  const { isTTY } = process.stderr;
  let lastRound = -1;
  return ({ round, scenario, entry }) => {
    const where = `${id}: round ${round + 1} of ${rounds}`;
    if (isTTY) process.stderr.write(`\r\x1b[K${where}, ${scenario}, ${entry}`);
    else if (round !== lastRound) process.stderr.write(`${where}\n`);
    lastRound = round;
  };
}

function print(result) {
  const { experiment, title, rounds, quick, published, scenarios, conclusions } = result;
  const shown = scenarios.flatMap(({ rows, metrics: [metric] }) => rows.map((row) => ({ row, metric })));
  const parts = [
    `\n${experiment}: ${title}`,
    `${placeOf(result, shown)}\n`,
    renderPublished(published),
    ...scenarios.map((scenario) => renderScenario(scenario, rounds)),
    renderGoals(scenarios),
    renderConclusions(conclusions),
    quick ? LOOK : '',
  ];
  for (const text of parts.filter((part) => part !== '')) console.log(text);
}

function list(experiments, contenders) {
  const namesOf = (all) => all.map(({ id }) => id).join(', ');
  for (const { id, title, scenarios } of experiments) console.log(`${id}  ${title}\n  ${namesOf(scenarios)}`);
  console.log(`contenders: ${namesOf(contenders)}`);
}

/** Writes the tables that have a place in the README, and the pages with all experiments. */
function writeReport(experiments, ids) {
  const named = ids.map((name) => byId(experiments, name));
  const unmeasured = named.map(({ id }) => id).filter((id) => load(id) === undefined);
  if (unmeasured.length > 0) {
    throw new Error(`Nothing is saved of ${unmeasured.join(', ')}: threadwise bench ${unmeasured.join(' ')}`);
  }
  writeFileSync(
    README,
    withTables(readFileSync(README, 'utf8'), saved(named.length === 0 ? experiments : named)),
  );
  const documents = Object.entries(renderDocuments(saved(experiments)));
  for (const [path, text] of documents) writeFileSync(join(DOCS, path), text);
  console.log(`Written: README.md, ${documents.map(([path]) => `docs/${path}`).join(', ')}`);
}

async function measureAndSave(experiments, contenders, options) {
  const named = options.ids.length === 0 ? experiments : options.ids.map((id) => byId(experiments, id));
  const wanted = options.missing ? named.filter(({ id }) => !isMeasured(load(id))) : named;
  for (const { id } of wanted) openFolder(id, options);
  for (const experiment of wanted) {
    const onSample = progress(experiment, options.rounds);
    const result = await runExperiment(experiment, contenders, options, onSample);
    if (process.stderr.isTTY) process.stderr.write('\r\x1b[K');
    print(result);
    console.log(`Saved in ${relative(process.cwd(), save(result, options))}`);
    const { conclusionsFailed } = result;
    if (conclusionsFailed !== undefined) process.stderr.write(`No conclusions: ${conclusionsFailed}\n`);
    if (hasFailed(result) || conclusionsFailed !== undefined) process.exitCode = 1;
  }
  if (options.missing) writeReport(experiments, options.ids);
}

async function main() {
  const options = readArguments(process.argv.slice(2));
  if (options.help) return void process.stdout.write(HELP);
  const [experiments, contenders] = await Promise.all([allExperiments(), allContenders()]);
  if (options.list) return list(experiments, contenders);
  if (options.command === 'report') return writeReport(experiments, options.ids);
  await measureAndSave(experiments, contenders, options);
}

// `console` ignores write errors. A reader that has gone (`--list | head`) is no failure, and the results are still saved.
process.stdout.once('error', ({ code, message }) => {
  if (code === 'EPIPE') return;
  process.stderr.write(`cannot write to standard output: ${message}\n`);
  process.exitCode = 1;
});

// `process.exit` runs the exit handlers, which remove the files that samples share.
for (const [signal, code] of Object.entries(EXIT_CODES)) process.once(signal, () => process.exit(code));
try {
  await main();
} catch (error) {
  process.stderr.write(`${error.message}\n`);
  process.exitCode = 2;
}
