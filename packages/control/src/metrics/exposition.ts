/** The metrics as Prometheus reads them: made when they are asked for, each pool and each fleet looked at once. */
import { type Metric, Registry } from 'prom-client';
import type { PoolStats } from '../controllable-pool.js';
import type { FleetReading, Fleets } from '../fleets/fleets.js';
import { type PoolDirectory, statsOf } from '../pool-directory.js';
import type { EventStreams } from '../streams/event-streams.js';
import type { Labels, PoolFamily, ProcessFamily, Sample } from './family.js';
import { FLEET_FAMILIES, type FleetFamily } from './fleet-families.js';
import { POOL_FAMILIES } from './pool-families.js';
import { THREAD_FAMILIES } from './thread-families.js';

export class Exposition {
  readonly #directory: PoolDirectory;
  readonly #fleets: Fleets;
  readonly #registry = new Registry();
  /** What is exposed at the moment. */
  #pools: readonly PoolStats[] = [];
  #readings: readonly FleetReading[] = [];

  constructor(directory: PoolDirectory, fleets: Fleets, streams: Pick<EventStreams, 'open'>) {
    this.#directory = directory;
    this.#fleets = fleets;
    for (const family of [...POOL_FAMILIES, ...THREAD_FAMILIES]) {
      this.#add(family, () =>
        this.#pools.flatMap((stats) => family.read(stats).map(labelled({ pool: stats.name }))),
      );
    }
    for (const family of FLEET_FAMILIES) {
      this.#add(family, () =>
        this.#readings.flatMap((fleet) => family.read(fleet).map(labelled({ fleet: fleet.name }))),
      );
    }
    for (const family of processFamilies(streams)) this.#add(family, () => [{ value: family.read() }]);
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
  #add({ name, help, type }: PoolFamily | FleetFamily | ProcessFamily, read: () => readonly Sample[]): void {
    const get = () => {
      const samples = read().filter(({ value }) => value !== undefined);
      const values = samples.map(({ labels = {}, value, suffix = '' }) => ({
        labels,
        value,
        metricName: name + suffix,
      }));
      return { name, help, type, values, aggregator: 'omit' };
    };
    this.#registry.registerMetric({ name, help, type, get } as unknown as Metric);
  }
}

function labelled(labels: Labels) {
  return (sample: Sample): Sample => ({ ...sample, labels: { ...labels, ...sample.labels } });
}

function processFamilies(streams: Pick<EventStreams, 'open'>): readonly ProcessFamily[] {
  return [
    {
      name: 'threadwise_process_resident_bytes',
      type: 'gauge',
      help: 'Memory of the whole process, all its threads together',
      read: () => process.memoryUsage.rss(),
    },
    {
      name: 'threadwise_control_event_streams',
      type: 'gauge',
      help: 'Clients that follow a pool by way of the control server',
      read: () => streams.open,
    },
  ];
}
