/** The way in which several processes read: each has an event loop, and an address space, of its own. */
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { handOver } from './calls.js';
import type { Reader } from './process.js';
import type { Counted } from './tally.js';

/** So that a process has its next call when it ends one. */
const CALLS_EACH = 2;
const CHILD = fileURLToPath(new URL('./child.js', import.meta.url));

export async function openProcesses(count: number): Promise<Reader> {
  const children = await Promise.all(Array.from({ length: count }, start));
  return ({ paths, perCall, end }) =>
    handOver({ paths, perCall, end, outstanding: CALLS_EACH * count }, (call, lane) =>
      children[lane % count]!.ask(call),
    );
}

async function start(): Promise<Child> {
  const child = fork(CHILD, { stdio: ['ignore', 'ignore', 'inherit', 'ipc'] });
  await once(child, 'message');
  return new Child(child);
}

/** Answers come in the order of what was asked. */
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
