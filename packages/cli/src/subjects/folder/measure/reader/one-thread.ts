/** The ways in which one thread reads: each reads all paths once. */
import { readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { readFiles } from 'threadwise/files';
import type { Tally } from './tally.js';

export type ReadAll = (paths: readonly string[], tally: Tally) => Promise<void> | void;

/** Each has a file open, and some systems allow no more than 256. */
const MOST_OPEN = 128;

function readNow(path: string, tally: Tally): void {
  try {
    tally.add(readFileSync(path));
  } catch (error) {
    tally.fail(path, error);
  }
}

async function readLater(path: string, tally: Tally): Promise<void> {
  try {
    tally.add(await readFile(path));
  } catch (error) {
    tally.fail(path, error);
  }
}

export const syncLoop: ReadAll = (paths, tally) => {
  for (const path of paths) readNow(path, tally);
};

export const syncChain: ReadAll = (paths, tally) =>
  paths.reduce((chain, path) => chain.then(() => readNow(path, tally)), Promise.resolve());

export const asyncChain: ReadAll = (paths, tally) =>
  paths.reduce((chain, path) => chain.then(() => readLater(path, tally)), Promise.resolve());

export const syncAll: ReadAll = async (paths, tally) => {
  await Promise.all(paths.map(async (path) => readNow(path, tally)));
};

export const asyncAll: ReadAll = async (paths, tally) => {
  let next = 0;
  const lane = async (): Promise<void> => {
    for (let path = paths[next++]; path !== undefined; path = paths[next++]) await readLater(path, tally);
  };
  await Promise.all(Array.from({ length: Math.min(MOST_OPEN, paths.length) }, lane));
};

export const ours: ReadAll = async (paths, tally) => {
  for await (const { path, bytes, error } of readFiles(paths, { onError: 'yield' })) {
    if (bytes !== undefined) tally.add(bytes);
    else tally.fail(path, error.cause);
  }
};
