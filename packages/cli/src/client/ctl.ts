/** What the commands of `threadwise ctl` do: JSON on standard output, and nothing else there. */
import { isRecord } from '../checks.js';
import { ExitCode, UsageError } from '../exit-code.js';
import { safeText } from '../format/text.js';
import type { Action, Change, ControlClient, PoolJson } from './client.js';
import { ControlError, notOurs } from './errors.js';
import { parseExposition } from './exposition.js';

/** A command's exit code; what it prints comes of one answer. */
type Ctl = (client: ControlClient, pool: string | undefined, options: CtlOptions) => Promise<number>;

const act =
  (action: Action): Ctl =>
  async (client, pool) =>
    printed(client.act(await whichPool(client, pool), action));

export const commands = {
  pools: (client) => printed(client.overview()),
  show: async (client, pool) => printed(client.pool(await whichPool(client, pool))),
  metrics,
  health: (client) => printed(client.health()),
  ready,
  async set(client, pool, options) {
    const change = changeOf(options);
    return printed(client.change(await whichPool(client, pool), change));
  },
  pause: act('pause'),
  resume: act('resume'),
  recycle: act('recycle'),
  drain,
  events,
} satisfies Record<string, Ctl>;

async function printed(answer: Promise<unknown>): Promise<number> {
  await printDocument(await answer);
  return ExitCode.ok;
}

async function metrics(client: ControlClient): Promise<number> {
  const text = await client.metrics();
  try {
    return await printed(Promise.resolve(parseExposition(text)));
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    throw notOurs(client.address, `its metrics cannot be read, ${safeText(error.message)}`);
  }
}

/** The answer is printed either way; the exit code and the message say what it means. */
async function ready(client: ControlClient): Promise<number> {
  const { isReady, answer } = await client.readiness();
  await printDocument(answer);
  if (isReady) return ExitCode.ok;
  const list = isRecord(answer) ? answer.pools : answer;
  const states = (Array.isArray(list) ? list : [])
    .filter((pool) => isRecord(pool) && pool.state !== 'open' && pool.state !== 'paused')
    .map(({ name, state }) => `${safeText(String(name))} is ${safeText(String(state))}`)
    .join(', ');
  throw new ControlError('ERR_NOT_READY', `Not ready${states === '' ? '' : `: ${states}`}.`);
}

/** One JSON value a line, until the program ends the stream, `count` events have come, or nobody reads any more. */
async function events(
  client: ControlClient,
  pool: string | undefined,
  { count = Number.POSITIVE_INFINITY }: CtlOptions,
): Promise<number> {
  let left = count;
  for await (const event of client.events(await whichPool(client, pool))) {
    // `| head` ends when it has enough.
    const isRead = await print(JSON.stringify(event));
    left -= 1;
    if (!isRead || left === 0) break;
  }
  return ExitCode.ok;
}

/** No new calls, and with --wait, until every accepted one has settled. */
async function drain(client: ControlClient, pool: string | undefined, { wait }: CtlOptions): Promise<number> {
  const draining = new Draining(client, await client.act(await whichPool(client, pool), 'drain'));
  try {
    if (wait === true) await draining.end();
  } finally {
    // Whatever came of it, scripts get the last that is known.
    await printDocument(draining.last);
  }
  return ExitCode.ok;
}

/** The options of all commands, as the command line has them: `events`, `drain`, and the others `set`. */
export interface CtlOptions extends RawChange {
  readonly count?: number;
  readonly wait?: boolean;
}

interface RawChange {
  readonly threads?: number | 'auto' | { readonly min: number; readonly max: number };
  readonly min?: number;
  readonly max?: number;
  readonly choose?: string;
  readonly placement?: string;
  readonly queueLimit?: number | 'none';
}

/** What is sent: only what was given. Throws UsageError. */
function changeOf({ threads, queueLimit, ...others }: RawChange): Change {
  const { min, max } = others;
  if (threads !== undefined && (min !== undefined || max !== undefined)) {
    throw new UsageError('--threads says it all: expected it, or --min and --max, and both came.');
  }
  if (min !== undefined && max !== undefined && min > max) {
    throw new UsageError(`Expected --min to be at most --max; ${min} and ${max} came.`);
  }
  const change: Change = {
    ...others,
    ...(typeof threads === 'object' ? threads : threads !== undefined && { threads }),
    ...(queueLimit !== undefined && { queueLimit: queueLimit === 'none' ? null : queueLimit }),
  };
  if (Object.keys(change).length > 0) return change;
  throw new UsageError(
    'Nothing to change: expected one or more of ' +
      '--threads, --min, --max, --choose, --placement, --queue-limit.',
  );
}

/** Which pool a command is about, where it may be left out. */
async function whichPool(client: ControlClient, given: string | undefined): Promise<string> {
  if (given !== undefined) return given;
  const { pools: all } = await client.overview();
  const [only, ...others] = all;
  if (only === undefined) throw new UsageError('The program has no pool at the moment.');
  if (others.length === 0) return only.name;
  const names = all.map(({ name }) => safeText(name)).join(', ');
  throw new UsageError(`Which pool? The program has ${all.length}: ${names}.`);
}

async function printDocument(value: unknown): Promise<void> {
  await print(JSON.stringify(value, null, 2));
}

/** Whether there is somebody who reads. Why it could not be written is told where standard output is listened to. */
function print(json: string): Promise<boolean> {
  // JSON escapes the control characters of ASCII by itself; terminals obey some beyond. The value is the same.
  const safe = json.replace(/[\u007f-\u009f\u2028\u2029]/g, (character) => {
    return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
  });
  return new Promise((resolve) => {
    process.stdout.write(`${safe}\n`, (error) => resolve(!error));
  });
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
