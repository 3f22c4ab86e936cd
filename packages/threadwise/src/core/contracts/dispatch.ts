/** The seam to dispatch: who decides which worker gets a task, and when. Implemented in `scheduling/dispatch/`. */
import type { Canceller } from '../calls/canceller.js';
import type { Task } from '../calls/task.js';
import type { WorkerSlot } from '../workers/worker-slot.js';
import type { Platform } from './platform.js';
import type { Choice, TaskQueue } from './policy.js';
import type { Exchange } from './transport.js';

/** Tasks wait here until a worker has room. */
export interface Dispatch {
  readonly name: string;
  /** Tasks that wait: in the queue, in lanes, and handed to a worker that has not room to begin them. */
  readonly waiting: number;
  /** How many of those any worker could take: what growth is decided on. */
  readonly queued: number;
  /** Tasks that lie where workers with nothing to do are about to take them, or be given them. */
  readonly offered: number;
  /** Whether a task submitted now would go to a worker at once. */
  readonly hasRoom: boolean;
  /** Whether a plain call would have nothing in front of it. */
  readonly takesPlain: boolean;
  submit(task: Task): void;
  submitTo(slot: WorkerSlot, task: Task): void;
  /** Takes tasks again that a worker was handed and has not begun, and tells the canceller. */
  putBack(tasks: readonly Task[]): void;
  /** Inverse of `submit`, as long as no worker has the task. */
  remove(task: Task): boolean;
  /** Whether tasks that wait stay where they are. Then they are no reason to start workers. */
  readonly isPaused: boolean;
  /** Nothing begins until `resume` but tasks for one worker alone. What has not begun is taken back unless its arguments were moved. Idempotent. */
  pause(): void;
  /** Inverse of `pause`. Tasks may then wait for which there is no worker: the size of the pool is to be looked at. */
  resume(): void;
  /** The worker that has taken a task by itself and begun it; from now on the task counts as handed to it. Missing where no worker does that. */
  holder?(task: Task): WorkerSlot | undefined;
  observe(task: Task, runMs: number): void;
  /** Hands over what can be handed over. */
  pump(): void;
  /** Takes out everything that waits. */
  clear(): Task[];
  oldestSubmittedAt(): number | undefined;
}

export interface DispatchContext {
  readonly platform: Platform;
  readonly exchange: Exchange;
  readonly tasksPerWorker: number;
  readonly choice: Pick<Choice, 'choose'>;
  readonly newQueue: () => TaskQueue<Task>;
  /** All workers that are not dead. */
  slots(): readonly WorkerSlot[];
  /** To be called when results may have been heard, or tasks were taken back that more workers could take. */
  batchEnded(): void;
  readonly canceller: Pick<Canceller, 'handed' | 'offered' | 'release'>;
}
