/** The arguments of a call, written into a cell. One for each cell, used again and again. */
import type { LeaseLike, Payload } from '../../../core/calls/payload.js';

const NO_VALUES: readonly unknown[] = [];

/** What a payload needs of the table that it belongs to. */
export interface CellOwner {
  freeIfHeld(cell: number): void;
}

export class CellPayload implements Payload {
  readonly cell: number;
  /** Only where they go by port, or are to be written again after a crash. */
  args: readonly unknown[] = NO_VALUES;
  transfer: readonly unknown[] = NO_VALUES;
  /** Block of the arena that the arguments lie in; -1: none. */
  block = -1;
  leases: readonly LeaseLike[] | undefined;
  /** A worker died while it had the cell: nobody knows what is in it. */
  isSpoilt = false;
  #ends: readonly ((stillRuns: boolean) => void)[] | undefined;
  readonly #owner: CellOwner;

  constructor(cell: number, owner: CellOwner) {
    this.cell = cell;
    this.#owner = owner;
  }

  /** Marks the leases as used by the call; not before the call is accepted. */
  lend(): void {
    if (this.leases !== undefined) this.#ends = this.leases.map((lease) => lease.lend());
  }

  onSettled(stillRuns: boolean): void {
    if (this.#ends !== undefined) this.#endUse(stillRuns);
    this.#owner.freeIfHeld(this.cell);
  }

  /** For the next call. */
  reset(): void {
    this.args = NO_VALUES;
    this.transfer = NO_VALUES;
    this.leases = undefined;
    this.isSpoilt = false;
  }

  #endUse(stillRuns: boolean): void {
    for (const end of this.#ends!) end(stillRuns);
    if (!stillRuns) this.#ends = undefined;
  }
}
