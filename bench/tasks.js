// Every function that an experiment runs on a contender's threads.
import { threadId as ownThreadId } from 'node:worker_threads';

/** The trivial task: what is measured is the crossing. */
export function increment(x) {
  return x + 1;
}

export function echo(value) {
  return value;
}

/** Which thread runs this; 0 is the main thread. */
export function threadId() {
  return ownThreadId;
}
