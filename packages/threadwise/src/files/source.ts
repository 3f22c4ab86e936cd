/** Takes paths one by one from whatever gives them, at once or later, and never more than one ahead of who asks. */
import { reject } from '../core/options/checks.js';
import type { PathSource } from './contract.js';
import { pathOf } from './path-of.js';

export type Taken =
  | { readonly kind: 'path'; readonly path: string }
  /** It has none yet; `changed` is called when that is over. */
  | { readonly kind: 'later' }
  | { readonly kind: 'end' };

export interface Source {
  /** Throws what the source throws. */
  take(): Taken;
  /** The rest is not wanted. */
  close(): Promise<void> | void;
}

const LATER: Taken = { kind: 'later' };
const END: Taken = { kind: 'end' };

export function openSource(paths: PathSource, changed: () => void): Source {
  return Symbol.asyncIterator in paths
    ? new LaterSource(paths[Symbol.asyncIterator](), changed)
    : new ReadySource(paths[Symbol.iterator]());
}

/** A string is iterable as well, character by character. */
export function mustBeSource(given: unknown): asserts given is PathSource {
  const isSource =
    typeof given === 'object' &&
    given !== null &&
    (Symbol.iterator in given || Symbol.asyncIterator in given);
  if (!isSource) reject('paths', 'an iterable of paths, such as an array', given);
}

class ReadySource implements Source {
  #iterator: Iterator<unknown> | undefined;

  constructor(iterator: Iterator<unknown>) {
    this.#iterator = iterator;
  }

  take(): Taken {
    if (this.#iterator === undefined) return END;
    const { done, value } = this.#iterator.next();
    if (done !== true) return { kind: 'path', path: pathOf(value) };
    this.#iterator = undefined;
    return END;
  }

  close(): void {
    this.#iterator?.return?.();
    this.#iterator = undefined;
  }
}

type State =
  | { readonly kind: 'idle' }
  | { readonly kind: 'pulling' }
  | { readonly kind: 'arrived'; readonly path: unknown }
  | { readonly kind: 'failed'; readonly error: unknown }
  | { readonly kind: 'ended' };

class LaterSource implements Source {
  readonly #iterator: AsyncIterator<unknown>;
  readonly #changed: () => void;
  #state: State = { kind: 'idle' };

  constructor(iterator: AsyncIterator<unknown>, changed: () => void) {
    this.#iterator = iterator;
    this.#changed = changed;
  }

  take(): Taken {
    const state = this.#state;
    switch (state.kind) {
      case 'idle':
        void this.#pull();
        return LATER;
      case 'pulling':
        return LATER;
      case 'arrived':
        this.#state = { kind: 'idle' };
        return { kind: 'path', path: pathOf(state.path) };
      case 'failed':
        this.#state = { kind: 'ended' };
        throw state.error;
      case 'ended':
        return END;
    }
  }

  async close(): Promise<void> {
    const { kind } = this.#state;
    this.#state = { kind: 'ended' };
    if (kind === 'ended') return;
    const returned = Promise.resolve(this.#iterator.return?.()).catch(() => undefined);
    // Who still works on the next path may never be done with it.
    if (kind !== 'pulling') await returned;
  }

  async #pull(): Promise<void> {
    this.#state = { kind: 'pulling' };
    const next = await this.#next();
    if (this.#state.kind !== 'pulling') return;
    this.#state = next;
    this.#changed();
  }

  async #next(): Promise<State> {
    try {
      const { done, value } = await this.#iterator.next();
      return done === true ? { kind: 'ended' } : { kind: 'arrived', path: value };
    } catch (error) {
      return { kind: 'failed', error };
    }
  }
}
