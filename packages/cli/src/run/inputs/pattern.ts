/** One argument of --files, understood: a file by its name, a glob, or an exclusion. */

import { type Stats, statSync } from 'node:fs';
import { posix, resolve, sep } from 'node:path';
import picomatch from 'picomatch';
import { isExclusion, matcher } from '../../disk/globs.js';
import { describeSystemError, hasCode, UsageError } from '../../usage-error.js';
import type { FoundFile, WalkRules } from './walk.js';

export interface Glob extends WalkRules {
  readonly kind: 'glob';
  readonly source: string;
}

export interface Literal {
  readonly kind: 'literal';
  readonly source: string;
  readonly file: FoundFile;
}

export interface Exclusion {
  readonly kind: 'exclusion';
  excludes(key: string): boolean;
  /** Whether everything below the directory is excluded, so that it need not be entered. */
  excludesAllOf(directoryKey: string): boolean;
}

export type Pattern = Glob | Literal | Exclusion;

export function parsePattern(source: string, dot: boolean): Pattern {
  // The name of an existing file always means that file, whatever characters it has.
  const stats = statsOf(source);
  if (stats !== undefined) return literal(source, stats);
  if (isExclusion(source)) return exclusion(source.slice(1));
  return glob(source, dot);
}

/** Undefined where there is no such file. A pattern need not be a name at all: its length says nothing. */
function statsOf(source: string): Stats | undefined {
  try {
    return statSync(source, { throwIfNoEntry: false });
  } catch (error) {
    if (hasCode(error, ['ENAMETOOLONG'])) return undefined;
    throw new UsageError(`cannot look for '${source}': ${describeSystemError(error)}`);
  }
}

export function absoluteKey(path: string): string {
  const absolute = resolve(path);
  return sep === '/' ? absolute : absolute.replaceAll(sep, '/');
}

function literal(source: string, stats: Stats): Literal {
  if (stats.isDirectory()) {
    const inside = `${source.replace(/\/+$/, '')}/**`;
    throw new UsageError(`'${source}' is a directory; use '${inside}' for the files in it`);
  }
  return { kind: 'literal', source, file: { path: withoutDotSlash(source), key: absoluteKey(source) } };
}

function glob(source: string, dot: boolean): Glob {
  const { base, glob: rest } = picomatch.scan(source) as { base: string; glob: string };
  // scan() keeps backslashes; in a fixed beginning they can only have escaped glob characters.
  const fixed = withoutDotSlash(posix.normalize(base.replace(/\\(?=[*?[\](){}!+@])/g, '')));
  const root = absoluteKey(fixed);
  return {
    kind: 'glob',
    source,
    pathPrefix: fixed === '' ? '' : withSlash(fixed),
    keyPrefix: withSlash(root),
    maxDepth: /\*\*|\(/.test(rest) ? Number.POSITIVE_INFINITY : rest.split('/').length - 1,
    entersDot: dot || /(^|[/{,(|])\\?\./.test(rest),
    // Without a glob part the pattern names a file that does not exist; nothing matches it.
    matches: rest === '' ? () => false : matcher(rest, dot),
  };
}

function exclusion(source: string): Exclusion {
  const { keyPrefix, matches } = glob(source, true);
  const name = absoluteKey(source);
  const excludes = (key: string): boolean =>
    key === name || (key.startsWith(keyPrefix) && matches(key.slice(keyPrefix.length)));
  return {
    kind: 'exclusion',
    excludes,
    // NUL stands for "any name": no file has it and no pattern spells it.
    excludesAllOf: (directoryKey) => source.endsWith('/**') && excludes(`${directoryKey}/\0`),
  };
}

function withSlash(path: string): string {
  return path.endsWith('/') ? path : `${path}/`;
}

function withoutDotSlash(path: string): string {
  return path === '.' ? '' : path.replace(/^(\.\/+)+/, '');
}
