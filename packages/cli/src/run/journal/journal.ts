/**
 * Records what was written, so that a killed run can go on. README.md in this folder has the protocol, and says why nothing is lost
 * or doubled.
 */
import { fstatSync, ftruncateSync } from 'node:fs';
import { openInPlace, writeAll } from '../../disk/out-file.js';
import { ExpectedError } from '../../exit-code.js';
import { attempt } from '../../system-error.js';
import { comparePositions } from '../inputs/input-source.js';
import type { Counts, Done, Position, Span } from '../inputs/input-source.js';
import type { Sink } from '../output/sink.js';
import type { Batch } from '../work/batch.js';
import { beginning, sealed } from './resume.js';
import type { JournalHeader, JournalIdentity, JournalRecord, Resume } from './resume.js';

/** The journal of a run without --journal: it records nothing. */
export const noJournal: ReturnType<typeof openJournal> = {
  check() {},
  begin() {},
  finish() {},
  record() {},
  close() {},
};

/** Opens the file, and changes nothing in it. */
export function openJournal(path: string, identity: JournalIdentity, resume: Resume) {
  const { fd, close } = attempt(() => openInPlace(path, 'a'), `cannot write journal '${path}'`);
  const tracker = new DoneTracker(resume.done);
  let { size } = resume;
  return {
    /** To be called before anything is written or cut: throws if another run has written to the journal meanwhile. */
    check(): void {
      if (fstatSync(fd).size === size) return;
      throw new ExpectedError(
        `another run has written to journal '${path}' meanwhile; this one ends, and has lost nothing`,
      );
    },
    /** Must be called before anything is written to the output. Cuts off a line that was torn. */
    begin({ place, offset }: Sink): void {
      size = resume.length;
      ftruncateSync(fd, size);
      if (resume.kind === 'new') append({ ...beginning, ...identity, place, offset } satisfies JournalHeader);
    },
    /** Notes that the first `count` inputs of the batch have been written (or have failed and are skipped). */
    finish: (batch: Batch, count: number): void => tracker.finish(batch, count),
    /** Must be called right after the output of the finished inputs was written. @param more given when they are all inputs */
    record({ inputs, failed, bytes }: Counts, { offset }: Sink, more?: { readonly complete: true }): void {
      const { mark = null, beyond } = tracker.done();
      append({ mark, beyond, inputs, failed, bytes, offset, ...more } satisfies JournalRecord);
    },
    close,
  };

  function append(line: object): void {
    size += writeAll(fd, sealed(line), `journal '${path}'`);
  }
}

/** Inputs that were read one after the other, and are all done. */
interface Stretch {
  /** The input that was read before them; undefined: there was none; null: an earlier run has done them. */
  readonly after: Position | undefined | null;
  readonly first: Position;
  readonly last: Position;
}

/** Knows at any moment which inputs are done, in little space, though batches finish in any order. */
export class DoneTracker {
  #mark: Position | undefined;
  /** The inputs that this run has read are done up to this one, which is done, too. */
  #front: Position | undefined;
  /** The inputs that are done beyond the mark. Neighbours are joined, so this run adds no more of them than batches are open. */
  #stretches: readonly Stretch[];

  constructor({ mark, beyond }: Done) {
    this.#mark = mark;
    this.#stretches = beyond.map(([first, last]) => ({ after: null, first, last }));
  }

  /** @param count how many inputs from the front are done; the others stay open until another run */
  finish({ inputs, after }: Batch, count: number): void {
    if (count === 0) return;
    const done = { after, first: inputs[0]!.position, last: inputs[count - 1]!.position };
    const left = this.#stretches.find(({ last }) => last === after) ?? done;
    const right = this.#stretches.find((each) => each.after === done.last) ?? done;
    const joined: Stretch = { after: left.after, first: left.first, last: right.last };
    const others = this.#stretches.filter((each) => each !== left && each !== right);
    if (joined.after === this.#front) {
      this.#front = joined.last;
      this.#mark = joined.last;
      this.#stretches = others.filter(({ last }) => comparePositions(last, joined.last) > 0);
    } else {
      this.#stretches = [...others, joined].sort((a, b) => comparePositions(a.first, b.first));
    }
  }

  done(): Done {
    return { mark: this.#mark, beyond: this.#stretches.map(({ first, last }): Span => [first, last]) };
  }
}
