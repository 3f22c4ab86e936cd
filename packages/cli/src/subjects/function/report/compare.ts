/** Two saved findings side by side: what differs by more than noise, what does not, and what cannot be compared. */
import { readFile } from 'node:fs/promises';
import { isRecord, list, number, object, oneOf, optional, shortly, string, that } from '../../../checks.js';
import { describeSystemError, ExitCode, UsageError } from '../../../exit-code.js';
import { type Estimate, real } from '../../../experiment/statistics.js';
import {
  bytes,
  duration,
  factor,
  figureOf,
  type Format,
  NONE,
  rate,
  shown,
  withRange,
} from '../../../format/figures.js';
import { safeText } from '../../../format/text.js';
import { terminal } from '../../../report/measure-and-report.js';
import {
  type Line,
  listed,
  painted,
  type TerminalOptions,
  titledTable,
  wrapped,
} from '../../../report/terminal.js';
import type { Findings } from '../rules/findings.js';
import { SHORT } from './explanation.js';
import { byThreads, subjectName, threadsOf } from './tables.js';

/** Differences within that, and that surely, are none that matter. */
const SAME = 0.05;

export async function compareReports(...files: readonly [string, string]): Promise<number> {
  const [a, b] = await Promise.all(files.map(readReport));
  process.stdout.write(renderComparison(a!, b!, terminal()));
  return ExitCode.ok;
}

async function readReport(file: string): Promise<Findings> {
  let text: string;
  try {
    text = await readFile(file, 'utf8');
  } catch (error) {
    throw new UsageError(`cannot read ${file}: ${describeSystemError(error)}`);
  }
  return readFindings(text, file);
}

/** @param b is said to be faster or slower than `a` */
export function renderComparison(a: Findings, b: Findings, options: Partial<TerminalOptions> = {}): string {
  const { columns = 100, isColor = false } = options;
  const rows = figures(a, b);
  const lines: Line[] = [
    ...wrapped(summary(rows), columns, '', 'bold'),
    ...wrapped(ofOne(a), columns, '  A  '),
    ...wrapped(ofOne(b), columns, '  B  '),
    ...wrapped(answers(a, b), columns, '  '),
    ...listed('Not the same was measured', differences(SUBJECT, a, b), columns, '-', undefined, 'warn'),
    ...listed(
      'Not the same machine: the figures compare it, too',
      differences(MACHINE, a, b),
      columns,
      '-',
      undefined,
      'warn',
    ),
    ...table(rows, columns),
  ];
  return painted(lines, { columns, isColor });
}

function ofOne(findings: Findings): string {
  return `${subjectName(findings)}: ${findings.verdict.sentence}`;
}

function answers(a: Findings, b: Findings): string {
  const [ofA, ofB] = [SHORT[a.verdict.answer], SHORT[b.verdict.answer]];
  return ofA === ofB ? `The verdict is the same: ${ofA}` : `Another verdict: ${ofA} in A, ${ofB} in B`;
}

type Outcome = 'more' | 'less' | 'the same' | 'cannot tell';

interface Row {
  readonly name: string;
  readonly format: Format;
  readonly a: Estimate | undefined;
  readonly b: Estimate | undefined;
  readonly outcome: Outcome;
  /** What it is if there is more of it, and if there is less. */
  readonly words: readonly [more: string, less: string];
}

const SPEED = ['faster', 'slower'] as const;
const AMOUNT = ['more', 'less'] as const;

function figures(a: Findings, b: Findings): Row[] {
  const noise = [a.noise, b.noise].reduce<number>((sum, share = 0) => sum + share, 0);
  const row = (
    name: string,
    format: Format,
    words: Row['words'],
    read: (of: Findings) => Estimate | undefined,
  ) => {
    const [ofA, ofB] = [real(read(a)), real(read(b))];
    return { name, format, words, a: ofA, b: ofB, outcome: outcomeOf(ofA, ofB, noise) };
  };
  const inBoth = byThreads(a.samples.threads).filter(({ threads }) => rateWith(b, threads) !== undefined);
  return [
    row('calls/s, inline', rate, SPEED, ({ samples }) => figureOf(samples.inline.rate)),
    ...inBoth.map(({ threads }) =>
      row(`calls/s, ${threadsOf(threads)}`, rate, SPEED, (of) => rateWith(of, threads)),
    ),
    row('calls/s, the most', rate, SPEED, mostOf),
    row('threads against inline', factor, AMOUNT, ({ gain }) => gain),
    row('threads pay from', duration, AMOUNT, ({ breakEven }) => breakEven.runMs),
    row('CPU per call, inline', duration, AMOUNT, ({ samples }) => figureOf(samples.inline.cpuMs)),
    row('loop delay p99, inline', duration, AMOUNT, ({ samples }) => figureOf(samples.inline.loopDelayMs)),
    row('a thread takes', bytes, AMOUNT, ({ samples }) => figureOf(samples.start?.bytesPerThread)),
  ].filter((each) => each.a !== undefined || each.b !== undefined);
}

