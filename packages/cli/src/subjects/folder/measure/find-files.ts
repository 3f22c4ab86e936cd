/** Lists the regular files of a folder. Links are not followed, what cannot be read is counted; in a very large folder it stops early. */
import { lstatSync, readdirSync, statSync } from 'node:fs';
import { resolve } from 'node:path';
import { setImmediate as turn } from 'node:timers/promises';
import { rollups } from 'd3-array';
import { fileIds, idOf } from '../../../disk/file-id.js';
import { isExclusion, matcher } from '../../../disk/globs.js';
import { UsageError } from '../../../exit-code.js';
import { attempt, describeSystemError } from '../../../system-error.js';
import type { SizedFile } from './classes.js';

export interface FileChoice {
  readonly folder: string;
  readonly patterns: readonly string[]; // globs relative to the folder; '!pattern' excludes. Empty: all files
  readonly dot: boolean;
  readonly ownFiles: readonly string[]; // files that the command itself writes: never measured on
}

export interface FindOptions extends FileChoice {
  readonly mostMs: number;
  readonly mostFiles?: number; // how many files are listed at most
  readonly signal: AbortSignal;
}

const MOST_FILES = 200_000; // how many files are listed by default: enough to know which sizes there are
const ENTRIES_PER_TURN = 500; // how many entries are looked at between two checks of the signal and the time

/** How many files could not be read, for each reason. */
export function countsOf(unreadable: readonly string[]): { why: string; count: number }[] {
  return rollups(unreadable, (same) => same.length, String).map(([why, count]) => ({ why, count }));
}

export async function findFiles(options: FindOptions) {
  const { folder, patterns, dot, ownFiles, mostMs, mostFiles = MOST_FILES, signal } = options;
  const canRead = () => statSync(folder).isDirectory() && readdirSync(folder).length >= 0;
  if (!attempt(canRead, `cannot read folder '${folder}'`)) {
    throw new UsageError(`expected a folder, got the file '${folder}'`);
  }
  const root = `${resolve(folder)}/`;
  const excluded = patterns.filter(isExclusion).map((pattern) => matcher(pattern.slice(1), true));
  const included = patterns.filter((each) => !isExclusion(each)).map((pattern) => matcher(pattern, dot));
  const excludes = (path: string) => excluded.some((is) => is(path));
  const accepts = (path: string) =>
    (included.length === 0 || included.some((is) => is(path))) && !excludes(path);
  const own = fileIds(ownFiles);
  const endMs = performance.now() + mostMs;
  const files: SizedFile[] = [];
  /** The reason for each file or folder that could not be read. */
  const unreadable: string[] = [];
  const attempted = <T>(look: () => T): T | undefined => {
    try {
      return look();
    } catch (error) {
      unreadable.push(describeSystemError(error));
      return undefined;
    }
  };
  let [isCut, links, others, looked] = [false, 0, 0, 0];
  for (const { path, entry } of entriesBelow(root, dot, attempted)) {
    if (looked++ % ENTRIES_PER_TURN === ENTRIES_PER_TURN - 1) {
      await turn();
      isCut = signal.aborted || (performance.now() > endMs && files.length > 0);
      if (isCut) break;
    }
    if (entry.isSymbolicLink()) {
      // The link itself need not match: it may lead to a folder with files that do.
      if (!excludes(path)) links += 1;
    } else if (entry.isFile()) {
      const stats = accepts(path) ? attempted(() => lstatSync(root + path, { bigint: true })) : undefined;
      if (stats === undefined || own.has(idOf(stats) ?? '')) continue;
      isCut = files.length >= mostFiles;
      if (isCut) break;
      files.push({ path: root + path, bytes: Number(stats.size) });
    } else if (!entry.isDirectory() && accepts(path)) others += 1;
  }
  return { files, isCut, links, others, unreadable };
}

/** Yields the entries of a folder in the order of their names, then those of its subfolders; each with its path relative to the root. */
function* entriesBelow(root: string, dot: boolean, attempted: <T>(look: () => T) => T | undefined) {
  const folders = [''];
  for (let folder = folders.pop(); folder !== undefined; folder = folders.pop()) {
    const entries = attempted(() => readdirSync(root + folder, { withFileTypes: true })) ?? [];
    for (const entry of entries.sort((a, b) => (a.name < b.name ? -1 : 1))) {
      if (!dot && entry.name.startsWith('.')) continue;
      const path = folder + entry.name;
      if (entry.isDirectory()) folders.push(`${path}/`);
      yield { path, entry };
    }
  }
}
