/** The ways in which the threads of a pool read. */
import { createPool } from 'threadwise';
import { handOver } from './calls.js';
import type { Reader } from './process.js';
import { type Counted, Tally } from './tally.js';
import type { Contents } from './tasks.js';

type Task = 'readAndKeep' | 'readAsLibrary' | 'readAndReturn';

/** So that a worker has its next call when it ends one. */
const CALLS_EACH = 2;

export async function openWorkers(task: Task, threads: number): Promise<Reader> {
  const pool = createPool(new URL('./tasks.js', import.meta.url), {
    name: 'threadwise analyze files',
    threads,
  });
  await pool.ready;
  const call = async (paths: readonly string[]): Promise<Counted> => {
    const answer = await pool.run(task, [paths]);
    return task === 'readAndReturn' ? counted(answer as Contents) : (answer as Counted);
  };
  return ({ paths, perCall, end }) =>
    handOver({ paths, perCall, end, outstanding: CALLS_EACH * threads }, call);
}

function counted({ contents, failed }: Contents): Counted {
  const tally = new Tally();
  for (const content of contents) tally.add(content);
  tally.failed.push(...failed);
  return tally;
}
