/** The ways in which several read at the same time, the threads of a pool or processes: paths are handed over some at a time. */
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { createPool } from 'threadwise';
import type { Reader } from './process.js';
import { type Counted, Tally } from './tally.js';
import type { Contents } from './tasks.js';

/** So that each has its next call when it ends one. */
const CALLS_EACH = 2;

/** All paths once, and on from the first until the time is over. */
function readerOf(count: number, read: (paths: readonly string[], lane: number) => Promise<Counted>): Reader {
  return async ({ paths, perCall, end }) => {
    const calls = Array.from({ length: Math.ceil(paths.length / perCall) }, (_, i) =>
      paths.slice(i * perCall, (i + 1) * perCall),
    );
    const tally = new Tally();
    let begun = 0;
    const lane = async (number: number): Promise<void> => {
      while (begun < calls.length || performance.now() < end) {
        const call = calls[begun % calls.length]!;
        begun += 1;
        tally.addAll(await read(call, number));
      }
    };
    await Promise.all(Array.from({ length: CALLS_EACH * count }, (_, i) => lane(i)));
    return tally;
  };
}

type Task = 'readAndKeep' | 'readAsLibrary' | 'readAndReturn';

export async function openWorkers(task: Task, threads: number): Promise<Reader> {
  const name = 'threadwise analyze files';
  const pool = createPool(new URL('./tasks.js', import.meta.url), { name, threads });
  await pool.ready;
  return readerOf(threads, async (paths) => {
    const answer = await pool.run(task, [paths]);
    return task === 'readAndReturn' ? counted(answer as Contents) : (answer as Counted);
  });
}

function counted({ contents, failed }: Contents): Counted {
  const tally = new Tally();
  for (const content of contents) tally.add(content);
  tally.failed.push(...failed);
  return tally;
}

const CHILD = fileURLToPath(new URL('./child.js', import.meta.url));

/** Each has an event loop, and an address space, of its own. */
export async function openProcesses(count: number): Promise<Reader> {
  const children = await Promise.all(Array.from({ length: count }, start));
  return readerOf(count, (call, lane) => children[lane % count]!.ask(call));
}

async function start(): Promise<Child> {
  const child = fork(CHILD, { stdio: ['ignore', 'ignore', 'inherit', 'ipc'] });
  await once(child, 'message');
  return new Child(child);
}

/** Answers come in the order of what was asked: several calls may be on their way. */
class Child {
  readonly #process: ChildProcess;
  readonly #waiting: { resolve: (counted: Counted) => void; reject: (error: Error) => void }[] = [];

  constructor(child: ChildProcess) {
    this.#process = child;
    child.on('message', (answer) => this.#waiting.shift()?.resolve(answer as Counted));
    child.on('exit', (code, signal) => {
      const error = new Error(`a process that read ended (${signal ?? `exit code ${code}`})`);
      for (const { reject } of this.#waiting.splice(0)) reject(error);
    });
  }

  ask(paths: readonly string[]): Promise<Counted> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ resolve, reject });
      this.#process.send(paths);
    });
  }
}
