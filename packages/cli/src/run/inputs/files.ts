/** --files: every file that a pattern matches is an input; its path is the task's argument, or stands for its content. */

import { type FileName, fileIds, sizedFile } from '../../disk/file-id.js';
import { UsageError } from '../../exit-code.js';
import { isDone } from './input-source.js';
import type { Done, Input, InputSource, Sample, SampledInput } from './input-source.js';
import { absoluteKey, comparePaths, type FilePattern, type FoundFile, parsePattern } from './walk.js';

export interface FilesOptions {
  readonly patterns: readonly string[];
  readonly dot: boolean;
  /** Whether the function gets a file's content in place of its path. */
  readonly read?: boolean;
  /** Files that the run itself writes (output, journal): they are never inputs, under any name that a pattern finds. */
  readonly ownFiles: readonly FileName[];
}

/** How many files a group has: few, because their sizes are looked up in one go on the main thread. */
const GROUP = 64;

export function openFiles({ patterns, dot, read: isRead = false, ownFiles }: FilesOptions): InputSource {
  const ownKeys = new Set(ownFiles.map((file) => (typeof file === 'string' ? absoluteKey(file) : file)));
  const parsed = patterns.map((source) => parsePattern(source, dot));
  const wanted = parsed.filter((pattern) => pattern.kind !== 'exclusion');
  const exclusions = parsed.filter((pattern) => pattern.kind === 'exclusion');
  let total: number | undefined;
  if (wanted.length === 0)
    throw new UsageError(`expected a pattern that files can match, got only ${patterns.join(' ')}`);
  for (const pattern of wanted) {
    if (sized(matching(pattern)).next().done) throw new UsageError(nothingOf(pattern));
  }
  return {
    unit: 'files',
    identity: { kind: 'files', patterns, dot, cwd: process.cwd(), ...(isRead ? { read: true } : {}) },
    get total() {
      return total;
    },
    count() {
      total = 0;
      for (const _ of list()) total += 1;
    },
    read,
    sample,
    close() {},
  };

  /** Why no file is left of this pattern. */
  function nothingOf({ source, files }: FilePattern): string {
    const [found] = files(() => true);
    if (found === undefined) return `no file matches '${source}'`;
    const by = exclusions.find((each) => each.excludes(found.key));
    const why = by === undefined ? 'the command writes it' : `'${by.source}' excludes it`;
    return `each file that '${source}' matches is left out, such as '${found.path}': ${why}`;
  }

  function* read(done: Done): Generator<readonly Input[]> {
    let group: FoundFile[] = [];
    for (const file of list()) {
      if (isDone(done, file.key) || group.push(file) < GROUP) continue;
      yield inputsOf(group);
      group = [];
    }
    if (group.length > 0) yield inputsOf(group);
  }

  function inputsOf(group: readonly FoundFile[]): Input[] {
    const inputs = [...sized(group)];
    if (total !== undefined) total -= group.length - inputs.length;
    return inputs;
  }

  /** Lists the files twice and looks up every size: a sample without its share of the large files would mislead. */
  function sample(count: number): Sample {
    const whole = { count: 0, bytes: 0 };
    for (const { bytes } of sized(list())) {
      whole.count += 1;
      whole.bytes += bytes;
    }
    return {
      inputs: sampleBySize(sized(list()), count, whole),
      how: 'large files more often',
      total: whole.count,
    };
  }

  /** Yields all files in path order, each once. Folders are listed one by one, so that the whole list is never in memory. */
  function* list(): Generator<FoundFile> {
    const literals = wanted.filter(({ kind }) => kind === 'literal').flatMap((each) => [...matching(each)]);
    const listings = [
      literals.sort((a, b) => comparePaths(a.key, b.key)).values(),
      ...wanted.filter(({ kind }) => kind === 'glob').map(matching),
    ];
    const heads = listings.map((listing): FoundFile | undefined => listing.next().value);
    let last: string | undefined;
    for (;;) {
      const [least] = heads.filter((head) => head !== undefined).sort((a, b) => comparePaths(a.key, b.key));
      if (least === undefined) return;
      const at = heads.indexOf(least);
      heads[at] = listings[at]!.next().value;
      // Two patterns may have found the same file.
      if (least.key === last) continue;
      yield least;
      last = least.key;
    }
  }

  function* matching(pattern: FilePattern): Generator<FoundFile> {
    const enters = (key: string): boolean => !exclusions.some((each) => each.excludesAllOf(key));
    for (const file of pattern.files(enters)) {
      if (!ownKeys.has(file.key) && !exclusions.some((each) => each.excludes(file.key))) yield file;
    }
  }

  function* sized(files: Iterable<FoundFile>): Generator<Input> {
    // The ids are looked up here and not earlier: the files that the run writes exist only once the inputs are read.
    const own = fileIds(ownFiles);
    for (const { path, key } of files) {
      const { id, bytes } = sizedFile(key);
      if (id === undefined || !own.has(id)) yield { value: path, position: key, bytes };
    }
  }
}

/**
 * Chooses a few inputs that stand for all, though most bytes are in a few of them: systematic sampling with unequal
 * probabilities (Horvitz and Thompson, https://doi.org/10.2307/2280784). Half of an input's chance is the same for all,
 * half is by its size, and its weight is the inverse of the chance. The weighted sum over the sample then estimates the
 * sum over all, and well where the cost is a price per input plus one per byte.
 */
export function* sampleBySize(
  inputs: Iterable<Input>,
  size: number,
  whole: { readonly count: number; readonly bytes: number },
): Generator<SampledInput> {
  let position = 0.5;
  for (const input of inputs) {
    const share = whole.bytes === 0 ? 1 / whole.count : 0.5 / whole.count + (0.5 * input.bytes) / whole.bytes;
    const chance = whole.count <= size ? 1 : Math.min(1, size * share);
    const before = Math.floor(position);
    position += chance;
    if (Math.floor(position) > before) yield { ...input, weight: 1 / chance };
  }
}
