// Checks the protocol of the shared transport: SPIN explores every order of the steps of its model, and must find each
// of the mistakes that can be built into it. A search has the same result each time: with '--unless-searched' nothing is searched where the
// model and this file are those of the last complete search, whose digest is in searched.txt.
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { ensureDebianPackages } from './debian.mjs';
import { root } from './prepare.mjs';

const MODEL = join(root, 'packages/threadwise/src/transport/shared/model/shared.pml');
/** The SHA-256 of the model and of this file when all searches last ended as they should. */
const RECORD = join(root, 'packages/threadwise/src/transport/shared/model/searched.txt');
/** How many megabytes a search may use: two at a time stay below 2 GB. */
const MAX_MEGABYTES = 950;
/** How deep a search may go: several times the deepest one. */
const MAX_DEPTH = 10_000;
/** After how many milliseconds a search counts as endless; the longest takes seconds. */
const TIMEOUT_MS = 5 * 60_000;

/** Settings of who sleeps; `COARSE`: a claim is one step. */
const WORKERS_SLEEP = 'PARK_WORKERS SPINNERS=1 COARSE';
const ALL_SLEEP = `${WORKERS_SLEEP} PARK_MAIN`;
const TWO_FOREVER = 'TASKS=2 PARK_WORKERS SPINNERS=1 CLAIMS=2 BLOCKED ENDLESS';
const THREE_FOREVER =
  'WORKERS=3 CELLS=3 TASKS=3 PARK_WORKERS SPINNERS=1 CLAIMS=2 COARSE BLOCKED ENDLESS DROWSY';

/** For each configuration its name, the settings of the model, and options. README.md beside the model says what each is for. */
const configurations = [
  ['hints', 'TASKS=4 CLAIMS=2'],
  ['hints: narrow ring', 'TASKS=3 CLAIMS=2 RING=2 WITHDRAWALS=2 PARK_MAIN COARSE'],
  ['hints: withdrawn', 'TASKS=3 CLAIMS=2 WITHDRAWALS=1'],
  ['hints: withdrawn, main sleeps', 'TASKS=3 WITHDRAWALS=2 PARK_MAIN COARSE'],
  ['hints: recalled', 'TASKS=3 RECALLS=1'],
  ['hints: recalled, main sleeps', 'TASKS=3 CLAIMS=2 RECALLS=1 PARK_MAIN COARSE'],
  ['sleep: every step', 'TASKS=2 PARK_WORKERS SPINNERS=1 PARK_MAIN'],
  ['sleep', `TASKS=3 ${ALL_SLEEP} PATIENT`],
  ['sleep: calls come late', `TASKS=1 FRESH=1 ${ALL_SLEEP}`],
  ['sleep: no circles', `TASKS=2 ${ALL_SLEEP}`, { cycles: true }],
  ['blocked main', `TASKS=3 CELLS=3 CLAIMS=2 ${WORKERS_SLEEP} BLOCKED PATIENT`],
  ['blocked main, endless tasks', TWO_FOREVER],
  ['blocked main, three workers', THREE_FOREVER],
  ['retire', `TASKS=2 ${WORKERS_SLEEP} RETIRES=1 PATIENT`],
  ['retire, main sleeps', 'TASKS=2 PARK_WORKERS PARK_MAIN COARSE RETIRES=1 PATIENT'],
  ['mail', 'TASKS=1 MAILED=2 PARK_WORKERS PARK_MAIN COARSE WITHDRAWALS=1 PATIENT'],
  ['mail, blocked main', `TASKS=2 MAILED=1 CELLS=3 ${WORKERS_SLEEP} BLOCKED PATIENT`],
  ['timeouts', 'TASKS=3 EXPIRIES=2'],
  ['timeouts, main sleeps', 'TASKS=2 FRESH=1 PARK_MAIN COARSE EXPIRIES=1 WITHDRAWALS=1'],
  ['rest', 'TASKS=3 CLAIMS=2 PARK_MAIN RESTS COARSE'],
  ['rest: calls come late', `TASKS=1 FRESH=1 ${ALL_SLEEP} RESTS`],
  ['crash: hints', 'TASKS=3 CLAIMS=2 CRASHES=1'],
  ['crash: hints withdrawn', 'TASKS=3 CRASHES=1 WITHDRAWALS=1'],
  ['crash: aborts, retries', 'TASKS=3 CRASHES=1 RETRIES=1 ABORTS=1'],
  ['crash: timeouts, retries', 'TASKS=3 CRASHES=1 RETRIES=1 EXPIRIES=1'],
  ['crash: rest', 'TASKS=3 PARK_MAIN RESTS COARSE CRASHES=1'],
  ['crash: twice, replaced', 'TASKS=3 CLAIMS=2 CRASHES=2 REPLACE COARSE'],
  ['crash: sleep', `TASKS=2 ${ALL_SLEEP} CRASHES=1 PATIENT`],
  ['crash: sleep, replaced', `TASKS=2 ${WORKERS_SLEEP} CRASHES=1 REPLACE`],
];

