/**
 * The next files, in the order of their paths: each is looked at a little ahead, so that large ones are under way by the time that
 * they are wanted, as many and as much as the options allow. Small ones wait for their turn: they are read in no time.
 *
 * sizing → small → done, or sizing → large → reading → done; a small one that has grown becomes large, and each may fail, which is
 * done as well. What gives the paths may break: that is the last entry, so that what came before is not lost.
 */
import { statSync } from 'node:fs';
import { stat } from 'node:fs/promises';
import { promised } from '../core/promised.js';
import type { PathSource } from './contract.js';
import { mustBeRegular } from './file-error.js';
import { loopBudget } from './loop-budget.js';
import type { ResolvedReadFiles } from './options.js';
import { readFileLater } from './read-async.js';
import { readFileNow } from './read-sync.js';
import { openSource, type Source, type Taken } from './source.js';

/** So many paths are looked at ahead: enough to find a large file behind small ones. Chosen by hand. */
const LOOK_AHEAD = 16;

type State =
  | { readonly kind: 'sizing' }
  | { readonly kind: 'small' }
  | { readonly kind: 'large'; readonly size: number }
  | { readonly kind: 'reading'; readonly size: number }
  | { readonly kind: 'broken'; readonly error: unknown }
  | Done;

/** `size`: what it counts for as read ahead. */
export type Done =
  | { readonly kind: 'read'; readonly bytes: Uint8Array; readonly size: number }
  | { readonly kind: 'failed'; readonly cause: unknown; readonly size: number };

const SIZING: State = { kind: 'sizing' };
const SMALL: State = { kind: 'small' };

interface Entry {
  readonly path: string;
  state: State;
}

export class Window {
  readonly #options: ResolvedReadFiles;
  readonly #source: Source;
  readonly #entries: Entry[] = [];
  readonly #reads = new Set<Promise<void>>();
  readonly #stop = new AbortController();
  #waiter: (() => void) | undefined;
  /** Of large files that are being read, or were and are still here. */
  #aheadBytes = 0;
  /** How many are being read, and how many large ones wait for it: mostly none, and then there is nothing to look for. */
  #reading = 0;
  #waiting = 0;

  constructor(paths: PathSource, options: ResolvedReadFiles) {
    this.#options = options;
    this.#source = openSource(paths, this.wake);
  }

  /** The next file if it is done; 'end' if there is none. Otherwise undefined: wait for `change`. Throws what its source throws. */
  next(): { readonly path: string; readonly done: Done } | 'end' | undefined {
    const isAtEnd = this.#lookAhead();
    this.#beginReads();
    const head = this.#entries[0];
    if (head === undefined) return isAtEnd ? 'end' : undefined;
    if (head.state.kind === 'small') {
      this.#readNow(head);
      // It may have turned out to be large.
      this.#beginReads();
    }
    const { state, path } = head;
    if (state.kind === 'broken') throw state.error;
    if (state.kind !== 'read' && state.kind !== 'failed') return undefined;
    this.#entries.shift();
    this.#aheadBytes -= state.size;
    return { path, done: state };
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
    this.#stop.abort();
    this.#entries.length = 0;
    await Promise.all([this.#source.close(), ...this.#reads]);
  }

  /** Whether there are no further paths. */
  #lookAhead(): boolean {
    const most = Math.max(LOOK_AHEAD, this.#options.concurrency);
    while (this.#entries.length < most) {
      const taken = this.#take();
      if (taken.kind !== 'path') return taken.kind === 'end';
      const entry: Entry = { path: taken.path, state: SIZING };
      this.#entries.push(entry);
      if (this.#options.syncBytes > 0) this.#sizeNow(entry);
      else this.#track(this.#sizeLater(entry));
    }
    return false;
  }

  #take(): Taken {
    if (this.#entries.at(-1)?.state.kind === 'broken') return { kind: 'later' };
    try {
      return this.#source.take();
    } catch (error) {
      this.#entries.push({ path: '', state: { kind: 'broken', error } });
      return { kind: 'later' };
    }
  }

  /** In their order. However large the first one is, it is read: what others hold can only be taken after it. */
  #beginReads(): void {
    const { concurrency, aheadBytes } = this.#options;
    for (let i = 0; this.#waiting > 0 && this.#reading < concurrency && i < this.#entries.length; i++) {
      const { state } = this.#entries[i]!;
      if (state.kind !== 'large') continue;
      if (i > 0 && this.#aheadBytes + state.size > aheadBytes) return;
      this.#track(this.#readLater(this.#entries[i]!, state.size));
    }
  }

  #sizeNow(entry: Entry): void {
    loopBudget.begin();
    try {
      const stats = statSync(entry.path);
      mustBeRegular(stats);
      if (stats.size <= this.#options.syncBytes) entry.state = SMALL;
      else this.#mustWait(entry, stats.size);
    } catch (cause) {
      entry.state = { kind: 'failed', cause, size: 0 };
    }
  }

  async #sizeLater(entry: Entry): Promise<void> {
    try {
      const stats = await stat(entry.path);
      mustBeRegular(stats);
      this.#mustWait(entry, stats.size);
    } catch (cause) {
      entry.state = { kind: 'failed', cause, size: 0 };
    }
  }

  #readNow(entry: Entry): void {
    const { syncBytes } = this.#options;
    loopBudget.begin();
    try {
      const bytes = readFileNow(entry.path, syncBytes);
      if (bytes !== undefined) entry.state = { kind: 'read', bytes, size: 0 };
      // Of one that has grown the size is not known here; that it is too large for this is enough.
      else this.#mustWait(entry, syncBytes);
    } catch (cause) {
      entry.state = { kind: 'failed', cause, size: 0 };
    }
  }

  #mustWait(entry: Entry, size: number): void {
    entry.state = { kind: 'large', size };
    this.#waiting += 1;
  }

  async #readLater(entry: Entry, size: number): Promise<void> {
    entry.state = { kind: 'reading', size };
    this.#waiting -= 1;
    this.#reading += 1;
    this.#aheadBytes += size;
    try {
      const bytes = await readFileLater(entry.path, () => this.#stop.signal.aborted);
      entry.state = { kind: 'read', bytes, size };
    } catch (cause) {
      entry.state = { kind: 'failed', cause, size };
    } finally {
      this.#reading -= 1;
    }
  }

  #track(read: Promise<void>): void {
    const ended = read.then(() => {
      this.#reads.delete(ended);
      this.wake();
    });
    this.#reads.add(ended);
  }
}
