/** Which pool a command is about, where it may be left out. */

import { UsageError } from '../../usage-error.js';
import type { ControlClient } from '../client.js';
import { safeText } from '../text.js';

export async function whichPool(client: ControlClient, given: string | undefined): Promise<string> {
  if (given !== undefined) return given;
  const { pools } = await client.overview();
  const [only, ...others] = pools;
  if (only === undefined) throw new UsageError('The program has no pool at the moment.');
  if (others.length === 0) return only.name;
  const names = pools.map(({ name }) => safeText(name)).join(', ');
  throw new UsageError(`Which pool? The program has ${pools.length}: ${names}.`);
}
