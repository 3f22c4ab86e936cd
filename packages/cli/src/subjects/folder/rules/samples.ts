/**
 * What was measured of a folder: all that its analysis knows. Plain JSON. Durations in milliseconds, sizes in bytes, rates in files
 * per second; a share is from 0 to 1.
 */
import type { Measured } from '../../../experiment/session.js';
import type { Series } from '../../../experiment/statistics.js';

/** The ways of reading that are compared; how each reads is in ../measure/reader/. */
export const WAYS = [
  way('sync-loop', 'readFileSync, loop', 'sync, loop'),
  way('sync-chain', 'readFileSync, promise chain', 'sync, chain'),
  way('async-chain', 'readFile, promise chain', 'async, chain'),
  way('sync-all', 'Promise.all of readFileSync', 'sync, all'),
  way('async-all', 'Promise.all of readFile', 'async, all'),
  way('processes', 'readFileSync in processes', 'sync, processes', true),
  way('read-files', 'readFiles, main thread', 'readFiles'),
  way('workers', 'readFileSync in workers', 'sync, workers', true),
  way('workers-read-files', 'readFiles in workers', 'readFiles, worker', true),
  way('workers-return', 'in workers, and sent back', 'workers, back', true),
];

/** @param title for a table. @param short for a chart. @param isParallel besides the process that is measured, as many others read */
function way<N extends string>(name: N, title: string, short: string, isParallel = false) {
  return { name, title, short, isParallel };
}

export type WayName = (typeof WAYS)[number]['name'];

export interface FolderSamples extends Measured {
  readonly subject: FolderSubject;
  /** How many threads, or processes, read where more than one does. */
  readonly threads: number;
  /** By size, smallest first; only those that have files. */
  readonly classes: readonly ClassSamples[];
}

export interface FolderSubject {
  readonly folder: string;
  /** Of those that were found; more may be there if the walk was cut. */
  readonly files: number;
  readonly bytes: number;
  /** Not everything was looked at: the folder is too large. */
  readonly isWalkCut: boolean;
  /** Neither read nor followed. */
  readonly left: { readonly links: number; readonly others: number };
  /** Why files and folders could not be read, and how many of them. */
  readonly unreadable: readonly { readonly why: string; readonly count: number }[];
}

export interface ClassSamples {
  readonly fromBytes: number;
  /** Undefined: no limit. */
  readonly belowBytes: number | undefined;
  /** In the folder. */
  readonly files: number;
  readonly bytes: number;
  /** Measured on. */
  readonly sampled: { readonly files: number; readonly bytes: number };
  /** What one pass reads: some of the sampled files, or all of them several times over. */
  readonly batch: { readonly files: number; readonly bytes: number; readonly repeatsFiles: boolean };
  /** The sampled files read one after the other, synchronously, for the first time and again: rates. */
  readonly firstRead: { readonly first: number; readonly again: number } | undefined;
  /** In memory already. */
  readonly warm: RoundSamples;
  /** The system's cache of files was dropped before each. */
  readonly cold: RoundSamples | undefined;
}

/** Round by round, everything in turn: the same places of two series belong together. */
export interface RoundSamples {
  readonly ways: readonly WaySamples[];
  /** 'sync-loop' once more, in another process: what it differs by is noise. */
  readonly control: Series;
}

export interface WaySamples {
  readonly name: WayName;
  readonly rate: Series;
  /** How late a timer of the reading program's main thread was, 99th percentile of each round. */
  readonly loopDelayMs: Series;
  /** Over time, while it ran: the busy share of each core of the machine. */
  readonly busy: readonly (readonly number[])[];
  /** Of one pass over the batch in the first round, as it was read: what the files add up to. */
  readonly readBytes: number | undefined;
}

export function wayOf(name: WayName): (typeof WAYS)[number] {
  return WAYS.find((each) => each.name === name)!;
}

export function titleOf(name: WayName): string {
  return wayOf(name).title;
}
