/** Starts a process that reads, asks it, and ends it. Whatever becomes of it is an answer. */
import { type ChildProcess, fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { ask, describeFailure, type Ending, failedStart } from '../../../experiment/child/ask.js';
import { keepUnder } from '../../../experiment/child/living.js';
import { childOptions } from '../../../experiment/child/options.js';
import type { Answer, OpenRequest, ReadRequest, Request, Slice } from './protocol.js';

const PROCESS = fileURLToPath(new URL('./process.js', import.meta.url));

/** Why there is no answer, in words. */
export class ReaderError extends Error {
  override readonly name = 'ReaderError';
}

export class ReaderClient {
  readonly #child: ChildProcess;
  readonly #signal: AbortSignal;
  readonly #gone: Promise<Ending>;

  constructor(signal: AbortSignal) {
    this.#signal = signal;
    const child = fork(PROCESS, [], { ...childOptions(), stdio: ['ignore', 'ignore', 'inherit', 'ipc'] });
    this.#child = child;
    const ended = new Promise<Ending>((resolve) => {
      child.on('exit', (exitCode, signal) => resolve({ exitCode, signal }));
    });
    this.#gone = Promise.race([ended, failedStart(child)]);
    keepUnder(child, this.#gone, () => child.kill('SIGKILL'));
  }

  async open(request: Omit<OpenRequest, 'type'>, limitMs: number): Promise<void> {
    await this.#ask({ type: 'open', ...request }, limitMs);
  }

  async read(request: Omit<ReadRequest, 'type'>, limitMs: number): Promise<Slice> {
    const answer = await this.#ask({ type: 'read', ...request }, limitMs);
    if (answer.type !== 'read') throw new ReaderError(`it answered '${answer.type}'`);
    return answer.slice;
  }

  /** Resolves when it is gone. */
  async kill(): Promise<void> {
    this.#child.kill('SIGKILL');
    await this.#gone;
  }

  /** One at a time. */
  async #ask(request: Request, limitMs: number): Promise<Answer> {
    const asked = { child: this.#child, signal: this.#signal, gone: this.#gone };
    const outcome = await ask(asked, request, limitMs, (message) => ({
      kind: 'done',
      value: message as Answer,
    }));
    if (outcome.kind !== 'done') throw new ReaderError(describeFailure(outcome));
    if (outcome.value.type === 'failed') throw new ReaderError(outcome.value.message);
    return outcome.value;
  }
}
