/** The metrics as Prometheus reads them: made when they are asked for, each pool and each fleet looked at once. */
import { type Metric, Registry } from 'prom-client';
import type { ControllablePool, PoolStats } from '../controllable-pool.js';
import { type Directory, statsOf } from '../directory.js';
import type { FleetReading, Fleets } from '../fleets.js';
import type { EventStreams } from '../streams/event-streams.js';
import { type Families, gauge, type Labels, withLabels } from './family.js';
import { FLEET_FAMILIES } from './fleet-families.js';
import { POOL_FAMILIES } from './pool-families.js';

type Streams = Pick<EventStreams, 'open'>;

const PROCESS_FAMILIES: Families<Streams> = {
  threadwise_process_resident_bytes: gauge('Memory of the whole process, all its threads together', () =>
    process.memoryUsage.rss(),
  ),
  threadwise_control_event_streams: gauge(
    'Clients that follow a pool by way of the control server',
    ({ open }) => open,
  ),
};

export class Exposition {
  readonly #directory: Directory<ControllablePool>;
  readonly #fleets: Fleets;
  readonly #registry = new Registry();
  /** What is exposed at the moment. */
  #pools: readonly PoolStats[] = [];
  #readings: readonly FleetReading[] = [];

  constructor(directory: Directory<ControllablePool>, fleets: Fleets, streams: Streams) {
    this.#directory = directory;
    this.#fleets = fleets;
    this.#add(POOL_FAMILIES, () => this.#pools.map((stats) => [{ pool: stats.name }, stats]));
    this.#add(FLEET_FAMILIES, () => this.#readings.map((fleet) => [{ fleet: fleet.name }, fleet]));
    this.#add(PROCESS_FAMILIES, () => [[{}, streams]]);
  }

  get contentType(): string {
    return this.#registry.contentType;
  }

  /** The registry reads every metric before it returns its promise, so that all pools are of one moment. */
  async text(): Promise<string> {
    const readings = await this.#fleets.readAll();
    this.#readings = readings;
    this.#pools = this.#directory.list().map(statsOf);
    return this.#registry.metrics();
  }

  /** The registry wants metrics that count by themselves; all that it asks of them is `get`. */
  #add<T>(families: Families<T>, all: () => readonly (readonly [Labels, T])[]): void {
    for (const [name, { help, type, read }] of Object.entries(families)) {
      const get = () => {
        const samples = all().flatMap(([labels, each]) => withLabels(labels, read(each)));
        const values = samples
          .filter(({ value }) => value != null)
          .map(({ labels, value, suffix = '' }) => ({ labels, value, metricName: name + suffix }));
        return { name, help, type, values, aggregator: 'omit' };
      };
      this.#registry.registerMetric({ name, help, type, get } as unknown as Metric);
    }
  }
}
