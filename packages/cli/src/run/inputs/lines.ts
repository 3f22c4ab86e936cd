/** --lines: every line of a file or of standard input is an input. */

import { type ByteStream, openBytes } from './byte-stream.js';
import { type Counted, compareNumbers, firstOf, numbered } from './done.js';
import { type InputSource, nothingDone } from './input-source.js';
import { readLines } from './line-reader.js';

export interface LinesOptions {
  /** Without a file, or with `-`: standard input. */
  readonly file: string | undefined;
}

export function openLines({ file }: LinesOptions): InputSource {
  const bytes = openBytes(file);
  const read: InputSource['read'] = (done) => numbered(values(bytes), done);
  return {
    kind: 'lines',
    identity: { kind: 'lines', file: bytes.identity },
    total: undefined,
    totalBytes: bytes.size,
    compare: compareNumbers,
    count() {},
    read,
    sample: (count) => ({
      inputs: firstOf(numbered(values(bytes), nothingDone), count),
      how: `the first ${count} lines`,
    }),
    close: () => bytes.close(),
  };
}

async function* values(stream: ByteStream): AsyncGenerator<readonly Counted[]> {
  for await (const lines of readLines(stream.open())) {
    yield lines.map(({ text, bytes }) => ({ value: text, bytes }));
  }
}
