/** What a fleet has to have to be watched: described by its shape, so that this package needs nothing of `@threadwise/bullmq`. */
import type { TypeOf } from '../openapi/schema.js';
import type { FLEET_STATS, MACHINE } from '../openapi/schemas.js';

export type FleetStats = TypeOf<typeof FLEET_STATS>;
/** One machine, as it last said. */
export type MachineStats = TypeOf<typeof MACHINE>;

export interface ObservableFleet {
  readonly queue: { readonly name: string };
  /** May take as long as its Redis does. */
  stats(): Promise<FleetStats>;
}
