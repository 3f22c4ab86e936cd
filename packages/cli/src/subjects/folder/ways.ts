/** The ways of reading, in words and in their order: those that are known, then ours. */
import type { WayName } from './samples.js';

export interface Way {
  readonly name: WayName;
  /** For a table. */
  readonly title: string;
  /** For a chart. */
  readonly short: string;
  /** Besides the process that is measured, as many others read. */
  readonly isParallel: boolean;
}

export const WAYS: readonly Way[] = [
  { name: 'sync-loop', title: 'readFileSync, loop', short: 'sync, loop', isParallel: false },
  { name: 'sync-chain', title: 'readFileSync, promise chain', short: 'sync, chain', isParallel: false },
  { name: 'async-chain', title: 'readFile, promise chain', short: 'async, chain', isParallel: false },
  { name: 'sync-all', title: 'Promise.all of readFileSync', short: 'sync, all', isParallel: false },
  { name: 'async-all', title: 'Promise.all of readFile', short: 'async, all', isParallel: false },
  { name: 'processes', title: 'readFileSync in processes', short: 'sync, processes', isParallel: true },
  { name: 'read-files', title: 'readFiles, main thread', short: 'readFiles', isParallel: false },
  { name: 'workers', title: 'readFileSync in workers', short: 'sync, workers', isParallel: true },
  { name: 'workers-read-files', title: 'readFiles in workers', short: 'readFiles, worker', isParallel: true },
  {
    name: 'workers-return',
    title: 'in workers, and sent back',
    short: 'workers, back',
    isParallel: true,
  },
];

const BY_NAME = new Map(WAYS.map((way) => [way.name, way]));

export function shortTitleOf(name: WayName): string {
  return BY_NAME.get(name)?.short ?? name;
}

export function titleOf(name: WayName): string {
  return BY_NAME.get(name)?.title ?? name;
}
