/** Writes to a regular file, ours (--out) or the one standard output is redirected to. */

import { closeSync, fstatSync, ftruncateSync, openSync, writeSync } from 'node:fs';
import { describeSystemError, UsageError } from '../../usage-error.js';
import { OutputError, type Place, type Sink } from './sink.js';

/** Where an earlier run of the journal stopped writing. */
export interface OutputMark {
  readonly place: Place;
  readonly offset: number;
}

const STDOUT = 1;

/** `mark` undefined: a new file. Otherwise the file is cut to what the journal knows and goes on from there. */
export function openOutFile(path: string, mark: OutputMark | undefined): Sink {
  const fd = open(path, mark === undefined ? 'w' : 'a');
  const place: Place = { kind: 'out', path };
  if (!fstatSync(fd).isFile()) return new FileSink(fd, path, { kind: 'stream' });
  if (mark !== undefined) cutTo(fd, mark.offset, `'${path}' is shorter than its journal says`);
  return new FileSink(fd, path, place);
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
  return new FileSink(STDOUT, 'standard output', { kind: 'file', dev, ino });
}

class FileSink implements Sink {
  readonly place: Place;
  readonly #fd: number;
  readonly #name: string;
  #offset: number;

  constructor(fd: number, name: string, place: Place) {
    this.#fd = fd;
    this.#name = name;
    this.place = place;
    this.#offset = place.kind === 'stream' ? 0 : fstatSync(fd).size;
  }

  get offset(): number {
    return this.#offset;
  }

  async write(text: string): Promise<void> {
    if (text === '') return;
    const bytes = Buffer.from(text);
    const before = this.place.kind === 'stream' ? 0 : fstatSync(this.#fd).size;
    this.#writeAll(bytes);
    if (this.place.kind === 'stream') return;
    // Measured, not added up: somebody else may have written to a redirected standard output before us.
    this.#offset = fstatSync(this.#fd).size;
    if (this.#offset === before + bytes.length) return;
    // Not opened for appending and its position beyond the end (we cut it): zeros would be left in between.
    ftruncateSync(this.#fd, before);
    throw new OutputError(`${this.#name} was not written at its end; append to it with >>, or use --out`);
  }

  close(): void {
    if (this.#fd !== STDOUT) closeSync(this.#fd);
  }

  #writeAll(bytes: Buffer): void {
    try {
      for (let at = 0; at < bytes.length;) at += writeSync(this.#fd, bytes, at);
    } catch (error) {
      throw new OutputError(`cannot write to ${this.#name}: ${describeSystemError(error)}`);
    }
  }
}

function open(path: string, flags: 'w' | 'a'): number {
  try {
    return openSync(path, flags);
  } catch (error) {
    throw new UsageError(`cannot write to '${path}': ${describeSystemError(error)}`);
  }
}

function cutTo(fd: number, offset: number, tooShort: string): void {
  const { size } = fstatSync(fd);
  if (size < offset) throw new UsageError(`${tooShort} (${size} bytes, expected at least ${offset})`);
  if (size > offset) ftruncateSync(fd, offset);
}
