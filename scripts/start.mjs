// `npm start`: the main job on real input, or, with arguments, the command `threadwise` with them.
import { spawn } from 'node:child_process';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { prepare, root } from './prepare.mjs';

await prepare();

const out = join(tmpdir(), 'threadwise-digests.ndjson');
const digestEveryFile = [
  'run',
  'examples/01-hash-files/tasks.js#digestFile',
  ...['--files', '**/*', '--dot', '--compare-inline', '--out', out],
];
const given = process.argv.slice(2);
if (given.length === 0) process.stderr.write(`SHA-256 of every file below ${root}\nDigests go to ${out}\n\n`);

const command = join(root, 'packages/cli/bin/threadwise.js');
const child = spawn(process.execPath, [command, ...(given.length > 0 ? given : digestEveryFile)], {
  // Arguments of the user's are relative to where the user is; npm tells.
  cwd: given.length > 0 ? (process.env.INIT_CWD ?? process.cwd()) : root,
  stdio: 'inherit',
});
// Ctrl-C reaches the child by itself: this process only waits for it to end its work.
for (const signal of ['SIGINT', 'SIGTERM'])
  process.on(signal, () => signal === 'SIGTERM' && child.kill(signal));
child.on('exit', (code, signal) => process.exit(code ?? (signal === 'SIGINT' ? 130 : 1)));
