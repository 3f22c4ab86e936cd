/** The package of the fleet, which is loaded when it is asked for: who works on one machine need not install it. */
import { ExitCode, ExpectedError, hasCode, UsageError } from '../exit-code.js';

export async function loadFleetPackage(): Promise<typeof import('@threadwise/bullmq')> {
  try {
    return await import('@threadwise/bullmq');
  } catch (error) {
    if (!hasCode(error, ['ERR_MODULE_NOT_FOUND'])) throw error;
    throw new UsageError("a fleet needs the package '@threadwise/bullmq': npm install @threadwise/bullmq");
  }
}

/** Redis is away, or the machines and this command do not fit together. */
export class FleetRunError extends ExpectedError {
  override readonly name = 'FleetRunError';
  override readonly exitCode: number;

  constructor(error: { readonly code?: string | undefined; readonly message: string }) {
    super(error.message);
    this.exitCode = error.code === 'ERR_FLEET_CONNECTION' ? ExitCode.unreachable : ExitCode.failed;
  }
}
