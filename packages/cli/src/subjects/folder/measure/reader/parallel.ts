/** The ways in which several read at the same time, the threads of a pool or processes: paths are handed over some at a time. */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { createPool } from 'threadwise';
import type { Reader } from './process.js';
import { addAll, addFile, newTally, type Tally } from './tally.js';
import type { Contents } from './tasks.js';

/** So that each has its next call when it ends one. */
const CALLS_EACH = 2;

type Read = (paths: readonly string[]) => Promise<Tally>;

/** All paths once, and on from the first until the time is over. Each of those that read takes several calls at a time. */
function readerOf(all: readonly Read[]): Reader {
  return async ({ paths, perCall, end }) => {
    const calls = Array.from({ length: Math.ceil(paths.length / perCall) }, (_, i) =>
      paths.slice(i * perCall, (i + 1) * perCall),
    );
    const tally = newTally();
    let begun = 0;
    const lane = async (read: Read): Promise<void> => {
      while (begun < calls.length || performance.now() < end) {
        addAll(tally, await read(calls[begun++ % calls.length]!));
      }
    };
    await Promise.all(Array.from({ length: CALLS_EACH }, () => all.map(lane)).flat());
    return tally;
  };
}

type Task = 'readAndKeep' | 'readAsLibrary' | 'readAndReturn';

export async function openWorkers(task: Task, threads: number): Promise<Reader> {
  const name = 'threadwise analyze files';
  const pool = createPool(new URL('./tasks.js', import.meta.url), { name, threads });
  await pool.ready;
  const read: Read = async (paths) => {
    const answer = await pool.run(task, [paths]);
    return task === 'readAndReturn' ? tallyOf(answer as Contents) : (answer as Tally);
  };
  return readerOf(Array.from({ length: threads }, () => read));
}

function tallyOf({ contents, failed }: Contents): Tally {
  const tally = { ...newTally(), failed };
  for (const content of contents) addFile(tally, content);
  return tally;
}

const CHILD = fileURLToPath(new URL('./child.js', import.meta.url));

/** Each has an event loop, and an address space, of its own. */
export async function openProcesses(count: number): Promise<Reader> {
  return readerOf(await Promise.all(Array.from({ length: count }, startProcess)));
}

async function startProcess(): Promise<Read> {
  const child = fork(CHILD, { stdio: ['ignore', 'ignore', 'inherit', 'ipc'] });
  await once(child, 'message');
  // Answers come in the order of what was asked: several calls may be on their way.
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
