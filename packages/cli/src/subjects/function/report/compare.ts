/** Two saved findings side by side: what differs by more than noise, what does not, and what cannot be compared. */
import { readFileSync } from 'node:fs';
import { greatest } from 'd3-array';
import { isRecord, list, number, object, oneOf, optional, shortly, string, that } from '../../../checks.js';
import { ExitCode, UsageError } from '../../../exit-code.js';
import { attempt } from '../../../system-error.js';
import { type Estimate, real } from '../../../experiment/statistics.js';
import * as say from '../../../format/figures.js';
import { safeText } from '../../../format/text.js';
import { terminal } from '../../../report/measure-and-report.js';
import type { Line, TerminalOptions } from '../../../report/terminal.js';
import { listed, painted, titledTable, wrapped } from '../../../report/terminal.js';
import { type Findings, mayHoldUp } from '../rules/analyze.js';
import { ANSWERS } from './explanation.js';
import { subjectName } from './tables.js';

/** Two figures are the same if they surely differ by no more than this share. */
const SAME = 0.05;

export function compareReports(...files: readonly [string, string]): number {
  const read = (file: string): Findings => {
    const text = attempt(() => readFileSync(file, 'utf8'), `cannot read ${file}`);
    return readFindings(text, file);
  };
  const [a, b] = files.map(read);
  process.stdout.write(renderComparison(a!, b!, terminal()));
  return ExitCode.ok;
}

/** @param b is said to be faster or slower than `a` */
export function renderComparison(a: Findings, b: Findings, options: Partial<TerminalOptions> = {}): string {
  const { columns = 100, isColor = false } = options;
  const rows = figures(a, b);
  const ofOne = (findings: Findings) => `${subjectName(findings)}: ${findings.verdict.sentence}`;
  const [ofA, ofB] = [a, b].map(({ verdict }) => ANSWERS[verdict.answer].short);
  const differing = (title: string, facts: readonly Fact[]) =>
    listed(title, differences(facts, a, b), columns, '-', undefined, 'warn');
  const table = { title: 'Figures', head: HEAD, rows: rows.map(({ cells }) => cells) };
  const verdicts =
    ofA === ofB ? `The verdict is the same: ${ofA}` : `Another verdict: ${ofA} in A, ${ofB} in B`;
  const lines: Line[] = [
    ...wrapped(summary(rows), columns, '', 'bold'),
    ...wrapped(ofOne(a), columns, '  A  '),
    ...wrapped(ofOne(b), columns, '  B  '),
    ...wrapped(verdicts, columns, '  '),
    ...differing('Not the same was measured', SUBJECT),
    ...differing('Not the same machine: the figures compare it, too', MACHINE),
    ...(rows.length === 0 ? [] : titledTable(table, columns)),
  ];
  return painted(lines, { columns, isColor });
}

type Outcome = 'more' | 'less' | 'the same' | 'cannot tell';

const SPEED = { more: 'faster', less: 'slower', 'the same': 'the same', 'cannot tell': 'cannot tell' };
const AT_BEST = 'calls/s, the most';
const HEAD = ['what', 'A', 'B', 'B to A', 'B is'];

type Row = ReturnType<typeof figures>[number];

function figures(a: Findings, b: Findings) {
  const noise = (a.noise ?? 0) + (b.noise ?? 0);
  const inBoth = a.samples.threads.filter(({ threads }) => rateWith(b, threads) !== undefined);
  type Figure = readonly [name: string, format: say.Format, read: (of: Findings) => Estimate | undefined];
  const all: Figure[] = [
    ['calls/s, inline', say.rate, ({ samples }) => say.figureOf(samples.inline.rate)],
    ...inBoth.map(({ threads: n }): Figure => {
      return [`calls/s, ${say.counted(n, 'thread')}`, say.rate, (of) => rateWith(of, n)];
    }),
    [AT_BEST, say.rate, mostOf],
    ['threads against inline', say.factor, ({ gain }) => gain],
    ['threads pay from', say.duration, ({ breakEven }) => breakEven.runMs],
    ['CPU per call, inline', say.duration, ({ samples }) => say.figureOf(samples.inline.cpuMs)],
    [
      'loop delay p99, inline',
      say.duration,
      ({ samples }) => (mayHoldUp(samples) ? say.figureOf(samples.inline.loopDelayMs) : undefined),
    ],
    ['a thread takes', say.bytes, ({ samples }) => say.figureOf(samples.start?.bytesPerThread)],
  ];
  return all.flatMap(([name, format, read]) => {
    const [ofA, ofB] = [real(read(a)), real(read(b))];
    if (ofA === undefined && ofB === undefined) return [];
    const outcome = outcomeOf(ofA, ofB, noise);
    // For a rate, more is faster, and less is slower.
    const inWords = format === say.rate ? SPEED[outcome] : outcome;
    const ratio = say.shown(ofA && ofB && ofB.value / ofA.value, say.factor);
    const cells = [name, say.withRange(ofA, format), say.withRange(ofB, format), ratio, inWords];
    return { name, ratio, outcome, cells };
  });
}

