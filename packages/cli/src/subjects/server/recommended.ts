/** What is recommended, as code to begin with. */
import { fileInCode } from '../../report/model.js';
import type { ServerAnswer, ServerFindings } from './rules/find.js';
import type { ServerSubject } from './rules/samples.js';

const PLAIN_EXPORT = /^[A-Za-z_$][\w$]{0,39}$/;

/** What there is to say before the code. */
export function beforeCode({ verdict, samples }: ServerFindings): string {
  if (verdict.answer === 'offload' && samples.subject.against.length > 0) {
    return 'The app has the route that does it already: let the others do as it does.';
  }
  return BEFORE[verdict.answer];
}

const BEFORE: Readonly<Record<ServerAnswer, string>> = {
  leave: 'Leave the app as it is.',
  offload: 'Where the app calls the function, give the call to a pool, and await it:',
  cluster: 'Start it by a file that starts as many of it, once what it keeps in memory is kept elsewhere:',
  unknown: 'As long as it cannot be told, change nothing.',
};

/** Empty: there is none. */
export function recommendedCode({ verdict, samples }: ServerFindings): string[] {
  const { subject } = samples;
  if (verdict.answer === 'cluster') {
    return clusterCode(subject);
  }
  const [first] = subject.offload;
  return verdict.answer === 'offload' && first !== undefined ? poolCode(first, subject.threads) : [];
}

function clusterCode({ module, form, processes }: ServerSubject): string[] {
  const file = fileInCode(module, 'app.js');
  const starts =
    form === 'listens'
      ? `await import('./${file}');`
      : `// as it is started now: what ${file} exports, listening`;
  return [
    "import cluster from 'node:cluster';",
    '',
    'if (cluster.isPrimary) {',
    `  for (let i = 0; i < ${processes}; i++) cluster.fork();`,
    "  cluster.on('exit', () => cluster.fork());",
    '} else {',
    `  ${starts}`,
    '}',
  ];
}

function poolCode(offload: string, threads: number): string[] {
  const name = offload.slice(offload.lastIndexOf('#') + 1);
  const task = PLAIN_EXPORT.test(name) ? name : 'task';
  const file = fileInCode(offload, 'tasks.js');
  return [
    "import { createPool } from 'threadwise';",
    '',
    `const pool = createPool(new URL('./${file}', import.meta.url), { threads: ${threads} });`,
    `// in place of ${task}(…)`,
    `await pool.run('${task}', […]);`,
  ];
}
