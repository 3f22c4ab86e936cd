/** The settings of the pool that the rounds compare: numbers of threads, and other ways of calling. */
import type { PoolSetup } from '../probe/pool.js';
import type { Subject } from './behaviour-step.js';
import { batchSize, isLong, outstandingFor, threadCounts } from './schedule.js';
import type { Opened } from './session.js';

export interface Setting {
  readonly what: string;
  readonly setup: Omit<PoolSetup, 'inputs' | 'warmMs'>;
}

/** Most important first. Without the first `needed` of them there is no verdict. */
export interface Settings {
  readonly all: readonly Setting[];
  readonly needed: number;
}

/** About how many bytes the path of a file takes. */
const NAME_BYTES = 128;

/** @param warm what the inline probe found when it was warm */
export function settingsOf(
  subject: Subject,
  { callMs, idleDelayMs }: Opened<'inline'>,
  cores: number,
  maxThreads: number,
): Settings {
  const { reference, isAsync, inputs, copiesInputs, bytesIn, bytesOut } = subject;
  const most = Math.min(cores, maxThreads);
  const setting = (what: string, threads: number, way: Pick<PoolSetup, 'name' | 'size'> = {}): Setting => {
    const load =
      way.size === undefined
        ? { outstanding: outstandingFor(callMs, threads, bytesIn + bytesOut), isLong: isLong(callMs) }
        : { outstanding: 4 * threads, isLong: false };
    return { what, setup: { subject: reference, threads, ...way, ...load, idleDelayMs } };
  };
  const plain = (threads: number) => setting(threads === 1 ? '1 thread' : `${threads} threads`, threads);
  // Async calls are not batched: the task that makes them does not await them.
  const sizeFor = (bytes: number) => (isAsync ? undefined : batchSize(callMs, bytes));
  const isRead = reference.passing === 'read';
  const isBytes = !copiesInputs && inputs.every(({ input }) => input instanceof Uint8Array);
  const size = isRead ? undefined : sizeFor(bytesIn);
  const { upToCores, beyond } = threadCounts(cores, maxThreads);
  // Where inputs are files, it matters for the verdict whether the caller or the workers read them. A caller that lets workers read has a
  // list of paths: where calls are short, many paths cross in one call.
  const read = { name: 'read', size: sizeFor(NAME_BYTES) } as const;
  const needed = [
    ...upToCores.map(plain),
    ...(isRead ? [setting('reading in the workers', most, read)] : []),
  ];
  const others = [
    setting("placement 'auto'", most, { name: 'auto' }),
    ...(size === undefined ? [] : [setting('batches', most, { name: 'batch', size })]),
    ...(isRead || isBytes ? [setting('leases', most, { name: 'lease' })] : []),
  ];
  return { all: [...needed, ...others, ...beyond.map(plain)], needed: needed.length };
}
