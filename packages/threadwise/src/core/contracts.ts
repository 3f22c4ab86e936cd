/**
 * The seams of threadwise: what the core asks of a platform, a transport, a policy and a recorder. Only types stand
 * here. Every seam has a conformance suite (`*.case.ts`) that all its implementations run.
 */
export type { Dispatch, DispatchContext } from './contracts/dispatch.js';
export type {
  CallHost,
  LoadedModule,
  ModuleHere,
  ModuleTraits,
  RunningCall,
  TaskFunction,
} from './contracts/module.js';
export type {
  HelperSpec,
  KeepAlive,
  Platform,
  Port,
  Thread,
  ThreadExit,
  ThreadSpec,
  TimerHandle,
  Wire,
  WorkerSettings,
} from './contracts/platform.js';
export type {
  Choice,
  CpuTime,
  Decision,
  LoadView,
  Measured,
  PlacedFunction,
  PlacedFunctionStats,
  Placement,
  PlacementLearner,
  Scaling,
  TaskQueue,
  TaskView,
  WorkerSample,
  WorkerView,
} from './contracts/policy.js';
export type {
  Distribution,
  Outcome,
  Recorder,
  RecorderSnapshot,
  WorkerRecord,
} from './contracts/recorder.js';
export type {
  Exchange,
  HelperView,
  Link,
  LinkEvents,
  PlainWay,
  PullQueue,
  RemoteSizing,
  ReservedEvents,
  Transport,
} from './contracts/transport.js';
