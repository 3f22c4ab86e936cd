/** `ctl events`: what a pool tells, one JSON value a line. */

import { ExitCode } from '../../exit-code.js';
import type { ControlClient } from '../client.js';
import { printLine } from './print.js';
import { whichPool } from './which-pool.js';

/** Until the program ends the stream, `count` events have come, or nobody reads any more. */
export async function events(
  client: ControlClient,
  given: string | undefined,
  { count = Number.POSITIVE_INFINITY }: { readonly count?: number },
): Promise<number> {
  const name = await whichPool(client, given);
  let left = count;
  for await (const { event, data } of client.events(name)) {
    const isRead = await printLine({ event, data });
    left -= 1;
    if (!isRead || left === 0) break;
  }
  return ExitCode.ok;
}
