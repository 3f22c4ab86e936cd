/**
 * The next files, in the order of their paths. The window looks at some paths ahead, and begins to read large files before they are wanted,
 * within the limits of the options. Small files are read when they are wanted, since that takes hardly any time.
 *
 * new → small → read, or new → large → reading → read; a small file that has grown becomes large, and each may fail
 * instead. If the source of the paths throws, that is the last entry, so that the files before it are not lost.
 */
import { fileURLToPath } from 'node:url';
import { isObject, reject } from '../core/options/checks.js';
import { show, ThreadwiseError } from '../core/options/errors.js';
import type { PathSource, ResolvedReadFiles } from './options.js';
import { readFileLater, readFileNow, sizeLater, sizeNow } from './reading.js';

/** How many paths are looked at ahead: enough to find a large file behind small ones. Chosen by hand. */
const LOOK_AHEAD = 16;

export interface Entry {
  path: string;
  state: 'new' | 'small' | 'large' | 'reading' | 'read' | 'failed' | 'broken';
  /** How many bytes of `aheadBytes` the file takes: 0 for a small file. */
  size: number;
  /** The content of a file that was read. */
  bytes?: Uint8Array | undefined;
  /** Why it has failed, or what the source of the paths has thrown. */
  cause?: unknown;
}

/** Refuses a string, too, which is iterable character by character. Throws ERR_OPTION. */
export function mustBeSource(given: unknown): asserts given is PathSource {
  if (isObject(given) && (Symbol.iterator in given || Symbol.asyncIterator in given)) return;
  reject('paths', 'an iterable of paths, such as an array', given);
}

/** Returns the path. Throws ERR_OPTION for what cannot be one, but does not look whether there is such a file. */
export function pathOf(given: unknown): string {
  if (typeof given === 'string') return given;
  const details: { cause?: unknown } = {};
  if (given instanceof URL && given.protocol === 'file:') {
    try {
      return fileURLToPath(given);
    } catch (cause) {
      details.cause = cause; // the URL names a host, or has an encoded slash within a name
    }
  }
  const what = given instanceof URL ? show(given.href) : show(given);
  throw new ThreadwiseError('ERR_OPTION', `Expected a path or a file URL, got ${what}`, details);
}

export class Window {
  readonly #options: ResolvedReadFiles;
  readonly #paths: Iterator<unknown> | AsyncIterator<unknown>;
  /** pulling: an asynchronous source works on the next path. closed: nobody wants more files. */
  #source: 'idle' | 'pulling' | 'ended' | 'closed' = 'idle';
  readonly #entries: Entry[] = [];
  readonly #pending = new Set<Promise<void>>();
  #waiter: () => void = () => undefined;
  /** How many entries are 'large'. Mostly 0: then `#beginReads` has nothing to look for. */
  #waiting = 0;

  constructor(paths: PathSource, options: ResolvedReadFiles) {
    this.#options = options;
    this.#paths = Symbol.asyncIterator in paths ? paths[Symbol.asyncIterator]() : paths[Symbol.iterator]();
  }

  /**
   * The next file, if it is read or has failed; 'end' if there is none. Otherwise undefined: wait for `change`. Throws
   * what the source of the paths throws.
   */
  next(): Entry | 'end' | undefined {
    this.#lookAhead();
    this.#beginReads();
    const head = this.#entries[0];
    if (head === undefined) return this.#source === 'ended' ? 'end' : undefined;
    if (head.state === 'small') {
      this.#goOnNow(head);
      // The file may have turned out to be large.
      this.#beginReads();
    }
    if (head.state === 'broken') throw head.cause;
    if (head.state !== 'read' && head.state !== 'failed') return undefined;
    return this.#entries.shift();
  }

  /** Resolves when `next` may return something else. Call it right after `next`, before anything can have changed. */
  change(): Promise<void> {
    return new Promise((resolve) => {
      this.#waiter = resolve;
    });
  }

  readonly wake = (): void => this.#waiter();

