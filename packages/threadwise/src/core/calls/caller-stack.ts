/** Adds to an error from another thread where it was called from: the half of the story that its own stack lacks. */

const MARK = '\n    --- called from ---\n';

/**
 * Rejects the promise that `resolve` belongs to, with the error and who awaits it. The engine tells who that is to code
 * that runs as a reaction which the promise depends on (V8's async stack traces); so nothing is paid for calls that
 * succeed.
 */
export function rejectWithCaller(resolve: (value: unknown) => void, error: unknown): void {
  let open: () => void = () => undefined;
  const opened = new Promise<void>((resolveGate) => {
    open = resolveGate;
  });
  const rejection = opened.then(() => {
    throw withCallerStack(error);
  });
  resolve(rejection); // before the gate opens, so that the chain is complete when the reaction runs
  open();
}

/** A promise that is rejected so. */
export function rejected(error: unknown): Promise<never> {
  return new Promise((resolve) => rejectWithCaller(resolve as (value: unknown) => void, error));
}

/**
 * To be called in an async function or a reaction that somebody awaits. Returns the error.
 * @param what the caller's name of this call, if it made several in one place
 */
export function withCallerStack(error: unknown, what?: string): unknown {
  if (!(error instanceof Error) || typeof error.stack !== 'string' || error.stack.includes(MARK))
    return error;
  const frames = (new Error().stack ?? '').split('\n').filter((line) => line.startsWith('    at async '));
  const callers = frames.filter(
    (line) =>
      !/^ {4}at async (Pool|Mapping|PackingAdmission)\.(run|broadcast|results|map|enter)\b/.test(line),
  );
  if (what !== undefined) callers.unshift(`    at ${what}`);
  if (callers.length > 0) {
    const stack = error.stack + MARK + callers.join('\n');
    Object.defineProperty(error, 'stack', { value: stack, writable: true, configurable: true });
  }
  return error;
}
