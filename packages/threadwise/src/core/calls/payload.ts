/** The arguments of a call, captured when the call is made: what the caller changes afterwards does not matter. */
import { leaseOf } from '../lease.js';
import { isList, isObject, tagOf } from '../options/checks.js';
import { textOf, ThreadwiseError } from '../options/errors.js';

export type Clone = <T>(value: T, transfer?: readonly unknown[]) => T;

export interface Payload {
  readonly args: readonly unknown[];
  /** The parts of `args` that move to the worker; a payload with such parts cannot be sent a second time. */
  readonly transfer: readonly unknown[];
  /** Gives back what the call used. `stillRuns`: the worker may yet touch it; then it is called again, with false, when the task has ended. */
  readonly onSettled: ((stillRuns: boolean) => void) | undefined;
  /** Whether shared memory cannot carry the arguments; found out when they were captured. */
  readonly byPort?: boolean;
}

export const NO_PAYLOAD: Payload = { args: [], transfer: [], onSettled: undefined };

/** Captures arguments. Throws ERR_NOT_CLONEABLE, and moves nothing, when they cannot be cloned. */
export function capture(given: readonly unknown[], transfer: readonly unknown[], clone: Clone): Payload {
  if (transfer.length === 0 && given.every(isImmutable)) return { ...NO_PAYLOAD, args: given.slice() };
  const leases = given.map(leaseOf);
  const args = given.map((value, i) => leases[i]?.bytes ?? value);
  let copy: { readonly args: readonly unknown[]; readonly transfer: readonly unknown[] };
  try {
    copy = clone({ args, transfer }, transfer);
  } catch (cause) {
    throw notCloneable(cause, args, 'args', transfer, clone);
  }
  for (const lease of leases) void lease?.bytes; // throws if a getter among the arguments has released a lease
  // Lent only now: a call that is refused has not used its leases up.
  const ends = leases.filter((lease) => lease !== undefined).map((lease) => lease.lend());
  const onSettled = (stillRuns: boolean) => ends.forEach((end) => void end(stillRuns));
  return { ...copy, onSettled: ends.length === 0 ? undefined : onSettled };
}

/** Whether a copy of the value could not be told from the value. */
export function isImmutable(value: unknown): boolean {
  return (
    value === null || (typeof value !== 'object' && typeof value !== 'function' && typeof value !== 'symbol')
  );
}

/** ERR_NOT_CLONEABLE that names the path to the first value in `root` which cannot be cloned. @param given what was to move, if it is a list */
export function notCloneable(
  cause: unknown,
  root: unknown,
  rootName: string,
  given: unknown,
  clone: (value: unknown) => unknown,
): ThreadwiseError {
  const transfer = isList(given) ? given : [];
  const detail = textOf(cause, ({ message }) => message);
  const found = findUncloneable(root, rootName, transfer, clone);
  const path = found || rootName;
  // Written out: the first call of `toLocaleString` loads tables, which takes 20 ms.
  const what =
    found === UNKNOWN ? `${path} (the part to blame was not found among the first 10,000 values)` : path;
  const isTransfer = found === undefined && transfer.length > 0;
  const hint = /Generator\]/.test(detail) ? ' What a task yields is taken by pool.stream.' : '';
  const message = `Cannot ${isTransfer ? 'transfer' : 'clone'} ${what}: ${detail}${hint}`;
  return new ThreadwiseError('ERR_NOT_CLONEABLE', message, { cause, path });
}

/** ERR_NOT_CLONEABLE of a value that could be sent, but not be read by the thread that it was for. */
export function unreadable(path: string, reason = 'it could not be deserialized'): ThreadwiseError {
  const message =
    `Cannot read ${path} in the thread that it was sent to: ${reason}. A value that is nested too deeply for the` +
    " thread's stack cannot be read, nor, on Node.js 20, an error that is part of its own cause";
  return new ThreadwiseError('ERR_NOT_CLONEABLE', message, { path });
}

/** Returns what `clone` makes of a value: a copy, or bytes. Throws ERR_NOT_CLONEABLE, with the path to the part to blame, where it throws. */
export function cloned<T>(value: unknown, name: string, clone: (value: unknown) => T): T {
  try {
    return clone(value);
  } catch (cause) {
    throw notCloneable(cause, value, name, [], clone);
  }
}

