/** Both ends of a pipe in one process, for the suites of ports and lines: what is written is there a turn later. */
import { type BoardFile, ringsOf } from './board.js';
import { type Pipe, type PipePort, pipePort } from './port.js';

class Half implements Pipe {
  readonly #pieces: Buffer[] = [];
  #other: Half | undefined;
  #listener: ((piece: Buffer) => void) | undefined;
  #isClosed = false;

  static pair(): readonly [Pipe, Pipe] {
    const [a, b] = [new Half(), new Half()];
    a.#other = b;
    b.#other = a;
    return [a, b];
  }

  write(bytes: Uint8Array): void {
    const other = this.#other!;
    // Small pieces, so that headers and messages are cut anywhere.
    for (let at = 0; at < bytes.length; at += 7) other.#pieces.push(Buffer.from(bytes.subarray(at, at + 7)));
    other.#wake();
  }

  read(): Buffer | undefined {
    return this.#pieces.shift();
  }

  listen(callback: (piece: Buffer) => void): void {
    this.#listener = callback;
    this.#wake();
  }

  close(): void {
    this.#isClosed = true;
  }

  #wake(): void {
    setImmediate(() => {
      if (this.#isClosed || this.#listener === undefined || this.#pieces.length === 0) return;
      this.#listener(Buffer.concat(this.#pieces.splice(0)));
    });
  }
}

/** Makes the other end of a channel, in this process. @param board the worker's board, behind which the rings for large messages are */
export function farPortOf(near: PipePort, board?: BoardFile): PipePort {
  const [here, there] = Half.pair();
  const far = pipePort();
  const rings = board === undefined ? [] : ringsOf(board);
  near.attach(here, ...rings);
  far.attach(there, ...rings.toReversed());
  return far;
}
