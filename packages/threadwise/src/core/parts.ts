/** Everything a pool is made of, chosen in `create-pool.ts`. */
import type {
  Choice,
  Dispatch,
  DispatchContext,
  Exchange,
  ModuleHere,
  Placement,
  Platform,
  Recorder,
  Scaling,
  TaskQueue,
} from './contracts.js';
import type { EventSink } from './events/hooks.js';
import type { ResolvedOptions } from './options/options.js';
import type { Task } from './calls/task.js';

/** Everything a pool is bound to; chosen in `create-pool.ts`. */
export interface Parts {
  readonly name: string;
  readonly moduleUrl: string;
  readonly options: ResolvedOptions;
  readonly platform: Platform;
  readonly exchange: Exchange;
  readonly scaling: Scaling;
  readonly recorder: Recorder;
  readonly sink: EventSink;
  readonly newQueue: () => TaskQueue<Task>;
  readonly newDispatch: (context: DispatchContext) => Dispatch;
  readonly newPlacement: (name: ResolvedOptions['placement']) => Placement;
  /** The task module, to be loaded on the calling thread. */
  readonly newModuleHere: () => ModuleHere;
  readonly newChoice: (choose: ResolvedOptions['choose'], report: (error: unknown) => void) => Choice;
  /** The names that `choose` can have. */
  readonly choices: readonly string[];
}
