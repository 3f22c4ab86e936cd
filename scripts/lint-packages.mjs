// Checks with publint that each package would be usable as published.
import { join } from 'node:path';
import { publint } from 'publint';
import { formatMessage } from 'publint/utils';
import { root } from './prepare.mjs';

let problems = 0;
for (const name of ['threadwise', 'control', 'bullmq', 'cli']) {
  const pkgDir = join(root, 'packages', name);
  const { messages, pkg } = await publint({ pkgDir, strict: true });
  for (const message of messages) process.stdout.write(`${pkg.name}: ${formatMessage(message, pkg)}\n`);
  problems += messages.length;
  process.stdout.write(`${pkg.name}: ${messages.length === 0 ? 'ok' : `${messages.length} problems`}\n`);
}
process.exit(problems === 0 ? 0 : 1);
