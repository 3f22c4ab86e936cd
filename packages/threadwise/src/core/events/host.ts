/** The functions of a pool's owner that tasks may call. */
import { show, ThreadwiseError } from '../options/errors.js';

type Host = ReadonlyMap<string, (...args: unknown[]) => unknown>;

/** Rejects with whatever the function throws, or with ERR_TASK_NOT_FOUND. */
export async function callHost(host: Host, name: string, args: readonly unknown[]): Promise<unknown> {
  const fn = host.get(name);
  if (fn !== undefined) return fn(...args);
  const offered = [...host.keys()].join(', ') || 'none';
  const message = `The pool's owner offers no host function ${show(name)}. Offered: ${offered}`;
  throw new ThreadwiseError('ERR_TASK_NOT_FOUND', message);
}
