/** A process in which something is measured: the command starts it, asks one question at a time, and ends it. A crash or silence is an outcome, too. */
import { type ChildProcess, fork } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { DescribedError } from '../run/work/batch.js';
import { errorLine, placeIn } from '../run/work/described-error.js';
import { tried } from '../system-error.js';
import { type Reply, unwrap, wrapped } from './serve.js';

export interface Ending {
  readonly exitCode: number | null;
  readonly signal: string | null;
  /** The error that ended it; undefined: none did, or it is not known. */
  readonly error?: string | undefined;
}

/** How a process ended, and the last lines that it wrote to standard error, or why the command ended it. */
export type Ended = Ending & { readonly lastWords: string };

type Gone = Ending & { readonly notStarted?: string };

export type Outcome<T> =
  | { readonly kind: 'done'; readonly value: T }
  | { readonly kind: 'failed'; readonly error: DescribedError }
  | ({ readonly kind: 'ended' } & Gone)
  | { readonly kind: 'silent'; readonly ms: number }
  | { readonly kind: 'aborted' };

export type Failure = Exclude<Outcome<never>, { kind: 'done' }>;

export interface ChildOptions {
  /** When aborted, every question has the outcome `aborted`. */
  readonly signal?: AbortSignal;
  /** The cores that the child may use; undefined: all that this process may use. */
  readonly cpus?: readonly number[] | undefined;
  /** Whether the child runs a program that may start processes: all of them are killed with it, and what it writes to standard error is kept. */
  readonly isProgram?: boolean;
}

export type Talk<T> = { [K in keyof T]: { asks: unknown; gets: unknown } };

/** How many milliseconds a process may take until it listens: on a busy machine, the start of Node.js alone may take seconds. */
const STARTS_MS = 10_000;
/** How many characters are kept of what a child wrote to standard error. */
const KEPT = 8192;
const LAST_LINES = 12;
/** With this exit code Node.js ends a process in which nothing catches an error. */
const UNCAUGHT = 1;
/** How often, and how long at the most, to look whether killed processes are gone: the system takes back their memory first. Milliseconds. */
const LOOK_MS = 5;
const LOOK_FOR_MS = 2000;
/** The children that must not outlive the command's own process. */
const living = new Set<{ kill(): Promise<void> }>();
process.on('exit', () => living.forEach((child) => void child.kill()));

export class Child<T extends Talk<T>> {
  readonly #child: ChildProcess;
  readonly #signal: AbortSignal | undefined;
  /** Whether the child leads a process group, so that what it starts can be ended with it. */
  readonly #isGroup: boolean;
  /** Resolves when the child is gone and all its messages have been read. */
  readonly #gone: Promise<Gone>;
  /** Resolves when the child listens: a message that is sent earlier may be lost. */
  readonly #hello: Promise<void>;
  #settle: (outcome: Outcome<never>) => void = () => {};
  #timer: NodeJS.Timeout | undefined;
  #ending: Gone | undefined;
  /** The child's last note, for the case that it ends before it answers. */
  noted: unknown;
  #said = '';
  /** The last error of the child that nothing caught. */
  #uncaught: string | undefined;
  /** Why the command ended the child; empty: it did not. */
  #verdict = '';