/** For each mistake its name, and the settings with which it must be found. */
const mistakes = [
  ['O4_BEFORE_O3', 'TASKS=2'],
  ['O5_BEFORE_O4', 'TASKS=2 PARK_WORKERS'],
  ['C1_TAIL_FIRST', 'TASKS=2'],
  ['C4_BEFORE_C3', 'TASKS=3 CRASHES=1'],
  ['CLAIMS_CLEARED_EARLY', 'TASKS=3 CRASHES=1'],
  ['B1_WITHOUT_EXCHANGE', 'TASKS=3'],
  ['WITHDRAW_WITHOUT_EXCHANGE', 'TASKS=2 WITHDRAWALS=1'],
  ['RELEASE_AFTER_PUBLISH', 'TASKS=3'],
  ['K3_BEFORE_K2', 'TASKS=2 PARK_MAIN'],
  ['RING_OVERFLOWS', 'TASKS=4 RING=2'],
  ['DROPPED_IN_SILENCE', 'TASKS=3 RING=2 WITHDRAWALS=2 PARK_MAIN COARSE'],
  ['DROPPED_IN_SILENCE', 'MAILED=2 PARK_WORKERS PARK_MAIN WITHDRAWALS=1'],
  ['NO_P2', 'TASKS=2 PARK_WORKERS'],
  ['P2_WITHOUT_CLAIMS', THREE_FOREVER],
  ['P2_COUNTS_STALE_CLAIMS', 'TASKS=2 PARK_WORKERS COARSE', { cycles: true }],
  ['WAKEUPS_READ_LATE', 'TASKS=2 PARK_WORKERS'],
  ['NO_CLEAR_AFTER_P3', `TASKS=3 CELLS=3 ${WORKERS_SLEEP} BLOCKED PATIENT`],
  ['NO_S3', TWO_FOREVER],
  ['S3_ONLY_AFTER_SPIN', TWO_FOREVER],
  ['S3_WITHOUT_OTHERS', THREE_FOREVER],
  ['S3_CLEARS_LAST', TWO_FOREVER],
  ['NO_S4', TWO_FOREVER],
  ['SETTLE_FORGETS_TO_CLEAR', 'TASKS=3'],
  ['FREED_WHILE_IT_RUNS', 'TASKS=3 EXPIRIES=1'],
  ['FREED_WHILE_IT_RUNS', 'TASKS=2 EXPIRIES=1 CRASHES=1'],
  ['REST_WITHOUT_TIMER', 'TASKS=3 PARK_MAIN RESTS COARSE'],
  ['NO_M2', 'TASKS=2 PARK_MAIN'],
  ['RETIRES_IN_BED', `TASKS=2 ${ALL_SLEEP} RETIRES=1`],
  ['X2_BEFORE_X1', 'TASKS=2 CRASHES=1'],
  ['X2_FORGETS_ABORTING', 'TASKS=2 CRASHES=1 ABORTS=1'],
  ['NO_X3', 'TASKS=3 CRASHES=1'],
  ['X3_HINTS_ANEW', 'TASKS=3 CLAIMS=2 RING=2 CRASHES=1'],
  ['NO_X5', `TASKS=3 ${ALL_SLEEP} CRASHES=1`],
  ['NO_X6', 'TASKS=2 PARK_MAIN CRASHES=1'],
];

/** Runs a command to its end. Resolves to its output; rejects if it fails. */
async function output(command, args, cwd) {
  const limits = { timeout: TIMEOUT_MS, killSignal: 'SIGKILL', maxBuffer: Number.POSITIVE_INFINITY };
  const { stdout, stderr } = await promisify(execFile)(command, args, { cwd, ...limits });
  return stdout + stderr;
}

