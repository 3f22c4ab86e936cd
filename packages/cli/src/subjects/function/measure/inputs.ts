/** Which of the inputs are used: those that cross and do not fail, and no more than a slice can give its due. Pure. */

export interface Measured {
  readonly input: unknown;
  /** Undefined: it was not tried. */
  readonly ms: number | undefined;
}

/** Inputs of which the slowest takes less than so many times as long as the fastest are one kind. */
const EVEN = 2;
/** Of such as differ, at least so many. */
const LEAST = 4;

/**
 * A slice has to have the same mix of inputs as any other: where inputs differ in what they take, only as many are used as can all
 * run in one. They are chosen evenly from the quickest to the slowest.
 */
export function chooseInputs(all: readonly Measured[], sliceMs: number): unknown[] {
  const tried = all.filter((each): each is { input: unknown; ms: number } => each.ms !== undefined);
  const sorted = tried.toSorted((a, b) => a.ms - b.ms);
  const [fastest, slowest] = [sorted[0], sorted.at(-1)];
  if (fastest === undefined || slowest!.ms < EVEN * fastest.ms) return all.map(({ input }) => input);
  const sum = sorted.reduce((total, { ms }) => total + ms, 0);
  if (sum <= sliceMs) return all.map(({ input }) => input);
  const count = Math.min(sorted.length, Math.max(LEAST, Math.floor((sliceMs * sorted.length) / sum)));
  const chosen = Array.from(
    { length: count },
    (_, i) => sorted[Math.floor(((i + 0.5) * sorted.length) / count)]!,
  );
  return interleaved(chosen.map(({ input }) => input));
}

/** Quick ones and slow ones in turn, so that a part of them is a mix as well. */
function interleaved<T>(sorted: readonly T[]): T[] {
  const half = Math.ceil(sorted.length / 2);
  const slow = sorted.slice(half).reverse();
  return sorted.slice(0, half).flatMap((quick, i) => (i < slow.length ? [quick, slow[i]!] : [quick]));
}

/** Sizes differ enough to say something about their influence. */
const DIFFERENT_SIZES = 1.5;
const MOST_SIZES = 6;

/** Inputs of different sizes, smallest first, by their index; none where all are about as large. */
export function chooseSizes(bytes: readonly (number | undefined)[]): { index: number; bytes: number }[] {
  const known = bytes.flatMap((size, index) => (size === undefined ? [] : [{ index, bytes: size }]));
  const sorted = known.toSorted((a, b) => a.bytes - b.bytes);
  const different = sorted.filter(({ bytes: size }, i) => i === 0 || size !== sorted[i - 1]!.bytes);
  const [smallest, largest] = [different[0], different.at(-1)];
  if (smallest === undefined || largest!.bytes < DIFFERENT_SIZES * smallest.bytes) return [];
  const count = Math.min(MOST_SIZES, different.length);
  return Array.from({ length: count }, (_, i) => {
    return different[Math.round((i * (different.length - 1)) / Math.max(1, count - 1))]!;
  });
}
