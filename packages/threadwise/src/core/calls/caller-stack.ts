/** Adds to an error from another thread where it was called from: the half of the story that its own stack lacks. */
import { promised } from '../promised.js';

const MARK = '\n    --- called from ---\n';
/** The library's own frames, between the promise and the code that awaits it. */
const OURS = /^ {4}at async (Pool|Mapping|PackingAdmission)\.(run|broadcast|results|map|enter)\b/;

/** Rejects a promise with the stack of the code that awaits it, which V8 (its async stack traces) tells to a reaction that the promise depends on. */
export function rejectWithCaller(resolve: (value: unknown) => void, error: unknown): void {
  const gate = promised();
  const rejection = gate.promise.then(() => {
    throw withCallerStack(error);
  });
  resolve(rejection); // before the gate opens, so that the chain is complete when the reaction runs
  gate.resolve();
}

export function rejected(error: unknown): Promise<never> {
  return new Promise((resolve) => rejectWithCaller(resolve as (value: unknown) => void, error));
}

/** Takes the caller's stack off an error again, which goes on to a caller elsewhere. */
export function withoutCallerStack(error: unknown): void {
  if (!(error instanceof Error) || typeof error.stack !== 'string') return;
  const at = error.stack.indexOf(MARK);
  if (at !== -1) setStack(error, error.stack.slice(0, at));
}

function setStack(error: unknown, value: unknown): void {
  Reflect.defineProperty(error as object, 'stack', { value, writable: true, configurable: true }); // a frozen one stays as it is
}

/**
 * Adds to the stack of an error the code that awaits the async function, or the reaction, which calls this, once somebody reads the stack: making
 * the text takes several times as long as noting the frames. Returns the error. @param what the caller's name of this call
 */
export function withCallerStack(error: unknown, what?: string): unknown {
  try {
    if (!(error instanceof Error)) return error;
    const { stack } = error;
    if (typeof stack !== 'string' || stack.includes(MARK)) return error;
    const here = new Error();
    Reflect.defineProperty(error, 'stack', {
      get: () => {
        const whole = stack + callersIn(here, what);
        setStack(error, whole);
        return whole;
      },
      set(value: unknown) {
        setStack(this, value);
      },
      configurable: true,
    });
  } catch {
    // The error goes on as it is.
  }
  return error;
}

/** The text that is added to a stack: '' where no caller is known, or the program's own Error.prepareStackTrace makes no text, or throws. */
function callersIn(here: Error, what: string | undefined): string {
  try {
    const lines = here.stack!.split('\n');
    const callers = lines.filter((line) => line.startsWith('    at async ') && !OURS.test(line));
    if (what !== undefined) callers.unshift(`    at ${what}`);
    return callers.length > 0 ? MARK + callers.join('\n') : '';
  } catch {
    return '';
  }
}