/** Searches all that one configuration can do. */
async function search(dir, { settings, isMistake, options: { cycles = false } = {} }) {
  mkdirSync(dir);
  const defines = settings.split(' ').map((setting) => `-D${setting}`);
  await output('spin', [...defines, '-a', MODEL], dir);
  // A mistake is found in a moment, so that this search need not be fast.
  const speed = isMistake ? '-O0' : '-O2';
  const mode = cycles ? '-DNP' : '-DSAFETY';
  await output('gcc', [speed, '-w', mode, `-DMEMLIM=${MAX_MEGABYTES}`, '-o', 'pan', 'pan.c'], dir);
  const text = await output(join(dir, 'pan'), [`-m${MAX_DEPTH}`, ...(cycles ? ['-l'] : [])], dir);
  const errors = Number(/errors: (\d+)/.exec(text)?.[1] ?? Number.NaN);
  const replay = [...defines, '-k', 'shared.pml.trail', '-t', '-p', '-g', MODEL];
  return {
    errors,
    /** The first error, as SPIN names it. */
    error: /^pan:1: ([^\n(]*)/m.exec(text)?.[1]?.trim(),
    isWhole: !/Search not completed|max search depth too small|out of memory/.test(text),
    states: Number(/(\d+) states, stored/.exec(text)?.[1] ?? Number.NaN),
    seconds: Number(/elapsed time ([\d.e-]+) seconds/.exec(text)?.[1] ?? 0),
    details: errors > 0 && !isMistake ? await output('spin', replay, dir) : text,
  };
}

/** Judges a search: whether its result is the right one, and the words for it. */
function judge({ isMistake }, { errors, error = '', isWhole, details }) {
  const isFound = errors > 0 && /^(invalid end state|assertion violated|non-progress cycle)/.test(error);
  if (isMistake) {
    return { isGood: isFound, word: isFound ? `found: ${error}` : `NOT FOUND\n${details}` };
  }
  if (errors === 0 && isWhole) return { isGood: true, word: 'no error' };
  return { isGood: false, word: `${errors > 0 ? `ERROR: ${error}` : 'NOT EXHAUSTIVE'}\n${details}` };
}

const searched = [MODEL, fileURLToPath(import.meta.url)].map((path) => readFileSync(path, 'utf8')).join('');
const digest = createHash('sha256').update(searched).digest('hex');
const isSearched = existsSync(RECORD) && readFileSync(RECORD, 'utf8').trim() === digest;
const UNLESS_SEARCHED = '--unless-searched';
const given = process.argv.slice(2);
if (isSearched && given.includes(UNLESS_SEARCHED)) {
  process.stdout.write(
    "Unchanged since all searches ended as they should. 'node scripts/model.mjs' searches again.\n",
  );
  process.exit(0);
}
const only = given.filter((name) => name !== UNLESS_SEARCHED);
const all = [
  ...configurations.map(([name, settings, options]) => ({ name, settings, options, isMistake: false })),
  ...mistakes.map(([name, settings, options]) => ({
    name,
    settings: `${settings} ${name}`,
    options,
    isMistake: true,
  })),
];
const wanted = all.filter(({ name }) => only.length === 0 || only.includes(name));
if (wanted.length === 0) {
  process.stderr.write(`No such name here; there are ${all.map(({ name }) => name).join('; ')}\n`);
  process.exit(2);
}
if (!ensureDebianPackages(['spin', 'gcc', 'libc6-dev'], ['spin', 'gcc'])) process.exit(1);

const dir = mkdtempSync(join(tmpdir(), 'threadwise-model-'));
process.on('exit', () => rmSync(dir, { recursive: true, force: true }));
for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => process.exit(1));

let next = 0;
let bad = 0;
async function work() {
  while (next < wanted.length) {
    const index = next++;
    const run = wanted[index];
    const found = await search(join(dir, String(index)), run);
    const { isGood, word } = judge(run, found);
    if (!isGood) bad++;
    const size = `${found.states.toLocaleString('en')} states, ${found.seconds.toFixed(1)} s`;
    process.stdout.write(`${run.name.padEnd(30)} ${size.padStart(25)}  ${word}\n`);
  }
}
const begin = performance.now();
await Promise.all(Array.from({ length: Math.min(2, availableParallelism()) }, work));
const seconds = Math.round((performance.now() - begin) / 1000);
process.stdout.write(`${wanted.length} searches in ${seconds} s, ${bad} not as they should be\n`);
if (bad === 0 && wanted.length === all.length) writeFileSync(RECORD, `${digest}\n`);
process.exit(bad === 0 ? 0 : 1);
