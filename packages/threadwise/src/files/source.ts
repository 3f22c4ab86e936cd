/** Takes paths one by one from whatever gives them, at once or later, and never more than one ahead of who asks. */
import { fileURLToPath } from 'node:url';
import { reject } from '../core/options/checks.js';
import { show, ThreadwiseError } from '../core/options/errors.js';
import type { PathSource } from './options.js';

/** A string is iterable as well, character by character. */
export function mustBeSource(given: unknown): asserts given is PathSource {
  const isSource =
    typeof given === 'object' &&
    given !== null &&
    (Symbol.iterator in given || Symbol.asyncIterator in given);
  if (!isSource) reject('paths', 'an iterable of paths, such as an array', given);
}

/** Throws ERR_OPTION for what cannot be a path; whether there is such a file is another question. */
export function pathOf(given: unknown): string {
  if (typeof given === 'string') return given;
  if (given instanceof URL && given.protocol === 'file:') return fileURLToPath(given);
  const what = given instanceof URL ? show(given.href) : show(given);
  throw new ThreadwiseError('ERR_OPTION', `Expected a path or a file URL, got ${what}`);
}

/** idle: nothing is asked for. pulling: an asynchronous source works on the next path. arrived, failed: that is over. */
type State = 'idle' | 'pulling' | 'arrived' | 'failed' | 'ended';

export class Source {
  readonly #now: Iterator<unknown> | undefined;
  readonly #later: AsyncIterator<unknown> | undefined;
  readonly #changed: () => void;
  #state: State = 'idle';
  /** What has arrived, or the error. */
  #given: unknown;

  /** @param changed called when `take`, which had nothing to give, may have something now */
  constructor(paths: PathSource, changed: () => void) {
    if (Symbol.asyncIterator in paths) this.#later = paths[Symbol.asyncIterator]();
    else this.#now = paths[Symbol.iterator]();
    this.#changed = changed;
  }

  get isEnded(): boolean {
    return this.#state === 'ended';
  }

  /** The next path; undefined: there is none yet, or none any more. Throws what the source throws. */
  take(): string | undefined {
    if (this.#state === 'idle') {
      if (this.#now !== undefined) this.#arrived(this.#now.next());
      else void this.#pull();
    }
    if (this.#state === 'arrived') {
      this.#state = 'idle';
      return pathOf(this.#given);
    }
    if (this.#state !== 'failed') return undefined;
    this.#state = 'ended';
    throw this.#given;
  }

  /** The rest is not wanted. */
  async close(): Promise<void> {
    const state = this.#state;
    this.#state = 'ended';
    if (state === 'ended') return;
    const returned = (this.#now ?? this.#later)!.return?.();
    // Who still works on the next path may never be done with it.
    const isOver = Promise.resolve(returned).catch(() => undefined);
    if (state !== 'pulling') await isOver;
  }

  #arrived({ done, value }: IteratorResult<unknown>): void {
    this.#state = done === true ? 'ended' : 'arrived';
    this.#given = value;
  }

  async #pull(): Promise<void> {
    this.#state = 'pulling';
    let next: () => void;
    try {
      const result = await this.#later!.next();
      next = () => this.#arrived(result);
    } catch (error) {
      next = () => {
        this.#state = 'failed';
        this.#given = error;
      };
    }
    if (this.isEnded) return;
    next();
    this.#changed();
  }
}
