/**
 * What a journal says is checked before a run goes on by it: every field by itself, and the fields against each other. A mark that is
 * too small runs inputs again and writes their lines twice; one that is too large leaves inputs out.
 */

import { isAbsolute } from 'node:path';
import {
  type Check,
  count,
  describeWrong,
  isCount,
  list,
  number,
  object,
  oneOf,
  optional,
  shortly,
  string,
  that,
} from '../../checks.js';
import { UsageError } from '../../usage-error.js';
import { type Compare, compareNumbers } from '../inputs/input-source.js';
import { comparePaths } from '../inputs/walk.js';
import type { JournalHeader, JournalRecord } from './resume.js';

/** What a position is: the number of an input, or its path. */
interface Kind {
  readonly compare: Compare;
  readonly isPosition: (value: unknown) => boolean;
  readonly what: string;
}

const NUMBERS: Kind = {
  compare: compareNumbers,
  isPosition: isCount,
  what: 'the number of an input, from 0 on',
};
const PATHS: Kind = {
  compare: (a, b) => comparePaths(String(a), String(b)),
  isPosition: (value) => typeof value === 'string' && isAbsolute(value),
  what: 'the absolute path of an input',
};

const PLACES: Readonly<Record<string, Check>> = {
  out: object({ path: string }),
  file: object({ dev: number, ino: number }),
  stream: object({}),
};
const placeKind = object({ kind: oneOf(...Object.keys(PLACES)) });

/** Of the rest of a header it is enough that it is that of the same command. */
const HEADER = object({
  offset: count,
  place: (value, path) => placeKind(value, path) ?? PLACES[(value as { kind: string }).kind]!(value, path),
});

const RECORD = {
  inputs: count,
  failed: count,
  bytes: count,
  offset: count,
  complete: optional(oneOf(true)),
};

export function checkHeader(path: string, header: JournalHeader): void {
  const wrong = HEADER(header, '');
  if (wrong !== undefined) throw damaged(path, describeWrong(wrong));
}

export function checkRecord(path: string, record: JournalRecord, header: JournalHeader): void {
  const kind = header.input.kind === 'files' ? PATHS : NUMBERS;
  const wrong = recordOf(kind)(record, '');
  const problem = wrong === undefined ? disagreement(record, header.offset, kind) : describeWrong(wrong);
  if (problem !== undefined) throw damaged(path, problem);
}

function damaged(path: string, problem: string): UsageError {
  return new UsageError(`journal '${path}' is damaged: ${problem}`);
}

function recordOf({ compare, isPosition, what }: Kind): Check {
  const isSpan = (value: unknown): boolean =>
    Array.isArray(value) && value.length === 2 && value.every(isPosition) && compare(value[0], value[1]) <= 0;
  return object({
    mark: that((value) => value === null || isPosition(value), `${what}, or null`),
    beyond: list(that(isSpan, 'the first and the last of a stretch')),
    ...RECORD,
  });
}

function disagreement(record: JournalRecord, begin: number, kind: Kind): string | undefined {
  const { mark, beyond, inputs, failed, offset } = record;
  const early = mark === null ? -1 : beyond.findIndex(([first]) => kind.compare(first, mark) <= 0);
  if (early !== -1) {
    return `beyond[${early}]: expected a stretch behind the mark, got one from ${shortly(beyond[early]![0])} on`;
  }
  const done = kind === NUMBERS ? numbersDone(record) : undefined;
  if (done !== undefined && done !== inputs) {
    return `inputs: expected ${done}, as many as mark and beyond say are done, got ${inputs}`;
  }
  // How many paths there are between two of them cannot be told.
  if (mark === null && beyond.length === 0 && inputs > 0) {
    return `inputs: expected 0, since nothing is done, got ${inputs}`;
  }
  if (failed > inputs) return `failed: expected at most ${inputs}, the number of inputs, got ${failed}`;
  if (offset < begin) return `offset: expected at least ${begin}, where the output begins, got ${offset}`;
  return undefined;
}

/** Stretches of an earlier run may lie inside of newer ones. */
function numbersDone({ mark, beyond }: JournalRecord): number {
  let next = mark === null ? 0 : Number(mark) + 1;
  let done = next;
  for (const [first, last] of beyond.toSorted(([a], [b]) => compareNumbers(a, b))) {
    const from = Math.max(next, Number(first));
    done += Math.max(0, Number(last) + 1 - from);
    next = Math.max(next, Number(last) + 1);
  }
  return done;
}
