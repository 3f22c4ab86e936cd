// Sees to it that there is a tmux, which the tests of `threadwise top` need for a real terminal. Elsewhere they are skipped.
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { ensureDebianPackages } from './debian.mjs';

/** Returns whether it is there: found, or installed where that may be done. */
export function ensureTmux() {
  return spawnSync('tmux', ['-V']).status === 0 || ensureDebianPackages(['tmux'], ['tmux']);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) process.exitCode = ensureTmux() ? 0 : 1;
