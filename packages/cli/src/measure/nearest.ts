/** The name that somebody probably meant, for error messages. */

/** ` Did you mean 'x'?`, or nothing where more than half of the name would have to change. */
export function didYouMean(name: string, known: readonly string[]): string {
  const close = known
    .map((candidate) => ({ candidate, edits: editsBetween(name.toLowerCase(), candidate.toLowerCase()) }))
    .filter(({ edits }) => edits <= Math.ceil(name.length / 2))
    .sort((a, b) => a.edits - b.edits);
  return close[0] === undefined ? '' : ` Did you mean '${close[0].candidate}'?`;
}

/** Levenshtein distance (V. I. Levenshtein, 1966), row by row. */
function editsBetween(a: string, b: string): number {
  let above = Array.from({ length: b.length + 1 }, (_, i) => i);
  for (const [i, letter] of [...a].entries()) {
    const row = [i + 1];
    for (let j = 0; j < b.length; j++) {
      const replaced = above[j]! + (letter === b[j] ? 0 : 1);
      row.push(Math.min(replaced, above[j + 1]! + 1, row[j]! + 1));
    }
    above = row;
  }
  return above[b.length]!;
}
