/**
 * What main, the coordinator and the workers say to each other. Between main and a worker the words of the message
 * transport are spoken; these come with them. README.md beside this file has the protocol.
 */
import type { ThreadExit } from '../../core/contracts.js';
import type { SizingDecision } from '../../core/sizer.js';
import type { EncodedError } from '../codec/error-codec.js';

/** How a thread ended; its error is said beside that. */
export type ExitFacts = Pick<ThreadExit, 'exitCode' | 'outOfMemory'>;

/** Main to coordinator. */
export const TO_COORDINATOR = {
  task: 0,
  forget: 1,
  hire: 2,
  retire: 3,
  gone: 4,
  bounds: 5,
  choose: 6,
  reserve: 7,
  end: 8,
  pause: 9,
} as const;

export type WordToCoordinator =
  | readonly [
      type: typeof TO_COORDINATOR.task,
      ticket: number,
      id: number,
      name: string,
      priority: number,
      transfer: readonly unknown[],
      args: readonly unknown[],
    ]
  /** Tasks that were taken back. */
  | readonly [type: typeof TO_COORDINATOR.forget, tickets: readonly number[]]
  /** A worker, and the near end of the line to it. */
  | readonly [type: typeof TO_COORDINATOR.hire, seat: number, line: unknown]
  /** It is to get nothing more. */
  | readonly [type: typeof TO_COORDINATOR.retire, seat: number]
  /** Its thread has ended. */
  | readonly [type: typeof TO_COORDINATOR.gone, seat: number]
  /** How many workers there may be. */
  | readonly [type: typeof TO_COORDINATOR.bounds, min: number, max: number]
  /** The name of the strategy, from now on. */
  | readonly [type: typeof TO_COORDINATOR.choose, name: string]
  /** A worker that it may start by itself when main does not: as `hire`, and what its thread is started from. */
  | readonly [type: typeof TO_COORDINATOR.reserve, seat: number, line: unknown, recipe: unknown]
  /** Ends the thread of a worker that it has started. */
  | readonly [type: typeof TO_COORDINATOR.end, seat: number]
  /** While it is paused, what waits is given to nobody. */
  | readonly [type: typeof TO_COORDINATOR.pause, state: 'open' | 'paused'];

/** Coordinator to main. */
export const FROM_COORDINATOR = { lost: 0, wanted: 1, started: 2, exited: 3, unread: 4 } as const;

export type WordFromCoordinator =
  /** Tasks whose arguments had been moved to a worker that is gone, and had not begun. */
  | readonly [type: typeof FROM_COORDINATOR.lost, tickets: readonly number[]]
  /** It has started a worker that was reserved. */
  | readonly [type: typeof FROM_COORDINATOR.started, seat: number]
  /** The thread of such a worker has ended, or could not be started. */
  | readonly [
      type: typeof FROM_COORDINATOR.exited,
      seat: number,
      exit: ExitFacts,
      error: EncodedError | undefined,
    ]
  /** A worker could not read the arguments of a task, and why. */
  | readonly [type: typeof FROM_COORDINATOR.unread, ticket: number, reason: string]
  /** How many workers there should be; with the decision, if it is a new one. */
  | readonly [type: typeof FROM_COORDINATOR.wanted, wanted: number, decision: SizingDecision | undefined];

/** Coordinator to worker. */
export const TO_SEAT = { task: 0, retire: 1 } as const;

/** `isMoved`: its arguments are nowhere else, so nobody else can run it. */
export type PostedTask = readonly [
  type: typeof TO_SEAT.task,
  ticket: number,
  id: number,
  name: string,
  isMoved: boolean,
  args: readonly unknown[],
];

export type WordToSeat = PostedTask | readonly [type: typeof TO_SEAT.retire];

/** Worker to coordinator. */
export const FROM_SEAT = { hello: 0, ended: 1, passed: 2, letters: 3, enough: 4 } as const;

export type WordFromSeat =
  /** It can run tasks from now on: the other half of `hire`. `threadId`: what the system calls its thread, or 0. */
  | readonly [type: typeof FROM_SEAT.hello, threadId: number]
  | readonly [type: typeof FROM_SEAT.ended, ticket: number, name: string, runMs: number, utilization: number]
  /** The task had been taken back, or another worker has begun it. */
  | readonly [type: typeof FROM_SEAT.passed, ticket: number]
  /** How many tasks it runs that main sent to it. */
  | readonly [type: typeof FROM_SEAT.letters, running: number]
  /** It has run as many tasks as it may. */
  | readonly [type: typeof FROM_SEAT.enough];

/** Main to worker, over their own port: the worker's end of a line to the coordinator. */
export const LINE = 20;
export type LineWord = readonly [type: typeof LINE, line: unknown];
