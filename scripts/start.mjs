// `npm start`: a job that gains by threads beside one that does not, or, with arguments, the command `threadwise` with them.
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { prepare, root } from './prepare.mjs';

await prepare();

const given = process.argv.slice(2);
const [program, cwd] =
  given.length === 0
    ? ['examples/00-two-jobs/main.js', root]
    : // Arguments of the user's are relative to where the user is; npm tells.
      ['packages/cli/bin/threadwise.js', process.env.INIT_CWD ?? process.cwd()];
const child = spawn(process.execPath, [join(root, program), ...given], { cwd, stdio: 'inherit' });
// Ctrl-C reaches the child by itself: this process only waits for it to end its work.
for (const signal of ['SIGINT', 'SIGTERM'])
  process.on(signal, () => signal === 'SIGTERM' && child.kill(signal));
child.on('exit', (code, signal) => process.exit(code ?? (signal === 'SIGINT' ? 130 : 1)));
