/** What the option `choose` means: a strategy by its name, or one of the user's, which is kept from breaking the pool. */
import type { Choice } from '../../core/contracts.js';
import { show, ThreadwiseError } from '../../core/options/errors.js';
import type { ChooseFunction } from '../../core/options/options.js';
import { isThenable } from '../../core/promised.js';
import { isBuiltIn, leastBusy, leastElu, random, roundRobin } from './strategies.js';

/** A factory each, because a strategy may keep state that belongs to one pool. The first is the default. */
const CHOICES: Readonly<Record<string, () => Choice>> = {
  'least-busy': () => leastBusy,
  'round-robin': roundRobin,
  random,
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

/**
 * A user's strategy, until it throws or answers nonsense: from then on, the default.
 * @param report called once, at the first failure.
 */
export function guarded(name: string, choose: ChooseFunction, report: (error: unknown) => void): Choice {
  let failed = false;
  return {
    name,
    choose: (task, candidates) => {
      if (failed) return leastBusy.choose(task, candidates);
      try {
        const chosen = choose(task, candidates);
        if (candidates.includes(chosen)) return chosen;
        // What a promise rejects with is not to end the program.
        if (isThenable(chosen)) chosen.then(undefined, () => undefined);
        const message = `Option 'choose': expected one of the candidates, got ${show(chosen)}`;
        throw new ThreadwiseError('ERR_OPTION', message);
      } catch (error) {
        // The strategy may have made the pool choose again, and failed there already.
        if (!failed) report(error);
        failed = true;
      }
      return leastBusy.choose(task, candidates);
    },
  };
}
