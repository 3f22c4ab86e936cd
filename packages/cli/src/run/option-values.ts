/** Parses the values of single options. An error says what was expected; Commander adds what it got. */
import { type Command, InvalidArgumentError } from 'commander';
import type { RangeOptions } from './inputs/open-inputs.js';

export type Threads = number | 'auto' | { readonly min: number; readonly max: number };

export function parseThreads(text: string): Threads {
  if (text === 'auto') return 'auto';
  const range = /^(\d+)-(\d+)$/.exec(text);
  const min = Number(range?.[1]);
  const max = Number(range?.[2]);
  if (range !== null && min <= max && max > 0) return { min, max };
  return parseWhole(
    text,
    1,
    'Expected auto, a number of at least 1, or min-max with min <= max, such as 2-8.',
  );
}

export function parseBatch(text: string): number | 'auto' {
  return text === 'auto' ? 'auto' : parseWhole(text, 1, 'Expected auto or a number of at least 1.');
}

export const parseRetries = wholeNumber(0, 'Expected a number of at least 0.');
export const parseSampleSize = wholeNumber(1, 'Expected a number of inputs, at least 1.');

const unitsMs: Readonly<Record<string, number>> = { '': 1, ms: 1, s: 1000, m: 60_000, h: 3_600_000 };

export function parseDuration(text: string): number {
  const match = /^(\d+(?:\.\d+)?)(ms|s|m|h|)$/.exec(text);
  const ms = match === null ? 0 : Number(match[1]) * unitsMs[match[2]!]!;
  // The most that a timer can be set for.
  if (ms < 1 || ms > 2 ** 31 - 1) {
    throw new InvalidArgumentError(
      'Expected a time such as 500, 500ms, 2s or 1m, of at least 1ms and at most 596h.',
    );
  }
  return Math.round(ms);
}

export function parseRange(text: string): RangeOptions {
  const match = /^(-?\d+)\.\.(-?\d+)$/.exec(text);
  // A journal cannot tell -0 from 0: the sum makes one number of both.
  const from = 0 + Number(match?.[1]);
  const to = 0 + Number(match?.[2]);
  if (match === null || !Number.isSafeInteger(from) || !Number.isSafeInteger(to) || from > to) {
    throw new InvalidArgumentError(
      'Expected two integers a..b with a <= b, such as 1..1000, from -(2^53 - 1) to 2^53 - 1.',
    );
  }
  return { from, to };
}

export function parseWhole(
  text: string,
  least: number,
  expected: string,
  most = Number.MAX_SAFE_INTEGER,
): number {
  const value = Number(text);
  if (!/^\d+$/.test(text) || value < least || value > most) {
    throw new InvalidArgumentError(expected);
  }
  return value;
}

export function wholeNumber(least: number, expected: string): (text: string) => number {
  return (text) => parseWhole(text, least, expected);
}

export function addInputOptions(command: Command): Command {
  return command
    .optionsGroup('Input (one of; default: lines of standard input):')
    .option('--files <globs...>', "every file that matches is an input; '!glob' excludes")
    .option('--dot', 'with --files: names that begin with a dot as well')
    .option('--read', "with --files: the function gets the file's content (Uint8Array), not its path")
    .option('--lines [file]', 'every line of a file or of standard input')
    .option('--json <file>', 'every value of a JSON array or of NDJSON')
    .option('--spread', 'with --json: every value is an array, the arguments of a call')
    .option('--range <a..b>', 'every integer from a to b', parseRange);
}
