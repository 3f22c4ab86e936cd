/** Bytes from a file or from standard input, checked before anything starts, for the inputs made of text. */

import { accessSync, constants, createReadStream, type Stats, statSync } from 'node:fs';
import { resolve } from 'node:path';
import { describeSystemError, UsageError } from '../../usage-error.js';

export interface ByteStream {
  /** For messages: the path as given, or "standard input". */
  readonly name: string;
  /** For the journal: the absolute path, or "-". */
  readonly identity: string;
  /** Known for regular files only. */
  readonly size: number | undefined;
  /** Whether `open` can be called again from the beginning. */
  readonly isRepeatable: boolean;
  open(): AsyncIterable<Buffer>;
  close(): void;
}

/** Large enough that the reads do not matter, small enough to start early. */
const CHUNK_BYTES = 256 * 1024;

export function openBytes(file: string | undefined): ByteStream {
  return file === undefined || file === '-' ? standardInput() : regular(file, checked(file));
}

function checked(file: string): Stats {
  try {
    const stats = statSync(file);
    if (stats.isDirectory()) throw new UsageError(`'${file}' is a directory; expected a file`);
    accessSync(file, constants.R_OK);
    return stats;
  } catch (error) {
    if (error instanceof UsageError) throw error;
    throw new UsageError(`cannot read '${file}': ${describeSystemError(error)}`);
  }
}

function regular(file: string, stats: Stats): ByteStream {
  const open = new Set<{ destroy(): unknown }>();
  return {
    name: file,
    identity: resolve(file),
    size: stats.isFile() ? stats.size : undefined,
    isRepeatable: stats.isFile(),
    open() {
      const stream = createReadStream(file, { highWaterMark: CHUNK_BYTES });
      open.add(stream);
      return readable(stream, file);
    },
    close() {
      for (const stream of open) stream.destroy();
    },
  };
}

function standardInput(): ByteStream {
  return {
    name: 'standard input',
    identity: '-',
    size: undefined,
    isRepeatable: false,
    open: () => readable(process.stdin, 'standard input'),
    // Without this a pipe that stays open would keep the process alive.
    close: () => void process.stdin.destroy(),
  };
}

async function* readable(stream: AsyncIterable<unknown>, name: string): AsyncGenerator<Buffer> {
  try {
    for await (const chunk of stream) yield chunk as Buffer;
  } catch (error) {
    throw new UsageError(`cannot read '${name}': ${describeSystemError(error)}`);
  }
}
