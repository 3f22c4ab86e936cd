/** The commands of `threadwise ctl`. They write JSON to standard output, and nothing else. */
import { isRecord } from '../checks.js';
import { ExitCode, UsageError } from '../exit-code.js';
import { safeText } from '../format/text.js';
import type { Threads } from '../run/option-values.js';
import type { Action, Change, ControlClient } from './client.js';
import { ControlError, notOurs } from './errors.js';
import { parseExposition } from './exposition.js';

/** Prints the answer as JSON. Throws if the command failed. */
type Ctl = (client: ControlClient, pool: string | undefined, options: CtlOptions) => Promise<unknown>;

const act =
  (action: Action): Ctl =>
  async (client, pool) =>
    show(await client.act(await whichPool(client, pool), action));

export const commands = {
  pools: async (client) => show(await client.overview()),
  show: async (client, pool) => show(await client.pool(await whichPool(client, pool))),
  metrics,
  health: async (client) => show(await client.health()),
  ready,
  async set(client, pool, options) {
    const change = changeOf(options);
    return show(await client.change(await whichPool(client, pool), change));
  },
  pause: act('pause'),
  resume: act('resume'),
  recycle: act('recycle'),
  drain,
  events,
} satisfies Record<string, Ctl>;

function show(value: unknown): Promise<boolean> {
  return print(JSON.stringify(value, null, 2));
}

async function metrics(client: ControlClient): Promise<void> {
  const text = await client.metrics();
  // A program without pools has metrics, too: those of its process.
  if (text.trim() === '') throw notOurs(client.address, 'expected metrics');
  try {
    await show(parseExposition(text));
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    throw notOurs(client.address, `its metrics cannot be read, ${safeText(error.message)}`);
  }
}

/** The answer is printed either way; the exit code and the message say what it means. */
async function ready(client: ControlClient): Promise<void> {
  const answer = await client.readiness();
  await show(answer);
  if (answer.ready === true) return;
  const states = answer.pools
    .filter(({ state }) => state !== 'open' && state !== 'paused')
    .map(({ name, state }) => `${safeText(String(name))} is ${safeText(String(state))}`)
    .join(', ');
  throw new ControlError(ExitCode.notReady, `Not ready${states === '' ? '' : `: ${states}`}.`);
}

/** Prints one JSON value a line, until the program ends the stream, `count` events have come, or nobody reads any more. */
async function events(
  client: ControlClient,
  pool: string | undefined,
  { count = Number.POSITIVE_INFINITY }: CtlOptions,
): Promise<void> {
  let left = count;
  for await (const event of client.events(await whichPool(client, pool))) {
    // A reader such as `head` closes the pipe when it has enough.
    const isRead = await print(JSON.stringify(event));
    left -= 1;
    if (!isRead || left === 0) return;
  }
}

/** The options of `events`, `drain` and `set`, as the argument parser gives them. */
interface CtlOptions extends Omit<Change, 'threads' | 'queueLimit'> {
  readonly count?: number;
  readonly wait?: boolean;
  readonly threads?: Threads;
  readonly queueLimit?: number | 'none';
}

/** The change to send: it has only the options that were given. Throws UsageError. */
function changeOf({ threads, queueLimit, ...others }: CtlOptions): Change {
  const { min, max } = others;
  if (threads !== undefined && (min !== undefined || max !== undefined)) {
    throw new UsageError('Expected --threads, or --min and --max, but both came.');
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

/** The given name, or that of the only pool. Throws UsageError if there is none, or more than one. */
async function whichPool(client: ControlClient, given: string | undefined): Promise<string> {
  if (given !== undefined) return given;
  const { pools: all } = await client.overview();
  const [only, ...others] = all;
  if (only === undefined) throw new UsageError('The program has no pool at the moment.');
  if (others.length === 0) return only.name;
  const names = all.map(({ name }) => safeText(name)).join(', ');
  throw new UsageError(`Which pool? The program has ${all.length}: ${names}.`);
}

/** Resolves to whether the write succeeded. The listener of standard output in main.ts reports why one failed. */
function print(json: string): Promise<boolean> {
  // JSON.stringify escapes control characters up to U+001F only; terminals obey others, too. The value stays the same.
  const safe = json.replace(/[\u007f-\u009f\u2028\u2029]/g, (character) => {
    return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
  });
  return new Promise((resolve) => {
    process.stdout.write(`${safe}\n`, (error) => resolve(!error));
  });
}

/** Refuses new calls. With --wait it waits until every accepted one has settled: the server tells once a second how many are open. */
async function drain(client: ControlClient, pool: string | undefined, { wait }: CtlOptions): Promise<void> {
  let last = await client.act(await whichPool(client, pool), 'drain');
  const name = safeText(last.name);
  try {
    if (wait === true && openOf(last) !== 0) await follow();
  } finally {
    // Scripts get the last state that is known, also after an error.
    await show(last);
  }

  async function follow(): Promise<void> {
    let isClosed = false;
    try {
      for await (const { event, data } of client.events(last.name)) {
        // The statistics that come after `pool:close` are the last ones.
        if (event === 'pool:close') isClosed = true;
        if (event !== 'stats') continue;
        if (!isRecord(data) || typeof openOf(data) !== 'number') {
          throw notOurs(client.address, 'expected the statistics of a pool');
        }
        last = { ...data, name: last.name };
        if (data.state === 'open' || data.state === 'paused') {
          const undone = `Somebody resumed ${name} while it drained: it is ${data.state}.`;
          throw new ControlError(ExitCode.failed, `${undone} ${told()}`);
        }
        if (openOf(last) === 0) return;
      }
    } catch (error) {
      if (!(error instanceof ControlError)) throw error;
      // The pool was closed between two requests, which settles every call.
      if (error.answerCode === 'ERR_POOL_CLOSED') return;
      const { exitCode, message } = error;
      const isLate = exitCode === ExitCode.timedOut;
      if (!isLate && exitCode !== ExitCode.unreachable) throw error;
      const rest = isLate ? " The pool goes on draining; 'ctl resume' undoes that." : '';
      throw new ControlError(exitCode, `${message} ${told()}${rest}`, error);
    }
    if (!isClosed) {
      throw new ControlError(ExitCode.unreachable, `The program ended the connection. ${told()}`);
    }
  }

  function told(): string {
    const open = openOf(last);
    return `At last ${open === 1 ? '1 call was' : `${open ?? '?'} calls were`} open in ${name}.`;
  }
}

function openOf({ tasks }: Readonly<Record<string, unknown>>): unknown {
  return isRecord(tasks) ? tasks.open : undefined;
}
