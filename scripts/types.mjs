// Type checks beyond the build: the core without any platform's types, and the types that users see.
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { root } from './prepare.mjs';

const tsc = join(root, 'node_modules/typescript-7/bin/tsc');
const projects = ['packages/threadwise/src/core', 'test/types'];
for (const project of projects) {
  const { status } = spawnSync(process.execPath, [tsc, '-p', join(root, project)], { stdio: 'inherit' });
  if (status !== 0) process.exit(status ?? 1);
  process.stdout.write(`${project}: ok\n`);
}
