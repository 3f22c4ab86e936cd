/**
 * Lists the files under a directory in path order.
 *
 * A walk of our own and not a glob library: those leave out what they cannot read, or names with a line break, and list
 * in the order of the disk, while here the order is part of the output's promise and the journal goes on by it.
 */

import { type Dirent, readdirSync } from 'node:fs';
import { describeSystemError, hasCode, UsageError } from '../../usage-error.js';

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
  /** Whether the pattern matches a path that is relative to the root. */
  matches(relativePath: string): boolean;
}

export function* walk(
  rules: WalkRules,
  enters: (directoryKey: string) => boolean,
  relative = '',
  depth = 0,
): Generator<FoundFile> {
  for (const entry of sortedEntries(rules.keyPrefix + relative)) {
    if (!rules.entersDot && entry.name.startsWith('.')) continue;
    const path = relative + entry.name;
    const key = rules.keyPrefix + path;
    // Symbolic links are neither: not followed, so no file is listed twice and no cycle is entered.
    if (entry.isFile()) {
      if (rules.matches(path)) yield { path: rules.pathPrefix + path, key };
    } else if (entry.isDirectory() && depth < rules.maxDepth && enters(key)) {
      yield* walk(rules, enters, `${path}/`, depth + 1);
    }
  }
}

function sortedEntries(directory: string): Dirent[] {
  try {
    const entries = readdirSync(directory, { withFileTypes: true });
    return entries.sort((a, b) => (a.name < b.name ? -1 : 1));
  } catch (error) {
    // A directory that was removed after its parent was read is no error: its files are just no longer there.
    if (hasCode(error, ['ENOENT', 'ENOTDIR'])) return [];
    throw new UsageError(`cannot read directory '${directory}': ${describeSystemError(error)}`);
  }
}

const SLASH = 47;

/**
 * The order of files: by path, segment by segment, code unit by code unit. Without splitting: a separator counts as less
 * than any other character, so that all of `a/…` comes before `a-b`, exactly as the walk lists them.
 */
export function comparePaths(a: string, b: string): number {
  const length = Math.min(a.length, b.length);
  for (let i = 0; i < length; i += 1) {
    const left = a.charCodeAt(i);
    const right = b.charCodeAt(i);
    if (left !== right) return (left === SLASH ? -1 : left) - (right === SLASH ? -1 : right);
  }
  return a.length - b.length;
}
