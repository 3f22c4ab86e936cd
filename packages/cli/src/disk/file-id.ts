/**
 * Which file a path means. Two paths may be spelled differently and be one file (a symbolic link, a hard link, a folder that is a
 * link, standard input), and what is written there is lost for whoever reads it. The rule of all commands is in this file:
 * nothing that a command writes is a file that it reads, or another one that it writes.
 */

import { type BigIntStats, fstatSync, readlinkSync, realpathSync, statSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { UsageError } from '../exit-code.js';

/** A path, or an open descriptor. */
export type FileName = string | number;

export interface NamedFile {
  /** As a message calls it: `--out 'x'`. */
  readonly what: string;
  readonly file: FileName;
}

export const STDIN = 0;
export const STDOUT = 1;

/** How many links of a path are followed: as many as Linux follows. */
const MOST_LINKS = 40;

/** @param option its name with the dashes */
export function named(option: string, path: string): NamedFile {
  return { what: `${option} '${path}'`, file: path };
}

/** To be called before anything is written. */
export function mustBeApart(written: readonly NamedFile[], read: readonly NamedFile[]): void {
  for (const [i, one] of written.entries()) {
    refuseSame(one, written.slice(i + 1), 'two different files');
    refuseSame(one, read, 'the run to write another file than it reads');
  }
}

function refuseSame(one: NamedFile, others: readonly NamedFile[], expected: string): void {
  const id = fileId(one.file);
  const same = others.find(({ file }) => id !== undefined && fileId(file) === id);
  if (same === undefined) return;
  throw new UsageError(`${one.what} and ${same.what} are the same file: expected ${expected}`);
}

/** The same for two names of one file. Undefined for what is no regular file, such as a terminal: writing there overwrites nothing. */
function fileId(file: FileName): string | undefined {
  const stats = statsOf(file);
  if (stats !== undefined) return idOf(stats);
  if (typeof file === 'number') return undefined;
  // It is to be made: known by its folder and its name.
  const place = placeOf(file);
  const folder = statsOf(dirname(place));
  return folder === undefined ? place : `${folder.dev}:${folder.ino}/${basename(place)}`;
}

/** The file's id and its size. Where it cannot be looked at, whoever reads it says why. */
export function sizedFile(path: string): { readonly id: string | undefined; readonly bytes: number } {
  const stats = statsOf(path);
  return stats === undefined ? { id: undefined, bytes: 0 } : { id: idOf(stats), bytes: Number(stats.size) };
}

export function fileIds(files: readonly FileName[]): ReadonlySet<string> {
  return new Set(files.flatMap((file) => fileId(file) ?? []));
}

export function idOf(stats: BigIntStats): string | undefined {
  return stats.isFile() ? `${stats.dev}:${stats.ino}` : undefined;
}

/** The path without links; what it leads to need not exist. */
export function placeOf(path: string, links = 0): string {
  const full = resolve(path);
  if (links === MOST_LINKS) return full;
  const place = join(realFolder(dirname(full)), basename(full));
  const target = linkTarget(place);
  return target === undefined ? place : placeOf(resolve(dirname(place), target), links + 1);
}

function realFolder(folder: string): string {
  try {
    return realpathSync(folder);
  } catch {
    const above = dirname(folder);
    return above === folder ? folder : join(realFolder(above), basename(folder));
  }
}

function linkTarget(path: string): string | undefined {
  // What /proc shows as links are open files: their targets are descriptions, and not always paths.
  if (path.startsWith('/proc/')) return undefined;
  try {
    return readlinkSync(path);
  } catch {
    return undefined; // There is nothing, or it is no link.
  }
}

function statsOf(file: FileName): BigIntStats | undefined {
  try {
    return typeof file === 'number' ? fstatSync(file, { bigint: true }) : statSync(file, { bigint: true });
  } catch {
    return undefined; // Whoever opens it says why it cannot be looked at.
  }
}
