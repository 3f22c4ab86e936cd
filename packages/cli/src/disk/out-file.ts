/**
 * A file that a command writes. It is written beside its place and takes the name at the end, so that a command that dies leaves the
 * old file and not a part of the new one. Written in place is only what cannot be exchanged: what is no regular file, what is
 * continued, and a file in a folder where no other can be made.
 *
 * Not by a library: those for this take the whole content at once, and results come one after the other for hours.
 */

import { randomBytes } from 'node:crypto';
import {
  accessSync,
  closeSync,
  constants,
  copyFileSync,
  fchmodSync,
  fchownSync,
  fstatSync,
  fsyncSync,
  openSync,
  renameSync,
  rmSync,
  type Stats,
  statSync,
  writeSync,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { attempt, describeSystemError, hasCode, OutputError } from '../exit-code.js';
import { placeOf } from './file-id.js';

export interface OutPath {
  /** As it was given. */
  readonly path: string;
  /** The same without links. */
  readonly place: string;
  /** Where it is written until it is whole. */
  readonly part: string;
}

export interface OutFile {
  readonly fd: number;
  /** Puts what was written in the file's place. Throws an OutputError. */
  readonly commit: () => void;
  /** Removes what was not committed. */
  readonly close: () => void;
}

/** How much of the file's name the part's name has: a name may have 255 bytes, and a character up to 4. Characters. */
const LONGEST_NAME = 50;
/** No file can be made beside it: the folder is not ours, or is read-only, or is one of the kernel's. */
const NO_ROOM_BESIDE = ['EACCES', 'EPERM', 'EROFS', 'ENOENT'];
const PERMISSIONS = 0o7777;

export function outPath(path: string): OutPath {
  const place = placeOf(path);
  const mark = randomBytes(4).toString('hex');
  const part = join(dirname(place), `.${basename(place).slice(0, LONGEST_NAME)}.${mark}.part`);
  return { path, place, part };
}

/** Throws the system's errors: what cannot be written has a name that the caller knows. */
export function openOutFile(out: OutPath): OutFile {
  const old = statSync(out.place, { throwIfNoEntry: false });
  if (old !== undefined && !old.isFile()) return openInPlace(out.path, 'w');
  // A file that may not be written may not be exchanged either.
  if (old !== undefined) accessSync(out.place, constants.W_OK);
  try {
    return openBeside(out, old);
  } catch (error) {
    if (hasCode(error, NO_ROOM_BESIDE)) return openInPlace(out.path, 'w');
    throw error;
  }
}

export function openInPlace(path: string, flags: 'w' | 'a'): OutFile {
  const fd = openSync(path, flags);
  return { fd, commit() {}, close: () => closeSync(fd) };
}

function openBeside({ part, place }: OutPath, old: Stats | undefined): OutFile {
  const fd = openSync(part, 'wx');
  let isOpen = true;
  const remove = (): void => rmSync(part, { force: true });
  // A second Ctrl-C ends the process wherever it is.
  process.on('exit', remove);
  try {
    if (old !== undefined) becomeLike(fd, old);
  } catch (error) {
    close();
    throw error;
  }
  return { fd, commit, close };

  function commit(): void {
    // Without it, a machine that loses power may have the name already, and not yet the content.
    attempt(() => fsyncSync(fd), `cannot write to '${place}'`, OutputError);
    end();
    takePlace(part, place);
  }

  function close(): void {
    if (!isOpen) return;
    end();
    remove();
  }

  function end(): void {
    isOpen = false;
    process.off('exit', remove);
    closeSync(fd);
  }
}

/** Gives the new file the owner and the permissions of the old one: nobody can read it who could not read that. */
function becomeLike(fd: number, { uid, gid, mode }: Stats): void {
  if (process.platform === 'win32') return;
  const own = fstatSync(fd);
  if (own.uid !== uid || own.gid !== gid) fchownSync(fd, uid, gid);
  fchmodSync(fd, mode & PERMISSIONS);
}

function takePlace(part: string, place: string): void {
  try {
    renameSync(part, place);
    return;
  } catch {
    // A file that is a mount of its own, as in a container, cannot be exchanged, but written.
  }
  try {
    copyFileSync(part, place);
  } catch (error) {
    const why = describeSystemError(error);
    throw new OutputError(`cannot write to '${place}': ${why}; what was to be written is in '${part}'`);
  }
  rmSync(part);
}

/** @param name for the message */
export function writeAll(fd: number, text: string, name: string): number {
  const bytes = Buffer.from(text);
  const write = (): void => {
    for (let at = 0; at < bytes.length;) at += writeSync(fd, bytes, at);
  };
  attempt(write, `cannot write to ${name}`, OutputError);
  return bytes.length;
}
