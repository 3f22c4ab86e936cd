/** Says which version of a task module a machine has. */
import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { FleetError } from './errors.js';

/**
 * The hash of a task module's own file; what it imports is not in it. Two machines with the same have the same functions, so far as they are in
 * that file: bundle the module, and it says everything.
 */
export async function moduleHash(module: URL | string): Promise<string> {
  try {
    const url = new URL(module);
    const bytes = url.protocol === 'file:' ? await readFile(url) : Buffer.from(url.href);
    return createHash('sha256').update(bytes).digest('hex').slice(0, 16);
  } catch (cause) {
    throw new FleetError('ERR_FLEET_MODULE', `The task module ${String(module)} cannot be read`, { cause });
  }
}
