/** Chooses the sink for a run: --out, a redirected standard output, or a pipe. */

import { fstatSync } from 'node:fs';
import { STDOUT } from '../../disk/file-id.js';
import type { OutPath } from '../../disk/out-file.js';
import { OutputError, UsageError } from '../../usage-error.js';
import { type OutputMark, openOut, openRedirectedStdout } from './file-sink.js';
import { openPipe } from './pipe-sink.js';
import type { Sink } from './sink.js';

export interface SinkOptions {
  readonly out: OutPath | undefined;
  readonly isJournaled: boolean;
  /** Where the journal's earlier runs stopped. */
  readonly mark: OutputMark | undefined;
}

export function openSink({ out, isJournaled, mark }: SinkOptions): Sink {
  if (out !== undefined) return openOut(out, isJournaled, mark);
  if (isFile()) return openRedirectedStdout(mark);
  if (mark?.place.kind === 'file') {
    throw new UsageError('the journal belongs to a file; append to the same file with >>, or use --out');
  }
  return openPipe(isJournaled);
}

function isFile(): boolean {
  try {
    return fstatSync(STDOUT).isFile();
  } catch {
    throw new OutputError('standard output is closed; use --out <file>');
  }
}
