/** The worker's end of a line over a port. */
import type { Port } from '../../core/contracts.js';
import type { EncodedError } from '../codec/error-codec.js';
import { type Begun, hear, type Inlet, type InletEvents } from '../inlet.js';
import type { WordToMain, WordToWorker } from '../words.js';
import { BoardReader } from './claim-board.js';
import { DONE, FAILED, type PostedTask, TASKS, type ToMain, type ToWorker } from './protocol.js';

export class MessageInlet implements Inlet {
  readonly #port: Port;
  readonly #board: BoardReader;
  /** Posted to this worker and not begun, first in first out; `#next` is the first of them. */
  #backlog: PostedTask[] = [];
  #next = 0;

  constructor(port: Port, board: ArrayBufferLike) {
    this.#port = port;
    this.#board = new BoardReader(board);
  }

  listen(events: InletEvents): void {
    this.#port.listen((message) => {
      const said = message as ToWorker;
      if (said[0] !== TASKS) return hear(said as WordToWorker, events);
      this.#backlog.push(...said[1]);
      events.tasks();
    });
  }

  take(now: number): Begun | undefined {
    while (this.#next < this.#backlog.length) {
      const [cell, id, name, args] = this.#backlog[this.#next++]!;
      if (this.#board.claim(cell, now)) return { cell, id, name, args, fault: undefined };
    }
    if (this.#next > 0) [this.#backlog, this.#next] = [[], 0];
    return undefined;
  }

  done(
    _cell: number,
    id: number,
    value: unknown,
    transfer: readonly unknown[] | undefined,
    runMs: number,
  ): void {
    this.#post([DONE, id, value, runMs], transfer);
  }

  failed(_cell: number, id: number, error: EncodedError, runMs: number): void {
    this.#post([FAILED, id, error, runMs]);
  }

  say(word: WordToMain): void {
    this.#post(word);
  }

  isAborting(cell: number): boolean {
    return this.#board.isAborting(cell);
  }

  drain(): void {
    this.#port.drain();
  }

  /** It takes nothing by itself. */
  limit(): void {}

  retire(): boolean {
    return true;
  }

  /** The port tells. */
  rest(): boolean {
    return false;
  }

  #post(message: ToMain, transfer?: readonly unknown[]): void {
    this.#port.post(message, transfer);
  }
}
