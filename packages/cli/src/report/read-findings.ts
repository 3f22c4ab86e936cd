/** Findings out of a file: whatever is in it, either they are what a comparison uses, or it is said what is wrong. */
import type { Findings } from '../analysis/findings.js';
import { safeText, truncated } from '../control/text.js';
import { UsageError } from '../usage-error.js';

const SCHEMA_VERSION = 1;
/** In characters, of what came instead of what was expected. */
const LONGEST_VALUE = 60;

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

interface Wrong {
  readonly path: string;
  readonly expected: string;
  readonly value: unknown;
}

/** What is wrong with a value; undefined: nothing. */
type Check = (value: unknown, path: string) => Wrong | undefined;

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function that(isRight: (value: unknown) => boolean, expected: string): Check {
  return (value, path) => (isRight(value) ? undefined : { path, expected, value });
}

const number = that((value) => Number.isFinite(value), 'a number');
const string = that((value) => typeof value === 'string', 'a string');

function oneOf(...values: readonly unknown[]): Check {
  return that((value) => values.includes(value), values.map((value) => JSON.stringify(value)).join(' or '));
}

function optional(check: Check): Check {
  return (value, path) => (value === undefined ? undefined : check(value, path));
}

function object(fields: Readonly<Record<string, Check>>): Check {
  return (value, path) => {
    if (!isRecord(value)) return { path, expected: 'an object', value };
    return first(Object.entries(fields), ([name, check]) =>
      check(value[name], path === '' ? name : `${path}.${name}`),
    );
  };
}

function list(check: Check): Check {
  return (value, path) => {
    if (!Array.isArray(value)) return { path, expected: 'an array', value };
    return first([...value.entries()], ([i, item]) => check(item, `${path}[${i}]`));
  };
}

function first<T>(items: readonly T[], find: (item: T) => Wrong | undefined): Wrong | undefined {
  for (const item of items) {
    const wrong = find(item);
    if (wrong !== undefined) return wrong;
  }
  return undefined;
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

function shortly(value: unknown): string {
  if (value === undefined) return 'nothing';
  if (Array.isArray(value)) return `an array of ${value.length}`;
  return isRecord(value) ? 'an object' : truncated(safeText(JSON.stringify(value)), LONGEST_VALUE);
}
