// Which tests run where: those of `npm test`, those that it leaves out and what each of them proves, and the rest.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './prepare.mjs';

function filesBelow(dir, matches) {
  const path = join(root, dir);
  if (!existsSync(path)) return [];
  return readdirSync(path, { withFileTypes: true }).flatMap((entry) => {
    const name = `${dir}/${entry.name}`;
    if (entry.isDirectory()) return entry.name === 'node_modules' ? [] : filesBelow(name, matches);
    return matches.test(entry.name) ? [name] : [];
  });
}

/**
 * The tests that `npm test` leaves out, and `npm run test:all` runs. `isApart`: does not run beside tests that compute for long, because it
 * mostly waits for another program. `isLong`: is also left out of what a change must pass before it lands.
 */
export const SLOW = [
  {
    files: /^test\/storm\.test/,
    proves: 'each of thousands of calls settles once, with 1 % each of every way to die',
  },
  {
    files: /^test\/random-pools\.test/,
    proves: 'so does each of a burst of calls after which no other comes, with options and changes at random',
  },
  { files: /^test\/soak\.test/, proves: 'millions of calls leave nothing behind' },
  {
    files: /\/transport\/(shared\/sequences|(shared|coordinator)\/interleavings)\.test/,
    proves:
      'shared memory and the coordinator keep their promises in every order of their steps, and random ones of longer runs',
  },
  {
    files: /\/sync\/every-order\.test/,
    proves: 'the shared structures keep their promises in every order of their steps, with deaths at each',
  },
  {
    files: /\/scheduling\/scaling\/measured\.test/,
    proves: 'the scaler finds the right size, and stays there, in simulated programs of all kinds',
  },
  {
    files: /\/function\/rules\/(never-wrong|totality|sentences)\.test/,
    proves: 'no samples, however odd, make analyze say what is wrong, or fail',
  },
  {
    files: /^bench\/(contenders|quick)\.test/,
    proves: 'each published pool does the same work, and each experiment runs to its conclusions',
    isLong: true,
  },
  {
    files: /^packages\/cli\/test\/(analyze(-server|-files)?|first-answer)\.test/,
    proves:
      'analyze measures a function, a real server and a real folder, from the command line to the reports, and has a first answer soon',
  },
  {
    files: /^packages\/cli\/test\/measure(-memory|-machine)?\.test/,
    proves: 'analyze measures each kind of function, and gives each setting its process',
  },
  {
    files: /^packages\/cli\/test\/(journal|output|overwriting)\.test/,
    proves:
      'a run that was killed goes on where it stopped, none writes over what it reads, and what cannot be written is told',
  },
  {
    files: /^test\/isolation(-threads)?\.test/,
    proves: 'what ends a process costs the tasks that ran there, no others, and nothing is left behind',
  },
  {
    files: /\/transport\/(shared\/threads|coordinator\/exchange)\.test/,
    proves: 'the transports through shared memory do all that a transport must, between real threads',
  },
  {
    files: /^(test\/container|examples\/04-in-a-container\/in-a-container)\.test/,
    proves:
      "the default thread count keeps to a container's limits, and a service in one answers, is watched and ends",
  },
  {
    files: /\/transport\/shared\/main\/memory\.test/,
    proves: 'shared memory that nobody uses goes back to the system',
  },
  {
    files: /^packages\/control\/test\/lifetime\.test/,
    proves: 'clients of a control server that ends are told, in time',
    isApart: true,
  },
  {
    files: /^packages\/control\/test\/dashboard-.*\.test/,
    proves: 'the dashboard works, and everybody can use it, in a browser',
    isApart: true,
  },
  {
    files: /^packages\/cli\/test\/report-html\.test/,
    proves: "analyze's page can be read by everybody, in a browser",
    isApart: true,
  },
  {
    files: /^packages\/cli\/test\/(top-terminal|ctl.*)\.test/,
    proves: 'top and ctl work with a real program, in a real terminal',
    isApart: true,
  },
  {
    files: /^packages\/control\/test\/prometheus\.test/,
    proves: 'a real Prometheus takes the metrics',
    isApart: true,
  },
  {
    files:
      /^(packages\/(bullmq\/test\/(calls|closing|machines|producers|watched)|cli\/test\/fleet)|examples\/15-fleet\/.*)\.test/,
    proves: 'calls by way of a real Redis keep what is promised, also when machines die',
    isApart: true,
  },
  {
    files: /^packages\/bullmq\/test\/(clocks|failover|many|redis-faults|storm)\.test/,
    proves: 'so they do where Redis fails, clocks are wrong, or calls are many',
    isApart: true,
    isLong: true,
  },
];
const isSlow = (name) => SLOW.some(({ files }) => files.test(name));
const isApart = (name) => SLOW.some(({ files, isApart }) => isApart && files.test(name));
const isLong = (name) => SLOW.some(({ files, isLong }) => isLong && files.test(name));

