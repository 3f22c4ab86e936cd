// `npm test`: everything that must hold, in the order in which it is cheapest to learn that it does not.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { parseArgs } from 'node:util';
import { choices, environmentOf, nodesFor } from './nodes.mjs';
import { prepare, root } from './prepare.mjs';

const script = (name) => join(root, 'scripts', name);
/** What some tests need beside Node.js; where one cannot be had, those say so and are skipped. */
const TOOLS = ['prometheus', 'chromium', 'tmux'];
/** Each says whether it passed. */
const steps = {
  lint: () =>
    passes([join(root, 'node_modules/@biomejs/biome/bin/biome'), 'check', '--error-on-warnings', '.']),
  types: () => passes([script('types.mjs')]),
  package: () => passes([script('lint-packages.mjs')]),
  ...(existsSync(script('model.mjs')) ? { model: () => passes([script('model.mjs')]) } : {}),
  tests: testOnEachNode,
};

function passes(args) {
  return spawnSync(process.execPath, args, { cwd: root, stdio: 'inherit' }).status === 0;
}

function filesBelow(dir, matches) {
  const path = join(root, dir);
  if (!existsSync(path)) return [];
  return readdirSync(path, { withFileTypes: true }).flatMap((entry) => {
    const name = join(dir, entry.name);
    if (entry.isDirectory()) return entry.name === 'node_modules' ? [] : filesBelow(name, matches);
    return matches.test(entry.name) ? [join(root, name)] : [];
  });
}

/**
 * Tests that drive a browser, a terminal or a server, and those that judge by what they measure: they care for no version, and for a
 * machine that is busy.
 */
const ALONE =
  /^(dashboard-.*|prometheus|top-terminal|ctl-program|report-html|verdicts|measure-recommended)\.test\.mjs$/;

function filesAlone() {
  return ['packages/control/test', 'packages/cli/test'].flatMap((dir) => filesBelow(dir, ALONE));
}

/** Takes long, and is arithmetic, or is gone through by the tests of the command as well. */
const OWN_ONLY = new RegExp(
  [
    'packages/cli/(dist/(analysis|report)/|test/measure)',
    'packages/threadwise/dist/(scheduling/scaling/measured|transport/shared/interleavings)\\.',
  ].join('|'),
);

/** What stands on the library, and the ways to cross that are not the default: where both ends of what is supported pass, so do those in between. */
const ON_TOP = /packages\/(cli|control)\//;
const isThorough = ({ isEnd }) => isEnd || wanted !== undefined;

/** Listed only when their turn comes: there are no compiled tests before the build. */
function testFiles(node) {
  const compiled = ['packages/threadwise/dist', 'packages/control/dist', 'packages/cli/dist'].flatMap((dir) =>
    filesBelow(dir, /\.test\.js$/),
  );
  // The benchmarks are no part of what supports each version.
  const written = [
    'packages/control/test',
    'packages/cli/test',
    'test',
    'examples',
    ...(node.isOwn ? ['bench'] : []),
  ]
    .flatMap((dir) => filesBelow(dir, /\.test\.m?js$/))
    .filter((path) => !ALONE.test(basename(path)));
  const isWanted = (path) => {
    const name = path.replaceAll('\\', '/');
    return (node.isOwn || !OWN_ONLY.test(name)) && (isThorough(node) || !ON_TOP.test(name));
  };
  for (const [what, found] of Object.entries({ compiled, written })) {
    if (found.length === 0) throw new Error(`no ${what} tests were found: what passes then proves nothing`);
  }
  return [...compiled, ...written].filter(isWanted);
}

/**
 * The other ways for tasks to cross, each with the suites that say what a pool promises; those that take long only on the
 * Node.js that runs this. The soak test looks for leaks in millions of calls for the way that is the default; here it
 * only has to run.
 */
const crossings = [
  { name: 'shared memory, main chooses', env: { THREADWISE_DISPATCH: 'direct' } },
  { name: 'messages', env: { THREADWISE_TRANSPORT: 'message' } },
  { name: 'shared memory, a coordinator chooses', env: { THREADWISE_DISPATCH: 'coordinator' } },
];
const suite = (name) => join(root, `test/${name}.test.mjs`);
const PROMISES = ['promises', 'faults'].map(suite);
const LONG = ['steering', 'tracing', 'placement', 'user-functions', 'storm', 'soak'].map(suite);
/** What takes long, and depends on the version, or on the way, the least. */
const SHORT = { SOAK_CALLS: '200000', STORM_CALLS: '5000' };

