/** Cuts a stream of bytes into lines; shared by --lines and NDJSON. */

import type { Counted } from './stream.js';

const NEWLINE = 10;

/**
 * Cuts at the byte level, so that a character split over two chunks needs no care (no UTF-8 sequence contains a newline
 * byte) and the size of each line is known for nothing.
 */
export class LineReader {
  /** The beginning of the line that has not ended. */
  #begun: Buffer[] = [];

  /** The lines that end in the chunk. */
  write(chunk: Buffer): Counted<string>[] {
    const lines: Counted<string>[] = [];
    let start = 0;
    for (let end = chunk.indexOf(NEWLINE); end !== -1; end = chunk.indexOf(NEWLINE, start)) {
      lines.push(this.#take(chunk.subarray(start, end), 1));
      start = end + 1;
    }
    if (start < chunk.length) this.#begun.push(chunk.subarray(start));
    return lines;
  }

  /** The line without an end. */
  end(): Counted<string>[] {
    return this.#begun.length === 0 ? [] : [this.#take(Buffer.alloc(0), 0)];
  }

  #take(rest: Buffer, newlineBytes: number): Counted<string> {
    const whole = this.#begun.length === 0 ? rest : Buffer.concat([...this.#begun, rest]);
    this.#begun = [];
    const text = whole.toString('utf8');
    return { value: text.endsWith('\r') ? text.slice(0, -1) : text, bytes: whole.length + newlineBytes };
  }
}

export async function* readLines(chunks: AsyncIterable<Buffer>): AsyncGenerator<Counted<string>[]> {
  const reader = new LineReader();
  for await (const chunk of chunks) yield reader.write(chunk);
  yield reader.end();
}
