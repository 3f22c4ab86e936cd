/** Main's line to a worker of a pool with a coordinator: that of the shared transport, and what the coordinator has of it. */
import type { LinkEvents } from '../../core/contracts.js';
import { int32sOf } from '../codec/value-memory.js';
import type { SharedMemory } from '../shared/layout.js';
import { SharedLink } from '../shared/main/link.js';
import { countWithin } from '../trust.js';
import type { CoordinatedExchange } from './exchange.js';
import { type CoordinatedMemory, MEASURES, THREAD_ID, UTILIZATION } from './layout.js';
import { LINE, type SeatMemory, TO_COORDINATOR } from './messages.js';

export class CoordinatedLink extends SharedLink {
  readonly seat: number;
  /** What the coordinator needs of it. */
  readonly seatMemory: SeatMemory;
  isRetiring = false;
  /** The coordinator has started its thread, or may do so. */
  isReserved = false;
  readonly #exchange: CoordinatedExchange;
  readonly #words: Int32Array;

  constructor(
    exchange: CoordinatedExchange,
    memory: Omit<CoordinatedMemory, keyof Pick<SharedMemory, 'own' | 'stream' | 'ownShapes'>>,
    events: LinkEvents,
    capacity: number,
  ) {
    super(exchange, memory, events, capacity);
    this.#exchange = exchange;
    this.seat = memory.seat;
    const { own, given } = this.wire.memory as CoordinatedMemory;
    this.seatMemory = { own, given };
    this.#words = int32sOf(given);
  }

  /** To be called before the worker begins. */
  measureUtilization(): void {
    this.#words[MEASURES] = 1;
  }

  get threadId(): number {
    return Atomics.load(this.#words, THREAD_ID);
  }

  /** As its worker measured it last, 0 to 1. */
  get utilization(): number {
    return countWithin(Atomics.load(this.#words, UTILIZATION), 1000) / 1000;
  }

  /** By way of the coordinator, so that the worker hears of it after everything that was assigned to it. */
  override retire(): boolean {
    this.isRetiring = true;
    if (this.#exchange.isDown) return super.retire();
    this.#exchange.tell([TO_COORDINATOR.retire, this.seat]);
    return false;
  }

  /** The worker's end of a line to the coordinator. */
  join(line: unknown): void {
    this.tell([LINE, line], [line]);
  }

  /** There is no coordinator any more. */
  stayWithout(): void {
    if (this.isRetiring) super.retire();
  }
}
