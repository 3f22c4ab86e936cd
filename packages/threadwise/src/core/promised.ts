/** A promise, and what settles it: `Promise.withResolvers`, which Node 20 does not have. */
export function promised<T = void>() {
  let resolve: (value: T) => void = () => undefined;
  let reject: (error: unknown) => void = () => undefined;
  const promise = new Promise<T>((onValue, onError) => {
    resolve = onValue;
    reject = onError;
  });
  return { promise, resolve, reject };
}

export function isThenable(value: unknown): value is PromiseLike<unknown> {
  try {
    const mayHaveThen = (typeof value === 'object' && value !== null) || typeof value === 'function';
    return mayHaveThen && 'then' in value && typeof value.then === 'function';
  } catch (error) {
    try {
      Array.isArray(value);
    } catch {
      return false; // It is a proxy that was revoked. Whoever clones it will say so.
    }
    throw error;
  }
}
