/** Workers that main has prepared for a coordinator to start by itself, when main is too busy to do it. */
import type { Thread, ThreadExit } from '../core/contracts.js';
import { type EncodedError, encodeError } from '../transport/codec/error-codec.js';
import {
  type ExitFacts,
  FROM_COORDINATOR,
  type SeatMemory,
  type MessageFromCoordinator,
} from '../transport/coordinator/messages.js';
import type { Line } from '../transport/line.js';

export interface ReservedPlatform {
  spawn(recipe: unknown, onExit: (exit: ThreadExit) => void): Thread;
}

type Hire = (seat: number, memory: SeatMemory, line: unknown) => void;

interface Reserved {
  readonly memory: SeatMemory;
  readonly line: unknown;
  readonly recipe: unknown;
}

export class ReservedSeats {
  readonly #main: Line;
  readonly #platform: ReservedPlatform;
  readonly #hire: Hire;
  /** Not started, by seat: the first is started first. */
  readonly #waiting = new Map<number, Reserved>();
  readonly #threads = new Map<number, Thread>();

  constructor(main: Line, platform: ReservedPlatform, hire: Hire) {
    this.#main = main;
    this.#platform = platform;
    this.#hire = hire;
  }

  add(seat: number, memory: SeatMemory, line: unknown, recipe: unknown): void {
    this.#waiting.set(seat, { memory, line, recipe });
  }

  /** Starts so many, or as many as there are. */
  start(count: number): void {
    for (const [seat, reserved] of [...this.#waiting].slice(0, count)) {
      this.#waiting.delete(seat);
      this.#spawn(seat, reserved);
    }
  }

  /** Of one that was not started, main is told at once that it is gone. */
  end(seat: number): void {
    if (this.#waiting.delete(seat)) this.#exited(seat, { exitCode: 0, outOfMemory: false });
    else void this.#threads.get(seat)?.terminate();
  }

  #spawn(seat: number, { memory, line, recipe }: Reserved): void {
    this.#tell([FROM_COORDINATOR.started, seat]);
    this.#hire(seat, memory, line);
    try {
      const thread = this.#platform.spawn(recipe, (exit) => this.#exited(seat, exit));
      this.#threads.set(seat, thread);
    } catch (error) {
      this.#exited(seat, { exitCode: 1, outOfMemory: false, error });
    }
  }

  #exited(seat: number, { exitCode, outOfMemory, error }: ThreadExit): void {
    this.#threads.delete(seat);
    const encoded = error === undefined ? undefined : encodeError(error, (value) => structuredClone(value));
    this.sayExited(seat, { exitCode, outOfMemory }, encoded);
  }

  sayExited(seat: number, exit: ExitFacts, error: EncodedError | undefined): void {
    this.#tell([FROM_COORDINATOR.exited, seat, exit, error]);
  }

  #tell(word: MessageFromCoordinator): void {
    this.#main.post(word);
  }
}
