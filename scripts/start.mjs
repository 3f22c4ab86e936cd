// `npm start`: a job that gains by threads beside one that does not, or, with arguments, the command `threadwise` with them.
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { prepare, root } from './prepare.mjs';

await prepare();

const given = process.argv.slice(2);
const [program, cwd] =
  given.length === 0
    ? ['examples/00-two-jobs/main.js', root]
    : // The user's arguments are relative to the user's folder, which npm passes on.
      ['packages/cli/bin/threadwise.js', process.env.INIT_CWD ?? process.cwd()];
const child = spawn(process.execPath, [join(root, program), ...given], { cwd, stdio: 'inherit' });
// Ctrl-C also reaches the child: this process only waits until the child has ended.
for (const signal of ['SIGINT', 'SIGTERM'])
  process.on(signal, () => signal === 'SIGTERM' && child.kill(signal));
child.on('exit', (code, signal) => process.exit(code ?? (signal === 'SIGINT' ? 130 : 1)));