/** Unit tests that may share a process with others: to start one takes longer than most of them. Those of platforms and threads may not. */
const TOGETHER =
  /^(bench|packages\/(bullmq|cli|control)\/dist|packages\/threadwise\/dist\/(coordinator|core|metrics|scheduling))\//;
/** A hook outside of a suite, which would be one of all tests of the process. */
const HOOK = /^(before|after)(Each)?\(/m;
const isTogether = (name) =>
  TOGETHER.test(name) && !isSlow(name) && !HOOK.test(readFileSync(join(root, name), 'utf8'));
/** How many files share a process: few enough that one that hangs, or does not load, leaves out few others. */
const FILES_TOGETHER = 25;

/** The files in groups: each group runs in a process of its own. */
export function inProcesses(files) {
  const together = files.filter(isTogether);
  const groups = Array.from({ length: Math.ceil(together.length / FILES_TOGETHER) }, (_, i) =>
    together.slice(i * FILES_TOGETHER, (i + 1) * FILES_TOGETHER),
  );
  return [...groups, ...files.filter((name) => !isTogether(name)).map((name) => [name])];
}

/** Tests that run only on the Node.js that runs this: they are arithmetic that takes long, or the command's tests cover them. */
const OWN_ONLY = new RegExp(
  [
    'packages/cli/(dist/(experiment|format|report|subjects)/|test/(measure|analyze|first-answer|overwriting))',
    'packages/threadwise/dist/(sync/every-order|scheduling/scaling/measured|transport/(shared|coordinator)/(interleavings|sequences))\\.',
    // The benchmarks do not have to run on each supported version.
    'bench/',
    // These test the source, which is the same for all versions.
    'test/(bundles|docs|lock|plan|structure)\\.',
  ].join('|'),
);

/**
 * Tests that run only on both ends of the supported versions: of code on top of the library, and of parts of the library that touch
 * neither the platform nor shared memory. Where both ends pass, so do the versions in between.
 */
const ENDS_ONLY = new RegExp(
  [
    '^packages/(cli|control|bullmq)/',
    '^packages/threadwise/dist/(coordinator|core|files|metrics|scheduling)/',
    '^examples/',
    '^test/(container|control|placement|statistics|tracing|user-functions)\\.',
  ].join('|'),
);

/** All test files. Compiled ones exist only after the build. */
export function allTests() {
  const compiled = ['threadwise', 'control', 'bullmq', 'cli'].flatMap((name) =>
    filesBelow(`packages/${name}/dist`, /\.test\.js$/),
  );
  const written = [
    ...['control', 'bullmq', 'cli'].map((name) => `packages/${name}/test`),
    ...['test', 'examples', 'bench'],
  ].flatMap((dir) => filesBelow(dir, /\.test\.m?js$/));
  for (const [what, found] of Object.entries({ compiled, written })) {
    if (found.length === 0) throw new Error(`no ${what} tests were found: what passes then proves nothing`);
  }
  return [...compiled, ...written];
}

/**
 * The other ways for tasks to cross, each with the suites that test what a pool promises; long ones only on the Node.js that
 * runs this. The soak test looks for leaks in millions of calls with the default way; with the others it only has to
 * run.
 */
const crossings = [
  { name: 'shared memory, main chooses', env: { THREADWISE_DISPATCH: 'direct' } },
  { name: 'messages', env: { THREADWISE_TRANSPORT: 'message' } },
  { name: 'shared memory, a coordinator chooses', env: { THREADWISE_DISPATCH: 'coordinator' } },
];
/** Ways with a process for each worker, or for two: only on the Node.js that runs this, and with still fewer calls. */
const processes = [
  { name: 'processes', isolation: 'process' },
  { name: 'processes with two workers each', isolation: 'process:2', isLong: true },
];
const PROMISES = /^test\/(promises|faults\/.*|streams|forks)\.test/;
/** Tests of what is built on those promises: it depends little on the way in which tasks cross. */
const ABOVE = /^test\/(control|tracing|placement|user-functions)\.test/;
const STORMS = /^test\/(storm|soak)\.test/;
const suites = (...kinds) => allTests().filter((name) => kinds.some((kind) => kind.test(name)));
/** What a version of Node.js can break soonest: what is promised, platforms, transports, and the start of threads. */
const OF_VERSION =
  /^(test\/(classes|cold-start|exports|isolation|sync|worker-differs)|packages\/threadwise\/dist\/(platform|transport)\/.*)\.test/;
/** Fewer calls for the tests that take long, and depend least on the version or the way. */
const SHORT = { SOAK_CALLS: '100000', STORM_CALLS: '2000', RANDOM_POOLS: '20' };
/**
 * How much random tests try with the default way before a change lands: less than by default, more calls than with the other ways. Every order
 * of steps that differs from the usual one in a few points is tried in any case.
 */
const BEFORE_LANDING = {
  SOAK_CALLS: '500000',
  STORM_CALLS: '5000',
  RANDOM_POOLS: '20',
  INTERLEAVINGS_RUNS: '80',
};

/** How many test files run at a time where the tests wait for half of their time, and measure nothing for long. */
const MANY_AT_ONCE = 3;

function processRuns(files, isShort) {
  const fewer = { SOAK_CALLS: '40000', STORM_CALLS: '1000' };
  return processes
    .filter(({ isLong }) => !(isShort && isLong))
    .map(({ name, isolation }) => {
      const env = { THREADWISE_ISOLATION: isolation, ...fewer };
      return { name, files, env, atOnce: MANY_AT_ONCE };
    });
}

function crossingRuns(files) {
  return crossings.map(({ name, env }) => ({ name, files, env: { ...env, ...SHORT }, atOnce: MANY_AT_ONCE }));
}

/** What `npm test` runs, on the Node.js that runs it: all tests that are not slow. */
export function quickRuns() {
  return [
    {
      name: 'tests',
      files: allTests().filter((name) => !isSlow(name)),
      env: {},
      atOnce: MANY_AT_ONCE,
    },
  ];
}

/** What `npm test` leaves out: the files, and what they prove. */
export function leftOut() {
  const all = allTests();
  return SLOW.map(({ files, proves }) => ({ names: all.filter((name) => files.test(name)), proves }));
}

/** What `npm test` leaves out on the Node.js that runs it. */
function slowRuns(isShort) {
  const slow = allTests().filter((name) => isSlow(name) && !(isShort && isLong(name)));
  const env = isShort ? BEFORE_LANDING : {};
  return [
    { name: 'slow tests', files: slow.filter((name) => !isApart(name)), env },
    ...crossingRuns(isShort ? suites(PROMISES, STORMS) : suites(PROMISES, ABOVE, STORMS)),
    ...processRuns(suites(PROMISES, STORMS), isShort),
    {
      name: 'with a browser, a terminal or a server',
      files: slow.filter(isApart),
      env,
      atOnce: 4, // they mostly wait
    },
  ];
}

/** What runs on another version. `isWhole`: also the tests for which both ends are enough, and the other ways to cross. */
function runsElsewhere(isWhole) {
  const files = allTests().filter(
    (name) => !isApart(name) && !OWN_ONLY.test(name) && (isWhole || !ENDS_ONLY.test(name)),
  );
  return [{ name: 'all tests', files, env: SHORT }, ...(isWhole ? crossingRuns(suites(PROMISES)) : [])];
}

/**
 * All runs that `node` has to pass. `isRest`: without those of `npm test`. `isShort`: what a change has to pass before it lands. `isWhole`: as on
 * the newest version.
 */
export function runsOn(node, { isRest, isShort, isWhole }) {
  if (node.isOwn) return [...(isRest ? [] : quickRuns()), ...slowRuns(isShort)];
  if (!isShort) return runsElsewhere(isWhole || node.isEnd);
  const files = suites(PROMISES, OF_VERSION).filter((name) => !OWN_ONLY.test(name));
  return [{ name: 'what depends on the version', files, env: SHORT }];
}
