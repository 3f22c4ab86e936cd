/** Cuts a stream of bytes into lines; shared by --lines and NDJSON. */

export interface Line {
  readonly text: string;
  /** With its line end. */
  readonly bytes: number;
}

const NEWLINE = 10;

/**
 * Lines in groups as they become complete. Cut at the byte level, so that a character split over two chunks needs no
 * care (no UTF-8 sequence contains a newline byte) and each line's size is known for nothing.
 */
export async function* readLines(chunks: AsyncIterable<Buffer>): AsyncGenerator<readonly Line[]> {
  let begun: Buffer[] = [];
  for await (const chunk of chunks) {
    const lines: Line[] = [];
    let start = 0;
    for (let end = chunk.indexOf(NEWLINE); end !== -1; end = chunk.indexOf(NEWLINE, start)) {
      lines.push(lineOf([...begun, chunk.subarray(start, end)], 1));
      begun = [];
      start = end + 1;
    }
    if (start < chunk.length) begun.push(chunk.subarray(start));
    if (lines.length > 0) yield lines;
  }
  if (begun.length > 0) yield [lineOf(begun, 0)];
}

function lineOf(pieces: readonly Buffer[], newlineBytes: number): Line {
  const whole = pieces.length === 1 ? pieces[0]! : Buffer.concat(pieces);
  const text = whole.toString('utf8');
  return { text: text.endsWith('\r') ? text.slice(0, -1) : text, bytes: whole.length + newlineBytes };
}
