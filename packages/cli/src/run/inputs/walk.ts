/**
 * Lists the files under a directory in path order.
 *
 * No glob library is used: those leave out what they cannot read, or names with a line break, and list in the order of
 * the disk, while here the order is part of the output's promise, and the journal relies on it.
 */
import { type Dirent, readdirSync, type Stats, statSync } from 'node:fs';
import { posix, resolve, sep } from 'node:path';
import { isExclusion, matcher } from '../../disk/globs.js';
import { UsageError } from '../../exit-code.js';
import { describeSystemError, hasCode } from '../../system-error.js';

export interface FoundFile {
  /** The path that the task gets: relative if the pattern was. */
  readonly path: string;
  /** The absolute path with `/`, by which files are ordered. */
  readonly key: string;
}

function* walk(
  glob: ReturnType<typeof parseGlob>,
  enters: (directoryKey: string) => boolean,
  relative = '',
  depth = 0,
): Generator<FoundFile> {
  for (const entry of sortedEntries(glob.keyPrefix + relative)) {
    if (!glob.entersDot && entry.name.startsWith('.')) continue;
    const path = relative + entry.name;
    const key = glob.keyPrefix + path;
    // Symbolic links are neither, so that they are not followed: no file is listed twice, and no cycle is entered.
    if (entry.isFile()) {
      if (glob.matches(path)) yield { path: glob.pathPrefix + path, key };
    } else if (entry.isDirectory() && depth < glob.maxDepth && enters(key)) {
      yield* walk(glob, enters, `${path}/`, depth + 1);
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
 * The order of files: by path, segment by segment, code unit by code unit. No path is split: a separator counts as less
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

export interface FilePattern {
  readonly kind: 'glob' | 'literal';
  readonly source: string;
  /** Lists what matches, in path order. @param enters says whether a directory is looked into */
  files(enters: (directoryKey: string) => boolean): Iterable<FoundFile>;
}

export function parsePattern(source: string, dot: boolean): FilePattern | ReturnType<typeof exclusion> {
  // The name of an existing file always means that file, also if it has glob characters.
  const stats = statsOf(source);
  if (stats !== undefined) return literal(source, stats);
  if (isExclusion(source)) return exclusion(source);
  const glob = parseGlob(source, dot);
  return { kind: 'glob', source, files: (enters) => walk(glob, enters) };
}

/** Undefined if there is no such file, or if the pattern is longer than a name may be. */
function statsOf(source: string): Stats | undefined {
  try {
    return statSync(source, { throwIfNoEntry: false });
  } catch (error) {
    if (hasCode(error, ['ENAMETOOLONG'])) return undefined;
    throw new UsageError(`cannot look for '${source}': ${describeSystemError(error)}`);
  }
}

export function absoluteKey(path: string): string {
  return resolve(path).replaceAll(sep, '/');
}

function literal(source: string, stats: Stats): FilePattern {
  if (stats.isDirectory()) {
    const name = source.replace(/[*?[\](){}]|^!/g, '\\$&').replace(/\/+$/, '');
    const inside = `${name}/**`;
    throw new UsageError(`'${source}' is a directory; use '${inside}' for the files in it`);
  }
  const file = { path: withoutDotSlash(source), key: absoluteKey(source) };
  return { kind: 'literal', source, files: () => [file] };
}

function parseGlob(source: string, dot: boolean) {
  // Not picomatch.scan(): it takes `{x}/**` and `\{a,b\}/**` for names without a glob part.
  const firstGlob = /^(?:\\.|[^\\*?[({])*/s.exec(source)![0].length;
  // The last segment is matched in any case, for its backslashes.
  const restAt = source.lastIndexOf('/', firstGlob) + 1;
  const rest = source.slice(restAt);
  // In a fixed beginning, backslashes can only have escaped glob characters.
  const base = source.slice(0, restAt).replace(/\\(?=[*?[\](){}!+@])/g, '');
  const fixed = withoutDotSlash(posix.normalize(base));
  return {
    /** The prefix that makes a path below the root the task's argument (`src/`). */
    pathPrefix: fixed === '' ? '' : withSlash(fixed),
    /** The prefix that makes it the absolute path (`/home/me/src/`). */
    keyPrefix: withSlash(absoluteKey(fixed)),
    /** Directories deeper than this below the root cannot hold a match. */
    maxDepth: /\*\*|\(/.test(rest) ? Number.POSITIVE_INFINITY : rest.split('/').length - 1,
    /** Whether names beginning with a dot are looked at. */
    entersDot: dot || /(^|[/{,(|])\\?\./.test(rest),
    /** Whether the pattern matches a path that is relative to the root. */
    matches: rest === '' ? () => false : matcher(rest, dot),
  };
}

function exclusion(source: string) {
  const excluded = source.slice(1);
  const { keyPrefix, matches } = parseGlob(excluded, true);
  const name = absoluteKey(excluded);
  const excludes = (key: string): boolean =>
    key === name || (key.startsWith(keyPrefix) && matches(key.slice(keyPrefix.length)));
  return {
    kind: 'exclusion' as const,
    source,
    excludes,
    /** Whether everything below the directory is excluded. NUL stands for "any name": no file has it and no pattern spells it. */
    excludesAllOf: (directoryKey: string): boolean =>
      source.endsWith('/**') && excludes(`${directoryKey}/\0`),
  };
}

function withSlash(path: string): string {
  return path.endsWith('/') ? path : `${path}/`;
}

function withoutDotSlash(path: string): string {
  return path === '.' ? '' : path.replace(/^(\.\/+)+/, '');
}
