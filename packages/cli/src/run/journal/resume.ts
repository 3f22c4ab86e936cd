/** Decides from a journal's content whether a run is new, goes on, or is complete already. */

import { isDeepStrictEqual } from 'node:util';
import { UsageError } from '../../usage-error.js';
import { type Counts, noCounts } from '../counts.js';
import { type Done, nothingDone, type Position, type Span } from '../inputs/input-source.js';
import type { OutputMark, Place } from '../output/sink.js';
import { cut, shownJson } from '../work/described-error.js';
import { checkContent } from './check-content.js';
import { readJournalFile } from './journal-file.js';

/** What must be the same for a journal to be used again; plain JSON. */
export interface JournalIdentity {
  readonly module: string;
  readonly export: string | null;
  readonly input: Readonly<Record<string, unknown>>;
  readonly out: string | null;
  readonly format: string;
  readonly withInput: boolean;
}

/** First line of the file. */
export interface JournalHeader extends JournalIdentity {
  readonly threadwise: 'journal';
  readonly version: 1;
  readonly place: Place;
  /** Where our output begins in a file that had content before. */
  readonly offset: number;
}

/** Every other line: the whole state after a piece of output has been written. */
export interface JournalRecord extends Counts {
  readonly mark: Position | null;
  readonly beyond: readonly Span[];
  readonly offset: number;
  /** In the last record of a run that came to its end. */
  readonly complete?: true;
}

/** What a run finds of earlier ones. */
export interface Resume {
  readonly kind: 'new' | 'continue' | 'complete';
  readonly counts: Counts;
  readonly done: Done;
  /** Undefined for a new one. */
  readonly output: OutputMark | undefined;
  /** Length of the journal without a torn last line. */
  readonly length: number;
}

export const newRun: Resume = {
  kind: 'new',
  counts: noCounts,
  done: nothingDone,
  output: undefined,
  length: 0,
};

/** In characters, of what a message shows of a header. */
const LONGEST_VALUE = 400;
const BEGINNING = '{"threadwise":"journal","version":';
export const beginning = { threadwise: 'journal', version: 1 } as const;

export function planResume(path: string, identity: JournalIdentity): Resume {
  const content = readJournalFile(path, (text) => text.startsWith(BEGINNING) || BEGINNING.startsWith(text));
  if (content === undefined) return newRun;
  const header = content.header as JournalHeader;
  checkIdentity(path, header, identity);
  const record = content.last as JournalRecord | undefined;
  checkContent(path, header, record);
  const { inputs, failed, bytes } = record ?? noCounts;
  return {
    kind: record?.complete === true ? 'complete' : 'continue',
    counts: { inputs, failed, bytes },
    done: { mark: record?.mark ?? undefined, beyond: record?.beyond ?? [] },
    output: { place: header.place, offset: record?.offset ?? header.offset },
    length: content.length,
  };
}

function checkIdentity(path: string, header: JournalHeader, identity: JournalIdentity): void {
  if (header.version !== beginning.version) {
    throw new UsageError(
      `journal '${path}' has version ${cut(shownJson(header.version), LONGEST_VALUE)}, this command writes ${beginning.version}`,
    );
  }
  const keys = Object.keys(identity) as (keyof JournalIdentity)[];
  const different = keys.filter((key) => !isDeepStrictEqual(header[key], identity[key]));
  if (different.length === 0) return;
  const show = (value: unknown): string =>
    value === undefined ? 'missing' : cut(shownJson(value), LONGEST_VALUE);
  const list = different.map((key) => `${key} was ${show(header[key])}, is ${show(identity[key])}`);
  throw new UsageError(`journal '${path}' belongs to another command: ${list.join('; ')}`);
}
