/** Glob patterns as all commands understand them. */

import picomatch from 'picomatch';

/** `!pattern` is an exclusion; `!(a|b)` is an ordinary pattern. */
export function isExclusion(pattern: string): boolean {
  return /^!(?!\()/.test(pattern);
}

/** Matches paths with `/`. The flag `s` lets the dot match line breaks, which file names may have. */
export function matcher(pattern: string, dot: boolean): (path: string) => boolean {
  return picomatch(pattern, { dot, nonegate: true, flags: 's' });
}
