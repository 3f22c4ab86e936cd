/** What the core uses of the runtime's abort signals, and how many calls follow one. */

/** The part of an AbortSignal that is used. */
export interface AbortSignalLike {
  readonly aborted: boolean;
  readonly reason: unknown;
  addEventListener(type: 'abort', listener: () => void, options?: { once?: boolean }): void;
  removeEventListener(type: 'abort', listener: () => void): void;
}

/** The options of `addEventListener`, without a prototype: nothing can be inherited. */
export const ONCE: { readonly once: boolean } = Object.assign(Object.create(null), { once: true });

/** Every runtime of ours has it, the language has not. Taken before anybody can replace it. */
export const { AbortController } = globalThis as unknown as { AbortController: new () => Controller };

export interface Controller {
  readonly signal: AbortSignalLike;
  abort(reason: unknown): void;
}

/** One listener for each signal, however many calls follow it: Node warns of a leak from the eleventh on. */
export class SharedSignals<T> {
  readonly #followers = new Map<AbortSignalLike, { readonly items: Set<T>; readonly onAbort: () => void }>();
  readonly #tell: (item: T) => void;

  /** @param tell called for each follower of a signal that aborts */
  constructor(tell: (item: T) => void) {
    this.#tell = tell;
  }

  follow(signal: AbortSignalLike | undefined, item: T): void {
    if (signal === undefined) return;
    const known = this.#followers.get(signal);
    if (known !== undefined) return void known.items.add(item);
    const items = new Set([item]);
    const onAbort = () => {
      for (const follower of [...items]) this.#tell(follower);
    };
    this.#followers.set(signal, { items, onAbort });
    signal.addEventListener('abort', onAbort, ONCE);
  }

  /** Inverse of `follow`. */
  unfollow(signal: AbortSignalLike | undefined, item: T): void {
    const known = signal && this.#followers.get(signal);
    if (signal === undefined || known === undefined) return;
    known.items.delete(item);
    if (known.items.size > 0) return;
    this.#followers.delete(signal);
    signal.removeEventListener('abort', known.onAbort);
  }
}

interface Follower {
  readonly signal: AbortSignalLike;
  readonly controller: Controller;
}

const followers = new SharedSignals<Follower>(({ signal, controller }) => controller.abort(signal.reason));

/** Aborts a controller when a signal does, or has. Returns what undoes it. */
export function follow(signal: AbortSignalLike | undefined, controller: Controller): () => void {
  if (signal === undefined) return () => undefined;
  if (signal.aborted) controller.abort(signal.reason);
  const follower = { signal, controller };
  followers.follow(signal, follower);
  return () => followers.unfollow(signal, follower);
}
