/** Who is in the fleet: each machine writes how it is into a key of its own, which goes by itself when the machine does. */
import type { Redis } from 'ioredis';

/** One service: a program with a pool, on some machine. */
export interface MachineStats {
  /** Random, new with each start. */
  readonly id: string;
  /** The option `name`. */
  readonly name: string;
  readonly host: string;
  readonly pid: number;
  /** 'running', or 'closing' as long as it ends what it has. */
  readonly state: 'running' | 'closing';
  /** Milliseconds since the service began. */
  readonly upMs: number;
  /** Workers that there are. */
  readonly threads: number;
  /** Jobs that the machine takes at a time at the most. */
  readonly concurrency: number;
  /** Jobs that the machine has: running, or about to. */
  readonly active: number;
  /** Jobs that ended with a result, since the service began. */
  readonly completed: number;
  /** Attempts that ended with an error. */
  readonly failed: number;
  /** Jobs that were given back to the queue. */
  readonly returned: number;
  /** Jobs of other machines that this one found abandoned and put back. */
  readonly recovered: number;
  /** Starts of jobs that had been started before. */
  readonly repeated: number;
}

/** How many milliseconds a machine stays listed after its last report. */
const LIFETIME_MS = 10_000;
/** How many milliseconds pass between two reports of a machine. */
export const REPORT_MS = 2_000;

/** The machines of one fleet, as they are in Redis. */
export class Machines {
  readonly #redis: Redis;
  readonly #list: string;

  constructor(queue: string, prefix: string, redis: Redis) {
    this.#redis = redis;
    this.#list = `${prefix}:${queue}:threadwise:machines`;
  }

  async report(stats: MachineStats): Promise<void> {
    await Promise.all([
      this.#redis.sadd(this.#list, stats.id),
      this.#redis.set(this.#keyOf(stats.id), JSON.stringify(stats), 'PX', LIFETIME_MS),
    ]);
  }

  async remove(id: string): Promise<void> {
    await Promise.all([this.#redis.srem(this.#list, id), this.#redis.del(this.#keyOf(id))]);
  }

  /** The machines that report, by name. Forgets those that have stopped without saying so. */
  async read(): Promise<MachineStats[]> {
    const ids = await this.#redis.smembers(this.#list);
    const texts = await Promise.all(ids.map((id) => this.#redis.get(this.#keyOf(id))));
    const gone = ids.filter((_, i) => texts[i] === null);
    if (gone.length > 0) await this.#redis.srem(this.#list, ...gone);
    const machines = texts.filter((text) => text !== null).map((text) => JSON.parse(text) as MachineStats);
    return machines.sort((a, b) => (a.name < b.name ? -1 : 1));
  }

  #keyOf(id: string): string {
    return `${this.#list}:${id}`;
  }
}
