/** Main's side of the coordinator's thread: starts it when it is needed, and when it has died, and exchanges messages with it. */
import type { RemoteSizing, ReservedEvents, Thread } from '../../core/contracts.js';
import { promised } from '../../core/promised.js';
import type { SizingDecision } from '../../core/workers/sizer.js';
import { decodeError } from '../codec/error-codec.js';
import { type About, Line } from '../line.js';
import { COORDINATOR_DISMISSED, type SharedMemory } from '../shared/layout.js';
import { ARGUMENTS, LINE } from '../shared/messages.js';
import type { CoordinatedExchange, CoordinatedLink } from './exchange.js';
import { dismissCoordinator } from './layout.js';
import type * as M from './messages.js';

/** After this many deaths in a row, all but the first of them early, no further coordinator is started, and main chooses the workers. Chosen by hand. */
const MAX_FAILURES = 3;
/** A coordinator that dies within this many milliseconds of its start has died early. */
const EARLY_MS = 10_000;

export class CoordinatorThread implements RemoteSizing {
  /** How many workers the coordinator wants; undefined before it has said so: then main decides. */
  wanted: number | undefined;
  onWanted: (decision: SizingDecision | undefined) => void = () => undefined;
  restarts = 0;
  settings: M.Settings;
  readonly #exchange: CoordinatedExchange;
  #thread: Thread | undefined;
  /** Resolves when the last thread that was started is gone. */
  #gone: Promise<void> | undefined;
  #line: Line | undefined;
  #startedAt = 0;
  #failures = 0;
  #isClosed = false;
  /** What the pool is told of the workers that the coordinator may start, or has started, by seat. */
  readonly #reserved = new Map<number, ReservedEvents>();
  /** The decisions that were heard in this batch. */
  readonly #news: (SizingDecision | undefined)[] = [];

  constructor(exchange: CoordinatedExchange) {
    this.settings = { choose: exchange.options.choose, state: 'open', bounds: undefined };
    this.#exchange = exchange;
  }

  get isDown(): boolean {
    return this.#failures >= MAX_FAILURES;
  }

  utilization(): number {
    return this.#thread?.utilization() ?? 0;
  }

  /** Changes what this coordinator, and each after it, goes by. */
  set(settings: Partial<M.Settings>): void {
    this.settings = { ...this.settings, ...settings };
    this.tell(['set', settings]);
  }

  /** Returns false if there is no coordinator. */
  tell(message: M.MessageToCoordinator, transfer?: readonly unknown[]): boolean {
    this.#line?.post(message, transfer);
    return this.#line !== undefined;
  }

  /** Gives the coordinator a worker: each of the two gets one end of a line. @param recipe for a worker that main does not start */
  hire(link: CoordinatedLink, recipe?: unknown, transfer: readonly unknown[] = []): void {
    const [here, there] = this.#exchange.platform.channelEnds();
    link.tell([LINE, there], [there]);
    const { seat, own } = link.wire.memory as SharedMemory;
    const ports = [here, ...transfer];
    this.tell(['hire', seat, own, ports, recipe], ports);
  }

  // --- how many workers there are ---

  bound(bounds: NonNullable<M.Settings['bounds']>): void {
    this.wanted = undefined; // the last number was for other bounds
    this.set({ bounds });
  }

  drain(): void {
    this.#line?.drain();
    this.#tellWanted();
  }

  readonly reserve: RemoteSizing['reserve'] = (events, specOf, callbacks) => {
    this.ensureStarted(); // a listener may have called this just after the former coordinator has died
    const { platform } = this.#exchange;
    const link = this.#exchange.connectReserved(events);
    const { seat } = link;
    const { data, transfer } = platform.recipe(specOf(link));
    this.#reserved.set(seat, callbacks);
    this.hire(link, data, transfer);
    return {
      terminate: () => void this.tell(['end', seat]),
      utilization: () => link.utilization,
      cpu: () => platform.cpuOf(link.threadId),
    };
  };

