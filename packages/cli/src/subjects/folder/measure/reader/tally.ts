/** Counts what was read, the same in every way: a file that vanished or may not be read is counted and does not end the measurement. */
import { describeSystemError } from '../../../../exit-code.js';

export interface Failed {
  readonly path: string;
  readonly why: string;
}

/** What was read, without what failed. */
export interface Counted {
  readonly files: number;
  readonly bytes: number;
  readonly failed: readonly Failed[];
}

/** A folder of a million files that are gone must not become a message of a million lines. */
const MOST_FAILED = 1000;

/** The process, or the system, has too many files open. */
const OUT_OF_FILES: ReadonlySet<unknown> = new Set(['EMFILE', 'ENFILE']);

export class Tally implements Counted {
  files = 0;
  bytes = 0;
  readonly failed: Failed[] = [];

  /** The content itself is let go of. */
  add(content: Uint8Array): void {
    this.files += 1;
    this.bytes += content.byteLength;
  }

  /** Throws where it is not the file that is at fault. */
  fail(path: string, error: unknown): void {
    if (error instanceof Error && 'code' in error && OUT_OF_FILES.has(error.code)) throw error;
    if (this.failed.length < MOST_FAILED) this.failed.push({ path, why: describeSystemError(error) });
  }

  addAll({ files, bytes, failed }: Counted): void {
    this.files += files;
    this.bytes += bytes;
    for (const each of failed) if (this.failed.length < MOST_FAILED) this.failed.push(each);
  }
}

/** What is said of it to another process or thread. */
export function countedOf({ files, bytes, failed }: Tally): Counted {
  return { files, bytes, failed };
}
