/** What a module of the user's exports, and the name that somebody probably meant. */
import { closest, distance } from 'fastest-levenshtein';
import type { ModuleNamespace } from '../run/work/task-module.js';

/** ` Did you mean 'x'?`, or nothing where more than half of the name would have to change. */
export function didYouMean(name: string, known: readonly string[]): string {
  if (known.length === 0) return '';
  const lower = known.map((each) => each.toLowerCase());
  const near = closest(name.toLowerCase(), lower);
  if (distance(name.toLowerCase(), near) > Math.ceil(name.length / 2)) return '';
  return ` Did you mean '${known[lower.indexOf(near)]}'?`;
}

/** Of CommonJS also what is on `module.exports` and its lexer did not find. */
export function exportsOf(module: ModuleNamespace): ModuleNamespace {
  const more = typeof module.default === 'object' && module.default !== null ? module.default : {};
  return { ...more, ...module };
}
