/** Files by size: which classes there are, which of their files are measured on, what one pass reads, and what was measured of each class. */
import { spawnSync } from 'node:child_process';
import { accessSync, constants, writeFileSync } from 'node:fs';
import { bisectRight, group, sum } from 'd3-array';
import type { Rounds, Turn } from '../../../experiment/rounds.js';
import { evenly, seriesOf } from '../../../experiment/statistics.js';
import { attempt } from '../../../system-error.js';
import { WAY_NAMES } from '../rules/samples.js';
import type { Answer, LaneName, ReadingLane } from './measure.js';

export interface SizedFile {
  readonly path: string;
  readonly bytes: number;
}

const KIB = 2 ** 10;
const MIB = 2 ** 20;
const FROM_BYTES = [0, 4 * KIB, 64 * KIB, MIB, 16 * MIB]; // the smallest size in each class

/** The classes that have files. */
export function classesOf(files: readonly SizedFile[]) {
  const byClass = group(files, ({ bytes }) => bisectRight(FROM_BYTES, bytes) - 1);
  return FROM_BYTES.flatMap((fromBytes, i) => {
    const own = byClass.get(i);
    /** Undefined: no limit. */
    const belowBytes: number | undefined = FROM_BYTES[i + 1];
    return own === undefined ? [] : { fromBytes, belowBytes, files: own };
  });
}

const MOST_FILES = 2000; // how many files of a class are read at most: enough for a mean

/** Takes files evenly out of all. @param mostBytes how many bytes one file, and all of them together, may have */
export function sampleOf(files: readonly SizedFile[], mostBytes: number): SizedFile[] {
  const fitting = files.filter(({ bytes }) => bytes <= mostBytes);
  const chosen = evenly(fitting, MOST_FILES);
  const total = sumOf(chosen);
  if (total <= mostBytes) return chosen;
  return upTo(evenly(chosen, Math.ceil((chosen.length * mostBytes) / total)), mostBytes);
}

/** Takes files in order, without those that would bring the total above `mostBytes`; at least one. */
function upTo(files: readonly SizedFile[], mostBytes: number): SizedFile[] {
  let total = 0;
  const kept = files.filter(({ bytes }) => {
    if (total + bytes > mostBytes) return false;
    total += bytes;
    return true;
  });
  return kept.length > 0 ? kept : files.slice(0, 1);
}

export function without(files: readonly SizedFile[], gone: readonly Pick<SizedFile, 'path'>[]) {
  const paths = new Set(gone.map(({ path }) => path));
  return files.filter(({ path }) => !paths.has(path));
}

export function sumOf(files: readonly SizedFile[]): number {
  return sum(files, ({ bytes }) => bytes);
}

const PASS_MS = 4; // about how long one reader takes for a pass: short, because each way makes many passes in each round
const MOST_PASS_FILES = 500;
const MOST_PASS_BYTES = 64 * MIB; // some ways hold all files of a pass in memory at once

/** @param perSecond how many files one reader reads in a second. @param least how many files keep all readers busy */
export function batchOf(sample: readonly SizedFile[], perSecond: number, least: number) {
  const wished = Math.min(MOST_PASS_FILES, Math.max(least, Math.round((perSecond * PASS_MS) / 1000)));
  const chosen = evenly(sample, wished);
  const times = Math.ceil(Math.min(wished, least) / chosen.length);
  const repeated = Array.from({ length: Math.max(1, times) }, () => chosen).flat();
  return { files: upTo(repeated, MOST_PASS_BYTES), repeatsFiles: times > 1 };
}

/** How many bytes one call reads, so that sending it weighs little; fewer where a reader would not get several calls. */
const CALL_BYTES = MIB;
const MOST_CALL_FILES = 64;

export function filesPerCall({ files }: { files: readonly SizedFile[] }, readers: number): number {
  const bySize = Math.floor(CALL_BYTES / Math.max(1, sumOf(files) / files.length));
  return Math.max(1, Math.min(bySize, MOST_CALL_FILES, Math.ceil(files.length / (2 * readers))));
}

export type Cache = 'warm' | 'cold';

const MOST_BUSY = 120; // how many samples of how busy the cores were are kept: enough for a plot
const COLD_FILES = 100; // how many files and bytes one cold pass reads: few, because the disk is slow
const COLD_BYTES = 32 * MIB;
const NOTHING = { rate: Number.NaN, loopDelayMs: Number.NaN, busy: [] };

export type ClassDraft = ReturnType<typeof draftOf>;