  /** Begins nothing more; resolves when all files are closed. */
  async close(): Promise<void> {
    const source = this.#source;
    this.#source = 'closed';
    this.#entries.length = 0;
    const endSource = async () => (source === 'ended' ? undefined : this.#paths.return?.());
    const isOver = endSource().catch(() => undefined);
    // A source that still works on the next path may never be done with it.
    await Promise.all([source === 'pulling' ? undefined : isOver, ...this.#pending]);
  }

  // --- paths ---

  #lookAhead(): void {
    const most = Math.max(LOOK_AHEAD, this.#options.concurrency);
    const entries = this.#entries;
    while (this.#source === 'idle' && entries.length < most && entries.at(-1)?.state !== 'broken')
      this.#pull();
  }

  #pull(): void {
    try {
      const next = this.#paths.next();
      if (!('then' in next)) return this.#arrived(next);
      this.#source = 'pulling';
      void next.then(
        (result) => this.#pulled(() => this.#arrived(result)),
        (cause) => this.#pulled(() => this.#broke(cause)),
      );
    } catch (cause) {
      this.#broke(cause);
    }
  }

  #pulled(take: () => void): void {
    if (this.#source === 'closed') return;
    this.#source = 'idle';
    take();
    this.wake();
  }

  #arrived({ done, value }: IteratorResult<unknown>): void {
    if (done === true) {
      this.#source = 'ended';
      return;
    }
    const entry: Entry = { path: '', state: 'new', size: 0 };
    this.#entries.push(entry);
    try {
      entry.path = pathOf(value);
    } catch (cause) {
      end(entry, 'broken', cause);
      return;
    }
    if (this.#options.syncBytes > 0) this.#goOnNow(entry);
    else this.#track(entry, this.#sizeLater(entry));
  }

  #broke(cause: unknown): void {
    this.#source = 'ended';
    this.#entries.push({ path: '', state: 'broken', size: 0, cause });
  }

  // --- files ---

  /** Begins to read large files, in their order. The first entry is read however large it is: the others can only be taken after it. */
  #beginReads(): void {
    if (this.#waiting === 0) return;
    const { concurrency, aheadBytes } = this.#options;
    let [reading, bytes] = [0, 0];
    for (const { state, size } of this.#entries) {
      if (state === 'reading') reading++;
      if (state === 'reading' || state === 'read') bytes += size;
    }
    for (const [i, entry] of this.#entries.entries()) {
      if (entry.state !== 'large') continue;
      if (reading === concurrency || (i > 0 && bytes + entry.size > aheadBytes)) return;
      reading++;
      bytes += entry.size;
      this.#waiting--;
      this.#track(entry, this.#readLater(entry));
    }
  }

  /** Looks at a new file, or reads a small one. */
  #goOnNow(entry: Entry): void {
    const { syncBytes } = this.#options;
    try {
      if (entry.state === 'new') {
        const size = sizeNow(entry.path);
        if (size > syncBytes) this.#mustWait(entry, size);
        else entry.state = 'small';
        return;
      }
      const bytes = readFileNow(entry.path, syncBytes);
      // The file has grown to a size that is not known here: it counts as `syncBytes`, which it exceeds.
      if (bytes === undefined) this.#mustWait(entry, syncBytes);
      else end(entry, 'read', undefined, bytes);
    } catch (cause) {
      end(entry, 'failed', cause);
    }
  }

  async #sizeLater(entry: Entry): Promise<void> {
    this.#mustWait(entry, await sizeLater(entry.path));
  }

  #mustWait(entry: Entry, size: number): void {
    entry.state = 'large';
    entry.size = size;
    this.#waiting++;
  }

  async #readLater(entry: Entry): Promise<void> {
    entry.state = 'reading';
    const bytes = await readFileLater(entry.path, () => this.#source === 'closed');
    end(entry, 'read', undefined, bytes);
  }

  /** @param step the work on the entry; if it rejects, the entry fails */
  #track(entry: Entry, step: Promise<void>): void {
    const ended = step
      .catch((cause: unknown) => end(entry, 'failed', cause))
      .then(() => {
        this.#pending.delete(ended);
        this.wake();
      });
    this.#pending.add(ended);
  }
}

function end(entry: Entry, state: 'read' | 'failed' | 'broken', cause: unknown, bytes?: Uint8Array): void {
  Object.assign(entry, { state, cause, bytes });
}
