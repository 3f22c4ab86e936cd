// `npm test`: everything that must hold, in the order in which it is cheapest to learn that it does not.
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { prepare, root } from './prepare.mjs';

const bin = (name) => join(root, 'node_modules', name);
/** Made only when their turn comes: there are no compiled tests to list before the build. */
const steps = [
  ['lint', () => [bin('@biomejs/biome/bin/biome'), 'check', '--error-on-warnings', '.']],
  ['types', () => [join(root, 'scripts/types.mjs')]],
  ['package', () => [join(root, 'scripts/lint-packages.mjs')]],
  ['tests', () => ['--test', ...nodeTestFlags(), ...testFiles()]],
];

/** Two files at a time: tests that load the machine must not starve others. */
function nodeTestFlags() {
  return ['--test-concurrency=2', '--test-reporter=spec'];
}

function testFiles() {
  const below = (dir, matches) => {
    if (!existsSync(dir)) return [];
    return readdirSync(dir, { withFileTypes: true }).flatMap((entry) => {
      const path = join(dir, entry.name);
      if (entry.isDirectory()) return entry.name === 'node_modules' ? [] : below(path, matches);
      return matches.test(entry.name) ? [path] : [];
    });
  };
  const compiled = ['threadwise', 'cli'].flatMap((name) =>
    below(join(root, 'packages', name, 'dist'), /\.test\.js$/),
  );
  const written = ['packages/cli/test', 'test', 'examples', 'bench'].flatMap((dir) =>
    below(join(root, dir), /\.test\.m?js$/),
  );
  for (const [what, found] of Object.entries({ compiled, written })) {
    if (found.length === 0) throw new Error(`no ${what} tests were found: what passes then proves nothing`);
  }
  return [...compiled, ...written];
}

await prepare();
const only = process.argv.slice(2);
for (const [name, makeArgs] of steps) {
  if (only.length > 0 && !only.includes(name)) continue;
  process.stdout.write(`\n== ${name}\n`);
  const { status } = spawnSync(process.execPath, makeArgs(), { cwd: root, stdio: 'inherit' });
  if (status !== 0) {
    process.stdout.write(`\n${name} failed\n`);
    process.exit(status ?? 1);
  }
}
