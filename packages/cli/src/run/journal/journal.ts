/**
 * The journal as the run sees it: told what begins and what is written, it makes sure that a killed run can go on.
 * The protocol and why nothing is lost or doubled: README.md in this folder.
 */
import { closeSync, ftruncateSync, openSync } from 'node:fs';
import { writeAll } from '../../disk/out-file.js';
import { attempt } from '../../exit-code.js';
import {
  comparePositions,
  type Counts,
  type Done,
  type Position,
  type Span,
} from '../inputs/input-source.js';
import type { Sink } from '../output/sink.js';
import type { Batch } from '../work/batch.js';
import {
  beginning,
  type JournalHeader,
  type JournalIdentity,
  type JournalRecord,
  type Resume,
} from './resume.js';

/** What a run without --journal has in its place. */
export const noJournal: ReturnType<typeof openJournal> = { begin() {}, finish() {}, record() {}, close() {} };

/** The file: JSON lines, only ever appended. */
export function openJournalWriter(path: string) {
  const fd = attempt(() => openSync(path, 'a'), `cannot write journal '${path}'`);
  return {
    /** Goes on behind `length`, without what is torn; 0 begins anew. */
    cut: (length: number): void => ftruncateSync(fd, length),
    append: (line: unknown): void => void writeAll(fd, `${JSON.stringify(line)}\n`, `journal '${path}'`),
    close: (): void => closeSync(fd),
  };
}

export function openJournal(
  writer: ReturnType<typeof openJournalWriter>,
  identity: JournalIdentity,
  resume: Resume,
  sink: Sink,
) {
  const tracker = new DoneTracker(resume.done);
  writer.cut(resume.length);
  if (resume.kind === 'new') {
    const { place, offset } = sink;
    writer.append({ ...beginning, ...identity, place, offset } satisfies JournalHeader);
  }
  return {
    /** To be called in the order of reading, before the batch runs. */
    begin: (batch: Batch): void => tracker.begin(batch),
    /** `count` inputs from the front of the batch have been written (or have failed and are skipped). */
    finish: (batch: Batch, count: number): void => tracker.finish(batch, count),
    /** Right after the output of what was finished has been written. @param more whether that is every input */
    record({ inputs, failed, bytes }: Counts, more?: { readonly complete: true }): void {
      const { mark = null, beyond } = tracker.done();
      const { offset } = sink;
      writer.append({ mark, beyond, inputs, failed, bytes, offset, ...more } satisfies JournalRecord);
    },
    close: () => writer.close(),
  };
}

/** Inputs that were read one after the other: all of an open batch, or all done. */
interface Stretch {
  readonly first: Position;
  readonly last: Position;
  readonly state: Batch | 'open for good' | 'done';
}

/** Knows at any moment which inputs are done, in little space, though batches finish in any order. */
export class DoneTracker {
  #mark: Position | undefined;
  /** Left over by an earlier run, dropped when the mark has passed them. */
  #carried: readonly Span[];
  /** Stretches in the order of reading. Neighbours that are done are joined, so there are at most two for each open batch. */
  readonly #stretches: Stretch[] = [];

  constructor({ mark, beyond }: Done) {
    this.#mark = mark;
    this.#carried = beyond;
  }

  /** Must be called in the order of reading. */
  begin(batch: Batch): void {
    this.#stretches.push(stretch(batch.inputs, batch));
  }

  /** Inverse of begin. `count`: how many inputs from the front are done; the rest stays open for good. */
  finish(batch: Batch, count: number): void {
    const at = this.#stretches.findIndex(({ state }) => state === batch);
    if (at === -1 || count === 0) return;
    const done = [stretch(batch.inputs.slice(0, count), 'done')];
    const rest = batch.inputs.slice(count);
    this.#stretches.splice(at, 1, ...done, ...(rest.length > 0 ? [stretch(rest, 'open for good')] : []));
    this.#join(at);
    this.#join(at - 1);
    const [front] = this.#stretches;
    if (front?.state !== 'done') return;
    this.#stretches.shift();
    this.#mark = front.last;
    this.#carried = this.#carried.filter(([, last]) => comparePositions(last, front.last) > 0);
  }

  done(): Done {
    const done = this.#stretches.filter(({ state }) => state === 'done');
    return {
      mark: this.#mark,
      beyond: [...this.#carried, ...done.map(({ first, last }): Span => [first, last])],
    };
  }

  /** Makes one of the stretch there and the next one, if both are done. */
  #join(at: number): void {
    const [left, right] = [this.#stretches[at], this.#stretches[at + 1]];
    if (left?.state !== 'done' || right?.state !== 'done') return;
    this.#stretches.splice(at, 2, { first: left.first, last: right.last, state: 'done' });
  }
}

function stretch(inputs: Batch['inputs'], state: Stretch['state']): Stretch {
  return { first: inputs[0]!.position, last: inputs.at(-1)!.position, state };
}
