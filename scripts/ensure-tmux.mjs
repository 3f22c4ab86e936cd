// Makes sure that tmux is there, which the tests of `threadwise top` need for a real terminal; without it they are skipped.
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { ensureDebianPackages } from './debian.mjs';

/** Returns whether tmux is there: found, or installed where that is allowed. */
export function ensureTmux() {
  return spawnSync('tmux', ['-V']).status === 0 || ensureDebianPackages(['tmux'], ['tmux']);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) process.exitCode = ensureTmux() ? 0 : 1;