function rateWith({ samples }: Findings, threads: number): Estimate | undefined {
  return say.figureOf(samples.threads.find((each) => each.threads === threads)?.rate);
}

function mostOf({ samples }: Findings): Estimate | undefined {
  const all = [samples.inline, ...samples.threads].flatMap((each) => say.figureOf(each.rate) ?? []);
  return greatest(all, ({ value }) => value);
}

/** Figures differ only if their intervals do not overlap, and by more than the noise. */
function outcomeOf(a: Estimate | undefined, b: Estimate | undefined, noise: number): Outcome {
  if (a === undefined || b === undefined) return 'cannot tell';
  const [low, high] = [b.low / a.high, b.high / a.low];
  const isNoise = Math.abs(b.value / a.value - 1) <= noise;
  if (b.low > a.high && !isNoise) return 'more';
  if (b.high < a.low && !isNoise) return 'less';
  if (low >= 1 - SAME && high <= 1 + SAME) return 'the same';
  return a.high === 0 && b.high === 0 ? 'the same' : 'cannot tell';
}

function summary(rows: readonly Row[]): string {
  const most = rows.find(({ name }) => name === AT_BEST);
  if (most === undefined || most.ratio === say.NONE) return 'Cannot tell: one of them has no rates';
  const { outcome, ratio } = most;
  const calls = `${ratio} the calls of A, each at its best`;
  if (outcome === 'the same') return 'A and B are the same, each at its best';
  if (outcome !== 'cannot tell') return `B is ${SPEED[outcome]}: ${calls}`;
  return `Cannot tell: B does ${calls}, and noise alone may make as much`;
}

type Fact = readonly [name: string, read: (samples: Findings['samples']) => string];

const SUBJECT: readonly Fact[] = [
  ['module', ({ subject }) => subject.module],
  ['export', ({ subject }) => subject.export],
  ['inputs', ({ subject: { inputs } }) => `${inputs.used} of ${inputs.count}`],
];

const MACHINE: readonly Fact[] = [
  ['processor', ({ machine }) => machine.cpu],
  ['cores', ({ machine }) => String(machine.cores)],
  ['threads that the library would use', ({ machine }) => String(machine.availableThreads)],
  ['memory', ({ machine }) => say.bytes(machine.memoryBytes)],
  ['Node.js', ({ machine }) => machine.node],
  ['platform', ({ machine }) => machine.platform],
];

function differences(facts: readonly Fact[], a: Findings, b: Findings): string[] {
  return facts.flatMap(([name, read]) => {
    const [ofA, ofB] = [read(a.samples), read(b.samples)];
    return ofA === ofB ? [] : [`${name}: ${ofA} in A, ${ofB} in B`];
  });
}

const SCHEMA_VERSION = 1;

/** Inverse of `jsonText`. @param name of the file, for messages */
export function readFindings(text: string, name: string): Findings {
  const refused = (why: string): UsageError =>
    new UsageError(`${safeText(name)}: expected findings of 'threadwise analyze --out x.json', ${why}`);
  let given: unknown;
  try {
    given = JSON.parse(text.replace(/^\uFEFF/, ''));
  } catch (error) {
    const why = safeText(error instanceof Error ? error.message : String(error));
    throw refused(`got text that is not JSON: ${why}`);
  }
  const version = isRecord(given) ? given.schemaVersion : undefined;
  if (version !== undefined && version !== SCHEMA_VERSION) {
    const other = `schemaVersion ${SCHEMA_VERSION}, got ${shortly(version)}`;
    throw refused(`${other}: they are of another version of threadwise`);
  }
  const wrong = FINDINGS(given, '');
  if (wrong === undefined) return given as Findings;
  const { path, expected, value } = wrong;
  throw refused(`${path === '' ? 'an object' : `${path}: ${expected}`}, got ${shortly(value)}`);
}

const estimate = object({ value: number, low: number, high: number });
/** A measurement that is no finite number is written as null. */
const series = list(that((value) => value === null || Number.isFinite(value), 'a number or null'));

const FINDINGS = object({
  schemaVersion: oneOf(SCHEMA_VERSION),
  verdict: object({ answer: oneOf('threads', 'inline', 'async', 'unknown'), sentence: string }),
  breakEven: object({ runMs: optional(estimate) }),
  gain: optional(estimate),
  noise: optional(number),
  samples: object({
    subject: object({ module: string, export: string, inputs: object({ count: number, used: number }) }),
    machine: object({
      cpu: string,
      cores: number,
      availableThreads: number,
      memoryBytes: number,
      node: string,
      platform: string,
    }),
    inline: object({ rate: series, cpuMs: series, loopDelayMs: series }),
    threads: list(object({ threads: number, rate: series })),
    start: optional(object({ readyMs: series, bytesPerThread: series })),
  }),
});
