/** Starts a process that reads, asks it, and ends it. Whatever becomes of it is an answer. */
import { type ChildProcess, fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { childOptions } from '../child-options.js';
import type { Answer, OpenRequest, ReadRequest, Request, Slice } from './reader/protocol.js';

const PROCESS = fileURLToPath(new URL('./reader/process.js', import.meta.url));
/** Of the command's own process: none of it may outlive that. */
const living = new Set<ChildProcess>();
process.on('exit', () => {
  for (const child of living) child.kill('SIGKILL');
});

/** Why there is no answer, in words. */
export class ReaderError extends Error {
  override readonly name = 'ReaderError';
}

export class ReaderClient {
  readonly #child: ChildProcess;
  readonly #signal: AbortSignal;
  readonly #gone: Promise<string>;

  constructor(signal: AbortSignal) {
    this.#signal = signal;
    this.#child = fork(PROCESS, [], {
      ...childOptions(),
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    });
    living.add(this.#child);
    this.#gone = new Promise((resolve) => {
      this.#child.on('error', (error) => resolve(`its process did not start: ${error.message}`));
      this.#child.on('exit', (code, signalName) =>
        resolve(`its process ended (${signalName ?? `exit code ${code}`})`),
      );
    });
    void this.#gone.then(() => living.delete(this.#child));
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
    const answer = await this.#answer(request, limitMs);
    if (typeof answer === 'string') throw new ReaderError(answer);
    if (answer.type === 'failed') throw new ReaderError(answer.message);
    return answer;
  }

  #answer(request: Request, limitMs: number): Promise<Answer | string> {
    return new Promise((resolve) => {
      const settle = (answer: Answer | string): void => {
        clearTimeout(timer);
        this.#signal.removeEventListener('abort', abort);
        this.#child.off('message', settle);
        resolve(answer);
      };
      const abort = (): void => settle('it was interrupted');
      const timer = setTimeout(
        () => settle(`it had not answered after ${(limitMs / 1000).toFixed(1)} s`),
        limitMs,
      );
      this.#signal.addEventListener('abort', abort, { once: true });
      this.#child.on('message', settle);
      void this.#gone.then(settle);
      if (this.#signal.aborted) abort();
      else this.#child.send(request, () => {});
    });
  }
}
