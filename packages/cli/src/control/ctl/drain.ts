/** `ctl drain`: no new calls, and with --wait, until every accepted one has settled. */

import { ExitCode } from '../../exit-code.js';
import { type ControlClient, isRecord, type PoolJson } from '../client.js';
import { ControlError } from '../control-error.js';
import { notOurs } from '../failures.js';
import { safeText } from '../text.js';
import { printDocument } from './print.js';
import { whichPool } from './which-pool.js';

export async function drain(
  client: ControlClient,
  given: string | undefined,
  { wait }: { readonly wait: boolean },
): Promise<number> {
  const name = await whichPool(client, given);
  const stats = await client.act(name, 'drain');
  if (!wait) {
    await printDocument(stats);
    return ExitCode.ok;
  }
  const waiting = new Waiting(client, stats);
  try {
    await waiting.end();
  } finally {
    // Whatever came of it, scripts get the last that is known.
    await printDocument(waiting.last);
  }
  return ExitCode.ok;
}

/** Follows the pool's events: the server tells once a second how many calls are open. */
class Waiting {
  last: PoolJson;
  readonly #client: ControlClient;

  constructor(client: ControlClient, stats: PoolJson) {
    this.#client = client;
    this.last = stats;
  }

  async end(): Promise<void> {
    try {
      if (this.#open() === 0 || (await this.#follow())) return;
    } catch (error) {
      if (!(error instanceof ControlError)) throw error;
      // Closed between two requests: that settles every call.
      if (error.answerCode === 'ERR_POOL_CLOSED') return;
      if (error.code === 'ERR_TIMEOUT') throw this.#late(error);
      throw error.code === 'ERR_UNREACHABLE' ? this.#lost(error.message, error) : error;
    }
    throw this.#lost('The program ended the connection.');
  }

  /** Whether it came to an end: no call is open, or the pool is closed. */
  async #follow(): Promise<boolean> {
    let isClosed = false;
    for await (const { event, data } of this.#client.events(this.last.name)) {
      // The statistics after it are the last ones.
      if (event === 'pool:close') isClosed = true;
      if (event !== 'stats') continue;
      this.last = this.#statsOf(data);
      const { state } = this.last;
      if (state === 'open' || state === 'paused') throw this.#undone(state);
      if (this.#open() === 0) return true;
    }
    return isClosed;
  }

  #statsOf(data: unknown): PoolJson {
    if (isRecord(data) && isRecord(data.tasks) && typeof data.tasks.open === 'number') {
      return { ...data, name: this.last.name };
    }
    throw notOurs(this.#client.address, 'expected the statistics of a pool');
  }

  #open(): unknown {
    return isRecord(this.last.tasks) ? this.last.tasks.open : undefined;
  }

  #told(): string {
    const open = this.#open();
    const calls = open === 1 ? '1 call was' : `${open ?? '?'} calls were`;
    return `At last ${calls} open in ${safeText(this.last.name)}.`;
  }

  #late(cause: ControlError): ControlError {
    const told = `${cause.message} ${this.#told()} The pool goes on draining; 'ctl resume' undoes that.`;
    return new ControlError('ERR_TIMEOUT', told, { cause });
  }

  #lost(message: string, cause?: ControlError): ControlError {
    return new ControlError('ERR_UNREACHABLE', `${message} ${this.#told()}`, { cause });
  }

  #undone(state: string): ControlError {
    const name = safeText(this.last.name);
    return new ControlError(
      'ERR_UNDONE',
      `Somebody resumed ${name} while it drained: it is ${state}. ${this.#told()}`,
    );
  }
}
