/** Opens the place that results are written to: the file of --out, the file that standard output is redirected to, a pipe, or a terminal. */

import {
  constants,
  fstatSync,
  ftruncateSync,
  readFileSync,
  type Stats,
  statSync,
  write,
  writeSync,
} from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { STDOUT } from '../../disk/file-id.js';
import {
  isDescriptor,
  type OutFile,
  type OutPath,
  openInPlace,
  openOutFile,
  writeAll,
} from '../../disk/out-file.js';
import { ExpectedError, UsageError } from '../../exit-code.js';
import { attempt, describeSystemError, hasCode, tried } from '../../system-error.js';

/** The file that results go to, or `stream` if they go to no file. Plain JSON, since it is in the journal's header. */
export type Place =
  | { readonly kind: 'out'; readonly path: string }
  | { readonly kind: 'file'; readonly dev: number; readonly ino: number }
  | { readonly kind: 'stream' };

/** `commit` makes what was written the output; without it, `close` leaves the old content, where that is possible. */
export interface Sink extends Omit<OutFile, 'fd'> {
  readonly place: Place;
  /** How many bytes of output there are; for a file its length, so that a cut there loses and doubles nothing. */
  readonly offset: number;
  /** Resolves when the text has left the process. */
  write(text: string): Promise<void>;
}

/** The reader closed the pipe (`| head`): the run ends, and that is no error. */
export class ClosedPipeError extends Error {
  override readonly name = 'ClosedPipeError';
}

/** Where an earlier run of the journal stopped writing: a file is cut there and continued. */
export type OutputMark = Pick<Sink, 'place' | 'offset'>;

const REMEDY = 'append to the same file with >>, or use --out';

/**
 * @param isJournaled whether there is a journal: then a kill must leave what was written
 * @param isStopped whether a signal has ended the run: then nobody waits for the reader of a FIFO
 */
export async function openSink(
  out: OutPath | undefined,
  isJournaled: boolean,
  mark: OutputMark | undefined,
  isStopped: () => boolean,
): Promise<Sink> {
  if (out === undefined) return openStandardOutput(isJournaled, mark);
  const { path } = out;
  if (mark !== undefined) checkOutput(out, mark);
  const open = (): OutFile | undefined => {
    if (statSync(path, { throwIfNoEntry: false })?.isFIFO()) return openFifo(path);
    return isJournaled ? openInPlace(path, mark === undefined ? 'w' : 'a') : openOutFile(out);
  };
  let file: OutFile | undefined;
  while ((file = attempt(open, `cannot write to '${path}'`, ExpectedError)) === undefined) {
    await sleep(NO_READER_WAIT_MS);
    if (isStopped()) throw new Error('interrupted');
  }
  const stats = fstatSync(file.fd);
  if (!stats.isFile()) return streamSink(file, path, isJournaled);
  const place: Place = isDescriptor(out) ? placeOfFile(stats) : { kind: 'out', path };
  return fileSink(file, path, place, mark?.place.kind === 'stream' ? undefined : mark);
}

function placeOfFile({ dev, ino }: Stats): Place {
  return { kind: 'file', dev, ino };
}

/** How many milliseconds pass between two looks whether a FIFO has a reader; guessed. */
const NO_READER_WAIT_MS = 50;

/** Undefined as long as the FIFO has no reader. An open or a write that waits would block the main thread, and with it Ctrl-C. */
function openFifo(path: string): OutFile | undefined {
  try {
    return openInPlace(path, constants.O_WRONLY | constants.O_NONBLOCK);
  } catch (error) {
    if (hasCode(error, ['ENXIO'])) return undefined;
    throw error;
  }
}

function openStandardOutput(isJournaled: boolean, mark: OutputMark | undefined): Sink {
  const file = { fd: STDOUT, commit() {}, close() {} };
  const stats = fstatSync(STDOUT);
  const continued = mark?.place.kind === 'file' ? mark : undefined;
  if (continued !== undefined) checkOutput(undefined, continued);
  if (!stats.isFile()) return streamSink(file, 'standard output', isJournaled);
  return fileSink(file, 'standard output', placeOfFile(stats), continued);
}

