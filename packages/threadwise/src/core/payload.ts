/** The arguments of a call, captured when the call is made: what the caller changes afterwards does not matter. */
import { ThreadwiseError } from './errors.js';

export type Clone = <T>(value: T, transfer?: readonly unknown[]) => T;

export interface Payload {
  readonly args: readonly unknown[];
  /** Those parts of `args` that move to the worker; then the payload cannot be sent a second time. */
  readonly transfer: readonly unknown[];
  /**
   * Gives back what the call used. `stillRuns`: the caller was told, but the worker may yet touch the memory; then it is
   * called once more, with false, when the task has ended.
   */
  readonly onSettled: ((stillRuns: boolean) => void) | undefined;
  /** Shared memory cannot carry it: found out when it was captured. */
  readonly byPort?: boolean;
}

/** What `pool.lease` makes, as far as a payload needs to know it. */
export interface LeaseLike {
  readonly bytes: Uint8Array;
  /** Marks the lease as in use by a task; returns what ends that use, called as `Payload.onSettled` is. */
  lend(): (stillRuns: boolean) => void;
}

/** Captures arguments. Throws ERR_NOT_CLONEABLE, and moves nothing, when they cannot be cloned. */
export function capture(
  given: readonly unknown[],
  transfer: readonly unknown[],
  clone: Clone,
  asLease: (value: unknown) => LeaseLike | undefined,
): Payload {
  if (transfer.length === 0 && given.every(isImmutable)) {
    return { args: given.slice(), transfer: [], onSettled: undefined };
  }
  const leases = given.map(asLease);
  const args = given.map((value, i) => leases[i]?.bytes ?? value);
  const copy = cloneAll(args, transfer, clone);
  // Lent only now: a call that is refused has not used its leases up.
  const ends = leases.filter((lease) => lease !== undefined).map((lease) => lease.lend());
  const onSettled = (stillRuns: boolean) => ends.forEach((end) => void end(stillRuns));
  return { ...copy, onSettled: ends.length === 0 ? undefined : onSettled };
}

function cloneAll(args: readonly unknown[], transfer: readonly unknown[], clone: Clone) {
  try {
    return clone({ args, transfer }, transfer);
  } catch (cause) {
    throw notCloneable(cause, args, 'args', transfer, clone);
  }
}

/** Nobody could see whether it was copied. */
export function isImmutable(value: unknown): boolean {
  return (
    value === null || (typeof value !== 'object' && typeof value !== 'function' && typeof value !== 'symbol')
  );
}

/** ERR_NOT_CLONEABLE that names the path to the first value in `root` which cannot be cloned. */
export function notCloneable(
  cause: unknown,
  root: unknown,
  rootName: string,
  transfer: readonly unknown[],
  clone: Clone,
): ThreadwiseError {
  const path = findUncloneable(root, rootName, transfer, clone);
  const detail = cause instanceof Error ? cause.message : String(cause);
  const message =
    path === undefined ? `Cannot transfer ${rootName}: ${detail}` : `Cannot clone ${path}: ${detail}`;
  return new ThreadwiseError('ERR_NOT_CLONEABLE', message, { cause, path: path ?? rootName });
}

/** ERR_NOT_CLONEABLE of a value that could be sent, but not be read by the thread that it was for. */
export function unreadable(path: string, reason = 'it could not be deserialized'): ThreadwiseError {
  const message =
    `Cannot read ${path} in the thread that it was sent to: ${reason}. A value that is nested too deeply for the` +
    " thread's stack cannot be read, nor, on Node.js 20, an error that is part of its own cause";
  return new ThreadwiseError('ERR_NOT_CLONEABLE', message, { path });
}

/** How many values the search for the culprit looks at before it names the best that it has. */
const MAX_VISITED = 10_000;
/** How deep it looks: the search is recursive, and so is the runtime's own algorithm. */
const MAX_DEPTH = 500;
/** A part that can be moved only, and is: it is not to blame, nor is what can't be cloned because of it alone. */
const MOVED = Symbol('moved');

/** Throws ERR_NOT_CLONEABLE, which names the path to the value that is to blame. */
export function checkCloneable(value: unknown, name: string, clone: Clone): void {
  try {
    clone(value);
  } catch (cause) {
    throw notCloneable(cause, value, name, [], clone);
  }
}

/** Descends, depth first, from a value that cannot be cloned to the part that is to blame. */
function findUncloneable(
  root: unknown,
  rootName: string,
  transfer: readonly unknown[],
  clone: Clone,
): string | undefined {
  const moved = new Set<unknown>(transfer);
  const seen = new Set<unknown>();
  const blame = (value: unknown, path: string, depth: number): string | typeof MOVED | undefined => {
    if (moved.has(value)) return MOVED;
    if (seen.has(value) || isCloneable(value, clone)) return undefined;
    if (seen.size >= MAX_VISITED || depth > MAX_DEPTH) return path;
    seen.add(value);
    let verdict: string | typeof MOVED = path;
    for (const child of childrenOf(value, path)) {
      const found = blame(child.value, child.path, depth + 1);
      if (typeof found === 'string') return found;
      if (found === MOVED) verdict = MOVED;
    }
    return verdict;
  };
  const found = blame(root, rootName, 0);
  return typeof found === 'string' ? found : undefined;
}

function isCloneable(value: unknown, clone: Clone): boolean {
  try {
    clone(value);
    return true;
  } catch {
    return false;
  }
}

interface Child {
  readonly value: unknown;
  readonly path: string;
}

/** What structured clone would visit inside a value; nothing where a proxy refuses to tell. */
function childrenOf(value: unknown, path: string): Child[] {
  if (typeof value !== 'object' || value === null) return [];
  try {
    if (value instanceof Map) return childrenOfMap(value, path);
    if (value instanceof Set) return [...value].map((v, i) => ({ value: v, path: `${path}.values()[${i}]` }));
    return Object.keys(value).map((key) => ({ value: read(value, key), path: join(path, key, value) }));
  } catch {
    return [];
  }
}

function childrenOfMap(map: ReadonlyMap<unknown, unknown>, path: string): Child[] {
  return [...map].flatMap(([key, value], i) => [
    { value: key, path: `${path}.keys()[${i}]` },
    { value, path: `${path}.get(${typeof key === 'string' ? JSON.stringify(key) : `keys()[${i}]`})` },
  ]);
}

function read(value: object, key: string): unknown {
  try {
    return (value as Record<string, unknown>)[key];
  } catch {
    return Symbol('a getter that throws'); // cannot be cloned: so the path to it is named
  }
}

function join(path: string, key: string, parent: object): string {
  if (Array.isArray(parent)) return `${path}[${key}]`;
  return /^[A-Za-z_$][\w$]*$/.test(key) ? `${path}.${key}` : `${path}[${JSON.stringify(key)}]`;
}
