// The size of this process, as the system sees it.
import { readFileSync } from 'node:fs';

const STATUS = '/proc/self/status';

/** MiB. Only Linux tells the virtual size and that of what can be written: elsewhere they are undefined. */
export function sizesOf(status = readStatus()) {
  return {
    residentMiB: process.memoryUsage.rss() / 2 ** 20,
    virtualMiB: mebibytesOf(status, ['VmSize']),
    sizeMiB: mebibytesOf(status, ['VmData', 'VmStk']),
  };
}

/** What `ps` calls SIZE is data and stack: all that would have to be swapped out if each page of it were written to. */
export function mebibytesOf(status, names) {
  const each = names.map((name) => new RegExp(`^${name}:\\s*(\\d+) kB$`, 'm').exec(status ?? '')?.[1]);
  if (each.includes(undefined)) return undefined;
  return each.reduce((sum, kibibytes) => sum + Number(kibibytes), 0) / 1024;
}

function readStatus() {
  try {
    return readFileSync(STATUS, 'utf8');
  } catch {
    return undefined;
  }
}
