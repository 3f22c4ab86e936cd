/** What main, the coordinator and the workers say over ports: what shared memory cannot carry, and what happens rarely. */
import type { ThreadExit } from '../../core/contracts.js';
import type { SizingDecision } from '../../core/workers/sizer.js';
import type { EncodedError } from '../codec/error-codec.js';
import { ARGUMENTS } from '../shared/messages.js';

/** How a thread ended; its error is said beside that. */
export type ExitFacts = Pick<ThreadExit, 'exitCode' | 'outOfMemory'>;

/** What the coordinator has of a worker: memory that is described in layout.ts here and in that of the shared transport. */
export interface SeatMemory {
  readonly own: ArrayBufferLike;
  readonly given: ArrayBufferLike;
}

/** Arguments of a task, and the cell that it is in. */
export type Arguments = readonly [
  type: typeof ARGUMENTS,
  cell: number,
  id: number,
  name: string,
  args: readonly unknown[],
];

/** Main to coordinator. */
export const TO_COORDINATOR = {
  args: ARGUMENTS,
  hire: 2,
  retire: 3,
  gone: 4,
  bounds: 5,
  choose: 6,
  reserve: 7,
  end: 8,
  pause: 9,
} as const;

export type MessageToCoordinator =
  /** Told before the task is posted. `transfer`: what of the arguments is to be moved on. */
  | readonly [
      type: typeof TO_COORDINATOR.args,
      cell: number,
      id: number,
      name: string,
      transfer: readonly unknown[],
      args: readonly unknown[],
    ]
  /** A worker, and the near end of the line to it. */
  | readonly [type: typeof TO_COORDINATOR.hire, seat: number, memory: SeatMemory, line: unknown]
  /** It is to get nothing more. */
  | readonly [type: typeof TO_COORDINATOR.retire, seat: number]
  /** Its thread has ended. */
  | readonly [type: typeof TO_COORDINATOR.gone, seat: number]
  /** How many workers there may be. */
  | readonly [type: typeof TO_COORDINATOR.bounds, min: number, max: number]
  /** The name of the strategy, from now on. */
  | readonly [type: typeof TO_COORDINATOR.choose, name: string]
  /** A worker that it may start by itself when main does not: as `hire`, and what its thread is started from. */
  | readonly [
      type: typeof TO_COORDINATOR.reserve,
      seat: number,
      memory: SeatMemory,
      line: unknown,
      recipe: unknown,
    ]
  /** Ends the thread of a worker that it has started. */
  | readonly [type: typeof TO_COORDINATOR.end, seat: number]
  /** While it is paused, what waits is given to nobody. */
  | readonly [type: typeof TO_COORDINATOR.pause, state: 'open' | 'paused'];

/** Coordinator to main. */
export const FROM_COORDINATOR = { released: 0, wanted: 1, started: 2, exited: 3 } as const;

export type MessageFromCoordinator =
  /** Nothing will be given to that seat any more: the answer to `gone`. */
  | readonly [type: typeof FROM_COORDINATOR.released, seat: number]
  /** It has started a worker that was reserved. */
  | readonly [type: typeof FROM_COORDINATOR.started, seat: number]
  /** The thread of such a worker has ended, or could not be started. */
  | readonly [
      type: typeof FROM_COORDINATOR.exited,
      seat: number,
      exit: ExitFacts,
      error: EncodedError | undefined,
    ]
  /** How many workers there should be; with the decision, if it is a new one. */
  | readonly [type: typeof FROM_COORDINATOR.wanted, wanted: number, decision: SizingDecision | undefined];

/** Coordinator to worker: it is to begin nothing more but what is assigned to it. */
export const RETIRE = 0;
export type MessageToSeat = Arguments | readonly [type: typeof RETIRE];

/** Main to worker, over their own port: the worker's end of a line to the coordinator. */
export const LINE = 20;
export type LineMessage = readonly [type: typeof LINE, line: unknown];
