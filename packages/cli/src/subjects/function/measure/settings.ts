/** What is measured in the rounds: the pool with so many threads, and other ways of calling it. */
import { seriesOf } from '../../../experiment/statistics.js';
import type { SubjectReference } from '../probe/subject.js';
import type { Slice } from './session.js';
import type { PoolSetup } from '../probe/pool.js';
import type { PoolSamples, VariantSamples } from '../rules/samples.js';
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

export function settingsOf(subject: Subject, warm: Warm, cores: number, maxThreads: number): Settings {
  const most = Math.min(cores, maxThreads);
  const { upToCores, beyond } = threadCounts(cores, maxThreads);
  const base = { subject, warm };
  const plain = (threads: number): Setting => ({
    what: threads === 1 ? '1 thread' : `${threads} threads`,
    variant: undefined,
    setup: setupOf(base, threads),
  });
  const needed = upToCores.length > 0 ? upToCores.map(plain) : [plain(most)];
  // Who reads decides, where there is something to read.
  const first = [...needed, ...readOf(base, most)];
  const others = [autoOf(base, most), ...batchOf(base, most), ...leaseOf(base, most)];
  return { all: [...first, ...others, ...beyond.map(plain)], needed: first.length };
}

/** Of the path of a file: about. */
const NAME_BYTES = 128;

interface Base {
  readonly subject: Subject;
  readonly warm: Warm;
}

function setupOf({ subject, warm }: Base, threads: number): Setting['setup'] {
  return {
    module: subject.module,
    task: subject.export,
    data: undefined,
    kind: 'each',
    passing: subject.passing,
    batch: 1,
    threads,
    placement: 'threads',
    outstanding: outstandingFor(warm.callMs, threads, subject.bytesIn + subject.bytesOut),
    isLong: isLong(warm.callMs),
    idleDelayMs: warm.idleDelayMs,
  };
}

function autoOf(base: Base, threads: number): Setting {
  const setup = { ...setupOf(base, threads), placement: 'auto' as const };
  return { what: "placement 'auto'", variant: { name: 'auto' }, setup };
}

function batchOf(base: Base, threads: number): Setting[] {
  const { subject } = base;
  const size = subject.passing === 'read' ? undefined : sizeOfBatch(base, subject.bytesIn);
  if (size === undefined) return [];
  const setup: Setting['setup'] = { ...inBatches(base, threads, size), kind: 'batch' };
  return [{ what: 'batches', variant: { name: 'batch', size }, setup }];
}

/** Of calls that are to be awaited one by one: undefined. */
function sizeOfBatch({ subject, warm }: Base, bytesIn: number): number | undefined {
  return subject.isAsync ? undefined : batchSize(warm.callMs, bytesIn);
}

function inBatches(base: Base, threads: number, batch: number): Setting['setup'] {
  return {
    ...setupOf(base, threads),
    ...ownTask('runAll', base.subject),
    batch,
    outstanding: 4 * threads,
    isLong: false,
  };
}

function ownTask(
  task: 'runAll' | 'runOne',
  { module, export: name, passing }: Subject,
): Pick<PoolSetup, 'module' | 'task' | 'data'> {
  const data: SubjectReference = { module, export: name, passing };
  return { module: new URL('../probe/subject-tasks.js', import.meta.url).href, task, data };
}

/** Who leaves the reading to workers has a list of names: where calls are short, many cross together. */
function readOf(base: Base, threads: number): Setting[] {
  if (base.subject.passing !== 'read') return [];
  const what = 'reading in the workers';
  const size = sizeOfBatch(base, NAME_BYTES);
  if (size !== undefined) {
    const setup: Setting['setup'] = { ...inBatches(base, threads, size), kind: 'read' };
    return [{ what, variant: { name: 'read', size }, setup }];
  }
  const setup: Setting['setup'] = {
    ...setupOf(base, threads),
    ...ownTask('runOne', base.subject),
    kind: 'read',
  };
  return [{ what, variant: { name: 'read' }, setup }];
}

function leaseOf(base: Base, threads: number): Setting[] {
  const { inputs, copiesInputs, passing } = base.subject;
  const isBytes = !copiesInputs && inputs.every(({ input }) => input instanceof Uint8Array);
  if (passing !== 'read' && !isBytes) return [];
  return [
    { what: 'leases', variant: { name: 'lease' }, setup: { ...setupOf(base, threads), kind: 'lease' } },
  ];
}

export function poolSamples(threads: number, slices: readonly Slice<'pool'>[]): PoolSamples {
  const series = ['rate', 'cpuMs', 'loopDelayMs', 'mainUtilization', 'busyShare', 'residentBytes'] as const;
  return { threads, ...seriesOf(slices, ...series) };
}
