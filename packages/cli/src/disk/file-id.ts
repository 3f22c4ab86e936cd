/**
 * Tells which file a path means. Two different paths may lead to one file (by a symbolic link, a hard link, a linked folder, or standard
 * input), and writing to it would destroy what is read from it. So all commands follow the rule of this file: no file that a command
 * writes may be one that it reads, or another one that it writes.
 */

import { type BigIntStats, fstatSync, readlinkSync, realpathSync, statSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { UsageError } from '../exit-code.js';
import { tried } from '../system-error.js';

/** A path, or an open descriptor. */
export type FileName = string | number;

export interface NamedFile {
  /** The name of the file in messages: `--out 'x'`. */
  readonly what: string;
  readonly file: FileName;
}

export const STDIN = 0;
export const STDOUT = 1;
export const STDERR = 2;

/** How many symbolic links of a path are followed: as many as Linux follows. */
const MOST_LINKS = 40;

/** @param option the option's name, with the dashes */
export function named(option: string, path: string): NamedFile {
  return { what: `${option} '${path}'`, file: path };
}

/** Throws UsageError if a written file is also read, or is written twice. Must be called before anything is written. */
export function mustBeApart(written: readonly NamedFile[], read: readonly NamedFile[]): void {
  for (const [i, one] of written.entries()) {
    const id = fileId(one.file);
    const others = [...written.slice(i + 1), ...read];
    const same = others.find(({ file }) => id !== undefined && fileId(file) === id);
    if (same === undefined) continue;
    throw new UsageError(`${one.what} and ${same.what} are the same file: expected two different files`);
  }
}

/** The same id for all names of one file. Undefined if it is a device, such as a terminal: writing there overwrites nothing. */
function fileId(file: FileName): string | undefined {
  const stats = statsOf(file);
  if (stats !== undefined) return idOf(stats);
  if (typeof file === 'number') return undefined;
  // The file does not exist yet: its folder and its name identify it.
  const place = placeOf(file);
  const folder = statsOf(dirname(place));
  return folder === undefined ? place : `${folder.dev}:${folder.ino}/${basename(place)}`;
}

/** The file's id and size; no id and 0 bytes if it cannot be read, since the code that reads it reports that. */
export function sizedFile(path: string): { readonly id: string | undefined; readonly bytes: number } {
  const stats = statsOf(path);
  return stats === undefined ? { id: undefined, bytes: 0 } : { id: idOf(stats), bytes: Number(stats.size) };
}

export function fileIds(files: readonly FileName[]): ReadonlySet<string> {
  return new Set(files.flatMap((file) => fileId(file) ?? []));
}

/** A FIFO has one, too: a run that reads what it has written to one would never end. */
export function idOf(stats: BigIntStats): string | undefined {
  return stats.isFile() || stats.isFIFO() ? `${stats.dev}:${stats.ino}` : undefined;
}

/** The path with all links resolved; the file itself need not exist. */
export function placeOf(path: string, links = 0): string {
  const full = resolve(path);
  if (links === MOST_LINKS) return full;
  const place = join(realFolder(dirname(full)), basename(full));
  const target = linkTarget(place);
  return target === undefined ? place : placeOf(resolve(dirname(place), target), links + 1);
}

function realFolder(folder: string): string {
  const above = dirname(folder);
  const real = tried(() => realpathSync(folder));
  return real ?? (above === folder ? folder : join(realFolder(above), basename(folder)));
}

/** Undefined if the path is no link. Links in /proc stand for open files: their targets are descriptions, and not always paths. */
function linkTarget(path: string): string | undefined {
  return path.startsWith('/proc/') ? undefined : tried(() => readlinkSync(path));
}

/** Undefined where the file's metadata cannot be read: the code that opens the file reports why. */
function statsOf(file: FileName): BigIntStats | undefined {
  const options = { bigint: true } as const;
  return tried(() => (typeof file === 'number' ? fstatSync(file, options) : statSync(file, options)));
}