/** What is measured of one class, without files that vanished. @param first the files to measure on. @param readers how many read at a time */
export function draftOf(
  { fromBytes, belowBytes, files: all }: ReturnType<typeof classesOf>[number],
  first: readonly SizedFile[],
  /** The rates at which the sampled files were read, synchronously, for the first time and again. */
  firstRead: { readonly first: number; readonly again: number },
  readers: number,
) {
  const newBatch = () => batchOf(sample, firstRead.again, 2 * readers);
  let sample = first;
  let batch = newBatch();
  const readBytes = new Map<LaneName, number>();
  const turns: Record<Cache, Map<LaneName, Turn<Answer>>> = { warm: new Map(), cold: new Map() };
  /** The rounds of all classes; undefined: there were none yet. */
  const rounds: Partial<Record<Cache, Rounds<Answer>>> = {};
  /** Whether none of its files is left. */
  const isEmpty = () => sample.length === 0;
  return { isEmpty, readWarm, turnsOf, rounds, samples };

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
    // Slows the whole machine: every program reads its files from the disk again.
    writeFileSync(DROP_CACHES, ALL);
    return read(lane, files, filesPerCall({ files }, readers), 0);
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
  function turnsOf(cache: Cache, lanes: readonly ReadingLane[]): Turn<Answer>[] {
    for (const lane of lanes) {
      turns[cache].set(lane.name, {
        what: lane.what,
        isDead: () => isEmpty() || lane.isDead,
        take: ({ ms, round }) => (cache === 'warm' ? readWarm(lane, ms) : readCold(lane, round)),
      });
    }
    return [...turns[cache].values()];
  }

  /** The samples so far. */
  function samples() {
    const { files, repeatsFiles } = batch;
    return {
      fromBytes,
      belowBytes,
      /** How many files of this class the folder has, and their bytes. */
      files: all.length,
      bytes: sumOf(all),
      /** The part of them that was measured. */
      sampled: { files: sample.length, bytes: sumOf(sample) },
      /** What one pass reads: some of the sampled files, or all of them several times over. */
      batch: { files: files.length, bytes: sumOf(files), repeatsFiles },
      firstRead,
      /** The rounds with the files in memory already. */
      warm: roundsOf('warm'),
      /** The rounds in which the system's cache of files was dropped before each turn; undefined: not measured. */
      cold: (rounds.cold?.kept.length ?? 0) > 0 ? roundsOf('cold') : undefined,
    };
  }

  function roundsOf(cache: Cache) {
    const taken = (rounds[cache]?.kept ?? []).map(
      (round) => new Map([...turns[cache]].map(([name, turn]) => [name, round.get(turn)])),
    );
    // A round in which a file vanished does not count, because the ways have not read the same files.
    const counted = taken.filter((round) => {
      const answers = [...round.values()].filter((answer) => answer !== undefined);
      return answers.length > 0 && answers.every(({ failed }) => failed.length === 0);
    });
    const ways = WAY_NAMES.flatMap((name) => {
      const answers = counted.map((round) => round.get(name) ?? NOTHING);
      if (answers.every((answer) => answer === NOTHING)) return [];
      /** The busy share of each core of the machine, over the time in which this way ran. */
      const busy: readonly (readonly number[])[] = answers.flatMap((each) => each.busy).slice(0, MOST_BUSY);
      /** How many bytes this way read in its first pass over the batch, to be compared with the sizes of the files. */
      const bytes = cache === 'warm' ? readBytes.get(name) : undefined;
      // The delay is how late a timer of the reading program's main thread was, 99th percentile of each round.
      return { name, ...seriesOf(answers, 'rate', 'loopDelayMs'), busy, readBytes: bytes };
    });
    /** 'sync-loop' once more, in another process: the difference is noise. */
    const control = counted.map((round) => round.get('control')?.rate ?? Number.NaN);
    return { ways, control };
  }
}

const DROP_CACHES = '/proc/sys/vm/drop_caches';
/** Drops the page cache, dentries and inodes: https://docs.kernel.org/admin-guide/sysctl/vm.html#drop-caches. */
const ALL = '3';
const SYNC_LIMIT_MS = 20_000; // how long `sync` may take. Pages that are not on the disk yet would not be dropped

/** Throws UsageError if the system's cache cannot be dropped. */
export function mustBeDroppable(): void {
  const problem = `--cold: expected to be allowed to write ${DROP_CACHES} (Linux, as root), got`;
  attempt(() => accessSync(DROP_CACHES, constants.W_OK), problem);
}

/** Must be called once, before the first cold round. */
export function writeBack(folder: string): void {
  spawnSync('sync', ['-f', folder], { timeout: SYNC_LIMIT_MS, stdio: 'ignore' });
}
