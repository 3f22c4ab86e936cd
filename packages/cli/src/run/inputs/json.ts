/** --json: every value of a JSON array, or of a file with one JSON value a line (NDJSON), is an input. */

import { extname } from 'node:path';
import { UsageError } from '../../usage-error.js';
import { type ByteStream, openBytes } from './byte-stream.js';
import { type Counted, compareNumbers, firstOf, numbered } from './done.js';
import { type Done, type InputSource, nothingDone } from './input-source.js';
import { readLines } from './line-reader.js';
import { onlyLists } from './spread.js';

export interface JsonOptions {
  readonly file: string;
  /** Each value is the list of a call's arguments. */
  readonly spread?: boolean;
}

const lineExtensions = new Set(['.ndjson', '.jsonl']);
const BYTE_ORDER_MARK = Buffer.from([0xef, 0xbb, 0xbf]);

export function openJson({ file, spread = false }: JsonOptions): InputSource {
  const bytes = openBytes(file);
  const mayBeArray = !lineExtensions.has(extname(file).toLowerCase());
  const inputs = (done: Done) => {
    const all = numbered(values(bytes, mayBeArray), done);
    return spread ? onlyLists(all, bytes.name) : all;
  };
  return {
    kind: 'json',
    identity: { kind: 'json', file: bytes.identity, ...(spread ? { spread } : {}) },
    total: undefined,
    totalBytes: bytes.size,
    compare: compareNumbers,
    count() {},
    read: inputs,
    sample: (count) => ({
      inputs: firstOf(inputs(nothingDone), count),
      how: `the first ${count} values`,
    }),
    close: () => bytes.close(),
  };
}

async function* values(stream: ByteStream, mayBeArray: boolean): AsyncGenerator<readonly Counted[]> {
  const { first, chunks } = await peek(stream.open());
  if (!mayBeArray || first !== '[') return yield* readValueLines(chunks, stream.name);
  // Loaded here because most runs need no JSON parser.
  const { readJsonArray } = await import('./json-array.js');
  yield* readJsonArray(chunks, stream.name);
}

async function* readValueLines(
  chunks: AsyncIterable<Buffer>,
  name: string,
): AsyncGenerator<readonly Counted[]> {
  let number = 0;
  for await (const lines of readLines(chunks)) {
    const values: Counted[] = [];
    for (const { text, bytes } of lines) {
      number += 1;
      if (text.trim() === '') continue;
      const parsed = parse(text);
      if ('value' in parsed) {
        values.push({ value: parsed.value, bytes });
        continue;
      }
      // What came before the invalid line is still run.
      yield values;
      throw invalidLine(name, number, parsed.reason);
    }
    if (values.length > 0) yield values;
  }
}

function parse(text: string): { readonly value: unknown } | { readonly reason: string } {
  try {
    return { value: JSON.parse(text) };
  } catch (error) {
    return { reason: error instanceof Error ? error.message : String(error) };
  }
}

function invalidLine(name: string, number: number, reason: string): UsageError {
  return new UsageError(
    `invalid JSON in '${name}' at line ${number}: ${reason} (expected an array, or one value a line)`,
  );
}

/** The first character that is not blank decides between the two shapes; the bytes read for it are given back. */
async function peek(
  chunks: AsyncIterable<Buffer>,
): Promise<{ first: string; chunks: AsyncIterable<Buffer> }> {
  const iterator = chunks[Symbol.asyncIterator]();
  const seen: Buffer[] = [];
  let first = '';
  while (first === '') {
    const next = await iterator.next();
    if (next.done === true) break;
    const chunk = seen.length === 0 ? withoutMark(next.value) : next.value;
    seen.push(chunk);
    first = chunk.toString('latin1').trimStart().charAt(0);
  }
  return { first, chunks: again(seen, iterator) };
}

async function* again(seen: readonly Buffer[], rest: AsyncIterator<Buffer>): AsyncGenerator<Buffer> {
  try {
    yield* seen;
    for (let next = await rest.next(); next.done !== true; next = await rest.next()) yield next.value;
  } finally {
    await rest.return?.();
  }
}

function withoutMark(chunk: Buffer): Buffer {
  return chunk.subarray(0, 3).equals(BYTE_ORDER_MARK) ? chunk.subarray(3) : chunk;
}
