/** The next files, in the order of their paths. Large files are begun before they are wanted; small ones are read when they are. */
import { fileURLToPath } from 'node:url';
import { show, ThreadwiseError } from '../core/options/errors.js';
import type { FailedFile, FileContent, PathSource, ResolvedReadFiles } from './options.js';
import { readFileLater, readFileNow, sizeLater, sizeNow } from './reading.js';

/** How many paths are looked at ahead: enough to find a large file behind small ones. Chosen by hand. */
const LOOK_AHEAD = 16;

interface Entry {
  readonly path: string;
  /** new → small, or new → large → reading; a small file that has grown becomes large. */
  state: 'new' | 'small' | 'large' | 'reading';
  /** How many bytes of `aheadBytes` the file takes: 0 for a small file. */
  size: number;
  /** Returns or throws what the reader does with the file, once that was read, or has failed. */
  result?: () => FileContent | FailedFile;
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

export function fileError(path: string, cause: unknown): ThreadwiseError {
  // Cuts off the system call and the path at the end, since our message names the path already.
  const reason = cause instanceof Error ? cause.message.replace(/, \w+(?: '.*')?$/s, '') : String(cause);
  return new ThreadwiseError('ERR_FILE_READ', `Cannot read '${path}': ${reason}`, { path, cause });
}

export class Window {
  readonly #options: ResolvedReadFiles;
  readonly #paths: Iterator<unknown> | AsyncIterator<unknown>;
  /** pulling: an asynchronous source works on the next path. broken: it gave what is no path. closed: nobody wants more files. */
  #source: 'idle' | 'pulling' | 'broken' | 'ended' | 'closed' = 'idle';
  readonly #entries: Entry[] = [];
  readonly #pending = new Set<Promise<void>>();
  /** Has `change` resolve. */
  wake: () => void = () => undefined;

  constructor(paths: PathSource, options: ResolvedReadFiles) {
    this.#options = options;
    this.#paths = Symbol.asyncIterator in paths ? paths[Symbol.asyncIterator]() : paths[Symbol.iterator]();
  }

  /** What the reader yields next; 'end': nothing. Undefined: wait for `change`. Throws why the file has failed, and what the source of the paths throws. */
  next(): FileContent | FailedFile | 'end' | undefined {
    const { concurrency, syncBytes } = this.#options;
    const most = Math.max(LOOK_AHEAD, concurrency);
    while (this.#source === 'idle' && this.#entries.length < most) this.#pull();
    for (;;) {
      this.#beginReads();
      const [head] = this.#entries;
      if (head === undefined) return this.#source === 'ended' ? 'end' : undefined;
      if (head.result !== undefined) {
        this.#entries.shift();
        return head.result();
      }
      if (head.state !== 'small') return undefined;
      const { path } = head;
      this.#now(head, () => {
        const bytes = readFileNow(path, syncBytes);
        if (bytes !== undefined) head.result = () => ({ path, bytes });
        // The file has grown to a size that is not known here: it counts as `syncBytes`, which it exceeds.
        else Object.assign(head, { state: 'large', size: syncBytes });
      });
    }
  }

  /** Resolves when `next` may return something else. Call it right after `next`, before anything can have changed. */
  change(): Promise<void> {
    return new Promise((resolve) => {
      this.wake = resolve;
    });
  }

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

  #pull(): void {
    try {
      const next = this.#paths.next();
      if (!('then' in next)) return this.#arrived(next);
      this.#source = 'pulling';
      const pulled = (take: () => void) => {
        if (this.#source === 'closed') return;
        this.#source = 'idle';
        take();
        this.wake();
      };
      void Promise.resolve(next)
        .then((result) => pulled(() => this.#arrived(result)))
        .catch((cause: unknown) => pulled(() => this.#broke('ended', cause)));
    } catch (cause) {
      this.#broke('ended', cause);
    }
  }

  #arrived({ done, value }: IteratorResult<unknown>): void {
    if (done === true) {
      this.#source = 'ended';
      return;
    }
    let path: string;
    try {
      path = pathOf(value);
    } catch (cause) {
      return this.#broke('broken', cause);
    }
    const entry: Entry = { path, state: 'new', size: 0 };
    this.#entries.push(entry);
    const { syncBytes } = this.#options;
    const found = (size: number): void => {
      const isSmall = syncBytes > 0 && size <= syncBytes;
      Object.assign(entry, isSmall ? { state: 'small' } : { state: 'large', size });
    };
    if (syncBytes > 0) this.#now(entry, () => found(sizeNow(path)));
    else this.#later(entry, sizeLater(path).then(found));
  }

  /** The source fails as its last entry, so that the files before it are not lost. */
  #broke(source: 'broken' | 'ended', cause: unknown): void {
    this.#source = source;
    const result = () => {
      throw cause;
    };
    this.#entries.push({ path: '', state: 'new', size: 0, result });
  }

  /** Begins to read large files, in their order. The first entry is read however large it is: the others can only be taken after it. */
  #beginReads(): void {
    if (!this.#entries.some(({ state }) => state === 'large')) return;
    const { concurrency, aheadBytes } = this.#options;
    const begun = this.#entries.filter(({ state }) => state === 'reading');
    let reading = begun.filter(({ result }) => result === undefined).length;
    let ahead = begun.reduce((sum, { size }) => sum + size, 0);
    for (const [i, entry] of this.#entries.entries()) {
      if (entry.state !== 'large') continue;
      const { path, size } = entry;
      if (reading === concurrency || (i > 0 && ahead + size > aheadBytes)) return;
      reading++;
      ahead += size;
      entry.state = 'reading';
      const read = readFileLater(path, () => this.#source === 'closed').then((bytes) => {
        entry.result = () => ({ path, bytes });
      });
      this.#later(entry, read);
    }
  }

  /** Takes a step with the entry, which fails if the step throws. */
  #now(entry: Entry, step: () => void): void {
    try {
      step();
    } catch (cause) {
      this.#fail(entry, cause);
    }
  }

  /** The same for a step that libuv's threads take. */
  #later(entry: Entry, step: Promise<void>): void {
    const ended = step
      .catch((cause: unknown) => this.#fail(entry, cause))
      .then(() => {
        this.#pending.delete(ended);
        this.wake();
      });
    this.#pending.add(ended);
  }

  #fail(entry: Entry, cause: unknown): void {
    entry.size = 0;
    entry.result = () => {
      const { path } = entry;
      const error = fileError(path, cause);
      if (this.#options.onError === 'throw') throw error;
      return { path, error };
    };
  }
}
