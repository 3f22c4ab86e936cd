/** The values of one large JSON array, streamed: the array is never in memory as a whole. */

import { JSONParser } from '@streamparser/json';
import { UsageError } from '../../usage-error.js';
import type { Counted } from './done.js';

const NEWLINE = 10;

export async function* readJsonArray(
  chunks: AsyncIterable<Buffer>,
  name: string,
): AsyncGenerator<readonly Counted[]> {
  const parser = new LineCountingParser(name);
  let bytes = 0;
  for await (const chunk of chunks) {
    bytes += chunk.length;
    const values = parser.write(chunk);
    if (values.length > 0) {
      // A value's own size is not known here; its chunk's bytes are booked on the first value of the chunk.
      yield values.map((value, i) => ({ value, bytes: i === 0 ? bytes : 0 }));
      bytes = 0;
    }
    parser.check();
  }
  parser.end();
}

/** Feeds the parser line by line, because its errors know an offset but users think in lines. */
class LineCountingParser {
  readonly #parser = new JSONParser({ paths: ['$.*'], keepStack: false });
  readonly #name: string;
  #values: unknown[] = [];
  #line = 1;
  #error: UsageError | undefined;

  constructor(name: string) {
    this.#name = name;
    this.#parser.onValue = ({ value }) => this.#values.push(value);
  }

  /** The values that end in the chunk, up to an error if there is one; `check` throws that. */
  write(chunk: Buffer): unknown[] {
    this.#values = [];
    for (let start = 0; start < chunk.length && this.#error === undefined;) {
      const newline = chunk.indexOf(NEWLINE, start);
      const end = newline === -1 ? chunk.length : newline + 1;
      this.#guarded(() => this.#parser.write(chunk.subarray(start, end)));
      if (newline !== -1) this.#line += 1;
      start = end;
    }
    return this.#values;
  }

  check(): void {
    if (this.#error !== undefined) throw this.#error;
  }

  end(): void {
    if (!this.#parser.isEnded) this.#guarded(() => this.#parser.end());
    this.check();
  }

  #guarded(step: () => void): void {
    try {
      step();
    } catch (error) {
      this.#error = new UsageError(
        `invalid JSON in '${this.#name}' at line ${this.#line}: ${reasonOf(error)}`,
      );
    }
  }
}

/** The parser's message without its inner states. */
function reasonOf(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error);
  if (/mid-parsing|in the middle of a token/.test(message)) return 'the text ends before the array does';
  return message
    .replace(/ (at chunk position|in state) .*/s, '')
    .replace(/^(Unexpected) [A-Z_]+ \((.*)\)$/s, '$1 $2');
}
