/** --json: every value of a JSON array, or of a file with one JSON value a line (NDJSON), is an input. */

import { extname } from 'node:path';
import { UsageError } from '../../exit-code.js';
import { cut, shownJson } from '../work/described-error.js';
import { type Counted, LineReader } from './stream.js';

/** What came before an invalid place is given before the error is thrown: it is still run. */
export interface ValueParser {
  write(chunk: Buffer): Iterable<readonly Counted[]>;
  end(): Iterable<readonly Counted[]>;
}

const LINE_EXTENSIONS: readonly string[] = ['.ndjson', '.jsonl'];
const BYTE_ORDER_MARK = Buffer.from([0xef, 0xbb, 0xbf]);
/** How much of a value that is not a list an error message shows. Characters. */
const LONGEST_VALUE = 60;

export async function* readJson(
  chunks: AsyncIterable<Buffer>,
  name: string,
): AsyncGenerator<readonly Counted[]> {
  let parser: ValueParser | undefined;
  let blank: Buffer[] = [];
  for await (const chunk of chunks) {
    const hasMark =
      parser === undefined && blank.length === 0 && chunk.subarray(0, 3).equals(BYTE_ORDER_MARK);
    const bytes = hasMark ? chunk.subarray(3) : chunk;
    // The first character that is not blank decides between the two shapes.
    const first = parser === undefined ? bytes.toString('latin1').trimStart().charAt(0) : '';
    if (parser === undefined && first !== '') {
      const isArray = first === '[' && !LINE_EXTENSIONS.includes(extname(name).toLowerCase());
      // Loaded here because most runs need no JSON parser.
      parser = isArray ? (await import('./json-array.js')).arrayParser(name) : lineParser(name);
    }
    if (parser === undefined) {
      blank.push(bytes);
      continue;
    }
    // The blank ones count as lines, too.
    for (const each of [...blank, bytes]) yield* parser.write(each);
    blank = [];
  }
  if (parser !== undefined) yield* parser.end();
}

function lineParser(name: string): ValueParser {
  const lines = new LineReader();
  let number = 0;
  function* parse(texts: readonly Counted<string>[]): Generator<readonly Counted[]> {
    const values: Counted[] = [];
    try {
      for (const { value, bytes } of texts) {
        number += 1;
        if (value.trim() !== '') values.push({ value: JSON.parse(value), bytes });
      }
    } catch (error) {
      yield values;
      const reason = `${(error as SyntaxError).message} (expected an array, or one value a line)`;
      throw invalidJson(name, number, reason);
    }
    yield values;
  }
  return { write: (chunk) => parse(lines.write(chunk)), end: () => parse(lines.end()) };
}

export function invalidJson(name: string, line: number, reason: string): UsageError {
  return new UsageError(`invalid JSON in '${name}' at line ${line}: ${reason}`);
}

/** --spread: every value is the list of a call's arguments; what is none ends the run, after what came before it. */
export async function* readLists(
  chunks: AsyncIterable<Buffer>,
  name: string,
): AsyncGenerator<readonly Counted[]> {
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
