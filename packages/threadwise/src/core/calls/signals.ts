/** The part of the runtime's abort signals that the core uses, and one listener for all calls that follow a signal. */

/** The part of an AbortSignal that is used. */
export interface AbortSignalLike {
  readonly aborted: boolean;
  readonly reason: unknown;
  addEventListener(type: 'abort', listener: () => void, options?: { once?: boolean }): void;
  removeEventListener(type: 'abort', listener: () => void): void;
}

export interface Controller {
  readonly signal: AbortSignalLike;
  abort(reason: unknown): void;
}

/** Every runtime that we support has it, but the language has not. Taken before a program can replace it. */
export const { AbortController } = globalThis as unknown as { AbortController: new () => Controller };

/** The options of `addEventListener`, without a prototype: nothing can be inherited. */
export const ONCE: { readonly once: boolean } = Object.assign(Object.create(null), { once: true });

/** The followers of each signal, and the one listener that tells them: Node warns of a leak from the eleventh on. */
const followed = new WeakMap<AbortSignalLike, { readonly followers: Set<() => void>; tell(): void }>();

/**
 * Calls back, with a function of its own for each follower, when a signal aborts. Returns what undoes it. The last follower is told first: calls
 * that wait are taken back before a call that runs is interrupted, as its worker might begin one of them meanwhile.
 */
export function onAbort(signal: AbortSignalLike, callback: () => void): () => void {
  let known = followed.get(signal);
  if (known === undefined) {
    const followers = new Set<() => void>();
    known = { followers, tell: () => [...followers].reverse().forEach((follower) => void follower()) };
    signal.addEventListener('abort', known.tell, ONCE); // first: it may throw where the signal is not the runtime's own
    followed.set(signal, known);
  }
  const { followers, tell } = known;
  followers.add(callback);
  return () => {
    if (!followers.delete(callback) || followers.size > 0) return;
    followed.delete(signal);
    try {
      signal.removeEventListener('abort', tell);
    } catch {
      // A signal of the user's own kind: the call that has followed it has to settle all the same.
    }
  };
}

/** Aborts a controller when a signal does, or has. Returns what undoes it. */
export function follow(signal: AbortSignalLike | undefined, controller: Controller): () => void {
  if (signal === undefined) return () => undefined;
  const abort = () => controller.abort(reasonOf(signal));
  if (signal.aborted) abort();
  return onAbort(signal, abort);
}

/** Why a signal aborts. One of the user's own kind may throw instead: then that is the reason. */
export function reasonOf(signal: AbortSignalLike | undefined): unknown {
  try {
    return signal?.reason;
  } catch (error) {
    return error;
  }
}