  /** @param from the module that the child runs, or a process that runs already */
  constructor(from: URL | ChildProcess, options: ChildOptions = {}) {
    this.#isGroup = options.isProgram === true && process.platform !== 'win32';
    this.#child = from instanceof URL ? start(from, options, this.#isGroup) : from;
    this.#signal = options.signal;
    this.#hello = new Promise((resolve) => {
      this.#child.on('message', (message) => {
        const reply = unwrap<Reply>(message);
        if (reply?.type === 'hello') resolve();
        if (reply?.type === 'uncaught') this.#uncaught = errorLine(reply.error) + placeIn(reply.error.stack);
        if (reply?.type === 'answer') this.#settle(reply.outcome);
        if (reply?.type !== 'note') return;
        this.noted = reply.known;
        this.#timer?.refresh();
      });
    });
    this.#child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      this.#said = (this.#said + text).slice(-KEPT);
    });
    this.#gone = this.#end();
    living.add(this);
  }

  get ended(): Ended | undefined {
    if (this.#ending === undefined) return undefined;
    const { exitCode, signal, notStarted = '' } = this.#ending;
    return { exitCode, signal, lastWords: this.#verdict || this.lastWords || notStarted };
  }

  /** The last lines of standard error. Node.js writes an uncaught error's place first, and its own version last: the lines begin at the error. */
  get lastWords(): string {
    const trimmed = this.#said.split('\n').map((line) => line.trim());
    const lines = trimmed.filter((line) => line !== '');
    const error = lines.findLastIndex((line) => /^\S*(?:Error|Exception)\b.*:/.test(line));
    const from = Math.max(0, error === -1 ? lines.length - LAST_LINES : error);
    return lines.slice(from, from + LAST_LINES).join('\n');
  }

  /** Asks one question: the next one must wait for its outcome. A child that listens, and sends nothing for `limitMs` milliseconds, is killed. */
  async ask<K extends keyof T & string>(
    type: K,
    asks: T[K]['asks'],
    limitMs: number,
  ): Promise<Outcome<T[K]['gets']>> {
    if (this.#signal?.aborted) return { kind: 'aborted' };
    const settled = new Promise<Outcome<T[K]['gets']>>((resolve) => {
      this.#settle = resolve;
    });
    const settle = this.#settle;
    const limit = (ms: number) => setTimeout(() => settle({ kind: 'silent', ms }), ms);
    const abort = (): void => settle({ kind: 'aborted' });
    this.#timer = limit(Math.max(STARTS_MS, limitMs));
    this.#signal?.addEventListener('abort', abort, { once: true });
    void this.#gone.then((ending) => settle({ kind: 'ended', ...ending }));
    if ((await Promise.race([this.#hello, settled])) === undefined) {
      clearTimeout(this.#timer);
      this.#timer = limit(limitMs);
      // An error of `send` is ignored: a child that a message cannot reach is gone, and `#gone` says so.
      this.#child.send(wrapped({ type, asks }), () => {});
    }
    const outcome = await settled;
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#signal?.removeEventListener('abort', abort);
    if (outcome.kind === 'silent') {
      this.#verdict = `it had not reacted for ${(outcome.ms / 1000).toFixed(0)} s, and was ended`;
      await this.kill();
    }
    return outcome;
  }

  async endsWithin(ms: number): Promise<boolean> {
    await Promise.race([this.#gone, sleep(ms, undefined, { ref: false })]);
    return this.#ending !== undefined;
  }

  /** Kills the child, with all processes that it has started. Resolves when they are gone. */
  async kill(): Promise<void> {
    this.#kill();
    await this.#gone;
  }

  /** Returns whether there was a process left to kill. */
  #kill(): boolean {
    const { pid } = this.#child;
    // The system may have given the id of a process that is gone to another one.
    if (pid === undefined || this.#ending !== undefined) return false;
    if (!this.#isGroup) return this.#child.kill('SIGKILL');
    return tried(() => process.kill(-pid, 'SIGKILL')) === true;
  }

  async #end(): Promise<Gone> {
    const child = this.#child;
    const ending = await new Promise<Gone>((resolve) => {
      // An error after the start means that a message did not reach the child; its end follows, and says enough.
      child.on('error', ({ message }) => {
        if (child.pid === undefined) resolve({ exitCode: null, signal: null, notStarted: message });
      });
      child.once('exit', () => this.#isGroup && this.#kill());
      child.once('close', (exitCode, signal) => {
        const error = exitCode === UNCAUGHT ? this.#uncaught : undefined;
        resolve({ exitCode, signal, ...(error === undefined ? {} : { error }) });
      });
    });
    // The processes that the child has started go with it. They are not our children, so that no event tells when they are gone: we poll.
    const latest = performance.now() + LOOK_FOR_MS;
    while (this.#isGroup && this.#kill() && performance.now() < latest) await sleep(LOOK_MS);
    living.delete(this);
    this.#ending = ending;
    return ending;
  }
}

/** The flags of a debugger and of a test runner, which are for this process alone: a child must not get them. */
const OWN_FLAG = /^--(?:inspect|test|watch)/;

function start(file: URL, { cpus, isProgram = false }: ChildOptions, isGroup: boolean): ChildProcess {
  const { THREADWISE_CONTROL: _, ...env } = process.env;
  const flags = process.execArgv.filter((flag) => !OWN_FLAG.test(flag));
  return fork(fileURLToPath(file), [], {
    env,
    ...(cpus === undefined
      ? { execArgv: flags }
      : { execPath: 'taskset', execArgv: ['-c', cpus.join(','), process.execPath, ...flags] }),
    serialization: 'advanced',
    // What the user's code prints is dropped; what a program writes to standard error before it dies is reported.
    stdio: ['ignore', 'ignore', isProgram ? 'pipe' : 'ignore', 'ipc'],
    // The child leads a process group, so that processes that it starts can be killed with it.
    detached: isGroup,
  });
}

export function describeFailure(failure: Failure): string {
  if (failure.kind === 'aborted') return 'it was interrupted';
  if (failure.kind === 'failed') return `${failure.error.name}: ${failure.error.message}`;
  if (failure.kind === 'silent') return `it had not answered after ${(failure.ms / 1000).toFixed(1)} s`;
  if (failure.notStarted !== undefined) return `its process did not start: ${failure.notStarted}`;
  return `its process ended ${endedBy(failure)}`;
}

/** `(exit code 1): TypeError: x is not a function (/app/tasks.js:3)`. */
export function endedBy({ exitCode, signal, error }: Ending): string {
  return `(${signal ?? `exit code ${exitCode}`})${error === undefined ? '' : `: ${error}`}`;
}
