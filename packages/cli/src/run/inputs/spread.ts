/** --spread: every input is the list of a call's arguments; what is none ends the run, after what came before it. */

import { UsageError } from '../../usage-error.js';
import { cut, shownJson } from '../work/described-error.js';
import type { Input } from './input-source.js';

/** In characters, of what came instead. */
const LONGEST_VALUE = 60;

export async function* onlyLists<T extends Input>(
  groups: AsyncIterable<readonly T[]>,
  name: string,
): AsyncGenerator<readonly T[]> {
  for await (const group of groups) {
    const bad = group.findIndex(({ value }) => !Array.isArray(value));
    if (bad === -1) {
      yield group;
      continue;
    }
    if (bad > 0) yield group.slice(0, bad);
    throw notAList(name, group[bad]!);
  }
}

function notAList(name: string, { value, position }: Input): UsageError {
  const shown = cut(shownJson(value), LONGEST_VALUE);
  return new UsageError(
    `--spread: expected each value to be an array, the arguments of a call, got ${shown} (value ${Number(position) + 1} of '${name}')`,
  );
}