/** Throws a UsageError where the output that a journal speaks of is another file now, or has lost a part. Changes nothing. */
export function checkOutput(out: OutPath | undefined, { place, offset }: OutputMark): void {
  if (place.kind === 'stream') return;
  if (out !== undefined) {
    const name = `'${out.path}'`;
    const look = () => statSync(out.path, { throwIfNoEntry: false });
    const stats = attempt(look, `cannot write to ${name}`, ExpectedError);
    mustBe(place, stats, name);
    const remedy = 'bring its content back, or remove the journal to run everything again';
    return mustHave(offset, stats?.size ?? 0, name, remedy);
  }
  const stats = fstatSync(STDOUT);
  if (!stats.isFile())
    throw new UsageError(`the journal's output is a file, and standard output is not one; ${REMEDY}`);
  mustBe(place, stats, 'standard output');
  mustHave(offset, stats.size, 'standard output', `${REMEDY}; or remove the journal to run everything again`);
}

function mustBe(place: Place, stats: Stats | undefined, name: string): void {
  if (place.kind !== 'file' || (place.dev === stats?.dev && place.ino === stats.ino)) return;
  throw new UsageError(`${name} is not the file that the journal belongs to; ${REMEDY}`);
}

function mustHave(offset: number, size: number, name: string, remedy: string): void {
  if (size >= offset) return;
  const sizes = `(${size} bytes, expected at least ${offset})`;
  throw new UsageError(`${name} is shorter than its journal says; ${remedy} ${sizes}`);
}

function fileSink({ fd, commit, close }: OutFile, name: string, place: Place, mark?: OutputMark): Sink {
  const begin = fstatSync(fd);
  const offset = Math.min(begin.size, mark?.offset ?? begin.size);
  if (offset < begin.size) ftruncateSync(fd, offset);
  /** Standard output may well be a file that has no name any more, and some file systems count no names. */
  const keepsName = place.kind === 'out' && begin.nlink > 0;
  const sink = { place, offset, write: writeText, commit, close };
  /** Up to where the file may have been written: ours is not the only program that writes, so it may grow at any moment. */
  let end = appends(fd) ? offset : begin.size;
  return sink;

  async function writeText(text: string): Promise<void> {
    const before = fstatSync(fd).size;
    const isCut = before < end;
    const least = before + writeAll(fd, text, name);
    const { size, nlink } = fstatSync(fd);
    if (keepsName && nlink === 0)
      throw new ExpectedError(`cannot write to '${name}': the file was removed during the run`);
    sink.offset = end = size;
    if (size === least || (size > least && !isCut)) return;
    // The file is not open for appending, and we, or another program, had cut it: so the write began beyond its end, with zeros in between.
    // Or another program had appended to it: so the write went over that.
    ftruncateSync(fd, before);
    const problem =
      place.kind === 'out'
        ? 'was cut by another program during the run'
        : 'is not open for appending; append to it with >>, or use --out';
    throw new ExpectedError(`${name} ${problem}`);
  }
}

/** Whether each write goes to the end of the file, wherever others have written; false where the system does not tell. */
function appends(fd: number): boolean {
  const info = tried(() => readFileSync(`/proc/self/fdinfo/${fd}`, 'utf8')) ?? '';
  return (Number.parseInt(/^flags:\s*(\d+)/m.exec(info)?.[1] ?? '0', 8) & constants.O_APPEND) !== 0;
}

/** How many milliseconds to wait when a non-blocking pipe is full; guessed, short against the time to read its 64 KiB. */
const FULL_PIPE_WAIT_MS = 2;

const writeInBackground = promisify(write);

/**
 * Writes to a pipe, a terminal or a device. process.stdout is not used: a slow reader would block the main thread, and with it Ctrl-C
 * and the pool; and it reports the end of a write too late for the journal.
 */
function streamSink({ fd, commit, close }: OutFile, name: string, isJournaled: boolean): Sink {
  const place: Place = { kind: 'stream' };
  const sink = { place, offset: 0, write: writeText, commit, close };
  return sink;

  async function writeText(text: string): Promise<void> {
    const bytes = Buffer.from(text);
    for (let at = 0; at < bytes.length;) at += await writeSome(bytes.subarray(at));
    sink.offset += bytes.length;
  }

  /** Resolves to the number of bytes that were written, 0 if the pipe is full. */
  async function writeSome(bytes: Buffer): Promise<number> {
    try {
      // With a journal each write is synchronous, so that its record follows at once.
      if (isJournaled) return writeSync(fd, bytes);
      return (await writeInBackground(fd, bytes)).bytesWritten;
    } catch (error) {
      if (hasCode(error, ['EPIPE'])) throw new ClosedPipeError();
      if (!hasCode(error, ['EAGAIN'])) {
        throw new ExpectedError(`cannot write to ${name}: ${describeSystemError(error)}`);
      }
      await sleep(FULL_PIPE_WAIT_MS);
      return 0;
    }
  }
}
