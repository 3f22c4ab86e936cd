/** A process that the command has started: asks it, and ends it, with all that it has started itself. Whatever becomes of it is an answer. */
import { type ChildProcess, fork } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import { ask, type Ending, failedStart, type Outcome } from '../../../experiment/child/ask.js';
import { keepUnder } from '../../../experiment/child/living.js';
import { childOptions } from '../../../experiment/child/options.js';
import { MARK, unwrap } from '../../function/probe/protocol.js';
import type { EndedSamples } from '../findings/samples.js';
import type { Question, Reply, Talk } from './protocol.js';

/** Of what it wrote to standard error, so much is kept. Characters. */
const KEPT = 8192;
const LAST_LINES = 12;
export class Child<T extends { [K in keyof T]: Talk[string] }> {
  readonly #child: ChildProcess;
  readonly #signal: AbortSignal;
  readonly #gone: Promise<Ending>;
  #ending: Ending | undefined;
  #said = '';
  /** We ended it: why. */
  #verdict = '';

  constructor(file: string, signal: AbortSignal) {
    this.#signal = signal;
    const child = start(file);
    this.#child = child;
    child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      this.#said = (this.#said + text).slice(-KEPT);
    });
    this.#gone = Promise.race([endOf(child), failedStart(child)]).then(async (ending) => {
      await endOfGroup(child);
      this.#ending = ending;
      return ending;
    });
    keepUnder(child, this.#gone, () => void killGroup(child));
  }

  /** Undefined as long as it runs. */
  get ended(): EndedSamples | undefined {
    if (this.#ending === undefined) return undefined;
    const { exitCode, signal, notStarted = '' } = this.#ending;
    return { exitCode, signal, lastWords: this.#verdict || this.lastWords || notStarted };
  }

  /** The last lines of what it wrote to standard error. */
  get lastWords(): string {
    const lines = this.#said.split('\n').filter((line) => line.trim() !== '');
    return mostTelling(lines).join('\n');
  }

  /** One at a time. `limitMs`: how long it may say nothing; then it is ended. */
  async ask<K extends keyof T & string>(
    type: K,
    asks: T[K]['asks'],
    limitMs: number,
  ): Promise<Outcome<T[K]['gets']>> {
    const asked = { child: this.#child, signal: this.#signal, gone: this.#gone };
    const question: Question = { type, asks };
    const outcome = await ask(asked, { [MARK]: question }, limitMs, outcomeOf<T[K]['gets']>);
    if (outcome.kind === 'silent') {
      this.#verdict = `it had not reacted for ${(limitMs / 1000).toFixed(0)} s, and was ended`;
      await this.kill();
    }
    return outcome;
  }

  async endsWithin(ms: number): Promise<boolean> {
    await Promise.race([this.#gone, sleep(ms, undefined, { ref: false })]);
    return this.#ending !== undefined;
  }

  /** Ends it now, and all that it has started; resolves when it is gone. */
  async kill(): Promise<void> {
    killGroup(this.#child);
    await this.#gone;
  }
}

function outcomeOf<G>(message: unknown): Outcome<G> | undefined {
  const reply = unwrap<Reply>(message);
  if (reply === undefined || reply.type === 'hello') return undefined;
  if (reply.type === 'failed') return { kind: 'failed', error: reply.error };
  // What is answered to what, protocol.ts says.
  return { kind: 'done', value: reply.value as G };
}

/** Of an uncaught error Node.js writes the place, the error, the stack, and its own version: the error says most. */
function mostTelling(lines: readonly string[]): readonly string[] {
  const error = lines.findLastIndex((line) => /^\S*(?:Error|Exception)\b.*:/.test(line.trim()));
  const from = error === -1 ? lines.length - LAST_LINES : error;
  return lines.slice(Math.max(0, from), Math.max(0, from) + LAST_LINES).map((line) => line.trim());
}

const hasGroups = process.platform !== 'win32';

function start(file: string): ChildProcess {
  return fork(file, [], {
    ...childOptions(),
    serialization: 'advanced',
    // What the app prints is no part of the report; what it says last before it dies is.
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
    // A group of its own: whatever it starts can be ended with it.
    detached: hasGroups,
  });
}

/** Whether there was anything left to be ended. */
function killGroup(child: ChildProcess): boolean {
  if (child.pid === undefined) return false;
  if (!hasGroups) return child.kill('SIGKILL');
  try {
    return process.kill(-child.pid, 'SIGKILL');
  } catch {
    return false;
  }
}

/** Nobody tells when a process is gone that is no child of ours: one has to look. Milliseconds. */
const LOOK_MS = 5;
/** The system takes the memory of a killed process before it is gone. Milliseconds. */
const LOOK_FOR_MS = 2000;

/** What it had started itself goes with it. */
async function endOfGroup(child: ChildProcess): Promise<void> {
  if (!hasGroups) return;
  const end = performance.now() + LOOK_FOR_MS;
  while (killGroup(child) && performance.now() < end) await sleep(LOOK_MS);
}

/** When it is gone, and all that it has said has been read. */
function endOf(child: ChildProcess): Promise<Ending> {
  return new Promise((resolve) => {
    child.once('exit', () => killGroup(child));
    child.once('close', (exitCode, signal) => resolve({ exitCode, signal }));
  });
}
