/** Knows our own strategies from those that users write: only ours exist on every thread. */
import type { Choice } from '../../core/contracts.js';

const builtIns = new WeakSet<Choice>();

/** Marks a strategy as ours. */
export function builtIn(choice: Choice): Choice {
  builtIns.add(choice);
  return choice;
}

export function isBuiltIn(choice: unknown): choice is Choice {
  return typeof choice === 'object' && choice !== null && builtIns.has(choice as Choice);
}
