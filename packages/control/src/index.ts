/** `@threadwise/control`: watch and steer the pools of a running program. */
export type {
  Bucket,
  ControllablePool,
  Distribution,
  ObservedEvent,
  PoolChanges,
  PoolEvent,
  PoolStats,
  SizingDecision,
  WorkerStats,
} from './controllable-pool.js';
export { announce, serveFromEnvironment } from './environment.js';
export { ControlError, type ControlErrorCode } from './errors.js';
export type { ControlOptions } from './options.js';
export type { FleetStats, MachineStats, ObservableFleet } from './fleets.js';
export { type ControlServer, serveControl } from './server.js';
