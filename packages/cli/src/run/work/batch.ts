/** What crosses between the main thread and the workers, and what comes of it: the contract of this folder. */

import type { Input, Position } from '../inputs/input-source.js';
import type { RunOptions } from '../options.js';
import type { Passing } from './passing.js';

/** What a worker must know to run batches; goes through the pool as `worker.data`. */
export interface BatchSetup extends Pick<RunOptions, 'format' | 'withInput' | 'stopsAtFailure'> {
  readonly moduleUrl: string;
  /** Undefined: the default export, or the only function. */
  readonly exportName: string | undefined;
  readonly passing: Passing;
  /** For --reduce the values themselves come back instead of text. */
  readonly keepsValues: boolean;
}

/** A thrown thing in plain words, so that whatever was thrown can cross. */
export interface DescribedError {
  readonly name: string;
  readonly message: string;
  readonly code: string | undefined;
  /** The lines of its stack that are not of this command, if there are any. */
  readonly stack?: string | undefined;
}

/** How many failures are told in full, of a run; of a worker there are no more of them. */
export const MAX_LISTED = 20;

export interface BatchFailure {
  /** Index in the batch. */
  readonly at: number;
  readonly error: DescribedError;
}

/** What a worker says about a batch. */
export interface BatchOutcome {
  /** The output of the inputs that succeeded, joined. */
  readonly text: string;
  /** Their values, only if asked for. */
  readonly values: readonly unknown[];
  readonly failures: readonly BatchFailure[];
  /** Inputs that succeeded or failed; fewer than were sent if it stopped at a failure. */
  readonly ran: number;
  readonly runMs: number;
}

export interface Batch {
  readonly inputs: readonly Input[];
  /** The input that was read before these; undefined of the first batch. */
  readonly after?: Position | undefined;
}

/** An outcome together with the batch it belongs to. */
export interface BatchResult extends BatchOutcome {
  readonly batch: Batch;
}
