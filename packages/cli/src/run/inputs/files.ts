/** --files: every file that a pattern matches is an input; its path is the task's argument, or stands for its content. */

import { type FileName, fileIds, sizedFile } from '../../disk/file-id.js';
import { UsageError } from '../../usage-error.js';
import { isDone } from './done.js';
import type { Done, Input, InputGroups, InputSource, Sample } from './input-source.js';
import { mergeSorted } from './merge-sorted.js';
import { comparePaths, isDirectoryBefore } from './path-order.js';
import { absoluteKey, type Exclusion, type Glob, type Literal, parsePattern } from './pattern.js';
import { sampleBySize } from './size-sampling.js';
import { type FoundFile, walk } from './walk.js';

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
  readonly #globs: Glob[] = [];
  readonly #literals: Literal[] = [];
  readonly #exclusions: Exclusion[] = [];
  readonly #ownFiles: readonly FileName[];
  readonly #own: ReadonlySet<FileName>;

  constructor({ patterns, dot, read = false, ownFiles }: FilesOptions) {
    this.identity = { kind: 'files', patterns, dot, cwd: process.cwd(), ...(read ? { read } : {}) };
    this.#ownFiles = ownFiles;
    this.#own = new Set(ownFiles.map((file) => (typeof file === 'string' ? absoluteKey(file) : file)));
    for (const source of patterns) this.#add(source, dot);
    if (this.#globs.length + this.#literals.length === 0) {
      throw new UsageError(`expected a pattern that files can match, got only ${patterns.join(' ')}`);
    }
    for (const one of [...this.#globs, ...this.#literals]) this.#mustMatch(one);
  }

  count(): void {
    let total = 0;
    for (const _ of this.#list()) total += 1;
    this.total = total;
  }

  compare(a: string | number, b: string | number): number {
    return comparePaths(String(a), String(b));
  }

  *read(done: Done): InputGroups & Generator<readonly Input[]> {
    const isNew = (file: FoundFile): boolean => !isDone(done, file.key, this.compare);
    yield* grouped(this.#sized(filter(this.#list(markOf(done)), isNew)));
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

  #add(source: string, dot: boolean): void {
    const pattern = parsePattern(source, dot);
    if (pattern.kind === 'glob') this.#globs.push(pattern);
    else if (pattern.kind === 'literal') this.#literals.push(pattern);
    else this.#exclusions.push(pattern);
  }

  #mustMatch(pattern: Glob | Literal): void {
    const found = pattern.kind === 'glob' ? this.#walk(pattern) : [pattern.file].filter(this.#isWanted);
    for (const _ of this.#sized(found)) return;
    throw new UsageError(`no file matches '${pattern.source}'`);
  }

  /** All files in path order, each once, those up to the mark left out. */
  #list(mark?: string): Iterable<FoundFile> {
    const byPath = (a: FoundFile, b: FoundFile): number => comparePaths(a.key, b.key);
    const named = this.#literals.map(({ file }) => file).filter(this.#isWanted);
    const walks = this.#globs.map((glob) => this.#walk(glob, mark));
    if (named.length === 0 && walks.length === 1) return walks[0]!;
    return mergeSorted([named.sort(byPath), ...walks], byPath);
  }

  #walk(glob: Glob, mark?: string): Iterable<FoundFile> {
    return walk({
      ...glob,
      accepts: (relative, key) => glob.matches(relative) && this.#isWanted({ key }),
      enters: (key) =>
        !this.#exclusions.some((exclusion) => exclusion.excludesAllOf(key)) &&
        (mark === undefined || !isDirectoryBefore(key, mark)),
    });
  }

  readonly #isWanted = ({ key }: Pick<FoundFile, 'key'>): boolean =>
    !this.#own.has(key) && !this.#exclusions.some((exclusion) => exclusion.excludes(key));

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

function* grouped(inputs: Iterable<Input>): Generator<readonly Input[]> {
  let group: Input[] = [];
  for (const input of inputs) {
    group.push(input);
    if (group.length < GROUP) continue;
    yield group;
    group = [];
  }
  if (group.length > 0) yield group;
}

function* filter<T>(items: Iterable<T>, keep: (item: T) => boolean): Generator<T> {
  for (const item of items) if (keep(item)) yield item;
}

function markOf({ mark }: Done): string | undefined {
  return mark === undefined ? undefined : String(mark);
}