function rateWith({ samples }: Findings, threads: number): Estimate | undefined {
  return figureOf(samples.threads.find((each) => each.threads === threads)?.rate);
}

/** The best of all numbers of threads, and of none. */
function mostOf({ samples }: Findings): Estimate | undefined {
  const all = [samples.inline, ...samples.threads].flatMap((each) => figureOf(each.rate) ?? []);
  return all.toSorted((x, y) => y.value - x.value)[0];
}

/** Another figure only where the intervals have nothing in common, and where noise alone does not make as much. */
function outcomeOf(a: Estimate | undefined, b: Estimate | undefined, noise: number): Outcome {
  if (a === undefined || b === undefined) return 'cannot tell';
  const [low, high] = [b.low / a.high, b.high / a.low];
  const isNoise = Math.abs(b.value / a.value - 1) <= noise;
  if (b.low > a.high && !isNoise) return 'more';
  if (b.high < a.low && !isNoise) return 'less';
  if (low >= 1 - SAME && high <= 1 + SAME) return 'the same';
  return a.high === 0 && b.high === 0 ? 'the same' : 'cannot tell';
}

function inWords({ outcome, words }: Row): string {
  return outcome === 'more' ? words[0] : outcome === 'less' ? words[1] : outcome;
}

function summary(rows: readonly Row[]): string {
  const most = rows.find(({ name }) => name === 'calls/s, the most');
  if (most?.a === undefined || most.b === undefined || most.a.value === 0)
    return 'Cannot tell: one of them has no rates';
  const calls = `${ratioOf(most)} the calls of A, each at its best`;
  const sentences: Readonly<Record<Outcome, string>> = {
    more: `B is faster: ${calls}`,
    less: `B is slower: ${calls}`,
    'the same': 'A and B are the same, each at its best',
    'cannot tell': `Cannot tell: B does ${calls}, and noise alone may make as much`,
  };
  return sentences[most.outcome];
}

function table(rows: readonly Row[], columns: number): Line[] {
  const contents = {
    title: 'Figures',
    head: ['what', 'A', 'B', 'B to A', 'B is'],
    rows: rows.map((row) => [
      row.name,
      withRange(row.a, row.format),
      withRange(row.b, row.format),
      ratioOf(row),
      inWords(row),
    ]),
  };
  return titledTable(contents, columns);
}

function ratioOf({ a, b }: Row): string {
  return a === undefined || b === undefined ? NONE : shown(b.value / a.value, factor);
}

type Fact = readonly [name: string, read: (findings: Findings) => string];

const SUBJECT: readonly Fact[] = [
  ['module', ({ samples }) => samples.subject.module],
  ['export', ({ samples }) => samples.subject.export],
  ['inputs', ({ samples: { subject } }) => `${subject.inputs.used} of ${subject.inputs.count}`],
];

const MACHINE: readonly Fact[] = [
  ['processor', ({ samples }) => samples.machine.cpu],
  ['cores', ({ samples }) => String(samples.machine.cores)],
  ['threads that the library would use', ({ samples }) => String(samples.machine.availableThreads)],
  ['memory', ({ samples }) => bytes(samples.machine.memoryBytes)],
  ['Node.js', ({ samples }) => samples.machine.node],
  ['platform', ({ samples }) => samples.machine.platform],
];

function differences(facts: readonly Fact[], a: Findings, b: Findings): string[] {
  return facts.flatMap(([name, read]) => {
    const [ofA, ofB] = [read(a), read(b)];
    return ofA === ofB ? [] : [`${name}: ${ofA} in A, ${ofB} in B`];
  });
}

const SCHEMA_VERSION = 1;

/** Inverse of renderJson. @param name of the file, for messages */
export function readFindings(text: string, name: string): Findings {
  const given = parse(text, name);
  const problem = problemOf(given);
  if (problem === undefined) return given as Findings;
  throw new UsageError(
    `${safeText(name)}: expected findings of 'threadwise analyze --out x.json', ${problem}`,
  );
}

function parse(text: string, name: string): unknown {
  try {
    return JSON.parse(text.replace(/^\uFEFF/, ''));
  } catch (error) {
    const why = safeText(error instanceof Error ? error.message : String(error));
    throw new UsageError(
      `${safeText(name)}: expected findings of 'threadwise analyze --out x.json', got what is no JSON: ${why}`,
    );
  }
}

function problemOf(given: unknown): string | undefined {
  const version = isRecord(given) ? given.schemaVersion : undefined;
  if (isRecord(given) && version !== undefined && version !== SCHEMA_VERSION) {
    return `schemaVersion ${SCHEMA_VERSION}, got ${shortly(version)}: they are of another version of threadwise`;
  }
  const wrong = FINDINGS(given, '');
  return (
    wrong &&
    `${wrong.path === '' ? 'an object' : `${wrong.path}: ${wrong.expected}`}, got ${shortly(wrong.value)}`
  );
}

const estimate = object({ value: number, low: number, high: number });
/** A measurement that came to no number is null. */
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
