// `npm test`: what must hold on the installed Node.js, in minutes. `npm run test:all`: everything, on all versions; with `--rest --short`,
// what must pass besides before a change lands. All run the steps first that find a failure most cheaply.
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import { choices, ends, environmentOf, nodesFor } from './nodes.mjs';
import { inProcesses, leftOut, quickRuns, runsOn } from './plan.mjs';
import { prepare, root } from './prepare.mjs';

const script = (name) => join(root, 'scripts', name);
/** The programs that some tests need besides Node.js; without one, those tests say so and are skipped. */
const TOOLS = ['prometheus', 'chromium', 'tmux', 'redis'];
/** The steps; each returns whether it passed. Those of a group start together: one of them alone would leave cores idle. */
const groups = [
  {
    lint: () => passes([script('lint.mjs')]),
    types: () => passes([script('types.mjs')]),
    package: () => passes([script('lint-packages.mjs')]),
  },
  { model: () => passes([script('model.mjs'), ...(isShort ? ['--unless-searched'] : [])]) },
  { tests: runTests },
];
const stepNames = groups.flatMap(Object.keys);

async function passes(args) {
  const [code] = await once(spawn(process.execPath, args, { cwd: root, stdio: 'inherit' }), 'close');
  return code === 0;
}

/** How many milliseconds a test file may take: one that hangs is reported, and does not stop the others. */
const LIMIT_MS = 20 * 60_000;

/** How many test files run at a time, unless the plan says otherwise: tests that load the machine must not starve others. */
const FILES_AT_ONCE = 2;

/** Runs tests on one Node.js. Returns their results. */
function testOn(node, { name, files, env, atOnce = FILES_AT_ONCE }) {
  say(`\n-- ${name}, on Node.js ${node.version}`);
  const dir = mkdtempSync(join(tmpdir(), 'threadwise-test-'));
  const result = join(dir, 'counts.json');
  const begin = performance.now();
  const { status } = spawnSync(
    node.path,
    [
      '--test',
      `--test-concurrency=${atOnce}`,
      `--test-timeout=${LIMIT_MS}`,
      ...['--test-reporter=spec', '--test-reporter-destination=stdout'],
      ...[`--test-reporter=${script('counts-reporter.mjs')}`, `--test-reporter-destination=${result}`],
      ...inProcesses(files).map((group, i) => startOf(group, join(dir, `together-${i}.mjs`))),
    ],
    { cwd: root, stdio: 'inherit', env: { ...environmentOf(node), ...env } },
  );
  const seconds = (performance.now() - begin) / 1000;
  // A run that was killed leaves no counts, or half of them.
  const text = existsSync(result) ? readFileSync(result, 'utf8') : '';
  rmSync(dir, { recursive: true });
  const counts = text.endsWith('}') ? JSON.parse(text) : { failed: [], slowest: [] };
  const { pass = 0, fail = 0, cancelled = 0, skipped = 0, failed, slowest } = counts;
  const isGood = status === 0 && pass > 0;
  return { node, name, seconds, pass, fail: fail + cancelled, skipped, failed, slowest, isGood };
}

/** The file that runs the tests of a group: the only one, or one that imports them. */
function startOf(group, path) {
  const files = group.map((file) => join(root, file));
  if (files.length === 1) return files[0];
  writeFileSync(path, files.map((file) => `import ${JSON.stringify(pathToFileURL(file))};\n`).join(''));
  return path;
}

/** Runs the tests on one version after another: one that fails does not stop the others. */
async function runTests() {
  const { nodes, skipped } = nodesFor(isQuick ? ['own'] : isShort ? ends : versions);
  // The tools are installed here, one after the other, and not by the tests that need them: two at a time would find the packages locked.
  if (!isQuick) for (const tool of TOOLS) await passes([script(`ensure-${tool}.mjs`)]);
  const results = nodes.flatMap((node, i) => {
    heading(`tests on Node.js ${node.version} (${i + 1} of ${nodes.length})`);
    const runs = isQuick ? quickRuns() : runsOn(node, { isRest, isShort, isWhole: versions !== undefined });
    return runs.map((run) => testOn(node, run));
  });
  heading('tests: summary');
  for (const { node, name, seconds, isGood, failed, slowest, ...result } of results) {
    const whole = Math.round(seconds);
    const time = `${Math.floor(whole / 60)} min ${whole % 60} s`;
    const what = `Node.js ${node.version.padEnd(8)}  ${name.padEnd(28)}`;
    say(`${what}  ${countsOf(result)}  (${time})${isGood ? '' : '  FAILED'}`);
    const longest = slowest.map(([file, took]) => `${file} ${Math.round(took)} s`);
    if (longest.length > 0) say(`  longest: ${longest.join(', ')}`);
    for (const each of failed) say(`  ✖ ${each.name}\n${indent(each.reason)}`);
  }
  for (const { major, why } of skipped) say(`Node.js ${major.padEnd(8)}  skipped: ${why}`);
  if (isQuick) sayWhatIsLeft();
  const sum = (name) => results.reduce((total, result) => total + result[name], 0);
  say(countsOf({ pass: sum('pass'), fail: sum('fail'), skipped: sum('skipped') }));
  return results.length > 0 && results.every(({ isGood }) => isGood);
}

