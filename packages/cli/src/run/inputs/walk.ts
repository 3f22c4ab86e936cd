/**
 * Lists the files under a directory in path order, one directory in memory at a time.
 *
 * A walk of our own and not a glob library: those hold or sort whole trees or list in the order of the disk, while
 * here the order is part of the output's promise and the journal goes on by it.
 */

import { type Dirent, readdirSync } from 'node:fs';
import { describeSystemError, UsageError } from '../../usage-error.js';

export interface FoundFile {
  /** As the task gets it: relative where the pattern was. */
  readonly path: string;
  /** Absolute, with `/`: its place in the order. */
  readonly key: string;
}

export interface WalkRules {
  /** What goes before a path relative to the root to make the task's argument (`src/`). */
  readonly pathPrefix: string;
  /** The same for the absolute path (`/home/me/src/`). */
  readonly keyPrefix: string;
  /** Directories deeper than this below the root cannot hold a match. */
  readonly maxDepth: number;
  /** Whether names beginning with a dot are looked at. */
  readonly entersDot: boolean;
  accepts(relativePath: string, key: string): boolean;
  enters(key: string): boolean;
}

export function* walk(rules: WalkRules, relative = '', depth = 0): Generator<FoundFile> {
  for (const entry of sortedEntries(rules.keyPrefix + relative)) {
    if (!rules.entersDot && entry.name.startsWith('.')) continue;
    const path = relative + entry.name;
    const key = rules.keyPrefix + path;
    // Symbolic links are neither: not followed, so no file is listed twice and no cycle is entered.
    if (entry.isFile()) {
      if (rules.accepts(path, key)) yield { path: rules.pathPrefix + path, key };
    } else if (entry.isDirectory() && depth < rules.maxDepth && rules.enters(key)) {
      yield* walk(rules, `${path}/`, depth + 1);
    }
  }
}

function sortedEntries(directory: string): Dirent[] {
  try {
    const entries = readdirSync(directory, { withFileTypes: true });
    return entries.sort((a, b) => (a.name < b.name ? -1 : 1));
  } catch (error) {
    if (isGone(error)) return [];
    throw new UsageError(`cannot read directory '${directory}': ${describeSystemError(error)}`);
  }
}

/** A directory that was removed after its parent was read is no error: its files are just no longer there. */
function isGone(error: unknown): boolean {
  return error instanceof Error && 'code' in error && (error.code === 'ENOENT' || error.code === 'ENOTDIR');
}
