/** The settings of the pool that the rounds compare: numbers of threads, and other ways of calling. */
import type { PoolSetup } from '../probe/pool.js';
import type { VariantSamples } from '../rules/samples.js';
import type { Subject } from './behaviour-step.js';
import { batchSize, isLong, outstandingFor, threadCounts } from './schedule.js';
import type { Opened } from './session.js';

export interface Setting {
  readonly what: string;
  /** Undefined: the default way of calling. */
  readonly variant: Pick<VariantSamples, 'name' | 'size'> | undefined;
  readonly setup: Omit<PoolSetup, 'inputs' | 'warmMs'>;
}

/** Most important first. Without the first `needed` of them there is no verdict. */
export interface Settings {
  readonly all: readonly Setting[];
  readonly needed: number;
}

/** About how many bytes the path of a file takes. */
const NAME_BYTES = 128;
const OWN_TASKS = new URL('../probe/subject.js', import.meta.url).href;

/** @param warm what the inline probe found when it was warm */
export function settingsOf(
  subject: Subject,
  warm: Opened<'inline'>,
  cores: number,
  maxThreads: number,
): Settings {
  const { reference, isAsync, inputs, copiesInputs, bytesIn, bytesOut } = subject;
  const { module, export: task, passing } = reference;
  const { callMs, idleDelayMs } = warm;
  const most = Math.min(cores, maxThreads);
  const plain = (threads: number): Setting => ({
    what: threads === 1 ? '1 thread' : `${threads} threads`,
    variant: undefined,
    setup: {
      module,
      task,
      data: undefined,
      passing,
      isLeased: false,
      batch: 1,
      threads,
      placement: 'threads',
      outstanding: outstandingFor(callMs, threads, bytesIn + bytesOut),
      isLong: isLong(callMs),
      idleDelayMs,
    },
  });
  const other = (what: string, variant: Setting['variant'], setup: Partial<Setting['setup']>): Setting => ({
    what,
    variant,
    setup: { ...plain(most).setup, ...setup },
  });
  /** The function as a task of `probe/subject`, to which `size` inputs cross in one call; undefined: one input. */
  const own = (size: number | undefined): Partial<Setting['setup']> => ({
    module: OWN_TASKS,
    data: reference,
    passing: 'value',
    ...(size === undefined
      ? { task: 'runOne' }
      : { task: 'runAll', batch: size, outstanding: 4 * most, isLong: false }),
  });
  // Async calls are not batched: `runAll` does not await them.
  const sizeFor = (bytes: number) => (isAsync ? undefined : batchSize(callMs, bytes));
  const isRead = passing === 'read';
  const isBytes = !copiesInputs && inputs.every(({ input }) => input instanceof Uint8Array);
  // A caller that lets workers read has a list of paths: where calls are short, many paths cross in one call.
  const names = sizeFor(NAME_BYTES);
  const read = { name: 'read', ...(names === undefined ? {} : { size: names }) } as const;
  const size = isRead ? undefined : sizeFor(bytesIn);
  const { upToCores, beyond } = threadCounts(cores, maxThreads);
  const needed = [
    ...upToCores.map(plain),
    // Where inputs are files, it matters for the verdict whether the caller or the workers read them.
    ...(isRead ? [other('reading in the workers', read, own(names))] : []),
  ];
  const others = [
    other("placement 'auto'", { name: 'auto' }, { placement: 'auto' }),
    ...(size === undefined ? [] : [other('batches', { name: 'batch', size }, own(size))]),
    ...(isRead || isBytes ? [other('leases', { name: 'lease' }, { isLeased: true })] : []),
  ];
  return { all: [...needed, ...others, ...beyond.map(plain)], needed: needed.length };
}
