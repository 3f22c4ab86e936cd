// What follows from memory: what a thread takes, by the slope over their number.
import { finding } from '../hash-direct/finding.js';

const BARE = 'as published';
const ROWS = [BARE, 'threadwise', 'piscina'];

export function conclude(scenarios, tools) {
  // From no thread to the first one a pool and its package come as well: no part of a thread.
  const withThreads = scenarios.filter(({ x }) => x > 0);
  const slopes = new Map(ROWS.map((row) => [row, tools.slope(withThreads, row, 'residentMiB')]));
  const said = ROWS.flatMap((row) => sentenceFor(row, slopes.get(row), tools));
  const [bare, loaded] = [BARE, 'threadwise'].map((row) => slopes.get(row));
  const holds = isMore(loaded, bare, withThreads);
  const end = {
    true: 'threads that have loaded modules take more than bare ones',
    false: 'threads that have loaded modules take no more than bare ones',
    undefined: 'the intervals of threads with and without modules overlap, or there are too few rounds',
  }[holds];
  return [finding(holds, end), ...said];
}

function sentenceFor(row, slope, { words }) {
  if (slope === undefined) return [];
  const [value, low, high] = [slope.value, slope.low, slope.high].map((mebibytes) =>
    words.bytes(Math.max(0, mebibytes) * 2 ** 20),
  );
  const interval = low === high ? '' : ` (${low} to ${high})`;
  return [`Each further thread of ${row} takes ${value} of resident memory${interval}`];
}

/** undefined: cannot tell. One round has no interval. */
function isMore(of, than, scenarios) {
  const rounds = Math.min(...scenarios.flatMap(({ rows }) => rows.map(({ samples }) => samples.length)));
  if (of === undefined || than === undefined || rounds < 3) return undefined;
  if (of.low > than.high) return true;
  return of.high < than.low ? false : undefined;
}
