/** --files: every file that a pattern matches is an input; its path is the task's argument, or stands for its content. */

import { type FileName, fileIds, sizedFile } from '../../disk/file-id.js';
import { UsageError } from '../../exit-code.js';
import {
  type Done,
  type Input,
  type InputSource,
  isDone,
  type Position,
  type Sample,
  type SampledInput,
} from './input-source.js';
import {
  absoluteKey,
  comparePaths,
  type Exclusion,
  type FoundFile,
  type Glob,
  type Literal,
  parsePattern,
  walk,
} from './walk.js';

export interface FilesOptions {
  readonly patterns: readonly string[];
  readonly dot: boolean;
  /** The function gets each one's content in place of its path. */
  readonly read?: boolean;
  /** Files this very run writes (output, journal): never its input, under whatever name a pattern finds them. */
  readonly ownFiles: readonly FileName[];
}

/** Files per group: small, because their sizes are looked up in one go on the main thread. */
const GROUP = 64;

export function openFiles(options: FilesOptions): InputSource {
  return new Files(options);
}

class Files implements InputSource {
  readonly kind = 'files';
  readonly identity: Readonly<Record<string, unknown>>;
  readonly totalBytes = undefined;
  total: number | undefined = undefined;
  readonly #wanted: (Glob | Literal)[];
  readonly #exclusions: Exclusion[];
  readonly #ownFiles: readonly FileName[];
  readonly #own: ReadonlySet<FileName>;

  constructor({ patterns, dot, read = false, ownFiles }: FilesOptions) {
    this.identity = { kind: 'files', patterns, dot, cwd: process.cwd(), ...(read ? { read } : {}) };
    this.#ownFiles = ownFiles;
    this.#own = new Set(ownFiles.map((file) => (typeof file === 'string' ? absoluteKey(file) : file)));
    const parsed = patterns.map((source) => parsePattern(source, dot));
    this.#wanted = parsed.filter((pattern) => pattern.kind !== 'exclusion');
    this.#exclusions = parsed.filter((pattern) => pattern.kind === 'exclusion');
    if (this.#wanted.length === 0) {
      throw new UsageError(`expected a pattern that files can match, got only ${patterns.join(' ')}`);
    }
    for (const pattern of this.#wanted) {
      const { done } = this.#sized(this.#matching(pattern)).next();
      if (done) throw new UsageError(`no file matches '${pattern.source}'`);
    }
  }

  count(): void {
    let total = 0;
    for (const _ of this.#list()) total += 1;
    this.total = total;
  }

  compare(a: Position, b: Position): number {
    return comparePaths(String(a), String(b));
  }

  *read(done: Done): Generator<readonly Input[]> {
    let group: FoundFile[] = [];
    const sized = (): Input[] => [...this.#sized(group)];
    for (const file of this.#list()) {
      if (isDone(done, file.key, this.compare) || group.push(file) < GROUP) continue;
      yield sized();
      group = [];
    }
    if (group.length > 0) yield sized();
  }

  /** Takes two listings and every file's size, but a sample without its share of the large files would mislead. */
  sample(count: number): Sample {
    const whole = { count: 0, bytes: 0 };
    for (const { bytes } of this.#sized(this.#list())) {
      whole.count += 1;
      whole.bytes += bytes;
    }
    return { inputs: sampleBySize(this.#sized(this.#list()), count, whole), how: 'large files more often' };
  }

  close(): void {}

  /** All files in path order, each once; of the trees, one directory is in memory at a time. */
  *#list(): Generator<FoundFile> {
    const literals = this.#wanted.filter(({ kind }) => kind === 'literal');
    const named = new Map(
      literals.flatMap((literal) => [...this.#matching(literal)].map((file) => [file.key, file])),
    );
    const listings = [
      [...named.values()].sort((a, b) => comparePaths(a.key, b.key)).values(),
      ...this.#wanted.filter(({ kind }) => kind === 'glob').map((glob) => this.#matching(glob)),
    ];
    const heads = listings.map((listing): FoundFile | undefined => listing.next().value);
    for (;;) {
      let least: FoundFile | undefined;
      for (const head of heads) {
        if (head !== undefined && (least === undefined || comparePaths(head.key, least.key) < 0))
          least = head;
      }
      if (least === undefined) return;
      yield least;
      // Equal heads are the same file, found by another pattern.
      for (const [i, head] of heads.entries()) {
        if (head?.key === least.key) heads[i] = listings[i]!.next().value;
      }
    }
  }

  *#matching(pattern: Glob | Literal): Generator<FoundFile> {
    const enters = (key: string): boolean => !this.#exclusions.some((each) => each.excludesAllOf(key));
    for (const file of pattern.kind === 'glob' ? walk(pattern, enters) : [pattern.file]) {
      if (!this.#own.has(file.key) && !this.#exclusions.some((each) => each.excludes(file.key))) yield file;
    }
  }

  *#sized(files: Iterable<FoundFile>): Generator<Input> {
    // Looked up now: when the inputs are read, what the run writes has been made.
    const own = fileIds(this.#ownFiles);
    for (const { path, key } of files) {
      const { id, bytes } = sizedFile(key);
      if (id === undefined || !own.has(id)) yield { value: path, position: key, bytes };
      else if (this.total !== undefined) this.total -= 1;
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
