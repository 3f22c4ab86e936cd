/**
 * What was measured of a folder: all that its analysis knows. Plain JSON. Durations in milliseconds, sizes in bytes, rates in files
 * per second; a share is from 0 to 1.
 */
import type { Measured } from '../../../experiment/session.js';
import type { Series } from '../../../experiment/statistics.js';

/** The ways of reading that are compared, each by its name in tables and, shorter, in charts; how each reads is in ../measure/reader/. */
export const WAYS = {
  'sync-loop': { title: 'readFileSync, loop', short: 'sync, loop' },
  'sync-chain': { title: 'readFileSync, promise chain', short: 'sync, chain' },
  'async-chain': { title: 'readFile, promise chain', short: 'async, chain' },
  'sync-all': { title: 'Promise.all of readFileSync', short: 'sync, all' },
  'async-all': { title: 'Promise.all of readFile', short: 'async, all' },
  processes: { title: 'readFileSync in processes', short: 'sync, processes' },
  'read-files': { title: 'readFiles, main thread', short: 'readFiles' },
  workers: { title: 'readFileSync in workers', short: 'sync, workers' },
  'workers-read-files': { title: 'readFiles in workers', short: 'readFiles, worker' },
  'workers-return': { title: 'in workers, and sent back', short: 'workers, back' },
};

export type WayName = keyof typeof WAYS;
export const WAY_NAMES = Object.keys(WAYS) as WayName[];

export interface FolderSamples extends Measured {
  readonly subject: FolderSubject;
  /** How many threads, or processes, read where more than one does. */
  readonly threads: number;
  /** The classes that have files, smallest sizes first. */
  readonly classes: readonly ClassSamples[];
}

export interface FolderSubject {
  readonly folder: string;
  /** How many files were found; there may be more if the walk was cut. */
  readonly files: number;
  readonly bytes: number;
  /** Whether not everything was looked at, because the folder is too large. */
  readonly isWalkCut: boolean;
  /** How many entries were left out: symbolic links, and others that are no files. */
  readonly left: { readonly links: number; readonly others: number };
  /** Why files and folders could not be read, and how many of them. */
  readonly unreadable: readonly { readonly why: string; readonly count: number }[];
}

export interface ClassSamples {
  readonly fromBytes: number;
  /** Undefined: no limit. */
  readonly belowBytes: number | undefined;
  /** How many files of this class the folder has, and their bytes. */
  readonly files: number;
  readonly bytes: number;
  /** The part of them that was measured. */
  readonly sampled: { readonly files: number; readonly bytes: number };
  /** What one pass reads: some of the sampled files, or all of them several times over. */
  readonly batch: { readonly files: number; readonly bytes: number; readonly repeatsFiles: boolean };
  /** The rates at which the sampled files were read, synchronously, for the first time and again. */
  readonly firstRead: { readonly first: number; readonly again: number };
  /** The rounds with the files in memory already. */
  readonly warm: RoundSamples;
  /** The rounds in which the system's cache of files was dropped before each turn; undefined: not measured. */
  readonly cold: RoundSamples | undefined;
}

/** In each round everything is measured in turn: the same index in two series is the same round. */
export interface RoundSamples {
  readonly ways: readonly WaySamples[];
  /** 'sync-loop' once more, in another process: the difference is noise. */
  readonly control: Series;
}

export interface WaySamples {
  readonly name: WayName;
  readonly rate: Series;
  /** How late a timer of the reading program's main thread was, 99th percentile of each round. */
  readonly loopDelayMs: Series;
  /** The busy share of each core of the machine, over the time in which this way ran. */
  readonly busy: readonly (readonly number[])[];
  /** How many bytes this way read in its first pass over the batch, to be compared with the sizes of the files. */
  readonly readBytes: number | undefined;
}
