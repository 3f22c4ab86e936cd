// Cuts a file for several readers without reading it: each reader finds the ends of its lines itself.
import { closeSync, openSync, readSync } from 'node:fs';

/** How many bytes of a slice are in memory at a time. */
const PIECE = 2 ** 18;
/** How many bytes are read at a time to find the end of a line. */
const PROBE = 2 ** 10;
const LINE_FEED = 10;

/** Cuts the `size` bytes of a file into slices of at most `length`. */
export function* slicesOf(path, size, length) {
  for (let start = 0; start < size; start += length) {
    yield { path, start, end: Math.min(start + length, size) };
  }
}

/**
 * Calls `onLine` with every line of a slice, without its end (LF or CRLF). The file is read as Latin-1.
 *
 * A slice begins after the first line feed at or after `start` (the first slice: at 0), and ends after the first line
 * feed at or after `end`. Each slice begins where the one before ends, wherever the cut fell: no line is lost and none is
 * counted twice. A slice shorter than a line may have no line.
 */
export function eachLine({ path, start, end }, onLine) {
  const file = openSync(path);
  try {
    readLines(file, lineStart(file, start), lineStart(file, end), onLine);
  } finally {
    closeSync(file);
  }
}

/** Returns the position after the first line feed at or after `position`; the end of the file if there is none. */
function lineStart(file, position) {
  if (position === 0) return 0;
  const bytes = Buffer.allocUnsafe(PROBE);
  for (;;) {
    const length = readSync(file, bytes, 0, PROBE, position);
    const at = bytes.subarray(0, length).indexOf(LINE_FEED);
    if (at >= 0) return position + at + 1;
    if (length === 0) return position;
    position += length;
  }
}

function readLines(file, from, to, onLine) {
  const bytes = Buffer.allocUnsafe(Math.min(PIECE, to - from));
  let rest = ''; // the beginning of a line whose end has not been read
  for (let position = from; position < to;) {
    const length = readSync(file, bytes, 0, Math.min(PIECE, to - position), position);
    if (length === 0) break; // the file has been cut meanwhile
    rest = splitLines(rest + bytes.latin1Slice(0, length), onLine);
    position += length;
  }
  if (rest !== '') onLine(withoutReturn(rest));
}

/** Calls `onLine` with every whole line of a text. Returns the rest after the last of them. */
function splitLines(text, onLine) {
  let from = 0;
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', from)) {
    onLine(withoutReturn(text.slice(from, at)));
    from = at + 1;
  }
  return text.slice(from);
}

function withoutReturn(line) {
  return line.endsWith('\r') ? line.slice(0, -1) : line;
}