  /** Called only when all messages that had arrived were heard: among them may be that the coordinator has started workers by itself. */
  #tellWanted(): void {
    for (const decision of this.#news.splice(0)) this.onWanted(decision);
  }

  // --- the thread ---

  /** Called when the coordinator is needed, not before: a pool may wait for its first call without any thread. */
  ensureStarted(): void {
    if (this.#line === undefined && !this.isDown && !this.#isClosed) this.#start();
  }

  close(): Promise<void> | undefined {
    this.#isClosed = true;
    this.#line?.close();
    dismissCoordinator(this.#exchange.board.words);
    this.#thread?.terminate();
    return this.#thread && this.#gone;
  }

  #start(): void {
    const { platform, options, sizes, board, cells } = this.#exchange;
    const { near, far } = platform.channel();
    this.#line = new Line(near);
    this.#startedAt = platform.now();
    Atomics.store(board.words, COORDINATOR_DISMISSED, 0);
    this.#line.listen(
      (message) => this.#hear(message as M.MessageFromCoordinator),
      () => this.#tellWanted(),
      ([type, cell, id]: About, reason) => {
        if (type === ARGUMENTS) this.#exchange.unread(cell as number, id as number, reason);
      },
    );
    const data = { ...options, sizes, board: board.words.buffer, cells: cells.words.buffer };
    const { promise, resolve } = promised();
    this.#gone = promise;
    try {
      const spec = { name: 'threadwise/coordinator', port: far, data };
      const thread = platform.startHelper(spec, () => {
        if (this.#thread === thread) this.#died();
        resolve();
      });
      this.#thread = thread;
    } catch {
      platform.defer(() => this.#died());
    }
    // The coordinator hears this in one batch with its workers: it sizes the pool when it knows both.
    this.tell(['set', this.settings]);
  }

  #hear(message: M.MessageFromCoordinator): void {
    const [type, number] = message;
    switch (type) {
      case 'released':
        return this.#exchange.released(number);
      case 'wanted':
        this.wanted = number;
        this.#news.push(message[2]);
        return;
      case 'started':
        return this.#reserved.get(number)?.started();
      case 'exited': {
        const [, , exit, error] = message;
        const reserved = this.#reserved.get(number);
        this.#reserved.delete(number);
        reserved?.exited(error === undefined ? exit : { ...exit, error: decodeError(error) });
      }
    }
  }

  /** C4 and C5: the coordinator has died. */
  #died(): void {
    // Main may hear of the end before the coordinator's last messages, which tell main what workers the coordinator had started.
    this.#line?.drain();
    this.#line?.close();
    this.#line = undefined;
    this.#thread = undefined;
    this.wanted = undefined;
    // Workers that listeners reserve from here on are for the next coordinator.
    const ended = new Map(this.#reserved);
    this.#reserved.clear();
    if (this.#isClosed) return tellEnd(ended);
    const isEarly = this.#exchange.platform.now() - this.#startedAt < EARLY_MS;
    this.#failures = isEarly ? this.#failures + 1 : 1;
    const unbegun = this.#exchange.withdrawAll();
    if (!this.isDown) this.restarts++;
    // A listener that has heard of a lost call may have made another call, and so have started the next coordinator, or have closed the pool.
    this.ensureStarted();
    for (const link of [...this.#exchange.links.values()] as CoordinatedLink[]) {
      if (ended.has(link.seat) || this.#reserved.has(link.seat)) continue;
      if (!this.isDown) this.hire(link);
      if (link.isRetiring) link.retire();
    }
    tellEnd(ended);
    this.#exchange.giveBack(unbegun);
  }
}

/** Tells the pool of the end of all workers that the dead coordinator had started or was to start. */
function tellEnd(reserved: ReadonlyMap<number, ReservedEvents>): void {
  const error = new Error('The coordinator, which had started this worker, has ended');
  for (const { exited } of reserved.values()) exited({ exitCode: 1, outOfMemory: false, error });
}
