/**
 * Node sends the error that ends a worker to the thread that started it, where one that is nested too deeply to be read would be an uncaught
 * exception of the whole process. So this file removes what could not be read from the error before Node sends it.
 */
import { isObject } from '../../core/options/checks.js';

/** How many levels of nesting fit on the stack of any thread. Chosen by hand: some thousands do not. */
const MAX_LEVELS = 200;
const REMOVED = '[removed: the thread that it was for could not have read it]';

/** Call once, in a worker, before any code of the user's runs. */
export function keepUncaughtErrorsReadable(): void {
  process.on('uncaughtExceptionMonitor', (error: unknown) => {
    if (!isObject(error)) return;
    for (const key of Object.getOwnPropertyNames(error)) {
      try {
        if (isReadable((error as Record<string, unknown>)[key])) continue;
        Object.defineProperty(error, key, { value: REMOVED, enumerable: true });
      } catch {
        // The getter throws, or the property cannot be changed: nothing more can be done.
      }
    }
  });
}

function isReadable(value: unknown): boolean {
  if (!isObject(value)) return true;
  if (!isWithin(value, MAX_LEVELS, new Set())) return false;
  const { deserialize, serialize } = process.getBuiltinModule('node:v8'); // loaded only here, as that takes a while
  let bytes: Buffer | undefined;
  try {
    bytes = serialize(value);
    deserialize(bytes);
    return true;
  } catch {
    // Node itself leaves out values that cannot be written. On Node.js 20, an error that is part of its own cause can be written, but not read.
    return bytes === undefined;
  }
}

function isWithin(value: unknown, levels: number, seen: Set<unknown>): boolean {
  if (!isObject(value) || seen.has(value)) return true;
  seen.add(value);
  const parts = value as Record<string, unknown>;
  return (
    levels > 0 && Object.getOwnPropertyNames(value).every((key) => isWithin(parts[key], levels - 1, seen))
  );
}
