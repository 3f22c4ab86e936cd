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
  /** The offset of the byte in which the reader counts the messages that it has taken, modulo 256. */
  readonly takenAt: number;
}

/** The most messages that are in a ring at a time: with more, the reader's byte would not tell how many it has taken. */
const MOST_MESSAGES = 255;

/** The writing end: puts each message in one piece, behind the last one or at the beginning again. */
export class RingWriter {
  readonly #ring: Ring;
  /** Offsets of the messages that the other end has not taken, the oldest first. */
  readonly #starts: number[] = [];
  /** The byte in which the reader counts, as it was at the last look. */
  #taken = 0;
  readonly #byte = new Uint8Array(1);
  #end = 0;

  constructor(ring: Ring) {
    this.#ring = ring;
  }

  /** Returns the offset of the bytes; -1 if there is no room, or the system has no memory. */
  put(bytes: Uint8Array): number {
    try {
      this.#forgetTaken();
      const start = this.#find(bytes.length);
      if (start < 0) return -1;
      writeAll(this.#ring.fd, bytes, this.#ring.at + start);
      this.#starts.push(start);
      this.#end = start + bytes.length;
      return start;
    } catch {
      return -1;
    }
  }

  #forgetTaken(): void {
    if (this.#starts.length === 0) return;
    readAll(this.#ring.fd, this.#byte, this.#ring.takenAt);
    this.#starts.splice(0, (this.#byte[0]! - this.#taken) & 255);
    this.#taken = this.#byte[0]!;
  }

  #find(length: number): number {
    const [first] = this.#starts;
    const { byteLength } = this.#ring;
    if (first === undefined) return length <= byteLength ? 0 : -1;
    if (this.#starts.length === MOST_MESSAGES) return -1;
    if (first >= this.#end) return this.#end + length <= first ? this.#end : -1;
    if (this.#end + length <= byteLength) return this.#end;
    return length <= first ? 0 : -1;
  }
}

/** The reading end. */
export class RingReader {
  readonly #ring: Ring;
  readonly #taken = new Uint8Array(1);

  constructor(ring: Ring) {
    this.#ring = ring;
  }

  /** Fills `bytes` with the oldest message, which is at `start`. */
  read(start: number, bytes: Uint8Array): void {
    const { fd, at } = this.#ring;
    if (!readAll(fd, bytes, at + start)) throw new Error('threadwise: a message is not in the file');
  }

  /** Frees the place of the oldest message, whether it could be read or not. */
  free(): void {
    this.#taken[0]!++;
    writeAll(this.#ring.fd, this.#taken, this.#ring.takenAt);
  }
}

/** Writes all bytes, however many calls that takes. @param at offset in the file; undefined: `fd` is a pipe */
export function writeAll(fd: number, bytes: Uint8Array, at?: number): void {
  for (let done = 0; done < bytes.length;)
    done += writeSync(fd, bytes, done, bytes.length - done, at === undefined ? null : at + done);
}

/** Fills `bytes`. Returns false if the file or the pipe ends too early. @param at offset in the file; undefined: `fd` is a pipe */
export function readAll(fd: number, bytes: Uint8Array, at?: number): boolean {
  for (let done = 0; done < bytes.length;) {
    const count = readSync(fd, bytes, done, bytes.length - done, at === undefined ? null : at + done);
    if (count === 0) return false;
    done += count;
  }
  return true;
}
