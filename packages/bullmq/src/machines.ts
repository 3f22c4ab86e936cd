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

/** How long a machine is there without a word. Milliseconds. */
const LIFETIME_MS = 10_000;
/** How often it says how it is. Milliseconds. */
export const REPORT_MS = 2_000;

const listOf = (prefix: string, queue: string) => `${prefix}:${queue}:threadwise:machines`;
const keyOf = (prefix: string, queue: string, id: string) => `${listOf(prefix, queue)}:${id}`;

export async function reportMachine(
  redis: Redis,
  prefix: string,
  queue: string,
  stats: MachineStats,
): Promise<void> {
  await Promise.all([
    redis.sadd(listOf(prefix, queue), stats.id),
    redis.set(keyOf(prefix, queue, stats.id), JSON.stringify(stats), 'PX', LIFETIME_MS),
  ]);
}

export async function removeMachine(redis: Redis, prefix: string, queue: string, id: string): Promise<void> {
  await Promise.all([redis.srem(listOf(prefix, queue), id), redis.del(keyOf(prefix, queue, id))]);
}

/** Those that are there, by name; forgets those that went without a word. */
export async function readMachines(redis: Redis, prefix: string, queue: string): Promise<MachineStats[]> {
  const list = listOf(prefix, queue);
  const ids = await redis.smembers(list);
  const texts = await Promise.all(ids.map((id) => redis.get(keyOf(prefix, queue, id))));
  const gone = ids.filter((_, i) => texts[i] === null);
  if (gone.length > 0) await redis.srem(list, ...gone);
  const machines = texts.filter((text) => text !== null).map((text) => JSON.parse(text) as MachineStats);
  return machines.sort((a, b) => (a.name < b.name ? -1 : 1));
}
