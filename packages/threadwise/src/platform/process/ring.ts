/** Room for large messages in the file that two processes have open. README.md beside this file has the protocol. */
import { readSync, writeSync } from 'node:fs';

/** Size of the ring for each direction of a worker's pipe. Bytes; chosen by hand: the file takes memory only where it was written to. */
export const RING_BYTES = 2 ** 24;
/** The most messages that are in a ring at a time: with more, the reader's byte would not tell how many it has taken. */
const MOST_MESSAGES = 255;

/** The part of a file in which one end writes and the other reads. */
export interface Ring {
  /** The descriptor of the file in the process that uses this object. */
  readonly fd: number;
  readonly at: number;
  readonly byteLength: number;
  /** The offset of the byte in which the reader counts the messages that it has taken, modulo 256. */
  readonly takenAt: number;
}

/** The writing end. What it returns gives the offset at which it has put the bytes, in one piece; -1: there is no room, or no memory. */
export function ringWriter({ fd, at, byteLength, takenAt }: Ring): (bytes: Uint8Array) => number {
  /** Offsets of the messages that the other end has not taken, the oldest first. */
  const starts: number[] = [];
  /** The byte in which the reader counts, as it was at the last look. */
  const taken = new Uint8Array(1);
  let end = 0;
  const find = (length: number) => {
    const [first] = starts;
    if (first === undefined) return length <= byteLength ? 0 : -1;
    if (starts.length === MOST_MESSAGES) return -1;
    if (first >= end) return end + length <= first ? end : -1;
    if (end + length <= byteLength) return end;
    return length <= first ? 0 : -1;
  };
  return (bytes) => {
    try {
      const [before] = taken;
      if (starts.length > 0 && readAll(fd, taken, takenAt)) starts.splice(0, (taken[0]! - before!) & 255);
      const start = find(bytes.length);
      if (start < 0) return -1;
      writeAll(fd, bytes, at + start);
      starts.push(start);
      end = start + bytes.length;
      return start;
    } catch {
      return -1;
    }
  };
}

/** The reading end. What it returns fills bytes with the oldest message and frees its place, whether the message could be read or not. */
export function ringReader({ fd, at, takenAt }: Ring): (start: number, into: () => Uint8Array) => void {
  const taken = new Uint8Array(1);
  return (start, into) => {
    try {
      if (!readAll(fd, into(), at + start)) throw new Error('threadwise: a message is not in the file');
    } finally {
      taken[0]!++;
      writeAll(fd, taken, takenAt);
    }
  };
}

/** Writes all bytes, however many calls that takes. @param at offset in the file; undefined: `fd` is a pipe */
export function writeAll(fd: number, bytes: Uint8Array, at?: number): void {
  for (let done = 0; done < bytes.length;)
    done += writeSync(fd, bytes, done, bytes.length - done, at === undefined ? null : at + done);
}

/** Fills `bytes` from an offset in a file on. Returns false if the file ends too early. */
export function readAll(fd: number, bytes: Uint8Array, at: number): boolean {
  for (let done = 0; done < bytes.length;) {
    const count = readSync(fd, bytes, done, bytes.length - done, at + done);
    if (count === 0) return false;
    done += count;
  }
  return true;
}
