// The size of this process, as the system sees it.
import { readFileSync } from 'node:fs';

const STATUS = '/proc/self/status';

/** In MiB. The virtual size and the size of what can be written are undefined on other systems than Linux. */
export function sizesOf(status = readStatus()) {
  return {
    residentMiB: process.memoryUsage.rss() / 2 ** 20,
    virtualMiB: mebibytesOf(status, ['VmSize']),
    sizeMiB: mebibytesOf(status, ['VmData', 'VmStk']),
  };
}

/** The sum of some entries. `ps` calls data and stack SIZE: what would be swapped out if each of its pages were written to. */
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
