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
    if (isRevoked(value)) return false; // whoever clones it will say what it is
    throw error;
  }
}

/** Whether the value is a proxy that was revoked: `Array.isArray` throws for it, as nearly everything does. */
function isRevoked(value: unknown): boolean {
  try {
    Array.isArray(value);
    return false;
  } catch {
    return true;
  }
}
