// Runs the linter and the formatter over all files. `--fix` fixes what they can fix.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { CACHE, root } from './prepare.mjs';

const require = createRequire(import.meta.url);
const isFixing = process.argv.includes('--fix');
/** The options of a tool's cache, which remembers by content what passed. */
const cacheOf = (name) => ['--cache', '--cache-strategy', 'content', '--cache-location', join(CACHE, name)];
const tools = {
  eslint: [
    join(require.resolve('eslint/package.json'), '../bin/eslint.js'),
    ...['--max-warnings', '0', ...cacheOf('eslint'), ...(isFixing ? ['--fix'] : []), '.'],
  ],
  prettier: [
    join(require.resolve('prettier/package.json'), '../bin/prettier.cjs'),
    ...['--log-level', 'warn', ...cacheOf('prettier'), isFixing ? '--write' : '--check', '.'],
  ],
};

/** Runs one tool. Resolves to whether it found nothing. */
async function passes(name) {
  const [code] = await once(spawn(process.execPath, tools[name], { cwd: root, stdio: 'inherit' }), 'close');
  process.stdout.write(`${name}: ${code === 0 ? 'ok' : `exit code ${code}`}\n`);
  return code === 0;
}

// Both tools write when they fix: so they run one after the other, and the formatter last.
const results = isFixing
  ? [await passes('eslint'), await passes('prettier')]
  : await Promise.all([passes('eslint'), passes('prettier')]);
if (results.includes(false) && !isFixing) process.stdout.write("What can be mended is by 'npm run format'\n");
process.exitCode = results.includes(false) ? 1 : 0;
