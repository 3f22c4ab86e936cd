/** Decides from a journal's content whether a run is new, goes on, or is complete already. */
import { closeSync, fstatSync, openSync, readSync, statSync } from 'node:fs';
import { resolve } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { crc32 } from 'node:zlib';
import { UsageError } from '../../exit-code.js';
import { attempt } from '../../system-error.js';
import { cut } from '../../format/cut.js';
import {
  type Counts,
  type Done,
  type InputSource,
  noCounts,
  nothingDone,
  type Position,
  type Span,
} from '../inputs/input-source.js';
import type { RunOptions } from '../options.js';
import type { OutputMark } from '../output/sink.js';
import { shownJson } from '../work/described-error.js';
import type { ModuleReference } from '../work/task-module.js';

export type JournalIdentity = ReturnType<typeof identityOf>;

/** What must be equal for a journal to be used again: all that changes the output, unlike --threads, which does not. Plain JSON. */
export function identityOf(
  { out, format, withInput }: Pick<RunOptions, 'out' | 'format' | 'withInput'>,
  { url, exportName }: ModuleReference,
  { identity }: InputSource,
) {
  return {
    module: url,
    export: exportName ?? null,
    input: identity,
    out: out === undefined ? null : resolve(out),
    format,
    withInput,
  };
}

/** The first line of the journal. `offset` is where our output begins in a file that had content before. */
export type JournalHeader = typeof beginning & JournalIdentity & OutputMark;

/** Every other line: the whole state after a piece of output has been written. */
export interface JournalRecord extends Counts {
  readonly mark: Position | null;
  readonly beyond: readonly Span[];
  readonly offset: number;
  /** Only the last record of a complete run has this. */
  readonly complete?: true;
}

/** What earlier runs of the journal leave for this one. */
export interface Resume {
  readonly kind: 'new' | 'continue' | 'complete';
  readonly counts: Counts;
  readonly done: Done;
  /** Undefined for a new run. */
  readonly output: OutputMark | undefined;
  /** The length of the journal without a torn last line, in bytes. */
  readonly length: number;
  /** Its length with that line. Bytes. */
  readonly size: number;
}

export const newRun: Resume = {
  kind: 'new',
  counts: noCounts,
  done: nothingDone,
  output: undefined,
  length: 0,
  size: 0,
};

/** How many characters of a header's field a message shows. */
const LONGEST_VALUE = 400;
/** How many bytes are read at first: records are far smaller, so that one block has the first line, and one or two the last. */
const BLOCK_BYTES = 64 * 1024;
const BEGINNING = '{"threadwise":"journal","version":';
export const beginning = { threadwise: 'journal', version: 1 } as const;

export function planResume(path: string, identity: JournalIdentity): Resume {
  const fd = openForReading(path);
  if (fd === undefined) return newRun;
  try {
    return resumeOf(path, fd, identity);
  } finally {
    closeSync(fd);
  }
}

function resumeOf(path: string, fd: number, identity: JournalIdentity): Resume {
  const { size } = fstatSync(fd);
  const first = read(fd, 0, BLOCK_BYTES).toString('utf8').split('\n', 1)[0]!;
  if (!first.startsWith(BEGINNING) && !BEGINNING.startsWith(first))
    throw new UsageError(`'${path}' is not a journal of threadwise run; expected a new file or one of ours`);
  const [line, ...more] = headOf(fd, size).split('\n');
  // The writer was killed within the first line.
  if (more.length === 0) return { ...newRun, size };
  const header = parse(path, line!) as JournalHeader;
  checkIdentity(path, header, identity);
  const { lines, end } = tailOf(fd, size);
  // Each record says everything, so the others need not be read.
  const record = lines.length === 0 ? undefined : (parse(path, lines.at(-1)!) as JournalRecord);
  const { inputs, failed, bytes } = record ?? noCounts;
  return {
    kind: record?.complete === true ? 'complete' : 'continue',
    counts: { inputs, failed, bytes },
    done: { mark: record?.mark ?? undefined, beyond: record?.beyond ?? [] },
    output: { place: header.place, offset: record?.offset ?? header.offset },
    // A line that was torn by a kill may follow the whole lines.
    length: end,
    size,
  };
}

function checkIdentity(path: string, header: JournalHeader, identity: JournalIdentity): void {
  if (header.version !== beginning.version)
    throw new UsageError(
      `journal '${path}' has version ${cut(shownJson(header.version), LONGEST_VALUE)}, this command writes ${beginning.version}`,
    );
  const keys = Object.keys(identity) as (keyof JournalIdentity)[];
  const different = keys.filter((key) => !isDeepStrictEqual(header[key], identity[key]));
  if (different.length === 0) return;
  const show = (value: unknown): string =>
    value === undefined ? 'missing' : cut(shownJson(value), LONGEST_VALUE);
  const list = different.map((key) => `${key} was ${show(header[key])}, is ${show(identity[key])}`);
  throw new UsageError(`journal '${path}' belongs to another command: ${list.join('; ')}`);
}

/** The beginning of the file, with the whole first line if it ends. */
function headOf(fd: number, size: number): string {
  for (let length = BLOCK_BYTES; ; length *= 2) {
    const head = read(fd, 0, length);
    if (head.includes('\n') || length >= size) return head.toString('utf8');
  }
}

/** The last whole lines of the file, without its first one, and where they end. */
function tailOf(fd: number, size: number): { lines: string[]; end: number } {
  for (let length = BLOCK_BYTES; ; length *= 2) {
    const start = Math.max(0, size - length);
    const tail = read(fd, start, length);
    const end = tail.lastIndexOf('\n') + 1;
    // The text before the first newline is the first line of the file, or may be only a part of a line.
    const lines = tail.toString('utf8', 0, end).split('\n').slice(1, -1);
    if (lines.length > 0 || start === 0) return { lines, end: start + end };
  }
}

function read(fd: number, start: number, length: number): Buffer {
  const bytes = Buffer.alloc(length);
  return bytes.subarray(0, readSync(fd, bytes, 0, length, start));
}

function openForReading(path: string): number | undefined {
  const problem = `cannot read journal '${path}'`;
  const stats = attempt(() => statSync(path, { throwIfNoEntry: false }), problem);
  // The kind is checked before opening: to open a pipe that has no writer would block.
  if (path === '-' || stats?.isFile() === false)
    throw new UsageError(
      `cannot use '${path}' as a journal: expected a regular file, which can be read again`,
    );
  return stats && attempt(() => openSync(path, 'r'), problem);
}

/**
 * The line that is written: the content, and the checksum of the text before it. With a mark that is too small, inputs would run and be written
 * twice; with one that is too large, inputs would be left out: so a line that has changed since is refused.
 */
export function sealed(content: object): string {
  const text = JSON.stringify(content).slice(0, -1);
  return `${text},"crc32":${crc32(text)}}\n`;
}

/** Inverse of `sealed`, for a line without its end. */
function parse(path: string, line: string): unknown {
  const [, text, sum] = /^(.*),"crc32":(\d+)\}$/s.exec(line) ?? [];
  if (text !== undefined && crc32(text) === Number(sum)) return JSON.parse(`${text}}`);
  throw new UsageError(`journal '${path}' is damaged: the checksum of a line is wrong`);
}
