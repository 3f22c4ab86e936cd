/** The strategies by name. A new strategy is a file beside this one and a line here. */
import type { Choice } from '../../core/contracts.js';
import type { ChooseFunction } from '../../core/options/options.js';
import { isBuiltIn } from './built-in.js';
import { guarded } from './guarded.js';
import { leastBusy } from './least-busy.js';
import { leastElu } from './least-elu.js';
import { random } from './random.js';
import { roundRobin } from './round-robin.js';

/** A factory each, because a strategy may keep state that belongs to one pool. The first is the default. */
const CHOICES: Readonly<Record<string, () => Choice>> = {
  'least-busy': () => leastBusy,
  'round-robin': () => roundRobin(),
  random: () => random(),
  'least-elu': () => leastElu,
};

export const choiceNames: readonly string[] = Object.keys(CHOICES);

/** The name of one of ours, by which another thread can make it; undefined for a strategy of the user's own. */
export function builtInName(choose: unknown): string | undefined {
  if (typeof choose === 'string') return choose;
  return isBuiltIn(choose) ? choose.name : undefined;
}

/** The strategy that the option `choose` means. */
export function resolveChoice(
  given: string | Choice | ChooseFunction,
  report: (error: unknown) => void,
): Choice {
  if (typeof given === 'string') return CHOICES[given]!();
  if (typeof given === 'function') return guarded(given.name || 'custom', given, report);
  return guarded(given.name ?? 'custom', (task, candidates) => given.choose(task, candidates), report);
}
