/**
 * Node sends the error that ends a worker to the thread that started it, and reads it there in code of its own: an error that cannot
 * be read, as it is nested too deeply for that thread's stack, would be an uncaught exception of the whole process. So what could not be
 * read is taken off the error before Node sends it.
 */

/** Levels that fit on the stack of any thread. Chosen by hand: some thousands do not. */
const MAX_LEVELS = 200;
const REMOVED = '[removed: the thread that it was for could not have read it]';

/** Call once, in a worker, before any code of the user's runs. */
export function keepUncaughtErrorsReadable(): void {
  process.on('uncaughtExceptionMonitor', (error: unknown) => {
    if (typeof error === 'object' && error !== null) prune(error as Record<string, unknown>);
  });
}

function prune(error: Record<string, unknown>): void {
  for (const key of Object.getOwnPropertyNames(error)) {
    try {
      if (isReadable(error[key])) continue;
      Object.defineProperty(error, key, { value: REMOVED, enumerable: true });
    } catch {
      // A getter that throws, or a property that stays as it is: nothing more can be done.
    }
  }
}

function isReadable(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return true;
  if (!isWithin(value, MAX_LEVELS, new Set())) return false;
  const { deserialize, serialize } = process.getBuiltinModule('node:v8'); // not needed before, and takes a while to load
  let bytes: Buffer | undefined;
  try {
    bytes = serialize(value);
    deserialize(bytes);
    return true;
  } catch {
    // What cannot be written, Node leaves out by itself. What cannot be read: on Node.js 20, an error that is part of its own cause.
    return bytes === undefined;
  }
}

function isWithin(value: unknown, levels: number, seen: Set<unknown>): boolean {
  if (typeof value !== 'object' || value === null || seen.has(value)) return true;
  seen.add(value);
  const parts = value as Record<string, unknown>;
  return (
    levels > 0 && Object.getOwnPropertyNames(value).every((key) => isWithin(parts[key], levels - 1, seen))
  );
}
