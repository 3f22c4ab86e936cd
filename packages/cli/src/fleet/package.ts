/** Loads the optional package of the fleet on demand: whoever works on one machine need not install it. */
import { ExitCode, ExpectedError, UsageError } from '../exit-code.js';
import { hasCode } from '../system-error.js';

export async function loadFleetPackage(): Promise<typeof import('@threadwise/bullmq')> {
  try {
    return await import('@threadwise/bullmq');
  } catch (error) {
    if (!hasCode(error, ['ERR_MODULE_NOT_FOUND'])) throw error;
    throw new UsageError("a fleet needs the package '@threadwise/bullmq': npm install @threadwise/bullmq");
  }
}

/** Redis cannot be reached, or the machines of the fleet do not serve this module. */
export class FleetRunError extends ExpectedError {
  override readonly name = 'FleetRunError';
  override readonly exitCode: number;

  constructor(error: { readonly code?: string | undefined; readonly message: string }) {
    super(error.message);
    this.exitCode = error.code === 'ERR_FLEET_CONNECTION' ? ExitCode.unreachable : ExitCode.failed;
  }
}
