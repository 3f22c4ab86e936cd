/** Findings out of a file: whatever is in it, either they are what a comparison uses, or it is said what is wrong. */
import type { Findings } from '../analysis/findings.js';
import { isRecord, list, number, object, oneOf, optional, shortly, string, that } from '../checks.js';
import { safeText } from '../format/text.js';
import { UsageError } from '../usage-error.js';

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
