/** The contract for where results go, and what the journal needs to know about the place. */

/** Which file, or that it is none; kept in the journal's header, so plain JSON. */
export type Place =
  | { readonly kind: 'out'; readonly path: string }
  | { readonly kind: 'file'; readonly dev: number; readonly ino: number }
  | { readonly kind: 'stream' };

export interface Sink {
  readonly place: Place;
  /** Bytes of the output up to now: for a file its length, so that a cut there loses and doubles nothing. */
  readonly offset: number;
  /** Resolves when the text has left the process. */
  write(text: string): Promise<void>;
  /** What was written is the output. Throws an OutputError. */
  commit(): void;
  /** An output that was not committed is what it was before, where that is possible. */
  close(): void;
}

/** Whoever read our output went away (`| head`): a reason to end, not to complain. */
export class ClosedPipeError extends Error {
  override readonly name = 'ClosedPipeError';
}
