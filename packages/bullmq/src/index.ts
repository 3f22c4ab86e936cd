/** `@threadwise/bullmq`: the same functions on many machines. */
export type { FleetConnection } from './connection.js';
export type { Encoding } from './encoding.js';
export { FleetError, type FleetErrorCode } from './errors.js';
export { connect, type Fleet, type FleetJob, type FleetStats } from './fleet.js';
export type { FleetJobOptions, FleetMapOptions, FleetRunOptions } from './job-options.js';
export type { MachineStats } from './machines.js';
export type { FleetOptions, ServiceOptions } from './options.js';
export { moduleHash } from './module-hash.js';
export { serve, type Service } from './machine/service.js';
