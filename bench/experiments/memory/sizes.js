// The size of this process, as the system sees it.
import { readFileSync } from 'node:fs';

const STATUS = '/proc/self/status';

/** MiB. Only Linux tells the virtual size: elsewhere it is undefined. */
export function sizesOf(status = readStatus()) {
  return {
    residentMiB: process.memoryUsage.rss() / 2 ** 20,
    virtualMiB: status === undefined ? undefined : virtualMiBOf(status),
  };
}

/** `VmSize:	 1048576 kB` → 1024. */
export function virtualMiBOf(status) {
  const kibibytes = /^VmSize:\s*(\d+) kB$/m.exec(status)?.[1];
  return kibibytes === undefined ? undefined : Number(kibibytes) / 1024;
}

function readStatus() {
  try {
    return readFileSync(STATUS, 'utf8');
  } catch {
    return undefined;
  }
}
