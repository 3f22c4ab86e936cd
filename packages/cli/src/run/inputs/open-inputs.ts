/** From the resolved option to the source that reads it: the list of the kinds of input. */

import { type FileName, type NamedFile, named, STDIN } from '../../disk/file-id.js';
import type { Passing } from '../work/passing.js';
import { type FilesOptions, openFiles } from './files.js';
import type { InputSource } from './input-source.js';
import { readJson, readLists } from './json.js';
import { readLines } from './line-reader.js';
import { openRange, type RangeOptions } from './range.js';
import { openStream } from './stream.js';

export type InputOptions =
  | ({ readonly kind: 'files' } & Omit<FilesOptions, 'ownFiles'>)
  | { readonly kind: 'lines'; readonly file: string | undefined }
  | { readonly kind: 'json'; readonly file: string; readonly spread?: boolean }
  | ({ readonly kind: 'range' } & RangeOptions);

/** What becomes of an input before the function gets it. */
export function passingOf(options: InputOptions): Passing {
  if (options.kind === 'files' && options.read === true) return 'read';
  return options.kind === 'json' && options.spread === true ? 'spread' : 'value';
}

/** For the rule that none of them is written; what a pattern finds is left out instead. */
export function filesRead(options: InputOptions): NamedFile[] {
  if (options.kind === 'range') return [];
  if (options.kind === 'files') return options.patterns.map((pattern) => named('--files', pattern));
  const { kind, file } = options;
  const isStdin = file === undefined || file === '-';
  return [isStdin ? { what: 'standard input', file: STDIN } : named(`--${kind}`, file)];
}

/** @param ownFiles that are written meanwhile */
export function openInputs(
  options: InputOptions,
  ownFiles: readonly (FileName | undefined)[] = [],
): InputSource {
  switch (options.kind) {
    case 'files':
      return openFiles({ ...options, ownFiles: ownFiles.filter((file) => file !== undefined) });
    case 'lines':
      return openStream({ ...options, parse: readLines });
    case 'json':
      return options.spread === true
        ? openStream({ ...options, identity: { spread: true }, parse: readLists })
        : openStream({ ...options, parse: readJson });
    case 'range':
      return openRange(options);
  }
}
