/** The system's cache of files, which is dropped before files are read from the disk. */
import { spawnSync } from 'node:child_process';
import { accessSync, constants, writeFileSync } from 'node:fs';
import { attempt } from '../../../system-error.js';

const DROP_CACHES = '/proc/sys/vm/drop_caches';
/** Drops the page cache, dentries and inodes: https://docs.kernel.org/admin-guide/sysctl/vm.html#drop-caches. */
const ALL = '3';
/** How many milliseconds `sync` may take. Pages that are not on the disk yet would not be dropped. */
const SYNC_LIMIT_MS = 20_000;

/** Throws UsageError if the system's cache cannot be dropped. */
export function mustBeDroppable(): void {
  attempt(
    () => accessSync(DROP_CACHES, constants.W_OK),
    `--cold: expected to be allowed to write ${DROP_CACHES} (Linux, as root), got`,
  );
}

/** Must be called once, before the first drop. */
export function writeBack(folder: string): void {
  spawnSync('sync', ['-f', folder], { timeout: SYNC_LIMIT_MS, stdio: 'ignore' });
}

/** Slows the whole machine: every program reads its files from the disk again. */
export function dropCaches(): void {
  writeFileSync(DROP_CACHES, ALL);
}
