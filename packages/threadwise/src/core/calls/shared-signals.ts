/** One listener for each signal, however many calls follow it: Node warns of a leak from the eleventh on. */
import { type AbortSignalLike, ONCE } from './run-options.js';

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
