/**
 * A file that a command writes. The content goes to a temporary file beside it, which is renamed at the end, so that a command that dies
 * leaves the old file, and not a part of the new one. A file is written in place only where it cannot be replaced: where it is no regular
 * file, where it is continued, or where its folder takes no other file.
 *
 * Libraries for this are not used: they take the whole content at once, and results come one after the other for hours.
 */

import { randomBytes } from 'node:crypto';
import {
  accessSync,
  closeSync,
  constants,
  copyFileSync,
  existsSync,
  fchmodSync,
  fchownSync,
  fstatSync,
  fsyncSync,
  mkdirSync,
  openSync,
  renameSync,
  rmSync,
  type Stats,
  statSync,
  writeSync,
} from 'node:fs';
import { basename, dirname, join, sep } from 'node:path';
import { ExpectedError } from '../exit-code.js';
import { attempt, describeSystemError, hasCode, tried } from '../system-error.js';
import { beginningOf } from '../format/cut.js';
import { placeOf, STDERR } from './file-id.js';

export type OutPath = ReturnType<typeof outPath>;

export interface OutFile {
  readonly fd: number;
  /** Makes what was written the file's content. Throws an ExpectedError. */
  readonly commit: () => void;
  /** Closes the file, and removes a temporary file that was not committed. */
  readonly close: () => void;
}

/** How many characters of the file's name the temporary name has: a name may have 255 bytes, and a character up to 4. */
const LONGEST_NAME = 50;
/** Error codes where the folder takes no new file: it is not ours, is read-only, or is one of the kernel's. */
const NO_ROOM_BESIDE = ['EACCES', 'EPERM', 'EROFS', 'ENOENT'];
const PERMISSIONS = 0o7777;

/** `place`: the path with all links resolved. `part`: the temporary file that is written until it is complete. Throws an ExpectedError if the path is that of a folder. */
export function outPath(path: string) {
  if (path.replaceAll(sep, '/').endsWith('/'))
    throw new ExpectedError(`cannot write to '${path}': it is a directory, expected a file`);
  const place = placeOf(path);
  const mark = randomBytes(4).toString('hex');
  const part = join(dirname(place), `.${beginningOf(basename(place), LONGEST_NAME)}.${mark}.part`);
  return { path, place, part };
}

/** Throws the system's errors, which do not name the file: the caller knows what to call it. */
export function openOutFile(out: OutPath): OutFile {
  const old = statSync(out.place, { throwIfNoEntry: false });
  if (old !== undefined && !old.isFile()) return openInPlace(out.path, 'w');
  // A rename could replace even a file that the user may not write.
  if (old !== undefined) accessSync(out.place, constants.W_OK);
  try {
    return openBeside(out, old);
  } catch (error) {
    if (hasCode(error, NO_ROOM_BESIDE)) return openInPlace(out.path, 'w');
    throw error;
  }
}

/** `/dev/stdout` and its like mean what the descriptor is open for. To open that file anew would cut off what others have written to it. */
const DESCRIPTOR = new RegExp(`^/proc/${process.pid}/fd/(\\d+)$`);

/** Whether the path is the name of a descriptor: it leads to another file in another process. */
export function isDescriptor({ place }: OutPath): boolean {
  return DESCRIPTOR.test(place);
}

export function openInPlace(path: string, flags: 'w' | 'a' | number): OutFile {
  const opened = Number(DESCRIPTOR.exec(placeOf(path))?.[1]);
  // Others than these may be Node.js's own.
  if (opened <= STDERR || tried(() => fstatSync(opened).isFile()))
    return { fd: opened, commit() {}, close() {} };
  const fd = openInFolder(path, flags);
  return { fd, commit() {}, close: () => closeSync(fd) };
}

/** Opens a file, and makes the folders on the way to it that are missing. */
function openInFolder(path: string, flags: string | number): number {
  try {
    return openSync(path, flags);
  } catch (error) {
    if (!hasCode(error, ['ENOENT'])) throw error;
    mkdirSync(dirname(path), { recursive: true });
    return openSync(path, flags);
  }
}

function openBeside({ part, place }: OutPath, old: Stats | undefined): OutFile {
  const fd = openInFolder(part, 'wx');
  let isOpen = true;
  const remove = (): void => rmSync(part, { force: true });
  // A second Ctrl-C ends the process at any moment, and the temporary file must not stay.
  process.on('exit', remove);
  try {
    if (old !== undefined) becomeLike(fd, old);
  } catch (error) {
    close();
    throw error;
  }
  return { fd, commit, close };

  function commit(): void {
    // Without fsync, a machine that loses power may have the new name already, and not yet the content.
    attempt(() => fsyncSync(fd), `cannot write to '${place}'`, ExpectedError);
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

/** Gives the new file the owner and the permissions of the old one: a user who could not read the old one cannot read the new one. */
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
    if (!existsSync(part))
      throw new ExpectedError(`cannot write to '${place}': its folder was removed or renamed meanwhile`);
    // A file that is a mount point, as in a container, cannot be replaced by a rename, but it can be written.
  }
  try {
    copyFileSync(part, place);
  } catch (error) {
    const why = describeSystemError(error);
    throw new ExpectedError(`cannot write to '${place}': ${why}; what was to be written is in '${part}'`);
  }
  rmSync(part);
}

/** @param name what the error's message calls the file */
export function writeAll(fd: number, text: string, name: string): number {
  const bytes = Buffer.from(text);
  const write = (): void => {
    for (let at = 0; at < bytes.length;) at += writeSync(fd, bytes, at);
  };
  attempt(write, `cannot write to ${name}`, ExpectedError);
  return bytes.length;
}
