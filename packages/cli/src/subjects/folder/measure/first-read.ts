/**
 * Reads the files of a class for the first time, one after the other, and then again: which of them can be read at all, how fast, and
 * whether they were in the system's cache. After that they are.
 */
import type { Session } from '../../../experiment/session.js';
import { ClassDraft } from './class-draft.js';
import type { Unreadable } from './find-files.js';
import type { Lanes } from './lanes.js';
import { type SizeClass, type SizedFile, sampleOf } from './size-classes.js';

/** One request: so that there is an end where the disk is slow. */
const FILES_AT_ONCE = 200;
const BYTES_AT_ONCE = 16 * 2 ** 20;

export interface FirstReadOptions {
  readonly lanes: Lanes;
  readonly session: Session;
  readonly unreadable: Unreadable;
  readonly readers: number;
  /** No file that is larger is read, nor more than that of all. */
  readonly mostBytes: number;
  readonly timeMs: number;
}

/** Undefined: none of its files can be measured on. */
export async function readFirst(
  sizes: SizeClass,
  options: FirstReadOptions,
): Promise<ClassDraft | undefined> {
  const sample = sampleOf(sizes.files, options.mostBytes);
  const end = performance.now() + options.timeMs;
  const first = await readPieces(pieces(sample), options, () => performance.now() > end);
  for (const { why } of first.failed) options.unreadable.add(why);
  const gone = new Set(first.failed.map(({ path }) => path));
  const kept = first.read.filter(({ path }) => !gone.has(path));
  if (kept.length === 0) return undefined;
  const again = await readPieces(pieces(kept), options, () => performance.now() > end + options.timeMs);
  const draft = new ClassDraft(sizes, kept, again.rate, options.readers);
  if (again.failed.length > 0) draft.remove(again.failed.map(({ path }) => path));
  draft.firstRead = { first: first.rate, again: again.rate };
  return draft.isEmpty ? undefined : draft;
}

interface Pieces {
  readonly read: readonly SizedFile[];
  readonly failed: readonly { readonly path: string; readonly why: string }[];
  readonly rate: number;
}

/** At least the first piece. */
async function readPieces(
  all: Iterable<readonly SizedFile[]>,
  { lanes, session }: FirstReadOptions,
  isOver: () => boolean,
): Promise<Pieces> {
  const read: SizedFile[] = [];
  const failed: { path: string; why: string }[] = [];
  let [files, ms] = [0, 0];
  for (const piece of all) {
    const paths = piece.map(({ path }) => path);
    const answer = await lanes.read('sync-loop', { paths, ms: 0, perCall: 1 });
    if (answer === undefined) break;
    read.push(...piece);
    failed.push(...answer.slice.failed);
    files += answer.slice.files;
    ms += answer.slice.ms;
    if (isOver() || session.isOver) break;
  }
  return { read, failed, rate: ms > 0 ? (files * 1000) / ms : 0 };
}

function* pieces(files: readonly SizedFile[]): Generator<SizedFile[]> {
  let piece: SizedFile[] = [];
  let bytes = 0;
  for (const file of files) {
    if (piece.length >= FILES_AT_ONCE || (piece.length > 0 && bytes + file.bytes > BYTES_AT_ONCE)) {
      yield piece;
      [piece, bytes] = [[], 0];
    }
    piece.push(file);
    bytes += file.bytes;
  }
  if (piece.length > 0) yield piece;
}
