/** Requests and answers, and whether an app that is run another way still answers the same: pure. */
import { createHash } from 'node:crypto';

export interface RequestPlan {
  readonly method: string;
  readonly path: string; // the path of the request, with its query
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array | undefined;
}

/** If `failed` is set, there was no answer, or none that the load generator can take, and it says why. */
export interface Answer {
  readonly status: number;
  readonly type: string;
  readonly location: string;
  readonly closes: boolean;
  readonly body: Uint8Array; // see `shortened`
  readonly failed: string | undefined;
  readonly ms: number; // how many milliseconds the answer took
}

/** `GET /main?name=x`. */
export function routeOf({ method, path }: RequestPlan): string {
  return `${method} ${path}`;
}

const END_BYTES = 2 ** 19; // how many bytes of a large answer are kept at each end

/** What is kept of an answer: all of it, or both ends and a hash of what is between, since many megabytes take long from process to process. */
export function shortened(body: Uint8Array): Uint8Array {
  if (body.length <= 2 * END_BYTES) return body;
  const middle = createHash('sha256').update(body.subarray(END_BYTES, -END_BYTES)).digest();
  return Buffer.concat([body.subarray(0, END_BYTES), middle, body.subarray(-END_BYTES)]);
}

const LEAST_SHARED_BYTES = 8; // how many bytes answers that differ each time must share, to be compared by these

/** Compares an answer with several of the app as it is: where those differ, by the beginning and the end that they share. */
export function compareAnswer(references: readonly Answer[], candidate: Answer) {
  const [first] = references;
  // unclear: the answers differ each time, and have too little in common.
  if (first === undefined) return 'unclear';
  if (candidate.failed !== undefined || candidate.status !== first.status) return 'different';
  if (candidate.type !== first.type) return 'different';
  const isFirst = (body: Uint8Array) => Buffer.compare(body, first.body) === 0;
  const bodies = references.map(({ body }) => body);
  if (bodies.every(isFirst)) return isFirst(candidate.body) ? 'same' : 'different';
  const [shared, withCandidate] = [sharedBy(bodies), sharedBy([...bodies, candidate.body])];
  if (shared.head + shared.tail < LEAST_SHARED_BYTES) return 'unclear';
  return withCandidate.head === shared.head && withCandidate.tail === shared.tail ? 'alike' : 'different';
}

/** How many bytes all have in common at the beginning, and at the end of the rest. */
function sharedBy(bodies: readonly Uint8Array[]) {
  const least = Math.min(...bodies.map(({ length }) => length));
  const head = beginning(bodies, least);
  const reversed = bodies.map((body) => body.toReversed());
  return { head, tail: beginning(reversed, least - head) };
}

/** How many bytes all have in common at the beginning, `most` at most. */
function beginning(all: readonly Uint8Array[], most: number): number {
  let same = 0;
  while (same < most && all.every((each) => each[same] === all[0]![same])) same += 1;
  return same;
}

/** Why no load is put on the route, in words that follow its name: `answers 404`; undefined if the answer is fine. */
export function complaintOf({ status, location, failed }: Answer): string | undefined {
  if (failed !== undefined) return failed;
  if (status >= 200 && status < 300) return undefined;
  const redirect = `, a redirect to '${location}', and redirects are not followed`;
  return `answers ${status}${status >= 300 && status < 400 ? redirect : ''}`;
}
