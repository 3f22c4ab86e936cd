/** Bytes that main and worker share: filled in place here, read in place there, used again afterwards. */
import { integer, isObject } from './options/checks.js';
import { ThreadwiseError } from './options/errors.js';

/** The smallest of single buffers; a lease gets a buffer of the next power of two. */
const MIN_BYTES = 4096;
/** Free single buffers that are kept for the next lease. */
const MAX_KEPT_BYTES = 64 * 2 ** 20;
/** The largest lease: what a SharedArrayBuffer and a Uint8Array can hold on every runtime that we support. */
const MAX_LEASE_BYTES = 2 ** 31;

/** Memory of the pool's, to be filled in place and passed as an argument: `pool.run('hash', [lease])`. */
export interface Lease {
  /** It begins anywhere in its buffer, at a multiple of 64 bytes, and is not zeroed. Throws ERR_LEASE_RELEASED once the lease is over. */
  readonly bytes: Uint8Array;
  /** Gives the memory back. Not needed after a task had it: then it goes back when that task has settled. */
  release(): void;
}

export interface LeaseMemory {
  /** Exactly as many bytes, aligned for the elements of any typed array. Throws ERR_LEASE_MEMORY where there are none. */
  take(byteLength: number): LeasePiece;
  /** Keeps nothing from now on. */
  close?(): void;
}

export interface LeasePiece {
  readonly bytes: Uint8Array;
  /** Inverse of `take`. Called at most once, and only if it is certain that no code can touch the bytes any more. */
  give(): void;
}

/** Throws ERR_OPTION or ERR_LEASE_MEMORY. */
export function newLease(memory: LeaseMemory, byteLength: number): Lease {
  return new HeldLease(memory.take(integer('byteLength', byteLength, 0, MAX_LEASE_BYTES)));
}

export function leaseOf(value: unknown): HeldLease | undefined {
  return isObject(value) && HeldLease.is(value) ? value : undefined;
}

/** Memory that is used again: new memory is cleared by the system first, which takes longer than a copy. */
export class KeptMemory<T extends { readonly byteLength: number }> {
  /** How much is kept from the garbage collector. */
  readonly #mostBytes: number;
  /** The latest one last: programs that need memory again and again need much of one size. */
  readonly #free: T[] = [];
  #keptBytes = 0;
  /** The latest memory of more than `#mostBytes`: it is used again unless it has been collected as garbage before. */
  #large: WeakRef<T> | undefined;

  constructor(mostBytes: number) {
    this.#mostBytes = mostBytes;
  }

  take(byteLength: number): T | undefined {
    if (byteLength > this.#mostBytes) {
      const large = this.#large?.deref();
      if (large?.byteLength !== byteLength) return undefined;
      this.#large = undefined;
      return large;
    }
    const at = this.#free.findLastIndex((kept) => kept.byteLength === byteLength);
    if (at < 0) return undefined;
    this.#keptBytes -= byteLength;
    return this.#free.splice(at, 1)[0];
  }

  /** Inverse of `take`. */
  keep(memory: T): void {
    if (memory.byteLength > this.#mostBytes) {
      this.#large = new WeakRef(memory);
      return;
    }
    this.#keptBytes += memory.byteLength;
    this.#free.push(memory);
    // Memory of a size that has come only once is not used again: it makes room for that of now.
    while (this.#keptBytes > this.#mostBytes) this.#keptBytes -= this.#free.shift()!.byteLength;
  }
}

/** The leases of exchanges that have no memory for them: each lease is a buffer of its own, which goes over the port. */
export class SingleBuffers implements LeaseMemory {
  readonly #allocate: (byteLength: number) => ArrayBufferLike;
  /** Undefined when nothing is kept any more. */
  #kept: KeptMemory<ArrayBufferLike> | undefined = new KeptMemory(MAX_KEPT_BYTES);

  constructor(allocate: (byteLength: number) => ArrayBufferLike) {
    this.#allocate = allocate;
  }

  take(wanted: number): LeasePiece {
    const size = Math.max(MIN_BYTES, 2 ** Math.ceil(Math.log2(wanted)));
    try {
      const memory = this.#kept?.take(size) ?? this.#allocate(size);
      return { bytes: new Uint8Array(memory, 0, wanted), give: () => this.#kept?.keep(memory) };
    } catch (cause) {
      const message = `There is no memory for a lease of ${size} bytes: the system gives no more`;
      throw new ThreadwiseError('ERR_LEASE_MEMORY', message, { cause });
    }
  }

  close(): void {
    this.#kept = undefined;
  }
}

export class HeldLease implements Lease {
  /** Undefined once it was given back: so a program that keeps a lease which is over does not keep the memory. */
  #piece: LeasePiece | undefined;
  /** Loans whose task has not settled. With the last of them the lease is over; without any, on `release`. */
  #users = 0;
  /** Loans that were outlived: the lease may be over, the memory is not free. */
  #outlived = 0;
  #isReleased = false;
  /** Cannot be cloned: so a lease inside of another argument is refused with this text (ERR_NOT_CLONEABLE), and not cloned to {}. */
  readonly lease = Symbol('a lease has to be an argument itself');
  readonly release = (): void => {
    this.#isReleased = true;
    // Memory that a task may yet write to waits for the end of that task: without it, it is not used again.
    if (this.#users > 0 || this.#outlived > 0) return;
    this.#piece?.give();
    this.#piece = undefined;
  };

  /** Unlike `instanceof`, it asks nothing of a proxy, which may have been revoked. */
  static is(value: object): value is HeldLease {
    return #piece in value;
  }

  constructor(piece: LeasePiece) {
    this.#piece = piece;
  }

  get bytes(): Uint8Array {
    if (!this.#isReleased) return this.#piece!.bytes;
    throw new ThreadwiseError('ERR_LEASE_RELEASED', 'The lease was used after it had been given back');
  }

  /** A task has the memory until it ends, also if the caller has released the lease. */
  get lentBytes(): Uint8Array {
    return this.#piece!.bytes;
  }

  /** Marks the lease as used by a task. Returns the function that ends this use; it is called as `Payload.onSettled` is. */
  lend(): (stillRuns: boolean) => void {
    /** outlived: its caller was told, but the task may yet write. */
    let state: 'lent' | 'outlived' | 'ended' = 'lent';
    this.#users++;
    return (stillRuns) => {
      if (state === 'ended') return;
      if (state === 'lent') this.#users--;
      else this.#outlived--;
      if (stillRuns) this.#outlived++;
      state = stillRuns ? 'outlived' : 'ended';
      if (this.#users === 0) this.release();
    };
  }
}
