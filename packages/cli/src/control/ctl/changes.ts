/** `ctl set`, `pause`, `resume`, `recycle`: they print what the pool is like after it. */

import { ExitCode } from '../../exit-code.js';
import { UsageError } from '../../usage-error.js';
import type { Action, Change, ControlClient } from '../client.js';
import { printDocument } from './print.js';
import { whichPool } from './which-pool.js';

/** As the command line has them. */
export interface RawChange {
  readonly threads?: number | 'auto' | { readonly min: number; readonly max: number };
  readonly min?: number;
  readonly max?: number;
  readonly choose?: string;
  readonly placement?: string;
  readonly queueLimit?: number | 'none';
}

export async function set(client: ControlClient, pool: string | undefined, raw: RawChange): Promise<number> {
  const change = changeOf(raw);
  await printDocument(await client.change(await whichPool(client, pool), change));
  return ExitCode.ok;
}

export async function act(client: ControlClient, pool: string | undefined, action: Action): Promise<number> {
  await printDocument(await client.act(await whichPool(client, pool), action));
  return ExitCode.ok;
}

/** What is sent: only what was given. Throws UsageError. */
export function changeOf({ threads, min, max, choose, placement, queueLimit }: RawChange): Change {
  if (threads !== undefined && (min !== undefined || max !== undefined)) {
    throw new UsageError('--threads says it all: expected it, or --min and --max, and both came.');
  }
  if (min !== undefined && max !== undefined && min > max) {
    throw new UsageError(`Expected --min to be at most --max; ${min} and ${max} came.`);
  }
  const change: Change = {
    ...(typeof threads === 'object' ? threads : threads === undefined ? {} : { threads }),
    ...(min === undefined ? {} : { min }),
    ...(max === undefined ? {} : { max }),
    ...(choose === undefined ? {} : { choose }),
    ...(placement === undefined ? {} : { placement }),
    ...(queueLimit === undefined ? {} : { queueLimit: queueLimit === 'none' ? null : queueLimit }),
  };
  if (Object.keys(change).length > 0) return change;
  throw new UsageError(
    'Nothing to change: expected one or more of ' +
      '--threads, --min, --max, --choose, --placement, --queue-limit.',
  );
}
