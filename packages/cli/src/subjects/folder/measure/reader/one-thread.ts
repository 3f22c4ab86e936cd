/** The ways in which one thread reads all paths once. A file that vanished or may not be read is counted and does not end the measurement. */
import { readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { readFiles } from 'threadwise/files';
import { describeSystemError, hasCode } from '../../../../system-error.js';
import type { WayName } from '../../rules/samples.js';

/** `files` and `bytes` do not count what failed. */
export interface Tally {
  files: number;
  bytes: number;
  readonly failed: { readonly path: string; readonly why: string }[];
}

const MOST_FAILED = 1000; // a million files that are gone must not become a message of a million entries
const MOST_OPEN = 128; // how many files are open at once: some systems allow no more than 256

export function newTally(): Tally {
  return { files: 0, bytes: 0, failed: [] };
}

/** Keeps no reference to the content. */
export function addFile(tally: Tally, content: Uint8Array): void {
  tally.files += 1;
  tally.bytes += content.byteLength;
}

/** Throws if it is not the file that is at fault, but that the process, or the system, has too many files open. */
function addFailure(tally: Tally, path: string, error: unknown): void {
  if (hasCode(error, ['EMFILE', 'ENFILE'])) throw error;
  if (tally.failed.length < MOST_FAILED) tally.failed.push({ path, why: describeSystemError(error) });
}

export function addAll(tally: Tally, { files, bytes, failed }: Tally): void {
  tally.files += files;
  tally.bytes += bytes;
  tally.failed.push(...failed.slice(0, MOST_FAILED - tally.failed.length));
}

export type ReadAll = (paths: readonly string[], tally: Tally) => Promise<void> | void;

/** Returns undefined if the file could not be read, which is counted. */
export function readNow(path: string, tally: Tally): Uint8Array | undefined {
  try {
    const content = readFileSync(path);
    addFile(tally, content);
    return content;
  } catch (error) {
    addFailure(tally, path, error);
    return undefined;
  }
}

async function readLater(path: string, tally: Tally): Promise<void> {
  try {
    addFile(tally, await readFile(path));
  } catch (error) {
    addFailure(tally, path, error);
  }
}

export const ONE_THREAD = {
  'sync-loop': (paths, tally) => {
    for (const path of paths) readNow(path, tally);
  },
  'sync-chain': (paths, tally) =>
    paths.reduce((chain, path) => chain.then(() => void readNow(path, tally)), Promise.resolve()),
  'async-chain': (paths, tally) =>
    paths.reduce((chain, path) => chain.then(() => readLater(path, tally)), Promise.resolve()),
  'sync-all': async (paths, tally) => {
    await Promise.all(paths.map(async (path) => void readNow(path, tally)));
  },
  'async-all': async (paths, tally) => {
    // All share one iterator, so that each path is read once.
    const waiting = paths.values();
    const lane = async (): Promise<void> => {
      for (const path of waiting) await readLater(path, tally);
    };
    await Promise.all(Array.from({ length: Math.min(MOST_OPEN, paths.length) }, lane));
  },
  'read-files': async (paths, tally) => {
    for await (const { path, bytes, error } of readFiles(paths, { onError: 'yield' })) {
      if (bytes !== undefined) addFile(tally, bytes);
      else addFailure(tally, path, error.cause);
    }
  },
} satisfies Partial<Record<WayName, ReadAll>>;
