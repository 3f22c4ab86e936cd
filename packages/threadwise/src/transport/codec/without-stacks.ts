/** Errors of which V8 notes no stack. A file of its own: whoever only reads from a pipe need not load the codec of errors. */

/**
 * Has V8 note no stack for the errors that `make` makes: each would take several times what the rest of it does, and get another one, or be
 * seen by nobody. Where `--frozen-intrinsics` allows no assignment, V8 notes them still.
 * @param limit 0: each has a property `stack` all the same, of the kind that V8 gives to errors: it differs among versions
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
