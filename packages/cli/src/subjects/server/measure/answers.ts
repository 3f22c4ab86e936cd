/** Requests and answers, and whether an app that is run another way still answers the same: pure. */

export interface RequestPlan {
  readonly method: string;
  readonly path: string; // the path of the request, with its query
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array | undefined;
}

/** If `failed` is set, there was no answer, and it says why. */
export interface Answer {
  readonly status: number;
  readonly type: string;
  readonly location: string;
  readonly closes: boolean;
  readonly body: Uint8Array;
  readonly failed: string | undefined;
  readonly ms: number; // how many milliseconds the answer took
}

/** `GET /main?name=x`. */
export function routeOf({ method, path }: RequestPlan): string {
  return `${method} ${path}`;
}

const LEAST_SHARED_BYTES = 8; // how many bytes answers that differ each time must share, to be compared by these

/** Compares an answer with several of the app as it is: where those differ, by the beginning and the end that they share. */
export function compareAnswer(references: readonly Answer[], candidate: Answer) {
  const [first, ...others] = references;
  // unclear: the answers differ each time, and have too little in common.
  if (first === undefined) return 'unclear';
  if (candidate.failed !== undefined || candidate.status !== first.status) return 'different';
  if (candidate.type !== first.type) return 'different';
  const bodies = others.map(({ body }) => body);
  const head = beginning(first.body, bodies, first.body.length);
  const isAlways = head === first.body.length && bodies.every(({ length }) => length === head);
  if (isAlways) return Buffer.compare(first.body, candidate.body) === 0 ? 'same' : 'different';
  const least = Math.min(...references.map(({ body }) => body.length));
  const [last, ...ends] = [...references, candidate].map(({ body }) => body.toReversed());
  const tail = beginning(last!, ends.slice(0, -1), least - head);
  if (head + tail < LEAST_SHARED_BYTES) return 'unclear';
  const isLong = candidate.body.length >= head + tail;
  const begins = beginning(first.body, [candidate.body], head) === head;
  return isLong && begins && beginning(last!, ends.slice(-1), tail) === tail ? 'alike' : 'different';
}

/** How many bytes all have in common at the beginning, `most` at most. A plain loop: an answer may have many megabytes. */
function beginning(first: Uint8Array, others: readonly Uint8Array[], most: number): number {
  let same = Math.min(most, first.length);
  for (const other of others) {
    let i = 0;
    while (i < same && other[i] === first[i]) i++;
    same = i;
  }
  return same;
}

/** Why no load is put on the route, in words that follow its name: `answers 404`; undefined if the answer is fine. */
export function complaintOf({ status, location, failed }: Answer): string | undefined {
  if (failed !== undefined) return failed;
  if (status >= 200 && status < 300) return undefined;
  const redirect = `, a redirect to '${location}', and redirects are not followed`;
  return `answers ${status}${status >= 300 && status < 400 ? redirect : ''}`;
}
