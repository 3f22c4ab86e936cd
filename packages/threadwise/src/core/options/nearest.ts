/** Finds the name that somebody probably meant, for error messages. */

/** Levenshtein distance (V. I. Levenshtein, 1966), with two rows. */
function distance(a: string, b: string): number {
  let previous = Array.from({ length: b.length + 1 }, (_, i) => i);
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    for (let j = 1; j <= b.length; j++) {
      const substituted = previous[j - 1]! + (a[i - 1] === b[j - 1] ? 0 : 1);
      row.push(Math.min(previous[j]! + 1, row[j - 1]! + 1, substituted));
    }
    previous = row;
  }
  return previous[b.length]!;
}

/** The known name, of which `partOf` is compared, that is closest to `name`; undefined when more than half of it, rounded up, would have to change. */
export function nearest(name: string, known: readonly string[], partOf = (all: string) => all) {
  let best: string | undefined;
  let bestDistance = Math.ceil(name.length / 2) + 1;
  for (const candidate of known) {
    const part = partOf(candidate);
    // The distance is at least that: no letters are compared with a name of a million, which somebody else may have sent.
    if (Math.abs(part.length - name.length) >= bestDistance) continue;
    const d = distance(name.toLowerCase(), part.toLowerCase());
    if (d < bestDistance) [best, bestDistance] = [candidate, d];
  }
  return best;
}

/** ` Did you mean 'x'?`, or nothing. */
export function didYouMean(name: string, known: readonly string[], partOf?: (all: string) => string): string {
  const best = nearest(name, known, partOf);
  return best === undefined ? '' : ` Did you mean '${best}'?`;
}
