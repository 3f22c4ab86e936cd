/** A promise, and what resolves it: `Promise.withResolvers`, which Node 20 does not have. */
export function promised<T = void>() {
  let resolve: (value: T) => void = () => undefined;
  const promise = new Promise<T>((r) => {
    resolve = r;
  });
  return { promise, resolve };
}

export function isThenable(value: unknown): value is PromiseLike<unknown> {
  try {
    return typeof value === 'object' && value !== null && 'then' in value && typeof value.then === 'function';
  } catch (error) {
    try {
      Array.isArray(value);
    } catch {
      return false; // It is a proxy that was revoked. Whoever clones it will say so.
    }
    throw error;
  }
}