/** How many values the search for the culprit looks at, which takes some milliseconds. Chosen by hand. */
const MAX_STEPS = 10_000;
/** How deep it looks: the search is recursive, and so is the runtime's own algorithm. */
const MAX_DEPTH = 500;
/** The steps that one clone of unknown size counts for. */
const CLONE_STEPS = 1000;
/**
 * In place of the path to the culprit, of a part that cloning cannot judge: one that is moved, is deeper than the search looks, refers to a value
 * that contains it, or contains such a part; of the whole, that the search has looked at MAX_STEPS values in vain.
 */
const UNKNOWN = '';

/** Descends, depth first, from a value that cannot be cloned to the part that is to blame. Returns its path; undefined: there is none. */
function findUncloneable(
  root: unknown,
  rootName: string,
  transfer: readonly unknown[],
  clone: (value: unknown) => unknown,
) {
  const moved = new Set<unknown>(transfer);
  const seen = new Set<unknown>();
  /** The value that is looked at, and those that it lies in. */
  const open = new Set<unknown>();
  let steps = 0;
  const blame = (value: unknown, path: string, depth: number): string | undefined => {
    if (steps++ >= MAX_STEPS || moved.has(value) || open.has(value)) return UNKNOWN;
    if (isImmutable(value) || seen.has(value)) return undefined;
    seen.add(value);
    if (leaseOf(value) !== undefined) return path;
    if (depth > MAX_DEPTH) {
      steps += CLONE_STEPS;
      return isCloneable(value, clone) ? UNKNOWN : path;
    }
    if (!isContainer(value) && isCloneable(value, clone)) return undefined;
    const before = steps;
    let verdict: string | undefined;
    open.add(value);
    for (const [child, childPath] of childrenOf(value, path)) {
      const found = blame(child, childPath, depth + 1);
      if (found) return found;
      verdict ??= found;
      if (steps >= MAX_STEPS) break;
    }
    open.delete(value);
    if (verdict === UNKNOWN || steps >= MAX_STEPS) return UNKNOWN;
    steps += steps - before; // to clone it is to look at all of it once more
    return isCloneable(value, clone) ? undefined : path;
  };
  return blame(root, rootName, 0) || (steps >= MAX_STEPS ? UNKNOWN : undefined);
}

/** Whether it is cloned part by part. Of others only the runtime knows what it looks at. */
function isContainer(value: unknown): boolean {
  try {
    return /^\[object (Object|Array|Map|Set)\]$/.test(tagOf(value));
  } catch {
    return false; // a proxy that was revoked
  }
}

function isCloneable(value: unknown, clone: (value: unknown) => unknown): boolean {
  try {
    clone(value);
    return true;
  } catch {
    return false;
  }
}

/** What structured clone would visit inside a value, one after the other, and the path to it; nothing where a proxy refuses to tell. */
function* childrenOf(value: unknown, path: string): Generator<readonly [unknown, string], void, void> {
  if (!isObject(value) || ArrayBuffer.isView(value)) return; // a typed array may have more keys than there is memory for
  let i = 0;
  try {
    if (value instanceof Map) {
      for (const [key, item] of value) {
        const keyPath = `keys()[${i++}]`;
        yield [key, `${path}.${keyPath}`];
        yield [item, `${path}.get(${typeof key === 'string' ? JSON.stringify(key) : keyPath})`];
      }
    } else if (value instanceof Set) {
      for (const item of value) yield [item, `${path}.values()[${i++}]`];
    } else {
      const isArray = Array.isArray(value);
      if (isArray) for (let at = 0; at < value.length; at++) yield [read(value, at), `${path}[${at}]`];
      for (const key of Object.keys(value)) {
        // An array may have properties of other names, too.
        if (!isArray || !/^\d+$/.test(key)) yield [read(value, key), join(path, key)];
      }
    }
  } catch {
    // A proxy refuses: the value itself is to blame.
  }
}

function read(value: object, key: PropertyKey): unknown {
  try {
    return (value as Record<PropertyKey, unknown>)[key];
  } catch {
    return Symbol('a getter that throws'); // cannot be cloned: so the path to it is named
  }
}

function join(path: string, key: string): string {
  const isName = /^[A-Za-z_$][\w$]*$/.test(key);
  return isName ? `${path}.${key}` : `${path}[${JSON.stringify(key)}]`;
}
