/** The ways in which several read at the same time, as the threads of a pool or as processes: each call has some of the paths. */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { createPool } from 'threadwise';
import type { Reader } from './process.js';
import { addAll, addFile, newTally, type Tally } from './one-thread.js';
import type { Contents } from './tasks.js';

const CALLS_EACH = 2; // how many calls each reader has at once, so that it has the next one when one ends

type Read = (paths: readonly string[]) => Promise<Tally>;

/** Each of `all` has several calls at a time. */
function readerOf(all: readonly Read[]): Reader {
  return async ({ paths, perCall, end }) => {
    const [tally, count] = [newTally(), Math.ceil(paths.length / perCall)];
    let begun = 0;
    const lane = async (read: Read): Promise<void> => {
      while (begun < count || performance.now() < end) {
        const from = (begun++ % count) * perCall;
        addAll(tally, await read(paths.slice(from, from + perCall)));
      }
    };
    await Promise.all(Array.from({ length: CALLS_EACH }, () => all.map(lane)).flat());
    return tally;
  };
}

/** The task that reads in workers, in the ways that have them. */
const TASKS = {
  workers: 'readInLoop',
  'workers-read-files': 'readAsLibrary',
  'workers-return': 'readAndReturn',
} as const;

export type ParallelWay = keyof typeof TASKS | 'processes';

/** @param readers how many threads or processes read */
export async function openParallel(way: ParallelWay, readers: number): Promise<Reader> {
  if (way === 'processes') {
    return readerOf(await Promise.all(Array.from({ length: readers }, startProcess)));
  }
  const name = 'threadwise analyze files';
  const pool = createPool(new URL('./tasks.js', import.meta.url), { name, threads: readers });
  await pool.ready;
  const read: Read = async (paths) => {
    const answer = await pool.run(TASKS[way], [paths]);
    return way === 'workers-return' ? tallyOf(answer as Contents) : (answer as Tally);
  };
  return readerOf(Array.from({ length: readers }, () => read));
}

function tallyOf({ contents, failed }: Contents): Tally {
  const tally = { ...newTally(), failed };
  for (const content of contents) addFile(tally, content);
  return tally;
}

const CHILD = fileURLToPath(new URL('./child.js', import.meta.url));

async function startProcess(): Promise<Read> {
  const child = fork(CHILD, { stdio: ['ignore', 'ignore', 'inherit', 'ipc'] });
  await once(child, 'message');
  // Several calls may be on their way; they are answered in their order.
  const waiting: { resolve: (tally: Tally) => void; reject: (error: Error) => void }[] = [];
  child.on('message', (answer) => waiting.shift()?.resolve(answer as Tally));
  child.on('exit', (code, signal) => {
    const error = new Error(`a process that read ended (${signal ?? `exit code ${code}`})`);
    for (const { reject } of waiting.splice(0)) reject(error);
  });
  return (paths) =>
    new Promise((resolve, reject) => {
      waiting.push({ resolve, reject });
      child.send(paths);
    });
}
