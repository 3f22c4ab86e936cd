/** --json: every value of a JSON array, or of a file with one JSON value a line (NDJSON), is an input. */

import { UsageError } from '../../exit-code.js';
import { cut } from '../../format/cut.js';
import { shownJson } from '../work/described-error.js';
import { type Counted, readLines } from './stream.js';

const LINES = /\.(?:ndjson|jsonl)$/i;
const NEWLINE = 10;
/** How many characters of a value that is no array an error message shows. */
const LONGEST_VALUE = 60;

type Values = AsyncGenerator<readonly Counted[]>;

/** Yields the values before an invalid place, so that they are still run, and then throws a UsageError. */
export async function* readJson(chunks: AsyncGenerator<Buffer>, name: string): Values {
  /** The chunks up to the first character that is not blank, which decides between the two shapes. */
  const begun: Buffer[] = [];
  let first = '';
  while (first === '') {
    const { value, done } = await chunks.next();
    if (done === true) return;
    begun.push(value);
    // The bytes of a byte order mark may come in pieces, and begin nothing else.
    first = value
      .toString('latin1')
      .replace(/^[\xef\xbb\xbf]+/, '')
      .trimStart()
      .charAt(0);
  }
  async function* all(): AsyncGenerator<Buffer> {
    yield* begun;
    yield* chunks;
  }
  const isArray = first === '[' && !LINES.test(name);
  yield* isArray ? readArray(all(), name) : readJsonLines(all(), name);
}

async function* readJsonLines(chunks: AsyncIterable<Buffer>, name: string): Values {
  let number = 0;
  for await (const lines of readLines(chunks, name)) {
    const values: Counted[] = [];
    for (const { value, bytes } of lines) {
      number += 1;
      if (value.trim() === '') continue;
      try {
        values.push({ value: JSON.parse(value), bytes });
      } catch (error) {
        yield values;
        const reason = `${(error as SyntaxError).message} (expected an array, or one value a line)`;
        throw invalidJson(name, number, reason);
      }
    }
    yield values;
  }
}

/** The values of one large array, streamed: it is never in memory as a whole. */
async function* readArray(chunks: AsyncIterable<Buffer>, name: string): Values {
  // Loaded here because most runs need no JSON parser.
  const { JSONParser } = await import('@streamparser/json');
  const parser = new JSONParser({ paths: ['$.*'], keepStack: false });
  let values: Counted[] = [];
  let bytes = 0;
  let line = 1;
  // The size of a single value is not known: the first value that ends in a chunk is counted with all bytes up to the chunk's end.
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
  const { message } = error as Error;
  if (/mid-parsing|in the middle of a token/.test(message)) return 'the text ends before the array does';
  return message
    .replace(/ (at chunk position|in state) .*/s, '')
    .replace(/^(Unexpected) [A-Z_]+ \((.*)\)$/s, '$1 $2');
}

function invalidJson(name: string, line: number, reason: string): UsageError {
  const told = reason.replace(/\p{Cc}/gu, (control) => JSON.stringify(control).slice(1, -1));
  return new UsageError(`invalid JSON in '${name}' at line ${line}: ${told}`);
}

/** --spread: every value is the array of a call's arguments. Any other value ends the run, after the values before it. */
export async function* readLists(chunks: AsyncGenerator<Buffer>, name: string): Values {
  let count = 0;
  for await (const group of readJson(chunks, name)) {
    const bad = group.findIndex(({ value }) => !Array.isArray(value));
    yield bad === -1 ? group : group.slice(0, bad);
    if (bad !== -1) {
      const shown = cut(shownJson(group[bad]!.value), LONGEST_VALUE);
      throw new UsageError(
        `--spread: expected each value to be an array, the arguments of a call, got ${shown} (value ${count + bad + 1} of '${name}')`,
      );
    }
    count += group.length;
  }
}
