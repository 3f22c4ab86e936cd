/** Opens the source that reads the inputs, of whichever kind the options name. */
import { type FileName, named, type NamedFile, STDIN } from '../../disk/file-id.js';
import type { Passing } from '../work/passing.js';
import { type FilesOptions, openFiles } from './files.js';
import { type Input, type InputSource, isDone } from './input-source.js';
import { readJson, readLists } from './json.js';
import { openStream, readLines } from './stream.js';

export type InputOptions =
  | ({ readonly kind: 'files' } & Omit<FilesOptions, 'ownFiles'>)
  | { readonly kind: 'lines'; readonly file: string | undefined }
  | { readonly kind: 'json'; readonly file: string; readonly spread?: boolean }
  | ({ readonly kind: 'range' } & RangeOptions);

export function passingOf(options: InputOptions): Passing {
  if (options.kind === 'files' && options.read === true) return 'read';
  return options.kind === 'json' && options.spread === true ? 'spread' : 'value';
}

/** The input files, which the run must not write. A written file that a pattern finds is left out of the inputs instead. */
export function filesRead(options: InputOptions): NamedFile[] {
  if (options.kind === 'range') return [];
  if (options.kind === 'files') return options.patterns.map((pattern) => named('--files', pattern));
  const { kind, file } = options;
  const isStdin = file === undefined || file === '-';
  return [isStdin ? { what: 'standard input', file: STDIN } : named(`--${kind}`, file)];
}

/** @param ownFiles the files that the run writes */
export function openInputs(
  options: InputOptions,
  ownFiles: readonly (FileName | undefined)[] = [],
): InputSource {
  switch (options.kind) {
    case 'files':
      return openFiles({ ...options, ownFiles: ownFiles.filter((file) => file !== undefined) });
    case 'lines':
      return openStream('lines', options.file, readLines);
    case 'json':
      if (options.spread !== true) return openStream('json', options.file, readJson);
      return openStream('json', options.file, readLists, { spread: true });
    case 'range':
      return openRange(options);
  }
}

export interface RangeOptions {
  readonly from: number;
  readonly to: number;
}

/** How many numbers a group has: they cost nothing, so it only has to be larger than a batch. */
const GROUP = 4096;

/** --range a..b: both ends included. */
export function openRange({ from, to }: RangeOptions): InputSource {
  const total = to - from + 1;
  const inputAt = (position: number): Input => ({ value: from + position, position, bytes: 0 });
  return {
    unit: 'numbers',
    identity: { kind: 'range', from, to },
    total,
    *read(done) {
      const start = done.mark === undefined ? 0 : Number(done.mark) + 1;
      for (let first = start; first < total; first += GROUP) {
        const size = Math.min(GROUP, total - first);
        const group = Array.from({ length: size }, (_, i) => inputAt(first + i));
        const left = group.filter(({ position }) => !isDone(done, position));
        if (left.length > 0) yield left;
      }
    },
    sample(count) {
      // The sample is spread evenly, because the cost of a number often grows with it.
      const size = Math.min(count, total);
      const at = (i: number): number => Math.floor((i * total) / size);
      const inputs = Array.from({ length: size }, (_, i) => ({ ...inputAt(at(i)), weight: 1 }));
      return { inputs, how: 'spread evenly over the range', total };
    },
    close() {},
  };
}
