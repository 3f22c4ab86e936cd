// Finds the browser that the dashboard's tests need, or installs it where Debian's packages can be; otherwise says why not.
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { ensureDebianPackages, pathOf } from './debian.mjs';

/** Debian's Chromium without windows. It shows the same pages in half of the CPU time. */
const SHELL = 'chromium-headless-shell';
const COMMANDS = [SHELL, 'chromium', 'chromium-browser', 'google-chrome'];
const self = fileURLToPath(import.meta.url);

function findChromium() {
  return COMMANDS.map(pathOf).find((path) => path !== undefined);
}

/** `{ path }` of a Chromium, or `{ reason }` why there is none. */
export function ensureChromium() {
  // In a process of its own, because a failed installation ends its process.
  if (findChromium() === undefined) spawnSync(process.execPath, [self], { stdio: ['ignore', 2, 2] });
  const path = findChromium();
  return path === undefined
    ? { reason: `no Chromium was found; on Debian: sudo apt-get install ${SHELL}` }
    : { path };
}

if (process.argv[1] === self) {
  const isThere = findChromium() !== undefined || ensureDebianPackages([SHELL], [SHELL]);
  process.exitCode = isThere ? 0 : 1;
}
