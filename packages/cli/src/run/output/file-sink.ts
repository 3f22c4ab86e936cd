/** Writes to a regular file, ours (--out) or the one standard output is redirected to. */

import { fstatSync, ftruncateSync } from 'node:fs';
import { STDOUT } from '../../disk/file-id.js';
import { type OutFile, type OutPath, openInPlace, openOutFile, writeAll } from '../../disk/out-file.js';
import { describeSystemError, OutputError, UsageError } from '../../usage-error.js';
import type { Place, Sink } from './sink.js';

/** Where an earlier run of the journal stopped writing. */
export interface OutputMark {
  readonly place: Place;
  readonly offset: number;
}

/** `mark`: where an earlier run of the journal stopped; the file is cut there and continued. With a journal a kill must leave what is written. */
export function openOut(out: OutPath, isJournaled: boolean, mark: OutputMark | undefined): Sink {
  const { path } = out;
  const file = opened(path, () => {
    if (mark !== undefined) return openInPlace(path, 'a');
    return isJournaled ? openInPlace(path, 'w') : openOutFile(out);
  });
  if (!fstatSync(file.fd).isFile()) return new FileSink(file, path, { kind: 'stream' });
  if (mark !== undefined) cutTo(file.fd, mark.offset, `'${path}' is shorter than its journal says`);
  return new FileSink(file, path, { kind: 'out', path });
}

export function openRedirectedStdout(mark: OutputMark | undefined): Sink {
  const { dev, ino } = fstatSync(STDOUT);
  if (mark !== undefined) {
    const remedy = 'append to the same file with >>, or use --out';
    const { place } = mark;
    if (place.kind === 'file' && (place.dev !== dev || place.ino !== ino)) {
      throw new UsageError(`standard output is not the file that the journal belongs to; ${remedy}`);
    }
    if (place.kind === 'file') {
      cutTo(STDOUT, mark.offset, `standard output is shorter than its journal says; ${remedy}`);
    }
  }
  const stdout: OutFile = { fd: STDOUT, commit() {}, close() {} };
  return new FileSink(stdout, 'standard output', { kind: 'file', dev, ino });
}

class FileSink implements Sink {
  readonly place: Place;
  readonly #file: OutFile;
  readonly #name: string;
  #offset: number;

  constructor(file: OutFile, name: string, place: Place) {
    this.#file = file;
    this.#name = name;
    this.place = place;
    this.#offset = place.kind === 'stream' ? 0 : fstatSync(file.fd).size;
  }

  get offset(): number {
    return this.#offset;
  }

  async write(text: string): Promise<void> {
    if (text === '') return;
    const { fd } = this.#file;
    const before = this.place.kind === 'stream' ? 0 : fstatSync(fd).size;
    const length = writeAll(fd, text, this.#name);
    if (this.place.kind === 'stream') return;
    // Measured, not added up: somebody else may have written to a redirected standard output before us.
    this.#offset = fstatSync(fd).size;
    if (this.#offset === before + length) return;
    // Not opened for appending and its position beyond the end (we cut it): zeros would be left in between.
    ftruncateSync(fd, before);
    throw new OutputError(`${this.#name} was not written at its end; append to it with >>, or use --out`);
  }

  commit(): void {
    this.#file.commit();
  }

  close(): void {
    this.#file.close();
  }
}

function opened(path: string, open: () => OutFile): OutFile {
  try {
    return open();
  } catch (error) {
    throw new UsageError(`cannot write to '${path}': ${describeSystemError(error)}`);
  }
}

function cutTo(fd: number, offset: number, tooShort: string): void {
  const { size } = fstatSync(fd);
  if (size < offset) throw new UsageError(`${tooShort} (${size} bytes, expected at least ${offset})`);
  if (size > offset) ftruncateSync(fd, offset);
}
