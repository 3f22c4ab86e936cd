/** What the main thread and the workers send each other: the contract of this folder. */

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

/** A thrown value in plain words, so that any of them can be sent to another thread. */
export interface DescribedError {
  readonly name: string;
  readonly message: string;
  readonly code: string | undefined;
  /** The lines of its stack above this command's own, if there are any. */
  readonly stack?: string | undefined;
}

/** How many failures of a run are listed in full; no worker needs to make more stacks than that. */
export const MAX_LISTED = 20;

export interface BatchFailure {
  /** The index of the input in the batch. */
  readonly at: number;
  readonly error: DescribedError;
}

/** What a worker says about a batch. */
export interface BatchOutcome {
  /** The output of the inputs that succeeded, joined. */
  readonly text: string;
  /** The results themselves, only if `keepsValues` asks for them. */
  readonly values: readonly unknown[];
  readonly failures: readonly BatchFailure[];
  /** Inputs that succeeded or failed; fewer than were sent if it stopped at a failure. */
  readonly ran: number;
  readonly runMs: number;
}

export interface Batch {
  readonly inputs: readonly Input[];
  /** The position of the input that was read before these; undefined for the first batch. */
  readonly after?: Position | undefined;
}

/** An outcome together with the batch it belongs to. */
export interface BatchResult extends BatchOutcome {
  readonly batch: Batch;
}
