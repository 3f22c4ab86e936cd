/** Whether a worker looks for its next task again and again before it sleeps: not if it takes the time of those it waits for. */
import type { Board } from './board.js';
import { MAIN_PARKED, SPINNING } from './layout.js';

export class Spinning {
  readonly #board: Board;
  readonly #seat: number;
  #isOn = false;

  constructor(board: Board, seat: number) {
    this.#board = board;
    this.#seat = seat;
  }

  /** S1. Returns false where enough others spin, or more threads are awake than there are cores: `atMost` and one. */
  begin(atMost: number): boolean {
    if (this.#isOn) return true;
    if (this.#board.count(SPINNING) >= atMost) return false;
    const isMainAwake = Atomics.load(this.#board.words, MAIN_PARKED) === 0;
    if (this.#board.awake + (isMainAwake ? 1 : 0) > atMost + 1) return false;
    this.#isOn = true;
    this.#board.set(SPINNING, this.#seat);
    return true;
  }

  /** S4, or the first half of S3. */
  end(): void {
    if (!this.#isOn) return;
    this.#isOn = false;
    this.#board.clear(SPINNING, this.#seat);
  }
}
