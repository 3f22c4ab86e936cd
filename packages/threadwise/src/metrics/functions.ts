/** Counts the calls of each function. The memory for this is bounded for any names that are called, and anything that is thrown. */
import type { Ms, Outcome } from './measured.js';

/** The entry of all calls that have no entry of their own. No function is likely to have that name. */
export const OTHER_NAMES = '(other names)';
/** How many functions have an entry of their own; further ones are counted together, since a snapshot is made, and sent, every second. */
const MOST_FUNCTIONS = 256;
/** About how many calls the mean running time is taken over. */
const RECENT_CALLS = 64;
/** How many characters are kept of a message or a stack. */
const MOST_TEXT = 2048;

/** An error that a call ended with. Texts are cut after 2,048 characters. */
export interface LastError {
  /** When the call ended. Milliseconds since the epoch. */
  readonly at: number;
  /** The name of the error's class; of a thrown value that is no error, its type. */
  readonly name: string;
  /** The error's code; null: it has none. */
  readonly code: string | null;
  /** The error's message; of a thrown text or number, that itself. */
  readonly message: string;
  /** The error's stack; empty: it has none. */
  readonly stack: string;
}

export type ErrorTexts = Omit<LastError, 'at'>;

/** What is counted of one function since the pool began. */
export interface FunctionCounts {
  /** The exported name; '(other names)': calls of unknown names, calls that ended before the module was loaded, functions beyond 256. */
  readonly name: string;
  /** Calls that have ended in any way; also those that a task made and its own thread ran. Calls. */
  readonly calls: number;
  /** Calls that ran on the thread that owns the pool. Calls. */
  readonly inline: number;
  /** Calls that threw, timed out, or were lost with their worker; not those that were aborted. Calls. */
  readonly failures: number;
  /** The failures that were timeouts. Calls. */
  readonly timeouts: number;
  /** The error of the last failure; null if there was none. */
  readonly lastError: LastError | null;
  /** Mean running time of recent calls. Milliseconds. */
  readonly runMs: number;
}

/** Calls of one function that a task made and that ran as a part of it. */
export interface RanWithin {
  readonly name: string;
  readonly calls: number;
  readonly failed: number;
  /** How many milliseconds they ran altogether. */
  readonly ms: number;
  /** The error of the last call that failed; undefined: none has failed. */
  readonly lastError: ErrorTexts | undefined;
}

class FunctionRecord implements FunctionCounts {
  readonly name: string;
  calls = 0;
  inline = 0;
  failures = 0;
  timeouts = 0;
  lastError: LastError | null = null;
  runMs = 0;
  #measured = 0;

  constructor(name: string) {
    this.name = name;
  }

  /** @param totalMs how long the calls ran altogether */
  count(count: number, totalMs: Ms, isInline: boolean): this {
    this.calls += count;
    if (isInline) this.inline += count;
    if (totalMs === undefined) return this;
    this.#measured += count;
    const weight = count / Math.min(this.#measured, Math.max(RECENT_CALLS, count));
    this.runMs += (totalMs / count - this.runMs) * weight;
    return this;
  }
}

export class FunctionRecords {
  /** The functions of the module; undefined until a thread has loaded it. */
  names: readonly string[] | undefined;
  readonly #records = new Map<string, FunctionRecord>();
  readonly #others = new FunctionRecord(OTHER_NAMES);

  /** Counts calls that have completed. @param totalMs how many milliseconds they ran altogether */
  completed(name: string, count: number, totalMs: number, isInline: boolean): void {
    this.#of(name).count(count, totalMs, isInline);
  }

  /** Counts a call that has ended in any way. */
  ended(name: string, outcome: Outcome, runMs: Ms, now: number, error: unknown, isInline: boolean): void {
    const isKnown = outcome === 'completed' || this.names?.includes(name) === true;
    const record = this.#of(name, isKnown).count(1, runMs, isInline);
    if (outcome === 'timedOut') record.timeouts++;
    if (outcome !== 'failed' && outcome !== 'timedOut' && outcome !== 'crashed') return;
    record.failures++;
    record.lastError = { at: now, ...textsOf(error) };
  }

  /** Counts calls that a task made and that ran as a part of it. */
  ranWithin({ name, calls, failed, ms, lastError }: RanWithin, now: number, isInline: boolean): void {
    const record = this.#of(name).count(calls, ms, isInline);
    record.failures += failed;
    if (lastError !== undefined) record.lastError = { at: now, ...lastError };
  }

  snapshot(): FunctionCounts[] {
    const others = this.#others.calls === 0 ? [] : [this.#others];
    return [...this.#records.values(), ...others].map((record) => ({ ...record }));
  }

  /** @param isKnown whether the module has such a function: others have no record of their own */
  #of(name: string, isKnown = true): FunctionRecord {
    const known = this.#records.get(name);
    if (known !== undefined) return known;
    if (!isKnown || this.#records.size >= MOST_FUNCTIONS) return this.#others;
    const record = new FunctionRecord(name);
    this.#records.set(name, record);
    return record;
  }
}

/** The texts that are kept of a thrown value. Never throws. */
export function textsOf(thrown: unknown): ErrorTexts {
  if (tried(() => thrown instanceof Error) !== true) {
    const isPrimitive = typeof thrown !== 'object' && typeof thrown !== 'function';
    return { name: typeof thrown, code: null, message: isPrimitive ? cut(String(thrown)) : '', stack: '' };
  }
  const [name, code, message, stack] = ['name', 'code', 'message', 'stack'].map((key) => {
    const value = tried(() => (thrown as Record<string, unknown>)[key]);
    return typeof value === 'string' ? cut(value) : undefined;
  });
  return { name: name ?? '', code: code ?? null, message: message ?? '', stack: stack ?? '' };
}

/** What `read` returns; undefined if it throws: it reads a getter, or a proxy that was revoked. */
function tried<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch {
    return undefined;
  }
}

/** The beginning of a text, as a copy: the result of `slice` would keep the whole text in memory. */
function cut(text: string): string {
  return text.length > MOST_TEXT ? (JSON.parse(JSON.stringify(text.slice(0, MOST_TEXT))) as string) : text;
}
