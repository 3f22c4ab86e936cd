/** How long calls may run on the calling thread before its event loop has a turn: the rest of the program lives there. */
import type { Platform } from '../contracts.js';

export class TurnBudget {
  /** Counts the turns in which calls ran: what was granted for one turn is void in the next. */
  turn = 0;
  /** Milliseconds. */
  readonly ms: number;
  readonly #platform: Pick<Platform, 'now' | 'nextTurn'>;
  readonly #onTurn: () => void;
  #state: 'closed' | 'open' | 'spent' = 'closed';
  /** When the first call of this turn began. */
  #began = 0;

  /** @param onTurn the event loop has had its turn, and calls may run again */
  constructor(platform: Pick<Platform, 'now' | 'nextTurn'>, ms: number, onTurn: () => void) {
    this.#platform = platform;
    this.ms = ms;
    this.#onTurn = () => {
      this.#state = 'closed';
      this.turn++;
      onTurn();
    };
  }

  /** A call is about to begin. The time now, or undefined: not in this turn. */
  begin(): number | undefined {
    if (this.#state === 'spent') return undefined;
    const now = this.#platform.now();
    if (this.#state === 'closed') {
      this.#state = 'open';
      this.#began = now;
      this.#platform.nextTurn(this.#onTurn);
    } else if (now - this.#began >= this.ms) {
      this.#state = 'spent';
      return undefined;
    }
    return now;
  }

  /** Milliseconds. */
  leftAt(now: number): number {
    return this.#began + this.ms - now;
  }
}
