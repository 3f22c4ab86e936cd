/**
 * The journal as the run sees it: told what begins and what is written, it makes sure that a killed run can go on.
 * The protocol and why nothing is lost or doubled: README.md in this folder.
 */

import type { Counts } from '../counts.js';
import type { Compare } from '../inputs/input-source.js';
import type { Sink } from '../output/sink.js';
import type { Batch } from '../work/batch.js';
import { DoneTracker } from './done-tracker.js';
import type { JournalWriter } from './journal-file.js';
import {
  beginning,
  type JournalHeader,
  type JournalIdentity,
  type JournalRecord,
  type Resume,
} from './resume.js';

export interface Journal {
  /** In the order of reading, before the batch runs. */
  begin(batch: Batch): void;
  /** `count` inputs from the front of the batch have been written (or have failed and are skipped). */
  finish(batch: Batch, count: number): void;
  /** Right after the output of what was finished has been written. */
  record(counts: Counts): void;
  /** Every input is done. */
  complete(counts: Counts): void;
  close(): void;
}

/** Without --journal. */
export const noJournal: Journal = { begin() {}, finish() {}, record() {}, complete() {}, close() {} };

export interface JournalOptions {
  readonly writer: JournalWriter;
  readonly identity: JournalIdentity;
  readonly resume: Resume;
  readonly compare: Compare;
  readonly sink: Sink;
}

export function openJournal({ writer, identity, resume, compare, sink }: JournalOptions): Journal {
  const tracker = new DoneTracker(resume.done, compare);
  writer.cut(resume.length);
  if (resume.kind === 'new') {
    const { place, offset } = sink;
    writer.append({ ...beginning, ...identity, place, offset } satisfies JournalHeader);
  }
  const append = ({ inputs, failed, bytes }: Counts, more?: { complete: true }): void => {
    const { mark = null, beyond } = tracker.done();
    writer.append({
      mark,
      beyond,
      inputs,
      failed,
      bytes,
      offset: sink.offset,
      ...more,
    } satisfies JournalRecord);
  };
  return {
    begin: (batch) => tracker.begin(batch),
    finish: (batch, count) => tracker.finish(batch, count),
    record: (counts) => append(counts),
    complete: (counts) => append(counts, { complete: true }),
    close: () => writer.close(),
  };
}
