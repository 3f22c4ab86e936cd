/** What was measured of a folder, as measure/ makes it, in milliseconds, bytes and files per second; a share is from 0 to 1. Plain JSON. */
import type { Measured } from '../../../experiment/session.js';
import type { ClassDraft } from '../measure/classes.js';

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
  readonly subject: {
    readonly folder: string;
    readonly files: number; // how many were found; there may be more if the walk was cut, because the folder is too large
    readonly bytes: number;
    readonly isWalkCut: boolean;
    readonly left: { readonly links: number; readonly others: number }; // how many entries were left out
    /** Why files and folders could not be read, and how many of them. */
    readonly unreadable: readonly { readonly why: string; readonly count: number }[];
  };
  readonly threads: number; // how many threads, or processes, read where more than one does
  readonly classes: readonly ClassSamples[]; // the classes that have files, smallest sizes first
}

export type ClassSamples = ReturnType<ClassDraft['samples']>;
/** In each round everything is measured in turn: the same index in two series is the same round. */
export type RoundSamples = ClassSamples['warm'];
