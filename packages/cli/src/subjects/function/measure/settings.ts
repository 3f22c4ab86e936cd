/** What is measured in the rounds: the pool with so many threads, and other ways of calling it. */
import type { PoolSetup } from '../probe/pool.js';
import type { SubjectReference } from '../probe/subject.js';
import type { VariantSamples } from '../rules/samples.js';
import type { Subject } from './behaviour-step.js';
import { batchSize, isLong, outstandingFor, threadCounts } from './schedule.js';

/** What the inline probe found when it was warm. */
export interface Warm {
  readonly callMs: number;
  readonly idleDelayMs: number;
}

export interface Setting {
  readonly what: string;
  /** Undefined: plainly so many threads. */
  readonly variant: Pick<VariantSamples, 'name' | 'size'> | undefined;
  readonly setup: Omit<PoolSetup, 'inputs' | 'warmMs'>;
}

/** Most important first. `needed`: without those no verdict. */
export interface Settings {
  readonly all: readonly Setting[];
  readonly needed: number;
}

/** About how many bytes the path of a file takes. */
const NAME_BYTES = 128;
const OWN_TASKS = new URL('../probe/subject-tasks.js', import.meta.url).href;

export function settingsOf(subject: Subject, warm: Warm, cores: number, maxThreads: number): Settings {
  const { module, export: name, passing, isAsync, inputs, copiesInputs, bytesIn, bytesOut } = subject;
  const { callMs, idleDelayMs } = warm;
  const most = Math.min(cores, maxThreads);
  const setupOf = (threads: number): Setting['setup'] => ({
    module,
    task: name,
    data: undefined,
    kind: 'each',
    passing,
    batch: 1,
    threads,
    placement: 'threads',
    outstanding: outstandingFor(callMs, threads, bytesIn + bytesOut),
    isLong: isLong(callMs),
    idleDelayMs,
  });
  const plain = (threads: number): Setting => ({
    what: threads === 1 ? '1 thread' : `${threads} threads`,
    variant: undefined,
    setup: setupOf(threads),
  });
  const other = (what: string, variant: Setting['variant'], setup: Partial<Setting['setup']>): Setting => ({
    what,
    variant,
    setup: { ...setupOf(most), ...setup },
  });
  const own = { module: OWN_TASKS, data: { module, export: name, passing } satisfies SubjectReference };
  const inBatches = (batch: number) => ({
    ...own,
    task: 'runAll',
    batch,
    outstanding: 4 * most,
    isLong: false,
  });
  // Calls that are to be awaited one by one are not put together.
  const sizeFor = (bytes: number) => (isAsync ? undefined : batchSize(callMs, bytes));
  const isRead = passing === 'read';
  const isBytes = !copiesInputs && inputs.every(({ input }) => input instanceof Uint8Array);
  // Who leaves the reading to workers has a list of names: where calls are short, many cross together.
  const names = sizeFor(NAME_BYTES);
  const reading =
    names === undefined
      ? other('reading in the workers', { name: 'read' }, { ...own, task: 'runOne', kind: 'read' })
      : other('reading in the workers', { name: 'read', size: names }, { ...inBatches(names), kind: 'read' });
  const size = isRead ? undefined : sizeFor(bytesIn);
  const { upToCores, beyond } = threadCounts(cores, maxThreads);
  const needed = upToCores.length > 0 ? upToCores.map(plain) : [plain(most)];
  // Who reads decides, where there is something to read.
  const first = isRead ? [...needed, reading] : needed;
  const others = [
    other("placement 'auto'", { name: 'auto' }, { placement: 'auto' }),
    ...(size === undefined
      ? []
      : [other('batches', { name: 'batch', size }, { ...inBatches(size), kind: 'batch' })]),
    ...(isRead || isBytes ? [other('leases', { name: 'lease' }, { kind: 'lease' })] : []),
  ];
  return { all: [...first, ...others, ...beyond.map(plain)], needed: first.length };
}
