/** What the workers do: read synchronously, or as the library does it, and keep what they read or send it back. */
import { readFileSync } from 'node:fs';
import { transfer } from 'threadwise/worker';
import { ours, syncLoop } from './one-thread.js';
import { type Counted, countedOf, type Failed, Tally } from './tally.js';

/** Above that, moving costs less than copying. Bytes of a file, on average; chosen by hand. */
const MOVED_FROM = 2 ** 16;

export function readAndKeep(paths: readonly string[]): Counted {
  const tally = new Tally();
  syncLoop(paths, tally);
  return countedOf(tally);
}

export async function readAsLibrary(paths: readonly string[]): Promise<Counted> {
  const tally = new Tally();
  await ours(paths, tally);
  return countedOf(tally);
}

export interface Contents {
  readonly contents: readonly Uint8Array[];
  readonly failed: readonly Failed[];
}

export function readAndReturn(paths: readonly string[]): Contents {
  const tally = new Tally();
  const contents: Uint8Array[] = [];
  for (const path of paths) {
    try {
      const content = readFileSync(path);
      tally.add(content);
      contents.push(content);
    } catch (error) {
      tally.fail(path, error);
    }
  }
  const given: Contents = { contents, failed: tally.failed };
  if (tally.bytes < MOVED_FROM * contents.length) return given;
  // A small one shares its memory with others, and cannot be moved.
  const own = contents.filter((content) => content.byteLength === content.buffer.byteLength);
  return transfer(given, [...new Set(own.map((content) => content.buffer as ArrayBuffer))]);
}
