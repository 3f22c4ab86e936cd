/** Adds to an error from another thread where it was called from: the half of the story that its own stack lacks. */

const MARK = '\n    --- called from ---\n';

/** To be called in an async function, after its await: the engine then knows who awaits. Returns the error. */
export function withCallerStack(error: unknown): unknown {
  if (!(error instanceof Error) || typeof error.stack !== 'string' || error.stack.includes(MARK))
    return error;
  const frames = (new Error().stack ?? '').split('\n').filter((line) => line.startsWith('    at async '));
  const callers = frames.filter(
    (line) => !/^ {4}at async (Pool|Mapping)\.(run|broadcast|results|map)\b/.test(line),
  );
  if (callers.length > 0) {
    const stack = error.stack + MARK + callers.join('\n');
    Object.defineProperty(error, 'stack', { value: stack, writable: true, configurable: true });
  }
  return error;
}
