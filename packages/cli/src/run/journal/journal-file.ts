/** The journal on disk: JSON lines, a header and then records, only ever appended. Knows nothing of a run. */

import { closeSync, fstatSync, ftruncateSync, openSync, readSync, statSync } from 'node:fs';
import { writeAll } from '../../disk/out-file.js';
import { describeSystemError, hasCode, UsageError } from '../../usage-error.js';

const NEWLINE = 10;
/** Records are far smaller; the last one is found in the last block or two. */
const BLOCK_BYTES = 64 * 1024;

export interface JournalContent {
  readonly header: unknown;
  /** The last whole record; each one says everything, so the others need not be read. */
  readonly last: unknown;
  /** Up to here the file is whole; a line torn by a kill comes after. */
  readonly length: number;
}

/** Undefined if there is no journal yet: no file, or one that was killed within its first line. */
export function readJournalFile(
  path: string,
  isOurs: (firstBytes: string) => boolean,
): JournalContent | undefined {
  const fd = openForReading(path);
  if (fd === undefined) return undefined;
  try {
    const { size } = fstatSync(fd);
    const headerEnd = findNewline(fd, 0, size);
    if (!isOurs(readText(fd, 0, Math.min(headerEnd ?? size, BLOCK_BYTES)))) {
      throw new UsageError(
        `'${path}' is not a journal of threadwise run; expected a new file or one of ours`,
      );
    }
    if (headerEnd === undefined) return undefined;
    const length = findLineStart(fd, size);
    const lastStart = findLineStart(fd, length - 1);
    return {
      header: parse(path, readText(fd, 0, headerEnd)),
      last: lastStart === 0 ? undefined : parse(path, readText(fd, lastStart, length - 1)),
      length,
    };
  } finally {
    closeSync(fd);
  }
}

export interface JournalWriter {
  /** Goes on behind `length`, without what is torn; 0 begins anew. */
  cut(length: number): void;
  append(line: unknown): void;
  close(): void;
}

export function openJournalWriter(path: string): JournalWriter {
  const name = `journal '${path}'`;
  const fd = openOrSay(path, 'a');
  return {
    cut: (length) => ftruncateSync(fd, length),
    append: (line) => void writeAll(fd, `${JSON.stringify(line)}\n`, name),
    close: () => closeSync(fd),
  };
}

function openForReading(path: string): number | undefined {
  try {
    // Asked before it is opened: a pipe without a writer would not open.
    if (!statSync(path).isFile()) {
      throw new UsageError(
        `cannot use '${path}' as a journal: expected a regular file, which can be read again`,
      );
    }
    return openSync(path, 'r');
  } catch (error) {
    if (hasCode(error, ['ENOENT'])) return undefined;
    if (error instanceof UsageError) throw error;
    throw new UsageError(`cannot read journal '${path}': ${describeSystemError(error)}`);
  }
}

function openOrSay(path: string, flags: string): number {
  try {
    return openSync(path, flags);
  } catch (error) {
    throw new UsageError(`cannot write journal '${path}': ${describeSystemError(error)}`);
  }
}

function parse(path: string, line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    throw new UsageError(`journal '${path}' is damaged: a whole line of it is not JSON`);
  }
}

function readText(fd: number, start: number, end: number): string {
  return read(fd, start, end).toString('utf8');
}

function read(fd: number, start: number, end: number): Buffer {
  const bytes = Buffer.alloc(Math.max(0, end - start));
  let at = 0;
  while (at < bytes.length) {
    const count = readSync(fd, bytes, at, bytes.length - at, start + at);
    if (count === 0) break;
    at += count;
  }
  return bytes.subarray(0, at);
}

function findNewline(fd: number, start: number, size: number): number | undefined {
  for (let at = start; at < size; at += BLOCK_BYTES) {
    const found = read(fd, at, Math.min(size, at + BLOCK_BYTES)).indexOf(NEWLINE);
    if (found !== -1) return at + found;
  }
  return undefined;
}

/** Behind the last newline before `end`, 0 if there is none. */
function findLineStart(fd: number, end: number): number {
  for (let at = end; at > 0; at -= BLOCK_BYTES) {
    const start = Math.max(0, at - BLOCK_BYTES);
    const found = read(fd, start, at).lastIndexOf(NEWLINE);
    if (found !== -1) return start + found + 1;
  }
  return 0;
}
