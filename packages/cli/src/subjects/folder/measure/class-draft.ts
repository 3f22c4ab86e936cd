/** Collects what is measured of one class of sizes: its files, without those that vanished, and its rounds. */
import type { Rounds, Turn } from '../../../experiment/rounds.js';
import { seriesOf } from '../../../experiment/statistics.js';
import type { ClassSamples, RoundSamples } from '../rules/samples.js';
import { dropCaches } from './cache.js';
import type { Answer, LaneName, ReadingLane } from './lanes.js';
import type { ReadRequest } from './reader/process.js';
import { batchOf, filesPerCall, sumOf, upTo, without } from './size-classes.js';
import type { Batch, SizeClass, SizedFile } from './size-classes.js';

export type Cache = 'warm' | 'cold';

interface WayTurn extends Turn<Answer> {
  readonly name: LaneName;
}

/** How many samples of how busy the cores were are kept: enough for a plot. */
const MOST_BUSY = 120;
/** How many files and bytes one cold pass reads: few, because the disk is slow. */
const COLD_FILES = 100;
const COLD_BYTES = 32 * 2 ** 20;

const NOTHING = { rate: Number.NaN, loopDelayMs: Number.NaN, busy: [] };

export class ClassDraft {
  readonly #sizes: SizeClass;
  readonly #firstRead: NonNullable<ClassSamples['firstRead']>;
  readonly #readers: number;
  #sample: readonly SizedFile[];
  #batch: Batch;
  readonly #readBytes = new Map<LaneName, number>();
  readonly #turns: Record<Cache, readonly WayTurn[]> = { warm: [], cold: [] };
  /** The rounds of all classes; undefined: there were none yet. */
  readonly rounds: Record<Cache, Rounds<Answer> | undefined> = { warm: undefined, cold: undefined };

  /** @param readers how many read at the same time */
  constructor(
    sizes: SizeClass,
    sample: readonly SizedFile[],
    firstRead: NonNullable<ClassSamples['firstRead']>,
    readers: number,
  ) {
    this.#sizes = sizes;
    this.#sample = sample;
    this.#firstRead = firstRead;
    this.#readers = readers;
    this.#batch = batchOf(sample, firstRead.again, 2 * readers);
  }

  /** Whether none of its files is left. */
  get isEmpty(): boolean {
    return this.#sample.length === 0;
  }

  /** @param ms 0: reads one pass once, and notes how many bytes it has in this way */
  async readWarm(lane: ReadingLane, ms: number): Promise<Answer | undefined> {
    const paths = this.#batch.files.map(({ path }) => path);
    const answer = await this.#read(lane, { paths, perCall: filesPerCall(this.#batch, this.#readers), ms });
    if (ms === 0 && answer?.failed.length === 0) this.#readBytes.set(lane.name, answer.bytes);
    return answer;
  }

  /** Each round takes other files; no pass reads a file twice, which would then come from the cache. */
  #readCold(lane: ReadingLane, round: number): Promise<Answer | undefined> {
    const from = (round * COLD_FILES) % this.#sample.length;
    const turned = [...this.#sample.slice(from), ...this.#sample.slice(0, from)];
    const files = upTo(turned.slice(0, COLD_FILES), COLD_BYTES);
    const evenly = Math.ceil(files.length / (2 * this.#readers));
    const perCall = Math.max(1, Math.min(filesPerCall(this.#batch, this.#readers), evenly));
    dropCaches();
    return this.#read(lane, { paths: files.map(({ path }) => path), perCall, ms: 0 });
  }

  /** What vanished, or may not be read any more, is not read again. */
  async #read(lane: ReadingLane, request: ReadRequest): Promise<Answer | undefined> {
    const answer = await lane.read(request);
    if (answer === undefined || answer.failed.length === 0) return answer;
    this.#sample = without(this.#sample, answer.failed);
    this.#readBytes.clear();
    if (!this.isEmpty) this.#batch = batchOf(this.#sample, this.#firstRead.again, 2 * this.#readers);
    return answer;
  }

  /** The turns of the lanes with these files. */
  turnsOf(cache: Cache, lanes: readonly ReadingLane[]): readonly Turn<Answer>[] {
    this.#turns[cache] = lanes.map((lane) => ({
      name: lane.name,
      what: lane.what,
      isDead: () => this.isEmpty || lane.isDead,
      take: ({ ms, round }) => (cache === 'warm' ? this.readWarm(lane, ms) : this.#readCold(lane, round)),
    }));
    return this.#turns[cache];
  }

  /** The samples so far. */
  samples(): ClassSamples {
    const { fromBytes, belowBytes, files } = this.#sizes;
    const { files: read, repeatsFiles } = this.#batch;
    return {
      fromBytes,
      belowBytes,
      files: files.length,
      bytes: sumOf(files),
      sampled: { files: this.#sample.length, bytes: sumOf(this.#sample) },
      batch: { files: read.length, bytes: sumOf(read), repeatsFiles },
      firstRead: this.#firstRead,
      warm: this.#roundsOf('warm'),
      cold: this.#kept('cold').length > 0 ? this.#roundsOf('cold') : undefined,
    };
  }

  #kept(cache: Cache): Rounds<Answer>['kept'] {
    return this.rounds[cache]?.kept ?? [];
  }

  #roundsOf(cache: Cache): RoundSamples {
    const turns = this.#turns[cache];
    // A round in which a file vanished does not count, because the ways have not read the same files.
    const rounds = this.#kept(cache).filter((round) => {
      const taken = turns.flatMap((turn) => round.get(turn) ?? []);
      return taken.length > 0 && taken.every(({ failed }) => failed.length === 0);
    });
    const ways = turns.flatMap((turn) => {
      const { name } = turn;
      if (name === 'control' || !rounds.some((round) => round.has(turn))) return [];
      const answers = rounds.map((round) => round.get(turn) ?? NOTHING);
      const busy = answers.flatMap((each) => each.busy).slice(0, MOST_BUSY);
      const readBytes = cache === 'warm' ? this.#readBytes.get(name) : undefined;
      return { name, ...seriesOf(answers, 'rate', 'loopDelayMs'), busy, readBytes };
    });
    const control = turns.find(({ name }) => name === 'control');
    return { ways, control: rounds.map((round) => (control && round.get(control))?.rate ?? Number.NaN) };
  }
}
