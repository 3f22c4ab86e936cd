/** What a measurement of a folder is asked for, and how it says how far it is. */

export interface FolderPlan {
  readonly folder: string;
  /** Relative to the folder; '!pattern' excludes. Empty: all files. */
  readonly patterns: readonly string[];
  readonly dot: boolean;
  /** Files that the command itself writes: never measured on. */
  readonly ownFiles: readonly string[];
  readonly budgetMs: number;
  /** That read at the same time; undefined: as many as the library thinks best. */
  readonly threads: number | undefined;
  /** Also with the system's cache of files dropped. */
  readonly cold: boolean;
  /** Aborted: what is known so far is returned. */
  readonly signal: AbortSignal;
}

export interface FolderEvents {
  /** `done`: of the budget, 0 to 1. */
  progress(step: { readonly what: string; readonly done: number }): void;
}
