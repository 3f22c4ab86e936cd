/**
 * Lists the files of a folder for a measurement: regular ones only, links are not followed, and what cannot be looked at is counted
 * instead of ending it. A very large folder is looked at for a while, and not to its end.
 */
import { type Dirent, lstatSync, readdirSync, statSync } from 'node:fs';
import { resolve, sep } from 'node:path';
import { setImmediate as turn } from 'node:timers/promises';
import { fileIds, idOf } from '../../../disk/file-id.js';
import { isExclusion, matcher } from '../../../disk/globs.js';
import { describeSystemError, UsageError } from '../../../exit-code.js';
import type { SizedFile } from './size-classes.js';

export interface FindOptions {
  readonly folder: string;
  /** Relative to the folder; '!pattern' excludes. Empty: all. */
  readonly patterns: readonly string[];
  readonly dot: boolean;
  /** Files that this very command writes. */
  readonly ownFiles: readonly string[];
  readonly mostMs: number;
  readonly signal: AbortSignal;
}

export interface Found {
  readonly files: readonly SizedFile[];
  readonly isCut: boolean;
  readonly links: number;
  readonly others: number;
  readonly unreadable: Unreadable;
}

/** Enough to know which sizes there are. */
const MOST_FILES = 200_000;
/** So many entries are looked at before a signal is heard. */
const ENTRIES_PER_TURN = 500;

/** How many could not be read, by the reason. */
export class Unreadable {
  readonly #counts = new Map<string, number>();

  add(why: string, count = 1): void {
    this.#counts.set(why, (this.#counts.get(why) ?? 0) + count);
  }

  list(): { why: string; count: number }[] {
    return [...this.#counts].map(([why, count]) => ({ why, count }));
  }
}

export async function findFiles(options: FindOptions): Promise<Found> {
  mustBeFolder(options.folder);
  const search = new Search(options);
  for (;;) {
    if (search.step(ENTRIES_PER_TURN) === 'over' || options.signal.aborted) return search;
    await turn();
  }
}

function mustBeFolder(folder: string): void {
  try {
    if (statSync(folder).isDirectory()) {
      readdirSync(folder);
      return;
    }
  } catch (error) {
    throw new UsageError(`cannot read folder '${folder}': ${describeSystemError(error)}`);
  }
  throw new UsageError(`expected a folder, got the file '${folder}'`);
}

class Search implements Found {
  readonly files: SizedFile[] = [];
  readonly unreadable = new Unreadable();
  links = 0;
  others = 0;
  readonly #end: number;
  readonly #root: string;
  readonly #own: ReadonlySet<string>;
  readonly #accepts: (relative: string) => boolean;
  readonly #dot: boolean;
  /** Folders that are still to be listed, relative to the root, with a separator at the end. */
  readonly #folders: string[] = [''];
  #entries: Dirent[] = [];
  #folder = '';

  constructor({ folder, patterns, dot, ownFiles, mostMs }: FindOptions) {
    this.#root = resolve(folder);
    this.#dot = dot;
    this.#accepts = matcherOf(patterns, dot);
    this.#own = fileIds(ownFiles);
    this.#end = performance.now() + mostMs;
  }

  get isCut(): boolean {
    return this.#entries.length + this.#folders.length > 0;
  }

  step(most: number): 'over' | undefined {
    for (let i = 0; i < most; i++) {
      const entry = this.#next();
      if (entry === undefined || this.files.length >= MOST_FILES) return 'over';
      this.#look(entry);
    }
    return performance.now() > this.#end && this.files.length > 0 ? 'over' : undefined;
  }

  #next(): Dirent | undefined {
    while (this.#entries.length === 0) {
      const folder = this.#folders.pop();
      if (folder === undefined) return undefined;
      this.#folder = folder;
      this.#entries = this.#list(folder);
    }
    return this.#entries.pop();
  }

  /** From the last to the first, since the last is taken first. */
  #list(folder: string): Dirent[] {
    try {
      const entries = readdirSync(this.#root + sep + folder, { withFileTypes: true });
      return entries.sort((a, b) => (a.name < b.name ? 1 : -1));
    } catch (error) {
      this.unreadable.add(describeSystemError(error));
      return [];
    }
  }

  #look(entry: Dirent): void {
    if (!this.#dot && entry.name.startsWith('.')) return;
    const relative = this.#folder + entry.name;
    if (entry.isDirectory()) this.#folders.push(relative + sep);
    else if (entry.isSymbolicLink()) this.links += 1;
    else if (!entry.isFile()) this.others += 1;
    else if (this.#accepts(sep === '/' ? relative : relative.replaceAll(sep, '/'))) this.#add(relative);
  }

  #add(relative: string): void {
    const path = this.#root + sep + relative;
    try {
      const stats = lstatSync(path, { bigint: true });
      const id = idOf(stats);
      if (id === undefined || !this.#own.has(id)) this.files.push({ path, bytes: Number(stats.size) });
    } catch (error) {
      this.unreadable.add(describeSystemError(error));
    }
  }
}

function matcherOf(patterns: readonly string[], dot: boolean): (relative: string) => boolean {
  const included = patterns
    .filter((pattern) => !isExclusion(pattern))
    .map((pattern) => matcher(pattern, dot));
  const excluded = patterns.filter(isExclusion).map((pattern) => matcher(pattern.slice(1), true));
  return (relative) =>
    (included.length === 0 || included.some((is) => is(relative))) && !excluded.some((is) => is(relative));
}
