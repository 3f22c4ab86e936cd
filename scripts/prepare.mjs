// Installs what is missing and builds what has changed. With nothing to do, it prints nothing and takes a moment.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = fileURLToPath(new URL('..', import.meta.url));
const [major, minor] = process.versions.node.split('.').map(Number);
const LOCK = join(root, 'package-lock.json');
const PACKAGES = ['threadwise', 'control', 'bullmq', 'cli'];
/** The scripts that make the bundles of the library from the compiler's output. */
const BUILDERS = ['text', 'threads', 'entries'].map((name) => `scripts/build-${name}.mjs`);
const CLI = join(root, 'packages/cli/dist/main.js');
/** The folder for what is costly to make again. It is not below node_modules, which `npm ci` empties first. */
export const CACHE = join(root, '.cache');

/** The files below `dir`, without folders of generated files. */
function filesBelow(dir) {
  return readdirSync(dir, { withFileTypes: true }).flatMap((entry) => {
    const path = join(dir, entry.name);
    if (entry.isDirectory()) return ['dist', 'node_modules'].includes(entry.name) ? [] : filesBelow(path);
    return entry.isFile() ? [path] : [];
  });
}

function hashOf(parts) {
  return createHash('sha256').update(parts.join('\n')).digest('hex');
}

/** Whether the installed packages are those of the lock file: npm lists what it installed, and empties the folder before it installs. */
function isInstalled() {
  const there = join(root, 'node_modules/.package-lock.json');
  if (!existsSync(there)) return false;
  const [installed, locked] = [there, LOCK].map((path) => JSON.parse(readFileSync(path, 'utf8')).packages);
  const isAsLocked = ([path, { version, integrity, optional, devOptional }]) =>
    installed[path] === undefined
      ? optional || devOptional
      : installed[path].version === version && installed[path].integrity === integrity;
  return (
    Object.keys(installed).every((path) => path in locked) &&
    Object.entries(locked)
      .filter(([path]) => path !== '')
      .every(isAsLocked)
  );
}

/** A hash of what the build is made from, by size and time: cheap enough for every start. */
function buildHash() {
  const sources = PACKAGES.flatMap((dir) => filesBelow(join(root, 'packages', dir, 'src')));
  const settings = ['tsconfig.base.json', ...BUILDERS].map((name) => join(root, name));
  const stamps = [...sources, ...settings].map((path) => {
    const { mtimeMs, size } = statSync(path);
    return `${path} ${mtimeMs} ${size}`;
  });
  return hashOf([readFileSync(LOCK, 'utf8'), ...stamps]);
}

function isCurrent(stamp, hash) {
  return existsSync(stamp) && readFileSync(stamp, 'utf8') === hash;
}

function writeStamp(stamp, hash) {
  mkdirSync(dirname(stamp), { recursive: true });
  writeFileSync(stamp, hash);
}

/**
 * Runs a command of this project, and ends the process if it fails. Its output goes to standard error, so that only results
 * are on standard output. `remedy`: what to do if it fails.
 */
export function run(what, command, args, { cwd = root, env, remedy } = {}) {
  process.stderr.write(`${what}…\n`);
  // On Windows npm is a batch file, which only a shell starts.
  const shell = process.platform === 'win32' && command === 'npm';
  const { status, error } = spawnSync(command, args, { cwd, env, shell, stdio: ['ignore', 2, 2] });
  if (error || status !== 0) {
    const how = error?.message ?? `exit code ${status}`;
    process.stderr.write(`${what} failed: ${command} ${args.join(' ')}: ${how}\n`);
    if (remedy !== undefined) process.stderr.write(`${remedy}\n`);
    process.exit(1);
  }
}

function install() {
  if (!isInstalled()) run('Installing dependencies', 'npm', ['ci', '--loglevel=error']);
}

/** Removes the compiler's outputs of sources that are gone: a test among them would still be run. */
function removeOutputsWithoutSource(dir) {
  for (const path of outputsBelow(join(dir, 'dist'))) {
    const source = path
      .replace(`${join(dir, 'dist')}`, join(dir, 'src'))
      .replace(/(\.d\.ts|\.js)(\.map)?$/, '');
    if (!['.ts', '.tsx', '.d.ts'].some((ending) => existsSync(source + ending))) rmSync(path);
  }
}

function outputsBelow(dir) {
  if (!existsSync(dir)) return [];
  return readdirSync(dir, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && /(\.d\.ts|\.js)(\.map)?$/.test(entry.name))
    .map((entry) => join(entry.parentPath ?? entry.path, entry.name));
}

async function build({ force }) {
  const stamp = join(CACHE, 'build');
  const hash = buildHash();
  const isBuilt = existsSync(CLI) && existsSync(join(root, 'packages/threadwise/dist/index.js'));
  if (!force && isBuilt && isCurrent(stamp, hash)) return;
  const tsc = join(root, 'node_modules/typescript-7/bin/tsc');
  run('Building', process.execPath, [tsc, '-b', ...(force ? ['--force'] : [])]);
  for (const name of PACKAGES) removeOutputsWithoutSource(join(root, 'packages', name));
  const [{ buildThreads }, { buildEntries }] = [
    await import('./build-threads.mjs'),
    await import('./build-entries.mjs'),
  ];
  await buildThreads();
  await buildEntries();
  writeStamp(stamp, hash);
}

export async function prepare({ force = false } = {}) {
  if (major < 20 || (major === 20 && minor < 19)) {
    process.stderr.write(`threadwise needs Node.js 20.19 or later; this is ${process.version}\n`);
    process.exit(1);
  }
  install();
  await build({ force });
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  await prepare({ force: process.argv.includes('--force-build') });
}
