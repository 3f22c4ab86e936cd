/** Collects what is measured of one class of sizes: its files, without those that vanished, and its rounds. Drops the system's cache of files. */
import { spawnSync } from 'node:child_process';
import { accessSync, constants, writeFileSync } from 'node:fs';
import type { Rounds, Turn } from '../../../experiment/rounds.js';
import { seriesOf } from '../../../experiment/statistics.js';
import { attempt } from '../../../system-error.js';
import type { ClassSamples, RoundSamples } from '../rules/samples.js';
import type { Answer, LaneName, ReadingLane } from './lanes.js';
import {
  batchOf,
  filesPerCall,
  type SizeClass,
  type SizedFile,
  sumOf,
  upTo,
  without,
} from './size-classes.js';

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

export type ClassDraft = ReturnType<typeof draftOf>;

/** @param first the files to measure on. @param readers how many read at the same time */
export function draftOf(
  { fromBytes, belowBytes, files: all }: SizeClass,
  first: readonly SizedFile[],
  firstRead: ClassSamples['firstRead'],
  readers: number,
) {
  const newBatch = () => batchOf(sample, firstRead.again, 2 * readers);
  let sample = first;
  let batch = newBatch();
  const readBytes = new Map<LaneName, number>();
  const turns: Record<Cache, readonly WayTurn[]> = { warm: [], cold: [] };
  /** The rounds of all classes; undefined: there were none yet. */
  const rounds: Record<Cache, Rounds<Answer> | undefined> = { warm: undefined, cold: undefined };
  return { isEmpty, readWarm, turnsOf, rounds, samples };

  /** Whether none of its files is left. */
  function isEmpty(): boolean {
    return sample.length === 0;
  }

  /** @param ms 0: reads one pass once, and notes how many bytes it has in this way */
  async function readWarm(lane: ReadingLane, ms: number): Promise<Answer | undefined> {
    const answer = await read(lane, batch.files, filesPerCall(batch, readers), ms);
    if (ms === 0 && answer?.failed.length === 0) readBytes.set(lane.name, answer.bytes);
    return answer;
  }

  /** Each round takes other files; no pass reads a file twice, which would then come from the cache. */
  function readCold(lane: ReadingLane, round: number): Promise<Answer | undefined> {
    const from = (round * COLD_FILES) % sample.length;
    const files = upTo([...sample.slice(from), ...sample.slice(0, from)].slice(0, COLD_FILES), COLD_BYTES);
    const evenly = Math.max(1, Math.ceil(files.length / (2 * readers)));
    // Slows the whole machine: every program reads its files from the disk again.
    writeFileSync(DROP_CACHES, ALL);
    return read(lane, files, Math.min(filesPerCall(batch, readers), evenly), 0);
  }

  /** Files that have vanished, or may not be read any more, are left out from then on. */
  async function read(lane: ReadingLane, files: readonly SizedFile[], perCall: number, ms: number) {
    const answer = await lane.read({ paths: files.map(({ path }) => path), perCall, ms });
    if (answer === undefined || answer.failed.length === 0) return answer;
    sample = without(sample, answer.failed);
    readBytes.clear();
    if (!isEmpty()) batch = newBatch();
    return answer;
  }

  /** The turns of the lanes with these files. */
  function turnsOf(cache: Cache, lanes: readonly ReadingLane[]): readonly Turn<Answer>[] {
    turns[cache] = lanes.map((lane) => ({
      name: lane.name,
      what: lane.what,
      isDead: () => isEmpty() || lane.isDead,
      take: ({ ms, round }) => (cache === 'warm' ? readWarm(lane, ms) : readCold(lane, round)),
    }));
    return turns[cache];
  }

  /** The samples so far. */
  function samples(): ClassSamples {
    const { files, repeatsFiles } = batch;
    return {
      fromBytes,
      belowBytes,
      files: all.length,
      bytes: sumOf(all),
      sampled: { files: sample.length, bytes: sumOf(sample) },
      batch: { files: files.length, bytes: sumOf(files), repeatsFiles },
      firstRead,
      warm: roundsOf('warm'),
      cold: (rounds.cold?.kept.length ?? 0) > 0 ? roundsOf('cold') : undefined,
    };
  }

  function roundsOf(cache: Cache): RoundSamples {
    // A round in which a file vanished does not count, because the ways have not read the same files.
    const counted = (rounds[cache]?.kept ?? []).filter((round) => {
      const taken = turns[cache].flatMap((turn) => round.get(turn) ?? []);
      return taken.length > 0 && taken.every(({ failed }) => failed.length === 0);
    });
    const ways = turns[cache].flatMap((turn) => {
      const { name } = turn;
      if (name === 'control' || !counted.some((round) => round.has(turn))) return [];
      const answers = counted.map((round) => round.get(turn) ?? NOTHING);
      const busy = answers.flatMap((each) => each.busy).slice(0, MOST_BUSY);
      const bytes = cache === 'warm' ? readBytes.get(name) : undefined;
      return { name, ...seriesOf(answers, 'rate', 'loopDelayMs'), busy, readBytes: bytes };
    });
    const control = turns[cache].find(({ name }) => name === 'control');
    return { ways, control: counted.map((round) => (control && round.get(control))?.rate ?? Number.NaN) };
  }
}

const DROP_CACHES = '/proc/sys/vm/drop_caches';
/** Drops the page cache, dentries and inodes: https://docs.kernel.org/admin-guide/sysctl/vm.html#drop-caches. */
const ALL = '3';
/** How many milliseconds `sync` may take. Pages that are not on the disk yet would not be dropped. */
const SYNC_LIMIT_MS = 20_000;

/** Throws UsageError if the system's cache cannot be dropped. */
export function mustBeDroppable(): void {
  attempt(
    () => accessSync(DROP_CACHES, constants.W_OK),
    `--cold: expected to be allowed to write ${DROP_CACHES} (Linux, as root), got`,
  );
}

/** Must be called once, before the first cold round. */
export function writeBack(folder: string): void {
  spawnSync('sync', ['-f', folder], { timeout: SYNC_LIMIT_MS, stdio: 'ignore' });
}
