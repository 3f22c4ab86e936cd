// Describes where and with which versions something was measured.
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import os from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { transformSync } from 'esbuild';

const require = createRequire(import.meta.url);
const here = dirname(fileURLToPath(import.meta.url));

export function describeMachine() {
  return {
    cpu: os.cpus()[0]?.model ?? 'unknown',
    cores: os.cpus().length,
    availableParallelism: os.availableParallelism(),
    memoryBytes: os.totalmem(),
    platform: `${os.platform()} ${os.arch()} ${os.release()}`,
    loadAverage: os.loadavg(),
    node: process.version,
    v8: process.versions.v8,
  };
}

/** The installed version of a package, from its own package.json. */
export function versionOf(packageName) {
  // Not every package exports its package.json, so the search starts at what the package exports, and goes upwards.
  for (let folder = dirname(require.resolve(packageName)); ; folder = dirname(folder)) {
    const path = join(folder, 'package.json');
    const manifest = existsSync(path) ? JSON.parse(readFileSync(path, 'utf8')) : {};
    if (manifest.name === packageName) return manifest.version;
    if (folder === dirname(folder)) throw new Error(`No package.json of '${packageName}' found`);
  }
}

/** The files of `bench/conclusions` that only put saved samples into words, which `report` does anew. The others make the saved figures. */
const WORDS = ['clauses', 'conclusions', 'curves', 'finding', 'rows', 'shapes', 'tools'];

/** The files that affect a figure. Tests, texts, pages and saved results do not. */
const MATTERS = [
  ...['threadwise/src', 'bullmq/src', 'cli/src/experiment'].map((path) => `:(top)packages/${path}`),
  ...['bench', 'package-lock.json', 'scripts/build-*.mjs'].map((path) => `:(top)${path}`),
  ...['results', 'report', ...WORDS.map((name) => `conclusions/${name}.js`)].map(
    (path) => `:(top,exclude)bench/${path}`,
  ),
  ...['.md', '.test.*', '/page.js', '/published.js'].map((end) => `:(top,exclude,glob)**/*${end}`),
];

const git = (folder, ...args) =>
  execFileSync('git', args, { cwd: folder, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] });

/** The commit that is checked out, and whether files that matter differ from it; undefined outside a repository. */
export function describeCommit(folder = here) {
  try {
    return {
      commit: git(folder, 'rev-parse', 'HEAD').trim(),
      hasChanges: git(folder, 'status', '--porcelain', '--', ...MATTERS).trim() !== '',
    };
  } catch {
    return undefined;
  }
}

/**
 * Whether nothing of an experiment is left to measure: each row has figures, or is not available here, and all are of this code,
 * this machine and this version of Node.js. @param result as it is saved; undefined if it is not
 */
export function isMeasured(result, folder) {
  if (result === undefined || !isOfThisCode(result.git, folder)) return false;
  const here = describeMachine();
  const isOfHere = ['cpu', 'cores', 'availableParallelism', 'node'].every(
    (key) => result.machine[key] === here[key],
  );
  return isOfHere && !hasFailed(result);
}

/** Whether a row of a result failed. */
export const hasFailed = ({ scenarios }) =>
  scenarios.some(({ rows }) => rows.some(({ failure }) => failure !== undefined));

/**
 * Whether the files that matter are the same as when something was measured, except for comments and spaces.
 * @param at what `describeCommit` returned then
 */
export function isOfThisCode(at, folder = here) {
  if (at === undefined || at.hasChanges) return false;
  try {
    if (git(folder, 'ls-files', '--others', '--exclude-standard', '--', ...MATTERS) !== '') return false;
    const root = git(folder, 'rev-parse', '--show-toplevel').trim();
    const changed = git(folder, 'diff', '--name-only', at.commit, '--', ...MATTERS).match(/.+/g) ?? [];
    const before = (path) => git(folder, 'show', `${at.commit}:${path}`);
    const now = (path) => readFileSync(join(root, path), 'utf8');
    return changed.every((path) => codeOf(path, before(path)) === codeOf(path, now(path)));
  } catch {
    return false; // there is no such commit here, or a file is new, gone or no code
  }
}

/** The text of a file; if it is code, without comments and spaces. */
function codeOf(path, text) {
  const [, loader] = /\.m?([jt]s)$/.exec(path) ?? [];
  if (loader === undefined) return text;
  return transformSync(text, { loader, minifyWhitespace: true, legalComments: 'none' }).code;
}
