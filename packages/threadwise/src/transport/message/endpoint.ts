/** The worker's end of a line over a port. */
import type { WorkerBoard } from '../../core/contracts.js';
import { unreadable } from '../../core/calls/payload.js';
import { type EncodedError, encodeError } from '../codec/error-codec.js';
import { type Begun, hear, type Endpoint, type EndpointEvents, type Transfer } from '../endpoint.js';
import type { Line } from '../line.js';
import { SpinBudget, type SpinLimits } from '../spin-budget.js';
import type { MessageToMain } from '../messages.js';
import { DONE, FAILED, type PostedTask, TASKS, type ToMain, type ToWorker } from './protocol.js';

/** How long a worker looks for a message before it sleeps: about as long as it takes main to wake the worker. Measured between processes. */
const SPIN: SpinLimits = { mostMs: 0.15, wakeUpMs: 0.1 };

export class MessageEndpoint implements Endpoint {
  readonly #port: Line;
  readonly #board: WorkerBoard;
  /** Tasks that were posted to this worker and that it has not tried to begin yet. */
  readonly #backlog: PostedTask[] = [];
  readonly #budget: SpinBudget;
  readonly #hasHeard = () => this.#port.drain() > 0;

  constructor(port: Line, board: WorkerBoard, now: () => number) {
    this.#port = port;
    this.#board = board;
    this.#budget = new SpinBudget(SPIN, now);
  }

  listen(events: EndpointEvents): void {
    this.#port.listen(
      (message) => {
        const said = message as ToWorker;
        if (said[0] !== TASKS) return hear(said, events);
        this.#backlog.push(...said[2]);
        events.tasks();
      },
      undefined,
      (about, reason) => {
        const [type, id, runMs] = about as [number, number, number];
        if (type !== DONE && type !== FAILED) return events.unread(about, reason);
        const error = unreadable(type === DONE ? 'result' : 'thrown', reason);
        this.#port.post([FAILED, id, runMs, encodeError(error, (text) => text)] satisfies ToMain);
      },
    );
  }

  take(now: number): Begun | undefined {
    while (this.#backlog.length > 0) {
      const [cell, id, name, args] = this.#backlog.shift()!;
      if (this.#board.claim(cell, now)) return { cell, id, name, args, fault: undefined };
    }
    return undefined;
  }

  done(cell: number, id: number, value: unknown, transfer: Transfer, runMs: number): void {
    this.#board.end?.(cell);
    this.#port.post([DONE, id, runMs, value] satisfies ToMain, transfer);
  }

  failed(cell: number, id: number, error: EncodedError, runMs: number): void {
    this.#board.end?.(cell);
    this.#port.post([FAILED, id, runMs, error] satisfies ToMain);
  }

  say(word: MessageToMain, transfer?: Transfer): void {
    this.#port.post(word, transfer);
  }

  isAborting(cell: number): boolean {
    return this.#board.isAborting(cell);
  }

  drain(): void {
    this.#port.drain();
  }

  /** Does nothing: a worker on ports takes no task by itself, main hands it each one. */
  limit(): void {}

  retire(): boolean {
    return true;
  }

  rest(isFree: boolean, canSpin = isFree): boolean {
    if (this.#backlog.length > 0) return true;
    return canSpin && this.#budget.wants() && this.#budget.spin(this.#hasHeard);
  }
}
