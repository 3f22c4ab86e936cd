/** Room for large messages in the file that two processes have open. README.md beside this file has the protocol. */
import { readSync, writeSync } from 'node:fs';

/** Size of the ring for each direction of a worker's pipe. Bytes; chosen by hand: the file takes memory only where it was written to. */
export const RING_BYTES = 2 ** 24;

/** The part of a file in which one end writes and the other reads. */
export interface Ring {
  /** The descriptor of the file in the process that uses this object. */
  readonly fd: number;
  readonly at: number;
  readonly byteLength: number;
}

/** The writing end: puts each message in one piece, behind the last one or at the beginning again. */
export class RingWriter {
  readonly #ring: Ring;
  /** Offsets of the messages that the other end has not taken, the oldest first. */
  readonly #starts: number[] = [];
  #end = 0;

  constructor(ring: Ring) {
    this.#ring = ring;
  }

  /** Returns the offset of the bytes; -1 if there is no room, or the system has no memory. */
  put(bytes: Uint8Array): number {
    const start = this.#find(bytes.length);
    if (start < 0) return -1;
    try {
      writeAll(this.#ring.fd, bytes, this.#ring.at + start);
    } catch {
      return -1;
    }
    this.#starts.push(start);
    this.#end = start + bytes.length;
    return start;
  }

  /** Frees the oldest message, as the other end has read it. */
  taken(): void {
    this.#starts.shift();
  }

  #find(length: number): number {
    const [first] = this.#starts;
    const { byteLength } = this.#ring;
    if (first === undefined) return length <= byteLength ? 0 : -1;
    if (first >= this.#end) return this.#end + length <= first ? this.#end : -1;
    if (this.#end + length <= byteLength) return this.#end;
    return length <= first ? 0 : -1;
  }
}

/** Fills `bytes` with what the other end has put at `start`. */
export function readRing({ fd, at }: Ring, start: number, bytes: Uint8Array): void {
  if (!readAll(fd, bytes, at + start))
    throw new Error(`threadwise: a message of ${bytes.length} bytes is not in the file`);
}

/** Writes all bytes, however many calls that takes. @param at offset in the file; undefined: `fd` is a pipe */
export function writeAll(fd: number, bytes: Uint8Array, at?: number): void {
  for (let done = 0; done < bytes.length;)
    done += writeSync(fd, bytes, done, bytes.length - done, at === undefined ? null : at + done);
}

/** Fills `bytes`. Returns false if the file or the pipe ends before. @param at offset in the file; undefined: `fd` is a pipe */
export function readAll(fd: number, bytes: Uint8Array, at?: number): boolean {
  for (let done = 0; done < bytes.length;) {
    const count = readSync(fd, bytes, done, bytes.length - done, at === undefined ? null : at + done);
    if (count === 0) return false;
    done += count;
  }
  return true;
}
