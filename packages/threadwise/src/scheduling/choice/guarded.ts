/** Keeps a user's strategy from breaking the pool: when it throws or answers nonsense, the default takes over. */
import type { Choice } from '../../core/contracts.js';
import { show, ThreadwiseError } from '../../core/options/errors.js';
import type { ChooseFunction } from '../../core/options/options.js';
import { isThenable } from '../../core/promised.js';
import { leastBusy } from './least-busy.js';

/** @param report called once, at the first failure. */
export function guarded(name: string, choose: ChooseFunction, report: (error: unknown) => void): Choice {
  let failed = false;
  const fail = (error: unknown) => {
    if (!failed) report(error);
    failed = true;
  };
  return {
    name,
    choose: (task, candidates) => {
      if (failed) return leastBusy.choose(task, candidates);
      try {
        const chosen = choose(task, candidates);
        if (candidates.includes(chosen)) return chosen;
        // Whatever it comes to: what it rejects with is not to end the program.
        if (isThenable(chosen)) chosen.then(undefined, () => undefined);
        fail(
          new ThreadwiseError(
            'ERR_OPTION',
            `Option 'choose': expected one of the candidates, got ${show(chosen)}`,
          ),
        );
      } catch (error) {
        fail(error);
      }
      return leastBusy.choose(task, candidates);
    },
  };
}
