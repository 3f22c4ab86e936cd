/** Loads the optional package of the fleet on demand: a user of one machine need not install it. */
import { UsageError } from '../exit-code.js';
import { hasCode } from '../system-error.js';

export async function loadFleetPackage(): Promise<typeof import('@threadwise/bullmq')> {
  try {
    return await import('@threadwise/bullmq');
  } catch (error) {
    if (!hasCode(error, ['ERR_MODULE_NOT_FOUND'])) throw error;
    throw new UsageError("a fleet needs the package '@threadwise/bullmq': npm install @threadwise/bullmq");
  }
}
