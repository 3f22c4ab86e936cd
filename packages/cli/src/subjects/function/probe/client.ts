/** Starts a probe, asks it, and ends it: the only file that knows that a probe is a process. Whatever becomes of it is an answer. */
import { type ChildProcess, fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { ask, type Ending, failedStart, type Outcome } from '../../../experiment/child/ask.js';
import { keepUnder } from '../../../experiment/child/living.js';
import { childOptions } from '../../../experiment/child/options.js';
import {
  type Answer,
  type BehaviourReport,
  MARK,
  type Request,
  type RoleName,
  type Roles,
  unwrap,
} from './protocol.js';

export interface ProbeOptions {
  readonly signal: AbortSignal;
  /** Undefined: all that this process may use. */
  readonly cpus?: readonly number[] | undefined;
}

const PROCESS = fileURLToPath(new URL('./process.js', import.meta.url));

export class Probe<R extends RoleName> {
  readonly #role: R;
  readonly #child: ChildProcess;
  readonly #signal: AbortSignal;
  readonly #gone: Promise<Ending>;
  #known: Partial<BehaviourReport> = {};

  constructor(role: R, { signal, cpus }: ProbeOptions) {
    this.#role = role;
    this.#signal = signal;
    const child = start(cpus);
    this.#child = child;
    this.#gone = Promise.race([endOf(child), failedStart(child)]);
    keepUnder(child, this.#gone, () => child.kill('SIGKILL'));
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
    const asked = { child: this.#child, signal: this.#signal, gone: this.#gone };
    const outcome = await ask<T>(asked, { [MARK]: request }, limitMs, (message) => this.#hear<T>(message));
    if (outcome.kind === 'silent' || outcome.kind === 'aborted') await this.kill();
    return outcome;
  }

  #hear<T>(message: unknown): Outcome<T> | 'more' | undefined {
    const answer = unwrap<Answer>(message);
    if (answer?.type !== 'note') return answer && outcomeOf<T>(answer);
    this.#known = answer.known;
    return 'more';
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
    child.once('exit', (exitCode, signal) => {
      const ended = (): void => resolve({ exitCode, signal });
      if (child.connected) child.once('disconnect', ended);
      else ended();
    });
  });
}
