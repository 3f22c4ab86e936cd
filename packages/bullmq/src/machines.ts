/** The list of machines: each writes its statistics into a key of its own, which expires when the machine stops reporting. */
import type { Queue } from 'bullmq';
import type { Redis } from 'ioredis';
import { parsed } from './encoding.js';

/** The statistics of one service: a program with a pool, on some machine. */
export interface MachineStats {
  /** A random id, new at each start. */
  readonly id: string;
  /** The option `name` of `serve`; need not be unique. */
  readonly name: string;
  readonly host: string;
  readonly pid: number;
  /** 'closing': the service ends its jobs and takes no more. */
  readonly state: 'running' | 'closing';
  /** Milliseconds since the service began. */
  readonly upMs: number;
  /** How many workers its pool has. */
  readonly threads: number;
  /** How many jobs the service takes at a time at most. */
  readonly concurrency: number;
  /** Jobs of the service that run or are about to. */
  readonly active: number;
  /** Jobs that ended with a result since the service began. */
  readonly completed: number;
  /** Attempts that ended with an error since the service began. */
  readonly failed: number;
  /** Jobs given back to the queue since the service began. */
  readonly returned: number;
  /** Jobs of other machines that this one found abandoned and put back since the service began. */
  readonly recovered: number;
  /** Starts of jobs that had been started before, since the service began. */
  readonly repeated: number;
}

/** How many milliseconds a machine stays listed after its last report. */
const LIFETIME_MS = 10_000;
/** How many milliseconds pass between two reports of a machine. */
export const REPORT_MS = 2_000;

/** A Redis that is full refuses a script at its first write, if that may need memory. Its machines go on, so they have to stay in the list. */
const REPORT = `redis.call('DEL', KEYS[2])
redis.call('SET', KEYS[2], ARGV[2], 'PX', ${LIFETIME_MS})
redis.call('SADD', KEYS[1], ARGV[1])`;

/** The machines of one fleet, as stored in Redis. */
export function machinesOf(queue: Pick<Queue, 'toKey'>, redis: Redis) {
  const list = queue.toKey('threadwise:machines');
  const keyOf = (id: string) => `${list}:${id}`;
  return {
    async report(stats: MachineStats): Promise<void> {
      await redis.eval(REPORT, 2, list, keyOf(stats.id), stats.id, JSON.stringify(stats));
    },

    async remove(id: string): Promise<void> {
      await Promise.all([redis.srem(list, id), redis.del(keyOf(id))]);
    },

    /**
     * Returns the machines that report, sorted by name. Removes those that stopped without a word from the list, if it may. Leaves out
     * what other programs have written there and is no report.
     */
    async read(): Promise<MachineStats[]> {
      const ids = await redis.smembers(list);
      const texts = ids.length === 0 ? [] : await redis.mget(ids.map(keyOf));
      const gone = ids.filter((_, i) => texts[i] === null);
      if (gone.length > 0) await redis.srem(list, ...gone).catch(() => undefined);
      const machines = texts.map((text) => parsed(text ?? '')).filter(isReport);
      return machines.sort((a, b) => (a.name < b.name ? -1 : 1));
    },
  };
}

function isReport(value: unknown): value is MachineStats {
  const { id, name, threads } = Object(value) as Partial<MachineStats>;
  return typeof id === 'string' && typeof name === 'string' && typeof threads === 'number';
}
