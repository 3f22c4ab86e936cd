/** From the resolved option to the source that reads it: the list of the kinds of input. */

import type { Passing } from '../work/passing.js';
import { type FilesOptions, openFiles } from './files.js';
import type { InputSource } from './input-source.js';
import { type JsonOptions, openJson } from './json.js';
import { type LinesOptions, openLines } from './lines.js';
import { openRange, type RangeOptions } from './range.js';

export type InputOptions =
  | ({ readonly kind: 'files' } & Omit<FilesOptions, 'ownFiles'>)
  | ({ readonly kind: 'lines' } & LinesOptions)
  | ({ readonly kind: 'json' } & JsonOptions)
  | ({ readonly kind: 'range' } & RangeOptions);

/** What becomes of an input before the function gets it. */
export function passingOf(options: InputOptions): Passing {
  if (options.kind === 'files' && options.read === true) return 'read';
  return options.kind === 'json' && options.spread === true ? 'spread' : 'value';
}

export function openInputs(options: InputOptions, ownFiles: readonly string[]): InputSource {
  switch (options.kind) {
    case 'files':
      return openFiles({ ...options, ownFiles });
    case 'lines':
      return openLines(options);
    case 'json':
      return openJson(options);
    case 'range':
      return openRange(options);
  }
}
