/** The hash that identifies the version of a task module. */
import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { FleetError } from './errors.js';

/**
 * Resolves to a hash of the task module's file alone, not of its imports: 16 hexadecimal digits. To cover the imports, bundle the module.
 * For a URL that is not a file, the hash is of the URL. Rejects with ERR_FLEET_MODULE if `module` is no URL or cannot be read.
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