function sayWhatIsLeft() {
  say("\nLeft out here; 'npm run test:all' runs everything, 'npm run test:all -- --rest' only these:");
  for (const { names, proves } of leftOut()) say(`  ${names.join(', ')}\n    ${proves}`);
  say(`  other versions of Node.js
    what the library promises holds on each; the rest of it, the command and control on the newest
  other ways for tasks to cross
    each keeps the promises of a pool
  the model
    the protocol of the shared transport holds in every order of its steps
One of them: node --test <file>
`);
}

/** The first lines of a failure, for the summary: the failure itself is far up in the output, and a log may have lost it. */
function indent(reason) {
  return reason
    .split('\n')
    .slice(0, 40)
    .map((line) => `      ${line}`)
    .join('\n');
}

function countsOf({ pass, fail, skipped }) {
  return `${pass} passed, ${fail} failed, ${skipped} skipped`;
}

function say(line) {
  process.stdout.write(`${line}\n`);
}

function heading(text) {
  say(`\n== ${text}`);
}

const USAGE = `npm test                              what is quick, on the Node.js that is there
npm run test:all                      everything, on all versions
npm run test:all -- --rest            what npm test leaves out
npm run test:all -- --rest --short    of that, what a change must pass before it lands
npm test -- <step>…                   these steps
npm test -- tests --node <version>…   all tests on these versions

steps: ${stepNames.join(', ')}
versions: ${choices.join(', ')}
`;

function parse() {
  const { values, positionals } = readArguments();
  if (values.help) {
    process.stdout.write(USAGE);
    process.exit(0);
  }
  const nodes = values.node?.flatMap((value) => value.split(','));
  for (const [what, given, known] of [
    ['step', positionals, stepNames],
    ['Node.js', nodes ?? [], choices],
  ]) {
    const unknown = given.find((name) => !known.includes(name));
    if (unknown !== undefined) refuse(`No ${what} '${unknown}' here; there are ${known.join(', ')}`);
  }
  const { all = false, rest = false, short = false } = values;
  const isQuick = !all && !rest && nodes === undefined;
  if (short && (isQuick || nodes !== undefined))
    refuse(`--short goes with --all or --rest, and not with --node\n${USAGE}`);
  return { isQuick, isRest: rest, isShort: short, versions: nodes, only: positionals };
}

function readArguments() {
  const options = {
    all: { type: 'boolean' },
    rest: { type: 'boolean' },
    short: { type: 'boolean' },
    node: { type: 'string', multiple: true },
    help: { type: 'boolean', short: 'h' },
  };
  try {
    return parseArgs({ options, allowPositionals: true });
  } catch (error) {
    return refuse(`${error.message}\n${USAGE}`);
  }
}

function refuse(message) {
  process.stderr.write(`${message}\n`);
  process.exit(2);
}

const { isQuick, isRest, isShort, versions, only } = parse();

/** Whether a step runs: one that is named or, without names, the quick steps, the rest, or all of them. */
function isWanted(name) {
  if (only.length > 0) return only.includes(name);
  if (name === 'tests') return true;
  return name === 'model' ? !isQuick : !isRest;
}

await prepare();
for (const group of groups) {
  const wanted = Object.keys(group).filter(isWanted);
  if (wanted.length > 0 && wanted[0] !== 'tests') heading(wanted.join(', '));
  const passed = await Promise.all(wanted.map((name) => group[name]()));
  const failed = wanted.filter((_, i) => !passed[i]);
  if (failed.length === 0) continue;
  say(`\n${failed.join(', ')} failed`);
  process.exit(1);
}