function testAllWays(node) {
  const runs = [{ name: 'all tests', files: testFiles(node), env: node.isOwn ? {} : SHORT }];
  const files = node.isOwn ? [...PROMISES, ...LONG] : PROMISES;
  for (const { name, env } of isThorough(node) ? crossings : []) {
    runs.push({ name, files, env: { ...env, ...SHORT } });
  }
  if (node.isOwn) {
    // One after the other: they wait for what other programs do, which on a busy machine may take for ever.
    runs.push({
      name: 'one file at a time: with a browser, a terminal, a server, or measured',
      files: filesAlone(),
      env: {},
      isAlone: true,
    });
  }
  return runs.map((run) => {
    say(`\n-- ${run.name}, on Node.js ${node.version}`);
    return { ...testOn(node, run), name: run.name };
  });
}

/** For a test file, all of it: one that hangs is told as such, and does not keep the rest from being tried. In milliseconds. */
const LIMIT_MS = 10 * 60_000;

/** Runs tests on one Node.js: what they came to. */
function testOn(node, { files, env, isAlone = false }) {
  const dir = mkdtempSync(join(tmpdir(), 'threadwise-test-'));
  const result = join(dir, 'counts.json');
  const begin = performance.now();
  const { status } = spawnSync(
    node.path,
    [
      '--test',
      // Two files at a time: tests that load the machine must not starve others.
      `--test-concurrency=${isAlone ? 1 : 2}`,
      `--test-timeout=${LIMIT_MS}`,
      ...['--test-reporter=spec', '--test-reporter-destination=stdout'],
      ...[`--test-reporter=${script('counts-reporter.mjs')}`, `--test-reporter-destination=${result}`],
      ...files,
    ],
    { cwd: root, stdio: 'inherit', env: { ...environmentOf(node), ...env } },
  );
  const seconds = (performance.now() - begin) / 1000;
  // A run that was ended from outside leaves no counts, or half of them.
  const text = existsSync(result) ? readFileSync(result, 'utf8') : '';
  rmSync(dir, { recursive: true });
  const counts = text.endsWith('}') ? JSON.parse(text) : { failed: [] };
  const { pass = 0, fail = 0, cancelled = 0, skipped = 0, failed } = counts;
  return { node, seconds, pass, fail: fail + cancelled, skipped, failed, isGood: status === 0 && pass > 0 };
}

/** The tests on one version after another: one that fails keeps none of the others from being tried. */
function testOnEachNode() {
  // One after the other, and not by the tests that want them: two at a time, and one would find the packages locked.
  for (const tool of TOOLS) passes([script(`ensure-${tool}.mjs`)]);
  const { nodes, skipped } = nodesFor(wanted);
  const results = nodes.flatMap((node, i) => {
    heading(`tests on Node.js ${node.version} (${i + 1} of ${nodes.length})`);
    return testAllWays(node);
  });
  heading('tests: summary');
  for (const { node, name, seconds, isGood, failed, ...result } of results) {
    const time = `${Math.floor(seconds / 60)} min ${Math.round(seconds % 60)} s`;
    const what = `Node.js ${node.version.padEnd(8)}  ${name.padEnd(28)}`;
    say(`${what}  ${countsOf(result)}  (${time})${isGood ? '' : '  FAILED'}`);
    for (const each of failed) say(`  ✖ ${each}`);
  }
  for (const { major, why } of skipped) say(`Node.js ${major.padEnd(8)}  skipped: ${why}`);
  const sum = (name) => results.reduce((total, result) => total + result[name], 0);
  say(countsOf({ pass: sum('pass'), fail: sum('fail'), skipped: sum('skipped') }));
  return results.length > 0 && results.every(({ isGood }) => isGood);
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

const USAGE = `npm test                              all steps, on all versions
npm test -- <step>… [--node <version>…]

steps: ${Object.keys(steps).join(', ')}
versions: ${choices.join(', ')}
`;

/** `npm test -- tests --node 22,24`: these steps, on these versions; without any, all. */
function parse() {
  const { values, positionals } = readArguments();
  if (values.help) {
    process.stdout.write(USAGE);
    process.exit(0);
  }
  const nodes = values.node?.flatMap((value) => value.split(','));
  for (const [what, given, known] of [
    ['step', positionals, Object.keys(steps)],
    ['Node.js', nodes ?? [], choices],
  ]) {
    const unknown = given.find((name) => !known.includes(name));
    if (unknown !== undefined) refuse(`No ${what} '${unknown}' here; there are ${known.join(', ')}`);
  }
  return { wanted: nodes, only: positionals };
}

function readArguments() {
  const options = {
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

const { wanted, only } = parse();
await prepare();
for (const [name, step] of Object.entries(steps)) {
  if (only.length > 0 && !only.includes(name)) continue;
  if (name !== 'tests') heading(name);
  if (step()) continue;
  say(`\n${name} failed`);
  process.exit(1);
}
