// The lock file is complete: `npm ci` refuses one that lacks a package for another system, and then tests would not use what it pins.
import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const readJson = (path) => JSON.parse(readFileSync(join(root, path), 'utf8'));
const { packages: locked } = readJson('package-lock.json');

const KINDS = ['dependencies', 'devDependencies', 'optionalDependencies'];
const isInstalled = (path) => path.includes('node_modules/');

/** Where Node.js finds `name` from `path`: in the folder itself, then in each one above. */
function placeOf(packages, path, name) {
  for (let from = path; ; from = from.slice(0, Math.max(0, from.lastIndexOf('/')))) {
    const place = join(from, 'node_modules', name).replaceAll('\\', '/');
    if (place in packages) return place;
    if (from === '') return undefined;
  }
}

/** The packages that entries of a lock file name and that it does not have. */
function lacking(packages) {
  return Object.entries(packages).flatMap(([path, entry]) =>
    KINDS.flatMap((kind) => Object.keys(entry[kind] ?? {}))
      .filter((name) => placeOf(packages, path, name) === undefined)
      .map((name) => `${path} names ${name}`),
  );
}

test('it has every package that it names, those for other systems too', () => {
  assert.deepEqual(lacking(locked), []);
  // The check works: it finds a package for another system that was taken out.
  const others = Object.entries(locked).filter(([, { os }]) => os !== undefined && !os.includes('linux'));
  assert.ok(others.length > 0);
  const [[gone]] = others;
  const without = Object.fromEntries(Object.entries(locked).filter(([path]) => path !== gone));
  assert.equal(lacking(without).length, 1, gone);
});

test('it names every optional package that an installed manifest names', () => {
  const installed = Object.keys(locked).filter((path) => isInstalled(path) && !locked[path].link);
  const manifests = installed.filter((path) => existsSync(join(root, path, 'package.json')));
  assert.ok(manifests.length > 100, 'they are installed');
  for (const path of manifests) {
    const { optionalDependencies } = readJson(`${path}/package.json`);
    assert.deepEqual(locked[path].optionalDependencies, optionalDependencies, path);
  }
});

test('it is of these manifests', () => {
  const workspaces = Object.keys(locked).filter((path) => !isInstalled(path));
  for (const path of workspaces) {
    const manifest = readJson(join(path, 'package.json'));
    for (const kind of KINDS) assert.deepEqual(locked[path][kind], manifest[kind], `${path}: ${kind}`);
  }
});

test('each package has a hash, and comes from whatever registry is set', () => {
  for (const [path, { link, inBundle, integrity, resolved }] of Object.entries(locked)) {
    if (!isInstalled(path) || link || inBundle) continue;
    assert.match(integrity, /^sha512-/, path);
    assert.equal(resolved, undefined, path);
  }
});
