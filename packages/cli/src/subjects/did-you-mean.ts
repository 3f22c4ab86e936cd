/** The name that somebody probably meant. */
import { closest, distance } from 'fastest-levenshtein';

/** ` Did you mean 'x'?`, or nothing where more than half of the name would have to change. */
export function didYouMean(name: string, known: readonly string[]): string {
  if (known.length === 0) return '';
  const lower = known.map((each) => each.toLowerCase());
  const near = closest(name.toLowerCase(), lower);
  if (distance(name.toLowerCase(), near) > Math.ceil(name.length / 2)) return '';
  return ` Did you mean '${known[lower.indexOf(near)]}'?`;
}
