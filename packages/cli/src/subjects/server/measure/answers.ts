/** Whether an app that is run another way still answers the same: pure. */
import type { Answer } from './protocol.js';

/** unclear: its answers differ each time, in all that they say. */
export type Likeness = 'same' | 'alike' | 'different' | 'unclear';

/** Of answers that differ each time, so many bytes that they share are enough to compare by. */
const LEAST_SHARED_BYTES = 8;

/**
 * Against several answers of the app as it is. Where these differ from each other (a time, a random number), by what they have in common at
 * both ends: an answer where something else stands in place of what was computed differs there.
 */
export function compareAnswer(references: readonly Answer[], candidate: Answer): Likeness {
  const [first, ...others] = references;
  if (first === undefined) return 'unclear';
  if (candidate.failed !== undefined || candidate.status !== first.status) return 'different';
  if (candidate.type !== first.type) return 'different';
  const [head, tail] = sharedOf(
    first.body,
    others.map(({ body }) => body),
  );
  if (head === first.body.length && others.every(({ body }) => body.length === head)) {
    return isEqual(first.body, candidate.body) ? 'same' : 'different';
  }
  if (head + tail < LEAST_SHARED_BYTES) return 'unclear';
  const isAlike =
    candidate.body.length >= head + tail &&
    isEqual(first.body.subarray(0, head), candidate.body.subarray(0, head)) &&
    isEqual(last(first.body, tail), last(candidate.body, tail));
  return isAlike ? 'alike' : 'different';
}

/** How many bytes all have in common at the beginning, and how many of the rest at the end. */
function sharedOf(first: Uint8Array, others: readonly Uint8Array[]): [head: number, tail: number] {
  let head = first.length;
  for (const other of others) {
    let same = 0;
    while (same < head && same < other.length && other[same] === first[same]) same += 1;
    head = same;
  }
  let tail = first.length - head;
  for (const other of others) {
    let same = 0;
    const most = Math.min(tail, other.length - head);
    while (same < most && other[other.length - 1 - same] === first[first.length - 1 - same]) same += 1;
    tail = same;
  }
  return [head, tail];
}

function last(bytes: Uint8Array, count: number): Uint8Array {
  return bytes.subarray(bytes.length - count);
}

function isEqual(a: Uint8Array, b: Uint8Array): boolean {
  return a.length === b.length && a.every((byte, i) => byte === b[i]);
}

/** Why no load is put on it, after the name of the route: `answers 404`; undefined: it is an answer. */
export function complaintOf({ status, location, failed }: Answer): string | undefined {
  if (failed !== undefined) return failed;
  if (status >= 200 && status < 300) return undefined;
  const redirect = `, a redirect to '${location}', and redirects are not followed`;
  return `answers ${status}${status >= 300 && status < 400 ? redirect : ''}`;
}
