/** What main and the coordinator say over ports: what shared memory cannot carry, and what happens rarely. */
import type { LoadView, ThreadExit } from '../../core/contracts.js';
import type { SizingDecision } from '../../core/workers/sizer.js';
import type { EncodedError } from '../codec/error-codec.js';
import type { SharedMemory } from '../shared/layout.js';
import type { Posted } from '../shared/messages.js';

/** What main can change while a coordinator works. */
export interface Settings {
  /** The name of the strategy. */
  readonly choose: string;
  /** While it is 'paused', waiting tasks are given to no worker. */
  readonly state: 'open' | 'paused';
  /** How many workers there may be, and how many make sense for tasks that compute; undefined: the coordinator does not size the pool yet. */
  readonly bounds: Pick<LoadView, 'min' | 'max' | 'cores'> | undefined;
}

/** What the coordinator's thread gets, beside its port. */
export interface CoordinatorData extends Pick<SharedMemory, 'sizes' | 'board' | 'cells'> {
  readonly tasksPerWorker: number;
  /** After how many milliseconds an idle worker is released; Infinity: never. */
  readonly idleTimeoutMs: number;
}

/** How a thread ended, without its error, which crosses encoded. */
type ExitFacts = Pick<ThreadExit, 'exitCode' | 'outOfMemory'>;

export type MessageToCoordinator =
  | Posted
  /** The memory of a worker's seat, and in `ports` one end of the line to it. With a recipe, and its ports, only the coordinator may start it. */
  | readonly [type: 'hire', seat: number, own: ArrayBufferLike, ports: readonly unknown[], recipe: unknown]
  /** retire: it gets nothing more. replace: the next `hire` without a recipe takes its place. gone: it has ended. end: the coordinator ends it. */
  | readonly [type: 'retire' | 'replace' | 'gone' | 'end', seat: number]
  /** Memory was given back that prepared workers refer to: those that have not been started must not be started any more. */
  | readonly [type: 'drop', byteLength: number]
  | readonly [type: 'set', settings: Partial<Settings>];

export type MessageFromCoordinator =
  /** released, the answer to `gone`: the seat is given nothing any more. started: the coordinator is about to start the seat's worker. */
  | readonly [type: 'released' | 'started', seat: number]
  /** The thread of a worker that the coordinator starts has ended, or could not be started. */
  | readonly [type: 'exited', seat: number, exit: ExitFacts, error: EncodedError | undefined]
  /** How many workers there should be; with the decision, if it is a new one. */
  | readonly [type: 'wanted', wanted: number, decision: SizingDecision | undefined];
