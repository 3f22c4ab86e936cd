// Counts the records of a part of a genotype file by chromosome and genotype, and searches them.
import { closeSync, openSync, readSync } from 'node:fs';

/** How many bytes are read at a time to find the end of a line. */
const PROBE = 1024;
const LINE_FEED = 10;

/**
 * @param part { path, start, end } of a file, or { buffer, start, end } of a SharedArrayBuffer with the whole file: the lines
 *   that begin from `start` on and before `end`. pattern: what a line must match to be found; panel: further patterns, whose
 *   matches are only counted
 * @returns { records, counts, found }: counts by `chromosome genotype`, and of the `panel`; found: rsids
 */
export function study({ path, buffer, start, end, pattern, panel }) {
  const text = buffer === undefined ? textOfFile(path, start, end) : textOfBuffer(buffer, start, end);
  const [expression, ...others] = [pattern, ...(panel ?? [])].map((one) => new RegExp(one));
  const result = { records: 0, counts: {}, found: [] };
  for (let from = 0; from < text.length;) {
    const at = text.indexOf('\n', from);
    const to = at === -1 ? text.length : at;
    add(result, text.slice(from, to), expression, others);
    from = to + 1;
  }
  return result;
}

/** Does the same as `study` for lines in memory. */
export function studyLines(lines, pattern, panel) {
  const [expression, ...others] = [pattern, ...(panel ?? [])].map((one) => new RegExp(one));
  const result = { records: 0, counts: {}, found: [] };
  for (const line of lines) add(result, line, expression, others);
  return result;
}

function add(result, line, expression, others) {
  if (line === '' || line.startsWith('#')) return;
  const [rsid, chromosome, , genotype] = line.split('\t');
  const key = `${chromosome} ${genotype}`;
  result.records++;
  result.counts[key] = (result.counts[key] ?? 0) + 1;
  if (expression.test(line)) result.found.push(rsid);
  if (others.length === 0) return;
  const matches = others.reduce((sum, other) => sum + Number(other.test(line)), 0);
  result.counts.panel = (result.counts.panel ?? 0) + matches;
}

/** Adds up the results of parts. */
export function merge(parts) {
  const total = { records: 0, counts: {}, found: [] };
  for (const { records, counts, found } of parts) {
    total.records += records;
    for (const [key, count] of Object.entries(counts)) total.counts[key] = (total.counts[key] ?? 0) + count;
    total.found.push(...found);
  }
  return total;
}

function textOfFile(path, start, end) {
  const file = openSync(path);
  try {
    const [from, to] = [lineStart(file, start), lineStart(file, end)];
    const bytes = Buffer.allocUnsafe(to - from);
    const length = readSync(file, bytes, 0, to - from, from);
    return bytes.latin1Slice(0, length);
  } finally {
    closeSync(file);
  }
}

/** Returns where the first line begins at or after `position`; the end of the file if none does. */
function lineStart(file, position) {
  if (position === 0) return 0;
  const bytes = Buffer.allocUnsafe(PROBE);
  // A line begins at the position itself if the byte before it is a line feed.
  for (let at = position - 1; ;) {
    const length = readSync(file, bytes, 0, PROBE, at);
    if (length === 0) return at;
    const found = bytes.subarray(0, length).indexOf(LINE_FEED);
    if (found !== -1) return at + found + 1;
    at += length;
  }
}

function textOfBuffer(buffer, start, end) {
  const bytes = Buffer.from(buffer);
  const lineStartIn = (position) => {
    const found = position === 0 ? -1 : bytes.indexOf(LINE_FEED, position - 1);
    return position > 0 && found === -1 ? bytes.length : found + 1;
  };
  return bytes.latin1Slice(lineStartIn(start), lineStartIn(end));
}
