/** What --lines and --json have in common: they read the bytes of a file or of standard input. */
import { constants as bufferConstants } from 'node:buffer';
import { accessSync, constants, createReadStream, fstatSync, openSync, type Stats, statSync } from 'node:fs';
import { Socket } from 'node:net';
import { resolve } from 'node:path';
import { STDIN } from '../../disk/file-id.js';
import { UsageError } from '../../exit-code.js';
import { formatBytes } from '../../format/figures.js';
import { attempt, describeSystemError } from '../../system-error.js';
import { READ_AT_ONCE } from '../work/passing.js';
import {
  type Done,
  type Input,
  type InputSource,
  isDone,
  nothingDone,
  type SampledInput,
} from './input-source.js';

/** A value, and how many bytes of the input it took. */
export interface Counted<Value = unknown> {
  readonly value: Value;
  readonly bytes: number;
}

/** @param name the name of the file, for messages */
type Parse = (chunks: AsyncGenerator<Buffer>, name: string) => AsyncIterable<readonly Counted[]>;

/** How many bytes are read at a time: enough that the reads do not matter, few enough to start early. */
const CHUNK_BYTES = 256 * 1024;

/**
 * Checks before anything starts that the file can be read. Throws UsageError.
 * @param file undefined or `-`: standard input
 * @param identity what the journal records besides the file
 */
export function openStream(kind: 'lines' | 'json', file = '-', parse: Parse, identity = {}): InputSource {
  const isStdin = file === '-';
  const stats = checked(file, isStdin);
  const name = isStdin ? 'standard input' : file;
  const open = new Set<{ destroy(): unknown }>();
  async function* chunks(): AsyncGenerator<Buffer> {
    try {
      const stream = isStdin
        ? process.stdin
        : stats.isFIFO()
          ? new Socket({ fd: openSync(file, READ_AT_ONCE), writable: false })
          : createReadStream(file, { highWaterMark: CHUNK_BYTES });
      open.add(stream);
      yield* stream as AsyncIterable<Buffer>;
    } catch (error) {
      throw new UsageError(`cannot read '${name}': ${describeSystemError(error)}`);
    }
  }
  const read = (done: Done): AsyncGenerator<readonly Input[]> => numbered(parse(chunks(), name), done);
  // Without this a pipe that stays open would keep the process alive.
  if (isStdin) open.add({ destroy: () => process.stdin.destroy() });
  return {
    unit: kind === 'lines' ? 'lines' : 'values',
    identity: { kind, file: isStdin ? '-' : resolve(file), ...identity },
    totalBytes: !isStdin && stats.isFile() ? stats.size : undefined,
    read,
    sample: (count) => ({
      inputs: firstOf(read(nothingDone), count),
      how: 'from the beginning',
    }),
    close() {
      for (const stream of open) stream.destroy();
    },
  };
}

function checked(file: string, isStdin: boolean): Stats {
  const stats = isStdin ? fstatSync(STDIN) : attempt(() => statSync(file), `cannot read '${file}'`);
  const what = isStdin ? 'standard input' : `'${file}'`;
  if (stats.isDirectory()) throw new UsageError(`${what} is a directory; expected a file`);
  if (!isStdin) attempt(() => accessSync(file, constants.R_OK), `cannot read '${file}'`);
  return stats;
}

/** Gives the values their numbers as positions and leaves out those that are done. */
async function* numbered(
  groups: AsyncIterable<readonly Counted[]>,
  done: Done,
): AsyncGenerator<readonly Input[]> {
  let first = 0;
  for await (const group of groups) {
    const inputs = group.map(({ value, bytes }, i) => ({ value, bytes, position: first + i }));
    first += group.length;
    const left = inputs.filter(({ position }) => !isDone(done, position));
    if (left.length > 0) yield left;
  }
}

async function* firstOf(
  groups: AsyncIterable<readonly Input[]>,
  count: number,
): AsyncGenerator<SampledInput> {
  let left = count;
  for await (const group of groups) {
    for (const input of group.slice(0, left)) yield { ...input, weight: 1 };
    left -= group.length;
    if (left <= 0) return;
  }
}

const NEWLINE = 10;
const BOM_BYTES = 3;
/** The longest string, less what one chunk may add to a line that has begun. */
const MAX_LINE_BYTES = bufferConstants.MAX_STRING_LENGTH - 4 * CHUNK_BYTES;

/**
 * Cuts at the byte level, so that a character split over two chunks needs no care (no UTF-8 sequence contains a newline
 * byte), and the size of each line needs no computation.
 */
export async function* readLines(
  chunks: AsyncIterable<Buffer>,
  name: string,
): AsyncGenerator<Counted<string>[]> {
  /** The beginning of the line that has not ended. */
  let begun: Buffer[] = [];
  let begunBytes = 0;
  let number = 1;
  const ended = (rest: Buffer, newlineBytes: number): Counted<string> => {
    const whole = begun.length === 0 ? rest : Buffer.concat([...begun, rest]);
    begun = [];
    begunBytes = 0;
    const marked = whole.toString('utf8');
    const text = number === 1 && marked.startsWith('\ufeff') ? marked.slice(1) : marked;
    number += 1;
    // Only \r\n ends a line: where the newline is missing, as after the last line, the \r is one of the line's characters.
    const isCrLf = newlineBytes > 0 && text.endsWith('\r');
    return { value: isCrLf ? text.slice(0, -1) : text, bytes: whole.length + newlineBytes };
  };
  for await (const chunk of chunks) {
    const lines: Counted<string>[] = [];
    let start = 0;
    for (let end = chunk.indexOf(NEWLINE); end !== -1; end = chunk.indexOf(NEWLINE, start)) {
      lines.push(ended(chunk.subarray(start, end), 1));
      start = end + 1;
    }
    if (start < chunk.length) begun.push(chunk.subarray(start));
    begunBytes += chunk.length - start;
    yield lines;
    if (begunBytes > MAX_LINE_BYTES) {
      const limit = `has more than ${formatBytes(MAX_LINE_BYTES)}`;
      throw new UsageError(`line ${number} of '${name}' ${limit}: expected lines that fit into a string`);
    }
  }
  if (begun.length === 0) return;
  const last = ended(Buffer.alloc(0), 0);
  // A file that has nothing but a byte order mark is as empty as one without.
  if (last.value !== '' || last.bytes !== BOM_BYTES) yield [last];
}
