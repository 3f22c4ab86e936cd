/**
 * The next files, in the order of their paths: each is looked at a little ahead, so that large ones are under way by the time that
 * they are wanted, as many and as much as the options allow. Small ones wait for their turn: they are read in no time.
 *
 * sizing → small → read, or sizing → large → reading → read; a small one that has grown becomes large, and each may fail
 * instead. What gives the paths may break: that is the last entry, so that what came before is not lost.
 */
import { promised } from '../core/promised.js';
import type { PathSource, ResolvedReadFiles } from './options.js';
import { readFileLater, readFileNow, sizeLater, sizeNow } from './reading.js';
import { Source } from './source.js';

/** How many paths are looked at ahead: enough to find a large file behind small ones. Chosen by hand. */
const LOOK_AHEAD = 16;

export interface Entry {
  readonly path: string;
  state: 'sizing' | 'small' | 'large' | 'reading' | 'read' | 'failed' | 'broken';
  /** What it counts for as read ahead: only large files do. Bytes. */
  size: number;
  /** The content of a file that was read. */
  bytes?: Uint8Array;
  /** Why it has failed, or what the source of the paths has thrown. */
  cause?: unknown;
}

export class Window {
  readonly #options: ResolvedReadFiles;
  readonly #source: Source;
  readonly #entries: Entry[] = [];
  readonly #pending = new Set<Promise<void>>();
  #state: 'open' | 'closed' = 'open';
  #waiter: (() => void) | undefined;
  /** The bytes of large files that are being read, or that were read and have not been taken. */
  #aheadBytes = 0;
  /** How many are being read, and how many large ones wait for it: mostly none, and then there is nothing to look for. */
  #reading = 0;
  #waiting = 0;

  constructor(paths: PathSource, options: ResolvedReadFiles) {
    this.#options = options;
    this.#source = new Source(paths, this.wake);
  }

  /**
   * The next file, if it is read or has failed; 'end' if there is none. Otherwise undefined: wait for `change`. Throws
   * what the source of the paths throws.
   */
  next(): Entry | 'end' | undefined {
    this.#lookAhead();
    this.#beginReads();
    const head = this.#entries[0];
    if (head === undefined) return this.#source.isEnded ? 'end' : undefined;
    if (head.state === 'small') {
      this.#readNow(head);
      // It may have turned out to be large.
      this.#beginReads();
    }
    if (head.state === 'broken') throw head.cause;
    if (head.state !== 'read' && head.state !== 'failed') return undefined;
    this.#entries.shift();
    this.#aheadBytes -= head.size;
    return head;
  }

  /** Resolves when `next` may say something else. To be called right after it, before anything can have changed. */
  change(): Promise<void> {
    const { promise, resolve } = promised();
    this.#waiter = resolve;
    return promise;
  }

  readonly wake = (): void => {
    this.#waiter?.();
    this.#waiter = undefined;
  };

  /** Begins nothing more; resolves when all files are closed. */
  async close(): Promise<void> {
    this.#state = 'closed';
    this.#entries.length = 0;
    await Promise.all([this.#source.close(), ...this.#pending]);
  }

  #lookAhead(): void {
    const { concurrency, syncBytes } = this.#options;
    const most = Math.max(LOOK_AHEAD, concurrency);
    while (this.#entries.length < most && this.#entries.at(-1)?.state !== 'broken') {
      const entry = this.#take();
      if (entry === undefined) return;
      this.#entries.push(entry);
      if (entry.state === 'broken') return;
      if (syncBytes > 0) this.#sizeNow(entry);
      else
        this.#track(
          entry,
          sizeLater(entry.path).then((size) => this.#mustWait(entry, size)),
        );
    }
  }

  #take(): Entry | undefined {
    try {
      const path = this.#source.take();
      return path === undefined ? undefined : { path, state: 'sizing', size: 0 };
    } catch (cause) {
      return { path: '', state: 'broken', size: 0, cause };
    }
  }

  /** In their order. However large the first one is, it is read: what others hold can only be taken after it. */
  #beginReads(): void {
    const { concurrency, aheadBytes } = this.#options;
    for (let i = 0; this.#waiting > 0 && this.#reading < concurrency && i < this.#entries.length; i++) {
      const entry = this.#entries[i]!;
      if (entry.state !== 'large') continue;
      if (i > 0 && this.#aheadBytes + entry.size > aheadBytes) return;
      this.#track(entry, this.#readLater(entry));
    }
  }

  #sizeNow(entry: Entry): void {
    try {
      const size = sizeNow(entry.path);
      if (size > this.#options.syncBytes) this.#mustWait(entry, size);
      else entry.state = 'small';
    } catch (cause) {
      fail(entry, cause);
    }
  }

  #readNow(entry: Entry): void {
    const { syncBytes } = this.#options;
    try {
      const bytes = readFileNow(entry.path, syncBytes);
      // Of one that has grown the size is not known here; that it is too large for this is enough.
      if (bytes === undefined) this.#mustWait(entry, syncBytes);
      else finish(entry, bytes);
    } catch (cause) {
      fail(entry, cause);
    }
  }

  #mustWait(entry: Entry, size: number): void {
    entry.state = 'large';
    entry.size = size;
    this.#waiting += 1;
  }

  async #readLater(entry: Entry): Promise<void> {
    entry.state = 'reading';
    this.#waiting -= 1;
    this.#reading += 1;
    this.#aheadBytes += entry.size;
    try {
      finish(entry, await readFileLater(entry.path, () => this.#state === 'closed'));
    } finally {
      this.#reading -= 1;
    }
  }

  /** @param step what is being done with it */
  #track(entry: Entry, step: Promise<void>): void {
    const ended = step
      .catch((cause: unknown) => fail(entry, cause))
      .then(() => {
        this.#pending.delete(ended);
        this.wake();
      });
    this.#pending.add(ended);
  }
}

function finish(entry: Entry, bytes: Uint8Array): void {
  entry.state = 'read';
  entry.bytes = bytes;
}

function fail(entry: Entry, cause: unknown): void {
  entry.state = 'failed';
  entry.cause = cause;
}
