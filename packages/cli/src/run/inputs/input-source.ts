/** The contract between the kinds of input and the run: what an input is, and how reading goes on after a kill. */
import { comparePaths } from './walk.js';

/** Where an input stands in the order of its source: its number, or for files its absolute path. */
export type Position = number | string;

export interface Input {
  /** What the function is called with, by the rules of work/passing.ts. */
  readonly value: unknown;
  readonly position: Position;
  /** The input's size, for rates: the file's size, or the bytes its line or JSON text took. */
  readonly bytes: number;
}

/** An inclusive stretch of positions. */
export type Span = readonly [first: Position, last: Position];

/** What earlier runs of a journal have finished. */
export interface Done {
  /** Every position up to the mark is finished. */
  readonly mark: Position | undefined;
  /** Stretches beyond the mark that are finished, too. */
  readonly beyond: readonly Span[];
}

export const nothingDone: Done = { mark: undefined, beyond: [] };

/** Negative if `a` comes before `b` in their source. */
export function comparePositions(a: Position, b: Position): number {
  return typeof a === 'number' ? a - Number(b) : comparePaths(a, String(b));
}

export function isDone({ mark, beyond }: Done, position: Position): boolean {
  if (mark === undefined && beyond.length === 0) return false; // fast, since every input of every new run comes here
  if (mark !== undefined && comparePositions(position, mark) <= 0) return true;
  return beyond.some(
    ([first, last]) => comparePositions(position, first) >= 0 && comparePositions(position, last) <= 0,
  );
}

/**
 * Inputs come in groups: those that are available at once. A batch is cut from one group and so never waits for
 * the next one, which matters when lines trickle in.
 */
export type InputGroups = Iterable<readonly Input[]> | AsyncIterable<readonly Input[]>;

export interface SampledInput extends Input {
  /** How many inputs of the whole it stands for, up to a common factor. */
  readonly weight: number;
}

export interface Sample {
  readonly inputs: Iterable<SampledInput> | AsyncIterable<SampledInput>;
  /** How they were chosen, for the summary: "from the beginning". */
  readonly how: string;
  /** Number of inputs that they were chosen from, where it is known. */
  readonly total?: number;
}

export interface InputSource {
  /** What the inputs are called in messages. */
  readonly unit: 'files' | 'lines' | 'values' | 'numbers';
  /** What the journal remembers, so that it is not used for other input. Plain JSON. */
  readonly identity: Readonly<Record<string, unknown>>;
  /** Number of inputs and of bytes, where they are known before reading; for files only after `count`. */
  readonly total?: number | undefined;
  readonly totalBytes?: number | undefined;
  /** Finds out `total` where that takes a while; called while the threads start. */
  count?(): void;
  /** The inputs that are not done, in order. Throws a UsageError at bad input. */
  read(done: Done): InputGroups;
  /** About `count` inputs for a measurement; reading them takes nothing away from `read`. */
  sample(count: number): Sample;
  /** Closes what `read` has open, also in the middle of reading. */
  close(): void;
}

/** The counts that the delivery, the journal, the progress and the summary share. */
export interface Counts {
  /** Inputs that are finished: written, or failed and skipped. */
  readonly inputs: number;
  /** Of these, the ones that failed. */
  readonly failed: number;
  /** The size of the finished inputs, where inputs have one. */
  readonly bytes: number;
}

export const noCounts: Counts = { inputs: 0, failed: 0, bytes: 0 };

export function minus(a: Counts, b: Counts): Counts {
  return { inputs: a.inputs - b.inputs, failed: a.failed - b.failed, bytes: a.bytes - b.bytes };
}
