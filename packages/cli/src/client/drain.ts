/** `ctl drain`: no new calls, and with --wait, until every accepted one has settled. */

import { isRecord } from '../checks.js';
import { ExitCode } from '../exit-code.js';
import { safeText } from '../format/text.js';
import type { ControlClient, PoolJson } from './client.js';
import { printDocument, whichPool } from './ctl.js';
import { ControlError, notOurs } from './errors.js';

export async function drain(
  client: ControlClient,
  given: string | undefined,
  { wait = false }: { readonly wait?: boolean },
): Promise<number> {
  const name = await whichPool(client, given);
  const draining = new Draining(client, await client.act(name, 'drain'));
  try {
    if (wait) await draining.end();
  } finally {
    // Whatever came of it, scripts get the last that is known.
    await printDocument(draining.last);
  }
  return ExitCode.ok;
}

/** Follows the pool's events: the server tells once a second how many calls are open. */
class Draining {
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
      if (error.code === 'ERR_TIMEOUT') {
        const rest = "The pool goes on draining; 'ctl resume' undoes that.";
        throw new ControlError('ERR_TIMEOUT', `${error.message} ${this.#told()} ${rest}`, { cause: error });
      }
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
      const { name } = this.last;
      if (!isRecord(data) || !isRecord(data.tasks) || typeof data.tasks.open !== 'number') {
        throw notOurs(this.#client.address, 'expected the statistics of a pool');
      }
      this.last = { ...data, name };
      if (data.state === 'open' || data.state === 'paused') {
        const told = `Somebody resumed ${safeText(name)} while it drained: it is ${data.state}.`;
        throw new ControlError('ERR_UNDONE', `${told} ${this.#told()}`);
      }
      if (this.#open() === 0) return true;
    }
    return isClosed;
  }

  #open(): unknown {
    return isRecord(this.last.tasks) ? this.last.tasks.open : undefined;
  }

  #told(): string {
    const open = this.#open();
    const calls = open === 1 ? '1 call was' : `${open ?? '?'} calls were`;
    return `At last ${calls} open in ${safeText(this.last.name)}.`;
  }

  #lost(message: string, cause?: ControlError): ControlError {
    return new ControlError('ERR_UNREACHABLE', `${message} ${this.#told()}`, { cause });
  }
}
