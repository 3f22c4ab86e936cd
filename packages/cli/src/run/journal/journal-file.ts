/** The journal on disk: JSON lines, a header and then records, only ever appended. Knows nothing of a run. */

import { closeSync, fstatSync, ftruncateSync, openSync, readSync, statSync } from 'node:fs';
import { writeAll } from '../../disk/out-file.js';
import { attempt, describeSystemError, hasCode, UsageError } from '../../exit-code.js';

/** Records are far smaller: the first line is found in one block, the last one in one or two. */
const BLOCK_BYTES = 64 * 1024;

/** Undefined if there is no journal yet: no file, or one that was killed within its first line. */
export function readJournalFile(path: string, isOurs: (firstBytes: string) => boolean) {
  const fd = openForReading(path);
  if (fd === undefined) return undefined;
  try {
    const { size } = fstatSync(fd);
    const [beginning] = read(fd, 0, BLOCK_BYTES).toString('utf8').split('\n', 1);
    if (!isOurs(beginning!)) {
      throw new UsageError(
        `'${path}' is not a journal of threadwise run; expected a new file or one of ours`,
      );
    }
    const [header, ...more] = headOf(fd, size).split('\n');
    if (more.length === 0) return undefined;
    const { lines, end } = tailOf(fd, size);
    const last = lines.at(-1);
    return {
      header: parse(path, header!),
      /** The last whole record; each one says everything, so the others need not be read. */
      last: last === undefined ? undefined : parse(path, last),
      /** The length of the whole lines. A line torn by a kill comes after them. Bytes. */
      length: end,
    };
  } finally {
    closeSync(fd);
  }
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
    // What goes before the first newline is the first line of the file, or may be a part of one.
    const lines = tail.toString('utf8', 0, end).split('\n').slice(1, -1);
    if (lines.length > 0 || start === 0) return { lines, end: start + end };
  }
}

function read(fd: number, start: number, length: number): Buffer {
  const bytes = Buffer.alloc(length);
  return bytes.subarray(0, readSync(fd, bytes, 0, length, start));
}

export type JournalWriter = ReturnType<typeof openJournalWriter>;

export function openJournalWriter(path: string) {
  const fd = attempt(() => openSync(path, 'a'), `cannot write journal '${path}'`);
  return {
    /** Goes on behind `length`, without what is torn; 0 begins anew. */
    cut: (length: number): void => ftruncateSync(fd, length),
    append: (line: unknown): void => void writeAll(fd, `${JSON.stringify(line)}\n`, `journal '${path}'`),
    close: (): void => closeSync(fd),
  };
}

function openForReading(path: string): number | undefined {
  try {
    // Asked before it is opened: a pipe without a writer would not open.
    if (statSync(path).isFile()) return openSync(path, 'r');
  } catch (error) {
    if (hasCode(error, ['ENOENT'])) return undefined;
    throw new UsageError(`cannot read journal '${path}': ${describeSystemError(error)}`);
  }
  throw new UsageError(`cannot use '${path}' as a journal: expected a regular file, which can be read again`);
}

function parse(path: string, line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    throw new UsageError(`journal '${path}' is damaged: a whole line of it is not JSON`);
  }
}
