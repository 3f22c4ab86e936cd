/** Starts a probe, asks it, and ends it: the only file that knows that a probe is a process. Whatever becomes of it is an answer. */
import { type ChildProcess, fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { childOptions } from '../child-options.js';
import type { DescribedError } from '../run/work/batch.js';
import {
  type Answer,
  type BehaviourReport,
  MARK,
  type Request,
  type RoleName,
  type Roles,
  unwrap,
} from './probe/protocol.js';

export interface Ending {
  readonly exitCode: number | null;
  readonly signal: string | null;
}

export type Outcome<T> =
  | { readonly kind: 'done'; readonly value: T }
  | { readonly kind: 'failed'; readonly error: DescribedError }
  /** Its process is gone. */
  | ({ readonly kind: 'ended' } & Ending)
  /** It said nothing for that long, and was ended. */
  | { readonly kind: 'silent'; readonly ms: number }
  | { readonly kind: 'aborted' };

export type Failure = Exclude<Outcome<never>, { kind: 'done' }>;

export interface ProbeOptions {
  readonly signal: AbortSignal;
  /** Undefined: all that this process may use. */
  readonly cpus?: readonly number[] | undefined;
}

const PROCESS = fileURLToPath(new URL('./probe/process.js', import.meta.url));
/** Of the command's own process: none of it may outlive that. */
const living = new Set<ChildProcess>();
process.on('exit', () => {
  for (const child of living) child.kill('SIGKILL');
});

export class Probe<R extends RoleName> {
  readonly #role: R;
  readonly #child: ChildProcess;
  readonly #signal: AbortSignal;
  readonly #gone: Promise<Ending>;
  #ending: Ending | undefined;
  #known: Partial<BehaviourReport> = {};
  /** Told of each message; undefined while nothing is asked. */
  #listener: ((answer: Answer) => void) | undefined;

  constructor(role: R, { signal, cpus }: ProbeOptions) {
    this.#role = role;
    this.#signal = signal;
    const child = start(cpus);
    this.#child = child;
    living.add(child);
    this.#gone = endOf(child).then((ending) => {
      living.delete(child);
      this.#ending = ending;
      return ending;
    });
    child.on('message', (message) => {
      const answer = unwrap<Answer>(message);
      if (answer?.type === 'note') this.#known = answer.known;
      if (answer !== undefined) this.#listener?.(answer);
    });
    // It could not be started, or a message did not reach it: that it is gone says so as well.
    child.on('error', () => {});
  }

  /** What its notes said: of use where it ended before its answer. */
  get known(): Partial<BehaviourReport> {
    return this.#known;
  }

  /** The first request. `limitMs`: how long it may say nothing. */
  open(setup: Roles[R]['setup'], limitMs: number): Promise<Outcome<Roles[R]['opened']>> {
    return this.#ask({ type: 'open', role: this.#role, setup }, limitMs);
  }

  /** One at a time. */
  step(step: Roles[R]['step'], limitMs: number): Promise<Outcome<Roles[R]['result']>> {
    return this.#ask({ type: 'step', step }, limitMs);
  }

  /** Ends it now; resolves when it is gone. */
  async kill(): Promise<void> {
    this.#child.kill('SIGKILL');
    await this.#gone;
  }

  async #ask<T>(request: Request, limitMs: number): Promise<Outcome<T>> {
    if (this.#signal.aborted) return { kind: 'aborted' };
    if (this.#ending !== undefined) return { kind: 'ended', ...this.#ending };
    const outcome = await this.#answer<T>(request, limitMs);
    if (outcome.kind === 'silent' || outcome.kind === 'aborted') await this.kill();
    return outcome;
  }

  #answer<T>(request: Request, limitMs: number): Promise<Outcome<T>> {
    return new Promise((resolve) => {
      const settle = (outcome: Outcome<T>): void => {
        clearTimeout(timer);
        this.#signal.removeEventListener('abort', abort);
        this.#listener = undefined;
        resolve(outcome);
      };
      const abort = (): void => settle({ kind: 'aborted' });
      const timer = setTimeout(() => settle({ kind: 'silent', ms: limitMs }), limitMs);
      this.#listener = (answer) => {
        if (answer.type === 'note') timer.refresh();
        else settle(outcomeOf<T>(answer));
      };
      this.#signal.addEventListener('abort', abort, { once: true });
      void this.#gone.then((ending) => settle({ kind: 'ended', ...ending }));
      this.#child.send({ [MARK]: request }, () => {});
    });
  }
}

function outcomeOf<T>(answer: Exclude<Answer, { type: 'note' }>): Outcome<T> {
  if (answer.type === 'failed') return { kind: 'failed', error: answer.error };
  // What a role answers with, protocol.ts says.
  return { kind: 'done', value: answer.value as T };
}

function start(cpus: readonly number[] | undefined): ChildProcess {
  const { env, execArgv } = childOptions();
  const bound = cpus === undefined ? [] : ['-c', cpus.join(','), process.execPath];
  return fork(PROCESS, [], {
    env,
    serialization: 'advanced',
    // What the user's function prints is no part of the report.
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    execArgv: [...bound, ...execArgv],
    ...(cpus === undefined ? {} : { execPath: 'taskset' }),
  });
}

/** When it is gone and its last message has been read. */
function endOf(child: ChildProcess): Promise<Ending> {
  return new Promise((resolve) => {
    child.once('error', () => {
      if (child.pid === undefined) resolve({ exitCode: null, signal: null });
    });
    child.once('exit', (exitCode, signal) => {
      const ended = (): void => resolve({ exitCode, signal });
      if (child.connected) child.once('disconnect', ended);
      else ended();
    });
  });
}

/** For what is left out because of it: in words. */
export function describeFailure(failure: Failure): string {
  switch (failure.kind) {
    case 'failed':
      return `${failure.error.name}: ${failure.error.message}`;
    case 'ended':
      return `its process ended (${failure.signal ?? `exit code ${failure.exitCode}`})`;
    case 'silent':
      return `it had not answered after ${(failure.ms / 1000).toFixed(1)} s`;
    case 'aborted':
      return 'it was interrupted';
  }
}
