/**
 * How `top` and `ctl` end: by an exit code, with the message of what was expected to go wrong on standard
 * error.
 */

import { ControlError } from './control-error.js';

/** Errors of other kinds are left to the caller. */
export async function runControl(work: () => Promise<number>): Promise<number> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof ControlError)) throw error;
    process.stderr.write(`threadwise: ${error.message}\n`);
    return error.exitCode;
  }
}
