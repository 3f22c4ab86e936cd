/** The system's cache of files, which cold rounds begin without: whether it may be dropped, and how. */
import { spawnSync } from 'node:child_process';
import { accessSync, constants, writeFileSync } from 'node:fs';
import { describeSystemError, UsageError } from '../../../usage-error.js';

const DROP_CACHES = '/proc/sys/vm/drop_caches';
/** Pages, and the folders and attributes that lead to them: https://docs.kernel.org/admin-guide/sysctl/vm.html#drop-caches. */
const ALL = '3';
/** What was written a moment ago is not dropped before it is on the disk. Milliseconds. */
const SYNC_LIMIT_MS = 20_000;

/** Throws a UsageError that says why not. */
export function mustBeDroppable(): void {
  try {
    accessSync(DROP_CACHES, constants.W_OK);
  } catch (error) {
    throw new UsageError(
      `--cold: expected to be allowed to write ${DROP_CACHES} (Linux, as root), got: ${describeSystemError(error)}`,
    );
  }
}

/** Once, before the first drop. */
export function writeBack(folder: string): void {
  spawnSync('sync', ['-f', folder], { timeout: SYNC_LIMIT_MS, stdio: 'ignore' });
}

/** Everything on the machine has to be read anew from the disk after that. */
export function dropCaches(): void {
  writeFileSync(DROP_CACHES, ALL);
}
