/**
 * Writes to standard output where it is a pipe or a terminal.
 *
 * Not through process.stdout: that blocks the main thread while the reader is slow, and with it Ctrl-C and the pool;
 * and it says too late for the journal when a write is done.
 */

import { write, writeSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { STDOUT } from '../../disk/file-id.js';
import { describeSystemError, hasCode, OutputError } from '../../usage-error.js';
import { ClosedPipeError, type Place, type Sink } from './sink.js';

/** How long to wait when the pipe is full and somebody made it non-blocking; guessed, short against a pipe's 64 KiB. */
const FULL_PIPE_WAIT_MS = 2;

const writeInBackground = promisify(write);

/** With a journal each write is synchronous, so that its record follows at once. */
export function openPipe(isJournaled: boolean): Sink {
  return new PipeSink(isJournaled);
}

class PipeSink implements Sink {
  readonly place: Place = { kind: 'stream' };
  offset = 0;
  readonly #isJournaled: boolean;

  constructor(isJournaled: boolean) {
    this.#isJournaled = isJournaled;
  }

  async write(text: string): Promise<void> {
    const bytes = Buffer.from(text);
    for (let at = 0; at < bytes.length;) at += await this.#writeSome(bytes.subarray(at));
    this.offset += bytes.length;
  }

  commit(): void {}

  close(): void {}

  /** The number of bytes that were taken, 0 if the pipe is full. */
  async #writeSome(bytes: Buffer): Promise<number> {
    try {
      if (this.#isJournaled) return writeSync(STDOUT, bytes);
      return (await writeInBackground(STDOUT, bytes)).bytesWritten;
    } catch (error) {
      if (hasCode(error, ['EPIPE'])) throw new ClosedPipeError();
      if (!hasCode(error, ['EAGAIN'])) {
        throw new OutputError(`cannot write to standard output: ${describeSystemError(error)}`);
      }
      await sleep(FULL_PIPE_WAIT_MS);
      return 0;
    }
  }
}
