/** The fleets that are served. Their statistics are read from Redis at each request, with a timeout. */
import { directoryOf, type Served } from './directory.js';
import { errorBody, RequestError, show } from './errors.js';
import type { Limits } from './limits.js';
import type { TypeOf } from './openapi/schema.js';
import type { FLEET, FLEET_STATS, MACHINE } from './openapi/schemas.js';

export type FleetStats = TypeOf<typeof FLEET_STATS>;
/** What one machine last reported. */
export type MachineStats = TypeOf<typeof MACHINE>;

/** What a fleet must have to be watched. Declared by shape, so that this package needs nothing of `@threadwise/bullmq`. */
export interface ObservableFleet {
  readonly queue: { readonly name: string };
  /** Asks Redis. It may take long, and it may reject. */
  stats(): Promise<FleetStats>;
}

/** Exactly one of `stats` and `error` is null. */
export type FleetReading = TypeOf<typeof FLEET>;

export type Fleets = ReturnType<typeof observeFleets>;

/** @param given read at each request, so it may change */
export function observeFleets(
  given: Iterable<ObservableFleet>,
  { fleetTimeoutMs }: Pick<Limits, 'fleetTimeoutMs'>,
) {
  const fleets = directoryOf('fleet', given, ({ queue }) => queue.name);
  /** Requests to fleets that have not been answered: they must not pile up while a Redis does not answer. */
  const unanswered = new WeakMap<ObservableFleet, Promise<FleetStats>>();
  return {
    names: (): string[] => fleets.list().map(({ name }) => name),

    /** Reads all fleets, also those that do not answer. */
    readAll: (): Promise<readonly FleetReading[]> => Promise.all(fleets.list().map(tryRead)),

    /** Rejects with ERR_CONTROL_NOT_FOUND, or with ERR_CONTROL_FLEET if the fleet's statistics cannot be read. */
    async read(name: string): Promise<FleetReading> {
      const reading = await tryRead(fleets.find(name));
      if (reading.error !== null) throw new RequestError('ERR_CONTROL_FLEET', reading.error.message);
      return reading;
    },
  };

  async function tryRead({ name, item }: Served<ObservableFleet>): Promise<FleetReading> {
    try {
      return { name, stats: await inTime(ask(item)), error: null };
    } catch (error) {
      const message = `There are no statistics of fleet ${show(name)}: ${reasonOf(error)}`;
      return { name, stats: null, ...errorBody('ERR_CONTROL_FLEET', message) };
    }
  }

  function ask(fleet: ObservableFleet): Promise<FleetStats> {
    const asked = unanswered.get(fleet) ?? fleet.stats().finally(() => unanswered.delete(fleet));
    unanswered.set(fleet, asked);
    return asked;
  }

  function inTime<T>(answer: Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      const late = () => reject(new Error(`Redis has not answered within ${fleetTimeoutMs} ms`));
      const timer = setTimeout(late, fleetTimeoutMs).unref();
      answer.then(resolve, reject).finally(() => clearTimeout(timer));
    });
  }
}

function reasonOf(error: unknown): string {
  const { message, code } = (error ?? {}) as { message?: unknown; code?: unknown };
  return `${String(message ?? error)}${typeof code === 'string' ? ` (${code})` : ''}`;
}
