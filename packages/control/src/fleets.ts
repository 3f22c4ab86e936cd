/** The fleets that are served, and what each is like: asked of Redis when somebody asks, and never waited for without a bound. */
import { Directory, type Served } from './directory.js';
import { errorBody, RequestError, show } from './errors.js';
import type { Limits } from './limits.js';
import type { TypeOf } from './openapi/schema.js';
import type { FLEET, FLEET_STATS, MACHINE } from './openapi/schemas.js';

export type FleetStats = TypeOf<typeof FLEET_STATS>;
/** One machine, as it last said. */
export type MachineStats = TypeOf<typeof MACHINE>;

/** What a fleet has to have to be watched: described by its shape, so that this package needs nothing of `@threadwise/bullmq`. */
export interface ObservableFleet {
  readonly queue: { readonly name: string };
  /** May take as long as its Redis does. */
  stats(): Promise<FleetStats>;
}

/** Either of `stats` and `error` is null. */
export type FleetReading = TypeOf<typeof FLEET>;

export class Fleets {
  readonly #fleets: Directory<ObservableFleet>;
  readonly #timeoutMs: number;
  /** What a fleet has been asked and has not answered: with a Redis that is away, questions must not pile up. */
  readonly #asked = new WeakMap<ObservableFleet, Promise<FleetStats>>();

  /** @param fleets read anew each time, so it may change */
  constructor(fleets: Iterable<ObservableFleet>, { fleetTimeoutMs }: Pick<Limits, 'fleetTimeoutMs'>) {
    this.#fleets = new Directory('fleet', fleets, ({ queue }) => queue.name);
    this.#timeoutMs = fleetTimeoutMs;
  }

  names(): string[] {
    return this.#fleets.list().map(({ name }) => name);
  }

  /** All of them, also those that do not answer. */
  readAll(): Promise<readonly FleetReading[]> {
    return Promise.all(this.#fleets.list().map((served) => this.#read(served)));
  }

  /** Rejects with ERR_CONTROL_NOT_FOUND, or ERR_CONTROL_FLEET if it does not answer. */
  async read(name: string): Promise<FleetReading> {
    const reading = await this.#read(this.#fleets.find(name));
    if (reading.error !== null) throw new RequestError('ERR_CONTROL_FLEET', reading.error.message);
    return reading;
  }

  async #read({ name, item }: Served<ObservableFleet>): Promise<FleetReading> {
    try {
      return { name, stats: await this.#inTime(this.#ask(item)), error: null };
    } catch (error) {
      const message = `There are no statistics of fleet ${show(name)}: ${reasonOf(error)}`;
      return { name, stats: null, ...errorBody('ERR_CONTROL_FLEET', message) };
    }
  }

  #ask(fleet: ObservableFleet): Promise<FleetStats> {
    const asked = this.#asked.get(fleet) ?? fleet.stats().finally(() => this.#asked.delete(fleet));
    this.#asked.set(fleet, asked);
    return asked;
  }

  #inTime<T>(answer: Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      const late = () => reject(new Error(`Redis has not answered within ${this.#timeoutMs} ms`));
      const timer = setTimeout(late, this.#timeoutMs).unref();
      answer.then(resolve, reject).finally(() => clearTimeout(timer));
    });
  }
}

function reasonOf(error: unknown): string {
  const { message, code } = (error ?? {}) as { message?: unknown; code?: unknown };
  return `${String(message ?? error)}${typeof code === 'string' ? ` (${code})` : ''}`;
}
