/** What the workers do: read synchronously or with `readFiles`, and count what was read or send it back. */
import { transfer } from 'threadwise/worker';
import { newTally, ONE_THREAD, type ReadAll, readNow, type Tally } from './one-thread.js';

const MOVED_FROM = 2 ** 16; // from this mean size of the files on, a transfer costs less than a copy. Chosen by hand

const counting = (readAll: ReadAll) => async (paths: readonly string[]) => {
  const tally = newTally();
  await readAll(paths, tally);
  return tally;
};

export const readInLoop = counting(ONE_THREAD['sync-loop']);
export const readAsLibrary = counting(ONE_THREAD['read-files']);

export type Contents = Pick<Tally, 'failed'> & { readonly contents: readonly Uint8Array[] };

export function readAndReturn(paths: readonly string[]): Contents {
  const tally = newTally();
  const contents = paths.flatMap((path) => readNow(path, tally) ?? []);
  const given: Contents = { contents, failed: tally.failed };
  if (tally.bytes < MOVED_FROM * contents.length) return given;
  // A small content shares its memory with others, and cannot be transferred.
  const own = contents.filter((content) => content.byteLength === content.buffer.byteLength);
  return transfer(given, [...new Set(own.map((content) => content.buffer as ArrayBuffer))]);
}
