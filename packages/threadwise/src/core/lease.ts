/** Bytes that main and worker share: filled in place here, read in place there, used again afterwards. */
import { integer } from './checks.js';
import { ThreadwiseError } from './errors.js';
import type { LeaseLike } from './payload.js';

/** The smallest piece of memory; a lease gets a piece of the next power of two. */
const MIN_BYTES = 4096;
/** Free pieces that are kept for the next lease, in bytes altogether; more are left to the garbage collector. */
const MAX_KEPT_BYTES = 64 * 2 ** 20;
/** The largest lease: what a SharedArrayBuffer and a Uint8Array can hold on every runtime of ours. */
const MAX_LEASE_BYTES = 2 ** 31;

/** Memory of the pool's, to be filled in place and passed as an argument: `pool.run('hash', [lease])`. */
export interface Lease {
  /** The memory. Throws ERR_LEASE_RELEASED once the lease is over. */
  readonly bytes: Uint8Array;
  /** Gives the memory back. Not needed after a task had it: then it goes back when that task has settled. */
  release(): void;
}

export class LeaseStore {
  readonly #free = new Map<number, ArrayBufferLike[]>();
  readonly #allocate: (byteLength: number) => ArrayBufferLike;
  #keptBytes = 0;
  #isOpen = true;

  constructor(allocate: (byteLength: number) => ArrayBufferLike) {
    this.#allocate = allocate;
  }

  lease(byteLength: number): Lease {
    const wanted = integer('byteLength', byteLength, 0, MAX_LEASE_BYTES);
    const size = Math.max(MIN_BYTES, 2 ** Math.ceil(Math.log2(wanted)));
    const piece = this.#takeFree(size) ?? this.#allocate(size);
    return new HeldLease(new Uint8Array(piece, 0, wanted), () => this.#giveBack(piece));
  }

  /** The lease that an argument is, if it is one. */
  static of(value: unknown): LeaseLike | undefined {
    return value instanceof HeldLease ? value : undefined;
  }

  close(): void {
    this.#isOpen = false;
    this.#free.clear();
  }

  #takeFree(size: number): ArrayBufferLike | undefined {
    const piece = this.#free.get(size)?.pop();
    if (piece !== undefined) this.#keptBytes -= size;
    return piece;
  }

  #giveBack(piece: ArrayBufferLike): void {
    const size = piece.byteLength;
    if (!this.#isOpen || this.#keptBytes + size > MAX_KEPT_BYTES) return;
    const pieces = this.#free.get(size) ?? [];
    this.#free.set(size, pieces);
    pieces.push(piece);
    this.#keptBytes += size;
  }
}

class HeldLease implements Lease, LeaseLike {
  readonly #bytes: Uint8Array;
  readonly #giveBack: () => void;
  /** Tasks that have it. The memory goes back when the last of them has settled, or on `release` where none has. */
  #users = 0;
  #isReleased = false;
  #isOver = false;
  #isTainted = false;
  /** An own function, so that a lease inside of another argument is refused (ERR_NOT_CLONEABLE) and not cloned to {}. */
  readonly release: () => void = () => this.#release();

  constructor(bytes: Uint8Array, giveBack: () => void) {
    this.#bytes = bytes;
    this.#giveBack = giveBack;
  }

  get bytes(): Uint8Array {
    if (!this.#isReleased) return this.#bytes;
    throw new ThreadwiseError('ERR_LEASE_RELEASED', 'The lease was used after it had been given back');
  }

  lend(): (stillRuns: boolean) => void {
    this.#users++;
    return (stillRuns) => {
      this.#users--;
      // A task that was given up may yet write: its memory is left to the garbage collector.
      this.#isTainted ||= stillRuns;
      if (this.#users === 0) this.#release();
    };
  }

  #release(): void {
    this.#isReleased = true;
    if (this.#users > 0 || this.#isOver) return;
    this.#isOver = true;
    if (!this.#isTainted) this.#giveBack();
  }
}
