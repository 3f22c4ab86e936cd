/** Glob patterns as all commands understand them. */

import picomatch from 'picomatch';

/** `!pattern` leaves out; `!(a|b)` is a pattern of its own. */
export function isExclusion(pattern: string): boolean {
  return /^!(?!\()/.test(pattern);
}

/** For paths with `/`. A name may have any character but that one, a line break as well: the dot of a regular expression has to match all. */
export function matcher(pattern: string, dot: boolean): (path: string) => boolean {
  return picomatch(pattern, { dot, nonegate: true, flags: 's' });
}
