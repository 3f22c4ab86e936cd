/** The seam to the words by which main and a worker agree whether a posted task has begun: `transport/message/`, `platform/process/`. */

/** Main's end. A ticket stands for one posting of a task; what is in it is the board's own. */
export interface MainBoard {
  /** How many tickets `post` can give out. */
  readonly room: number;
  /** A ticket for a task that is about to be posted. Only when `room` is above 0. */
  post(): number;
  /** Takes a posted task back. True: it has not begun and never will. */
  withdraw(ticket: number): boolean;
  /** When the task began; undefined if it has not. */
  beganAt(ticket: number): number | undefined;
  /** Whether the worker was about to say its last word on the task, or has said it; not where the board does not tell. */
  hasEnded?(ticket: number): boolean;
  /** Lets code that never leaves its turn see the abort: the worker's `task.signal` looks here. */
  abort(ticket: number): void;
  /** The worker's last word on the task has arrived. Inverse of `post`. */
  release(ticket: number): void;
  /** The message of a withdrawn task will never come to the worker: it could not be read. */
  pass(ticket: number): void;
  /** Gives back what the board holds of the system. */
  close?(): void;
}

export interface WorkerBoard {
  /** Begins a task. False: it was withdrawn and must not run. */
  claim(ticket: number, now: number): boolean;
  isAborting(ticket: number): boolean;
  /** The task has ended; not after that was said, when main may have given the ticket away. Not where main does not look for it. */
  end?(ticket: number): void;
}

/** A board as main makes it: its own end, and what the worker opens the other one from. */
export interface NewBoard {
  readonly board: MainBoard;
  readonly memory: unknown;
}
