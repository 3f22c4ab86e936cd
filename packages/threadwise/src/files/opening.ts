/** What reading a file synchronously and reading it asynchronously have in common: how it is opened, and into which memory it is read. */
import { constants } from 'node:fs';

/** Should there be something else by the time that it is opened (a FIFO, a terminal), opening it neither waits nor takes it over. */
export const OPEN_FLAGS = constants.O_RDONLY | (constants.O_NONBLOCK ?? 0) | (constants.O_NOCTTY ?? 0);

/** Memory of its own, so that it can be transferred, and not cleared, since it is filled at once. */
export function allocate(bytes: number): Uint8Array {
  return Buffer.allocUnsafeSlow(bytes);
}

/** What was filled of it; a copy where it is less, so that no memory is held for nothing. */
export function filledPart(memory: Uint8Array, filled: number): Uint8Array {
  if (filled === memory.byteLength) return memory;
  const part = allocate(filled);
  part.set(memory.subarray(0, filled));
  return part;
}

/** Some files of /proc never come to an end, or to one beyond all memory. Bytes, chosen by hand. */
const MOST_UNSIZED_BYTES = 64 * 2 ** 20;
const FIRST_PIECE_BYTES = 2 ** 16;

/** Collects what has no size: files of /proc say 0, as empty ones do. */
export class Unsized {
  #memory = allocate(FIRST_PIECE_BYTES);
  #filled = 0;

  /** Where the next bytes go. */
  room(): Uint8Array {
    if (this.#filled === this.#memory.byteLength) this.#grow();
    return this.#memory.subarray(this.#filled);
  }

  add(bytes: number): void {
    this.#filled += bytes;
  }

  end(): Uint8Array {
    return filledPart(this.#memory, this.#filled);
  }

  #grow(): void {
    if (this.#filled >= MOST_UNSIZED_BYTES) {
      throw new Error(`it says that it is empty, and has more than ${MOST_UNSIZED_BYTES} bytes`);
    }
    const larger = allocate(2 * this.#filled);
    larger.set(this.#memory);
    this.#memory = larger;
  }
}
