/** Collects what is measured of one class of sizes: its files, without those that vanished, and its rounds. */
import { bisectRight, cumsum, sum } from 'd3-array';
import { seriesOf } from '../../../experiment/statistics.js';
import { type ClassSamples, type RoundSamples, WAYS } from '../rules/samples.js';
import type { Answer, LaneName } from './lanes.js';
import type { Job } from './measure.js';
import {
  type Batch,
  batchOf,
  filesPerCall,
  sampleOf,
  type SizeClass,
  type SizedFile,
  sumOf,
  upTo,
} from './size-classes.js';

export type Cache = 'warm' | 'cold';

type Measured = Pick<Answer, 'rate' | 'loopDelayMs' | 'busy' | 'failed'>;

/** How many samples of how busy the cores were are kept: enough for a plot. */
const MOST_BUSY = 120;
/** How many files and bytes one cold pass reads: few, because the disk is slow. */
const COLD_FILES = 100;
const COLD_BYTES = 32 * 2 ** 20;

const NOTHING: Measured = { rate: Number.NaN, loopDelayMs: Number.NaN, busy: [], failed: [] };

export class ClassDraft {
  readonly sizes: SizeClass;
  firstRead: ClassSamples['firstRead'];
  #sample: readonly SizedFile[];
  #batch: Batch;
  readonly #perSecond: number;
  readonly #readers: number;
  /** Returns the rounds so far. */
  readonly rounds: Record<Cache, () => readonly ReadonlyMap<LaneName, Measured>[]> = {
    warm: () => [],
    cold: () => [],
  };
  readonly #readBytes = new Map<LaneName, number>();

  /** @param perSecond how many files one reader reads in a second. @param readers how many read at the same time */
  constructor(sizes: SizeClass, sample: readonly SizedFile[], perSecond: number, readers: number) {
    this.sizes = sizes;
    this.#sample = sample;
    this.#perSecond = perSecond;
    this.#readers = readers;
    this.#batch = batchOf(sample, perSecond, 2 * readers);
  }

  /** Whether none of its files is left. */
  get isEmpty(): boolean {
    return this.#sample.length === 0;
  }

  get paths(): readonly string[] {
    return this.#batch.files.map(({ path }) => path);
  }

  get perCall(): number {
    return filesPerCall(this.#batch, this.#readers);
  }

  /** The files of one cold pass. Each round takes others; no pass reads a file twice, which would then come from the cache. */
  coldPaths(round: number): readonly string[] {
    const from = (round * COLD_FILES) % this.#sample.length;
    const turned = [...this.#sample.slice(from), ...this.#sample.slice(0, from)];
    return upTo(turned.slice(0, COLD_FILES), COLD_BYTES).map(({ path }) => path);
  }

  coldPerCall(round: number): number {
    return Math.max(1, Math.min(this.perCall, Math.ceil(this.coldPaths(round).length / (2 * this.#readers))));
  }

  verify(lane: LaneName, bytes: number): void {
    this.#readBytes.set(lane, bytes);
  }

  /** Removes files that vanished, or that may not be read any more. */
  remove(failed: Answer['failed']): void {
    const gone = new Set(failed.map(({ path }) => path));
    this.#sample = this.#sample.filter(({ path }) => !gone.has(path));
    this.#readBytes.clear();
    if (!this.isEmpty) this.#batch = batchOf(this.#sample, this.#perSecond, 2 * this.#readers);
  }

  finish(): ClassSamples {
    const { fromBytes, belowBytes, files } = this.sizes;
    const { files: read, repeatsFiles } = this.#batch;
    const hasCold = this.rounds.cold().length > 0;
    return {
      fromBytes,
      belowBytes,
      files: files.length,
      bytes: sumOf(files),
      sampled: { files: this.#sample.length, bytes: sumOf(this.#sample) },
      batch: { files: read.length, bytes: sumOf(read), repeatsFiles },
      firstRead: this.firstRead,
      warm: this.#roundSamples('warm'),
      cold: hasCold ? this.#roundSamples('cold') : undefined,
    };
  }

  #roundSamples(cache: Cache): RoundSamples {
    // A round in which a file vanished does not count, because the ways have not read the same files.
    const isWhole = (round: ReadonlyMap<LaneName, Measured>): boolean =>
      round.size > 0 && [...round.values()].every(({ failed }) => failed.length === 0);
    const rounds = this.rounds[cache]().filter(isWhole);
    const of = (lane: LaneName): Measured[] => rounds.map((round) => round.get(lane) ?? NOTHING);
    const ways = WAYS.filter(({ name }) => rounds.some((round) => round.has(name)));
    return {
      ways: ways.map(({ name }) => {
        const measured = of(name);
        return {
          name,
          ...seriesOf(measured, 'rate', 'loopDelayMs'),
          busy: measured.flatMap(({ busy }) => busy).slice(0, MOST_BUSY),
          readBytes: cache === 'warm' ? this.#readBytes.get(name) : undefined,
        };
      }),
      control: of('control').map(({ rate }) => rate),
    };
  }
}

/** How many files and bytes one request reads: few, so that it ends soon even where the disk is slow. */
const FILES_AT_ONCE = 200;
const BYTES_AT_ONCE = 16 * 2 ** 20;

/**
 * Reads the files of a class twice, one after the other, to learn which of them can be read, how fast, and whether they were in the
 * system's cache; afterwards they are. Resolves to undefined if none of them can be measured.
 * @param mostBytes how many bytes one file, and all that are read, may have
 */
export async function readFirst(
  sizes: SizeClass,
  job: Job,
  mostBytes: number,
  timeMs: number,
): Promise<ClassDraft | undefined> {
  const sample = sampleOf(sizes.files, mostBytes);
  const endMs = performance.now() + timeMs;
  const first = await readPieces(sample, job, endMs);
  job.found.unreadable.push(...first.failed.map(({ why }) => why));
  const gone = new Set(first.failed.map(({ path }) => path));
  const kept = first.read.filter(({ path }) => !gone.has(path));
  if (kept.length === 0) return undefined;
  const again = await readPieces(kept, job, endMs + timeMs);
  const draft = new ClassDraft(sizes, kept, again.rate, job.readers);
  if (again.failed.length > 0) draft.remove(again.failed);
  draft.firstRead = { first: first.rate, again: again.rate };
  return draft.isEmpty ? undefined : draft;
}

/** Reads one piece after the other until the time is over, but at least one. */
async function readPieces(all: readonly SizedFile[], { lanes, session }: Job, endMs: number) {
  const loop = lanes.find(({ name }) => name === 'sync-loop')!;
  const read: SizedFile[] = [];
  const answers: Answer[] = [];
  while (read.length < all.length) {
    const piece = pieceOf(all.slice(read.length, read.length + FILES_AT_ONCE));
    const answer = await loop.read({ paths: piece.map(({ path }) => path), ms: 0, perCall: 1 });
    if (answer === undefined) break;
    read.push(...piece);
    answers.push(answer);
    if (performance.now() > endMs || session.isOver) break;
  }
  const [files, ms] = [sum(answers, (each) => each.files), sum(answers, (each) => each.ms)];
  return { read, failed: answers.flatMap(({ failed }) => failed), rate: ms > 0 ? (files * 1000) / ms : 0 };
}

/** The first files that together have no more than BYTES_AT_ONCE; at least one. */
function pieceOf(files: readonly SizedFile[]): readonly SizedFile[] {
  const totals = cumsum(files, ({ bytes }) => bytes);
  return files.slice(0, Math.max(1, bisectRight(totals, BYTES_AT_ONCE)));
}
