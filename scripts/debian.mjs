// Programs that a check needs and npm does not have: installs them where it may, and otherwise says what is missing.
import { spawnSync } from 'node:child_process';
import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';
import { run } from './prepare.mjs';

/** The path of a command; undefined if there is none. */
export function pathOf(command) {
  return process.env.PATH.split(delimiter)
    .map((dir) => join(dir, command))
    .find((path) => {
      try {
        accessSync(path, constants.X_OK);
        return true;
      } catch {
        return false;
      }
    });
}

const isOnPath = (command) => pathOf(command) !== undefined;

function isInstalled(name) {
  const { stdout } = spawnSync('dpkg-query', ['-s', name], { encoding: 'utf8' });
  return stdout.includes('\nStatus: install ok installed\n');
}

/**
 * Makes sure that `commands`, which are in the Debian packages `names`, are there. As root on Debian it installs what is
 * missing, and ends the process if that fails. Elsewhere it prints what is missing. Returns whether all are there.
 */
export function ensureDebianPackages(names, commands) {
  const missing = commands.filter((command) => !isOnPath(command));
  const mayInstall = process.getuid?.() === 0 && ['apt-get', 'dpkg-query'].every(isOnPath);
  if (!mayInstall) {
    if (missing.length === 0) return true;
    process.stderr.write(
      `Not found: ${missing.join(', ')}. On Debian and Ubuntu: sudo apt-get install ${names.join(' ')}\n`,
    );
    return false;
  }
  // Checks the packages, too: a compiler can be there without the C library's headers.
  const lacking = names.filter((name) => !isInstalled(name));
  if (missing.length === 0 && lacking.length === 0) return true;
  // Another program may be installing: wait for it rather than fail.
  const apt = ['-q', '-o', 'DPkg::Lock::Timeout=120'];
  const remedy = 'It comes from the Debian package servers; are they reached?';
  run('Fetching the list of Debian packages', 'apt-get', [...apt, 'update'], { remedy });
  run(
    `Installing ${names.join(', ')}`,
    'apt-get',
    [...apt, 'install', '-y', '--no-install-recommends', ...names],
    { remedy, env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' } },
  );
  const still = commands.filter((command) => !isOnPath(command));
  if (still.length === 0) return true;
  process.stderr.write(
    `${names.join(', ')} are installed, but ${still.join(', ')} is not among the commands\n`,
  );
  process.exit(1);
}
