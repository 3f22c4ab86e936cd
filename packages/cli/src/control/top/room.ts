/** Shares the rows of the screen among its sections. */

export interface Claim {
  /** What it would fill. */
  readonly wanted: number;
  /** With less it says nothing and gets nothing. */
  readonly least: number;
}

/** In the order of importance: everyone's least as long as there is room, then one row each in turn. */
export function shareRows(rows: number, claims: readonly Claim[]): number[] {
  let left = Math.max(0, rows);
  const given = claims.map(({ wanted, least }) => {
    const first = Math.min(wanted, least);
    if (first > left) return 0;
    left -= first;
    return first;
  });
  const isOpen = (i: number): boolean => given[i]! > 0 && given[i]! < claims[i]!.wanted;
  while (left > 0 && given.some((_, i) => isOpen(i))) {
    for (let i = 0; i < given.length && left > 0; i += 1) {
      if (!isOpen(i)) continue;
      given[i]! += 1;
      left -= 1;
    }
  }
  return given;
}

/** Where a window of `shown` rows begins, so that `selected` is in its middle as far as there are rows. */
export function windowStart(selected: number, total: number, shown: number): number {
  return Math.max(0, Math.min(selected - Math.floor(shown / 2), total - shown));
}
