/** What the analysis of a folder says: the input of every view. Plain JSON; its JSON view is documented in docs/files.md. */
import type { Estimate } from '../../experiment/statistics.js';
import type { FolderSamples, WayName } from './samples.js';

/** Where files are read best: in several workers, in several processes (which are more trouble), on one thread, or it cannot be told. */
export type Place = 'workers' | 'processes' | 'one-thread' | 'unknown';
/** How one thread reads best. 'either': it makes no difference that could be seen. */
export type How = 'sync' | 'async' | 'either' | 'unknown';

export interface WayFinding {
  readonly name: WayName;
  /** Files per second. */
  readonly rate: Estimate;
  readonly bytesPerSecond: number;
  /** How many times as many files as a loop of readFileSync on one thread; undefined for that loop. */
  readonly gain: Estimate | undefined;
  readonly loopDelayMs: Estimate | undefined;
  /** Of each core, over the time in which it ran: mean busy share. Empty: too short to be seen. */
  readonly busy: readonly number[];
}

export interface ClassFinding {
  readonly fromBytes: number;
  readonly belowBytes: number | undefined;
  readonly place: Place;
  readonly how: How;
  /** What decides, with its figures. */
  readonly sentence: string;
  /** By how much two runs of the very same differ. A share. */
  readonly noise: number | undefined;
  readonly ways: readonly WayFinding[];
  /** The same for files that come from the disk; undefined: not measured on purpose. */
  readonly cold: Omit<ClassFinding, 'fromBytes' | 'belowBytes' | 'cold'> | undefined;
}

/** 'mixed': it depends on the size. */
export type FolderAnswer = 'workers' | 'processes' | 'sync' | 'async' | 'either' | 'mixed' | 'unknown';

export interface FolderFindings {
  readonly schemaVersion: 1;
  readonly verdict: { readonly answer: FolderAnswer; readonly sentence: string };
  readonly classes: readonly ClassFinding[];
  /** Why, and what holds on the main thread of a server. */
  readonly reasons: readonly string[];
  /** What to know before any of it is believed. */
  readonly warnings: readonly string[];
  readonly samples: FolderSamples;
}
