/** The seam to the words by which main and a worker agree whether a posted task has begun: `transport/message/`, `platform/process/`. */

/** Main's end. A ticket stands for one posting of a task; only the board knows what its number means. */
export interface MainBoard {
  /** How many tickets `post` can give out. */
  readonly room: number;
  /** A ticket for a task that is about to be posted. Only when `room` is above 0. */
  post(): number;
  /** Takes a posted task back. True: it has not begun and never will. */
  withdraw(ticket: number): boolean;
  beganAt(ticket: number): number | undefined;
  /** Whether the worker has reported the end of the task, or was about to. Missing if the board cannot tell. */
  hasEnded?(ticket: number): boolean;
  /** Lets code that never leaves its turn see the abort: the worker's `task.signal` looks here. */
  abort(ticket: number): void;
  /** The worker's report of the task's end has arrived. Inverse of `post`. */
  release(ticket: number): void;
  /** The worker could not read the message of a withdrawn task, so that it never claims the task. */
  pass(ticket: number): void;
  close?(): void;
}

export interface WorkerBoard {
  /** Begins a task. False: it was withdrawn and must not run. */
  claim(ticket: number, now: number): boolean;
  isAborting(ticket: number): boolean;
  /** Called before main hears of the task's end, which may then give the ticket to another task. Missing if main never asks. */
  end?(ticket: number): void;
}

/** A board as main makes it: its own end, and what the worker opens the other one from. */
export interface NewBoard {
  readonly board: MainBoard;
  readonly memory: unknown;
}
