/** The three numbers that the delivery, the journal, the progress and the summary all speak of. */

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
