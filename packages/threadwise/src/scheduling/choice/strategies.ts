/**
 * The strategies: which of the workers that have room gets a task. And what the option `choose` means: a built-in strategy by its name, or
 * one of the user's, which is kept from breaking the pool.
 */
import type { Choice } from '../../core/contracts.js';
import { show, ThreadwiseError } from '../../core/options/errors.js';
import type { ChooseFunction } from '../../core/options/options.js';
import { isThenable } from '../../core/promised.js';

/** The built-in strategies: only those can be made on every thread. */
const builtIns = new WeakSet<object>();

function builtIn(name: string, choose: Choice['choose']): Choice {
  const choice = { name, choose };
  builtIns.add(choice);
  return choice;
}

/** The default strategy: the worker with the fewest tasks; among equals the one that started first. */
export const leastBusy = builtIn('least-busy', (_task, candidates) =>
  candidates.reduce((least, worker) => (worker.load < least.load ? worker : least)),
);

/** Makes a strategy that takes each worker in turn, by id: the next one after the last choice that has room. */
export function roundRobin(): Choice {
  let lastId = -1;
  return builtIn('round-robin', (_task, candidates) => {
    const next = candidates.find((worker) => worker.id > lastId) ?? candidates[0]!;
    lastId = next.id;
    return next;
  });
}

/** Takes any worker that has room, with equal probability. @param source numbers from 0 up to, not including, 1; for tests. Default `Math.random` */
export function random(source: () => number = Math.random): Choice {
  return builtIn('random', (_task, candidates) => candidates[Math.floor(source() * candidates.length)]!);
}

/** A worker without tasks, else the one whose event loop was least active lately: for tasks that await, where the number of tasks says little. */
export const leastElu = builtIn('least-elu', (_task, candidates) => {
  const idle = candidates.find((worker) => worker.load === 0);
  if (idle !== undefined) return idle;
  const measured = candidates.map((worker) => ({ worker, utilization: worker.utilization }));
  return measured.sort((a, b) => a.utilization - b.utilization || a.worker.load - b.worker.load)[0]!.worker;
});

/** Makes each strategy anew for each pool, since it may keep state. The first is the default. */
const CHOICES: Readonly<Record<string, () => Choice>> = {
  'least-busy': () => leastBusy,
  'round-robin': roundRobin,
  random,
  'least-elu': () => leastElu,
};

export const choiceNames: readonly string[] = Object.keys(CHOICES);

/** The name of a built-in strategy, by which another thread can make it; undefined for one of the user's own. */
export function builtInName(choose: unknown): string | undefined {
  if (typeof choose === 'string') return choose;
  return builtIns.has(choose as object) ? (choose as Choice).name : undefined;
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

/** A user's strategy, until it throws or answers nonsense, which is reported once: from then on, the default. */
export function guarded(name: string, choose: ChooseFunction, report: (error: unknown) => void): Choice {
  let failed = false;
  return {
    name,
    choose: (task, candidates) => {
      if (failed) return leastBusy.choose(task, candidates);
      try {
        const chosen = choose(task, candidates.slice()); // JavaScript may sort the list, or take workers out of it
        if (candidates.includes(chosen)) return chosen;
        // If the promise rejects, that must not end the program.
        if (isThenable(chosen)) chosen.then(undefined, () => undefined);
        const message = `Option 'choose': expected one of the candidates, got ${show(chosen)}`;
        throw new ThreadwiseError('ERR_OPTION', message);
      } catch (error) {
        // The strategy may have called the pool, which called the strategy again: that call may have failed already.
        if (!failed) report(error);
        failed = true;
      }
      return leastBusy.choose(task, candidates);
    },
  };
}
