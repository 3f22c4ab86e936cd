/** Workers that the coordinator starts, or may start, by itself: as main has them. README.md has the protocol. */
import type { Link, LinkEvents, Platform, ReservedEvents, Thread, ThreadSpec } from '../../core/contracts.js';
import { promised } from '../../core/promised.js';
import { decodeError, type EncodedError } from '../codec/error-codec.js';
import type { CoordinatedLink } from './link.js';
import { type ExitFacts, TO_COORDINATOR, type MessageToCoordinator } from './messages.js';

export interface ReserveContext {
  readonly platform: Platform;
  connect(events: LinkEvents): CoordinatedLink;
  tell(word: MessageToCoordinator, transfer?: readonly unknown[]): void;
}

export class Reserve {
  readonly #context: ReserveContext;
  /** By seat. */
  readonly #workers = new Map<number, ReservedWorker>();

  constructor(context: ReserveContext) {
    this.#context = context;
  }

  add(
    events: LinkEvents,
    specOf: (link: Link) => ThreadSpec,
    callbacks: ReservedEvents,
  ): { readonly link: Link; readonly thread: Thread } {
    const { platform, tell, connect } = this.#context;
    const link = connect(events);
    const { data, transfer } = platform.recipe(specOf(link));
    const [here, there] = platform.channelEnds();
    link.join(there);
    tell([TO_COORDINATOR.reserve, link.seat, link.seatMemory, here, data], [here, ...transfer]);
    const worker = new ReservedWorker(link, platform, callbacks, () => tell([TO_COORDINATOR.end, link.seat]));
    this.#workers.set(link.seat, worker);
    return { link, thread: worker };
  }

  started(seat: number): void {
    this.#workers.get(seat)?.callbacks.started();
  }

  exited(seat: number, exit: ExitFacts, error: EncodedError | undefined): void {
    const worker = this.#workers.get(seat);
    this.#workers.delete(seat);
    worker?.end({ ...exit, ...(error === undefined ? {} : { error: decodeError(error) }) });
  }

  /** The coordinator is gone, and the threads that it had started with it. */
  endAll(): void {
    const workers = [...this.#workers.values()];
    this.#workers.clear();
    const error = new Error('The coordinator, which had started this worker, has ended');
    for (const worker of workers) worker.end({ exitCode: 1, error, outOfMemory: false });
  }
}

class ReservedWorker implements Thread {
  readonly callbacks: ReservedEvents;
  readonly #link: CoordinatedLink;
  readonly #platform: Platform;
  readonly #askToEnd: () => void;
  readonly #gone = promised();

  constructor(link: CoordinatedLink, platform: Platform, callbacks: ReservedEvents, askToEnd: () => void) {
    this.#link = link;
    this.#platform = platform;
    this.callbacks = callbacks;
    this.#askToEnd = askToEnd;
  }

  end(exit: Parameters<ReservedEvents['exited']>[0]): void {
    this.callbacks.exited(exit);
    this.#gone.resolve();
  }

  terminate(): Promise<void> {
    this.#askToEnd();
    return this.#gone.promise;
  }

  utilization(): number {
    return this.#link.utilization;
  }

  cpu() {
    return this.#platform.cpuOf(this.#link.threadId);
  }
}
