/**
 * The order of files: by path, segment by segment, code unit by code unit. The listing produces it and the journal
 * goes on by it, so both must use this one comparison.
 */

const SLASH = 47;

/**
 * Segment-wise comparison without splitting: a separator counts as less than any other character, so that all of
 * `a/…` comes before `a-b`, exactly as a depth-first walk over sorted directories lists them.
 */
export function comparePaths(a: string, b: string): number {
  const length = Math.min(a.length, b.length);
  for (let i = 0; i < length; i += 1) {
    const left = a.charCodeAt(i);
    const right = b.charCodeAt(i);
    if (left !== right) return (left === SLASH ? -1 : left) - (right === SLASH ? -1 : right);
  }
  return a.length - b.length;
}

/** Whether nothing inside the directory comes after the mark, so that it need not be entered. */
export function isDirectoryBefore(directory: string, mark: string): boolean {
  return comparePaths(directory, mark) < 0 && !mark.startsWith(`${directory}/`);
}
