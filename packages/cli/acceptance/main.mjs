/**
 * Checks what `threadwise analyze` says about twelve functions with known answers, in a terminal: with the cores as they are, and with one
 * of them taken by another program. It is no test, since the figures depend on the machine: `npm run acceptance -- [quiet|loaded] [--only
 * name] [--budget 60s] [--keep folder]`; it needs `script`, of util-linux. The exit code is 1 if an answer is wrong, too few are right, or
 * the recommendation surely does worse than the best that was measured. `npm run acceptance -- screenshots --into folder` takes pictures of
 * the reports and the dashboard instead; the exit code is 1 if axe finds something serious.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { recommendedToBest } from './recommended.mjs';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    only: { type: 'string' },
    budget: { type: 'string', default: '60s' },
    keep: { type: 'string' },
    into: { type: 'string', default: 'screenshots' },
  },
});
const MAIN = fileURLToPath(new URL('../bin/threadwise.js', import.meta.url));
const MODULE = fileURLToPath(new URL('known.mjs', import.meta.url));
const BURNER = fileURLToPath(new URL('burner.mjs', import.meta.url));
/** How many of the twelve answers must be right. */
const ENOUGH = { quiet: 11, loaded: 10 };
/** The share of the best that was measured which the recommendation must reach. */
const ENOUGH_OF_BEST = 0.95;

const records = Array.from({ length: 20_000 }, (_, id) => ({ id, name: `name ${id}`, tags: ['a', 'b'] }));
const CASES = [
  { kind: 'fast', task: 'fibonacci', inputs: [100], known: 'inline' },
  { kind: 'fast', task: 'slug', inputs: ['The First Title', 'Another One'], known: 'inline' },
  { kind: 'slow', task: 'steps', inputs: [3_000_000, 3_000_001], known: 'threads' },
  { kind: 'slow', task: 'derive', inputs: ['secret', 'other'], known: 'threads' },
  { kind: 'waiting', task: 'waits', inputs: [20], known: 'async' },
  { kind: 'waiting', task: 'waitsAndComputes', inputs: [10], known: 'async' },
  { kind: 'large arguments', task: 'counts', inputs: [records], known: 'inline' },
  { kind: 'large arguments', task: 'compresses', inputs: [JSON.stringify(records)], known: 'threads' },
  { kind: 'serial part', task: 'halfSerial', inputs: [3_000_000], known: 'threads' },
  { kind: 'serial part', task: 'allSerial', inputs: [3_000_000], known: 'inline' },
  { kind: 'memory-bound', task: 'follows', inputs: [1_000_000, 999_999], known: 'threads' },
  { kind: 'memory-bound', task: 'addsTogether', inputs: [200_000], known: 'inline' },
];
/** Matches an answer where it first appears, also that it cannot be told so far. */
const SAID = /(?:Threads (?:probably )?pay|Probably|Likely|Hardly|Don't|Cannot tell)\b/;

const WIDTHS = [33, 8, 8, 6, 8, 8, 16];
const line = (cells) =>
  cells
    .map((cell, i) => String(cell).padEnd(WIDTHS[i] ?? 0))
    .join(' ')
    .trimEnd();

const folder = mkdtempSync(join(os.tmpdir(), 'threadwise-acceptance-'));
let isPassed = true;
try {
  for (const load of positionals.length > 0 ? positionals : ['quiet', 'loaded']) {
    if (load === 'screenshots') {
      // Only here: it looks for a browser, and installs one where it may.
      const { takeScreenshots } = await import('./screenshots.mjs');
      isPassed &&= await takeScreenshots(values.into, values.budget);
    } else await withLoad(load);
  }
} finally {
  rmSync(folder, { recursive: true });
}
process.exitCode = isPassed ? 0 : 1;

async function withLoad(load) {
  const chosen = CASES.filter(({ task }) => values.only === undefined || task === values.only);
  const rows = [];
  console.log(`\n${load} cores, ${os.availableParallelism()} of them\n`);
  console.log(line(['function', 'known', 'said', '', 'first s', 'last s', 'of the best', 'sentence']));
  for (const each of chosen) {
    const row = await analyzed(each, load);
    rows.push(row);
    console.log(
      line([
        `${each.kind}: ${each.task}`,
        each.known,
        row.answer,
        row.is,
        row.first,
        row.last,
        row.ofBest === undefined ? '' : `${row.ofBest.low.toFixed(2)} to ${row.ofBest.high.toFixed(2)}`,
        row.sentence,
      ]),
    );
  }
  const count = (is) => rows.filter((row) => row.is === is).length;
  console.log(`\n${count('right')} right, ${count('none')} none, ${count('wrong')} wrong`);
  const missing = CASES.length - ENOUGH[load];
  const isWorse = rows.some(({ ofBest }) => ofBest?.high < ENOUGH_OF_BEST);
  isPassed &&= count('wrong') === 0 && count('none') <= missing && !isWorse;
}

async function analyzed({ task, inputs, known }, load) {
  const [input, report] = [join(folder, 'inputs.json'), join(folder, `${load}-${task}.json`)];
  writeFileSync(input, JSON.stringify(inputs));
  const begin = performance.now();
  const args = [
    MAIN,
    'analyze',
    `${MODULE}#${task}`,
    '--json',
    input,
    '--budget',
    values.budget,
    '--out',
    report,
  ];
  const analyze = commandOf(args);
  // The burner runs in the terminal of `analyze`: Linux shares cores among terminals first, and then among the programs of each
  // (`sched_autogroup_enabled`), so that a burner in another terminal would leave `analyze` one core of two.
  const command = load === 'loaded' ? `${commandOf([BURNER])} & ${analyze}` : analyze;
  // `analyze` says what it knows so far only on a terminal: `script` makes one.
  const child = spawn('script', ['-qec', command, '/dev/null'], { stdio: ['ignore', 'pipe', 'pipe'] });
  let [text, first] = ['', undefined];
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (piece) => {
      text += piece;
      if (SAID.test(text)) first ??= performance.now() - begin;
    });
  }
  await once(child, 'close');
  const last = performance.now() - begin;
  const found = JSON.parse(readFileSync(report, 'utf8'));
  const { verdict } = found;
  const ofBest = await recommendedToBest(found, MODULE, task, inputs);
  if (values.keep !== undefined) {
    mkdirSync(values.keep, { recursive: true });
    writeFileSync(join(values.keep, `${load}-${task}.json`), readFileSync(report));
  }
  return {
    ...verdict,
    ofBest,
    is: isRight(verdict.answer, known),
    first: seconds(first),
    last: seconds(last),
  };
}

function commandOf(args) {
  return [process.execPath, ...args].map((each) => `'${each}'`).join(' ');
}

function isRight(answer, known) {
  if (answer === 'unknown') return 'none';
  return answer === known ? 'right' : 'wrong';
}

function seconds(ms) {
  return ms === undefined ? '-' : (ms / 1000).toFixed(1);
}
