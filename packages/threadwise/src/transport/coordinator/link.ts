/** Main's line to a worker of a pool with a coordinator: that of the shared transport, and what the coordinator has of it. */
import { SharedLink } from '../shared/main/link.js';
import { MEASURES, THREAD_ID, UTILIZATION } from '../shared/layout.js';
import { countWithin } from '../trust.js';
import type { CoordinatorThread } from './thread.js';

export class CoordinatedLink extends SharedLink {
  isRetiring = false;
  readonly #coordinator: CoordinatorThread;

  constructor(coordinator: CoordinatorThread, ...shared: ConstructorParameters<typeof SharedLink>) {
    super(...shared);
    this.#coordinator = coordinator;
  }

  /** To be called before the worker begins. */
  measureUtilization(): void {
    this.own[MEASURES] = 1;
  }

  get threadId(): number {
    return Atomics.load(this.own, THREAD_ID);
  }

  /** The worker's event loop utilisation, as it measured that last, 0 to 1. */
  get utilization(): number {
    return countWithin(Atomics.load(this.own, UTILIZATION), 1000) / 1000;
  }

  /** Goes by way of the coordinator, so that the worker hears of it after everything that was assigned to it. */
  override retire(): boolean {
    this.isRetiring = true;
    if (this.#coordinator.isDown) return super.retire();
    this.#coordinator.tell(['retire', this.seat]);
    return false;
  }
}
