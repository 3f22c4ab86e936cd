/** The values of one large JSON array, streamed: the array is never in memory as a whole. */

import { JSONParser } from '@streamparser/json';
import { UsageError } from '../../exit-code.js';
import { invalidJson } from './json.js';
import type { Counted } from './stream.js';

const NEWLINE = 10;

export async function* readArray(
  chunks: AsyncIterable<Buffer>,
  name: string,
): AsyncGenerator<readonly Counted[]> {
  const parser = new JSONParser({ paths: ['$.*'], keepStack: false });
  let values: Counted[] = [];
  let bytes = 0;
  let line = 1;
  // A value's own size is not known here; the bytes up to its end are booked on the first value of a chunk.
  parser.onValue = ({ value }) => {
    values.push({ value, bytes });
    bytes = 0;
  };
  try {
    for await (const chunk of chunks) {
      bytes += chunk.length;
      // Line by line, because the parser's errors know an offset but users think in lines.
      for (let start = 0; start < chunk.length;) {
        const newline = chunk.indexOf(NEWLINE, start);
        const end = newline === -1 ? chunk.length : newline + 1;
        parser.write(chunk.subarray(start, end));
        if (newline !== -1) line += 1;
        start = end;
      }
      yield values;
      values = [];
    }
    if (!parser.isEnded) parser.end();
  } catch (error) {
    if (error instanceof UsageError) throw error; // the file could not be read
    yield values;
    throw invalidJson(name, line, reasonOf(error));
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
