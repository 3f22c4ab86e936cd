/** What spares the engine work. In a file of its own, so that code that only reads from a pipe need not load the codec of errors. */

const FunctionHere = Function; // a task may replace it

/** A function made of its source, which may be several times as fast as a loop. Undefined: the program forbids code that is made at run time. */
export function compile<T>(parameter: string, code: string): T | undefined {
  try {
    return new FunctionHere(parameter, code) as T;
  } catch {
    return undefined;
  }
}

/**
 * Has V8 note no stack for the errors that `make` makes: a stack takes several times as long as the rest of an error, and would be replaced, or
 * never be looked at. Where `--frozen-intrinsics` allows no assignment, V8 still notes stacks.
 * @param limit 0: each error has a property `stack` all the same, of the kind that V8 gives to errors, which differs among versions
 */
export function withoutStacks<T>(make: () => T, limit?: 0): T {
  const { stackTraceLimit } = Error;
  Reflect.set(Error, 'stackTraceLimit', limit);
  try {
    return make();
  } finally {
    Reflect.set(Error, 'stackTraceLimit', stackTraceLimit);
  }
}
