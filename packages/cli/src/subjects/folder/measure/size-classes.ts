/** Files by size: which classes there are, which of their files are measured on, and what one pass reads. */

import { bisectRight, group, sum } from 'd3-array';
import { evenly } from '../../../experiment/statistics.js';

export interface SizedFile {
  readonly path: string;
  readonly bytes: number;
}

export type SizeClass = ReturnType<typeof classesOf>[number];

const KIB = 2 ** 10;
const MIB = 2 ** 20;
/** The smallest size in each class, in bytes. */
const FROM_BYTES = [0, 4 * KIB, 64 * KIB, MIB, 16 * MIB];

/** The classes that have files. */
export function classesOf(files: readonly SizedFile[]) {
  const byClass = group(files, ({ bytes }) => bisectRight(FROM_BYTES, bytes) - 1);
  return FROM_BYTES.flatMap((fromBytes, i) => {
    const own = byClass.get(i);
    return own === undefined ? [] : { fromBytes, belowBytes: FROM_BYTES[i + 1], files: own };
  });
}

/** How many files of a class are read at most: enough for a mean. */
const MOST_FILES = 2000;

/** Takes files evenly out of all. @param mostBytes how many bytes one file, and all of them together, may have */
export function sampleOf(files: readonly SizedFile[], mostBytes: number): SizedFile[] {
  const chosen = evenly(
    files.filter(({ bytes }) => bytes <= mostBytes),
    MOST_FILES,
  );
  const total = sumOf(chosen);
  return total <= mostBytes
    ? chosen
    : upTo(evenly(chosen, Math.ceil((chosen.length * mostBytes) / total)), mostBytes);
}

/** Takes files in order, without those that would bring the total above `mostBytes`; at least one. */
export function upTo(files: readonly SizedFile[], mostBytes: number): SizedFile[] {
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

/** About how many milliseconds one reader takes for a pass: few, because each way makes many passes in each round. */
const PASS_MS = 4;
const MOST_PASS_FILES = 500;
/** Some ways hold all files of a pass in memory at once. */
const MOST_PASS_BYTES = 64 * MIB;

export type Batch = ReturnType<typeof batchOf>;

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

export function filesPerCall({ files }: Batch, readers: number): number {
  const bySize = Math.floor(CALL_BYTES / Math.max(1, sumOf(files) / files.length));
  return Math.max(1, Math.min(bySize, MOST_CALL_FILES, Math.ceil(files.length / (2 * readers))));
}
