/** `ctl pools`, `show`, `metrics`, `health`, `ready`: they ask and change nothing. */

import { ExitCode } from '../../exit-code.js';
import { type ControlClient, isRecord } from '../client.js';
import { ControlError } from '../control-error.js';
import { parseExposition } from '../exposition.js';
import { notOurs } from '../failures.js';
import { safeText } from '../text.js';
import { printDocument } from './print.js';
import { whichPool } from './which-pool.js';

export async function pools(client: ControlClient): Promise<number> {
  await printDocument(await client.overview());
  return ExitCode.ok;
}

export async function show(client: ControlClient, pool: string | undefined): Promise<number> {
  await printDocument(await client.pool(await whichPool(client, pool)));
  return ExitCode.ok;
}

export async function metrics(client: ControlClient): Promise<number> {
  await printDocument(familiesOf(client, await client.metrics()));
  return ExitCode.ok;
}

export async function health(client: ControlClient): Promise<number> {
  await printDocument(await client.health());
  return ExitCode.ok;
}

/** The answer is printed either way; the exit code and the message say what it means. */
export async function ready(client: ControlClient): Promise<number> {
  const { isReady, answer } = await client.readiness();
  await printDocument(answer);
  if (isReady) return ExitCode.ok;
  const states = statesOf(answer);
  throw new ControlError('ERR_NOT_READY', `Not ready${states === '' ? '' : `: ${states}`}.`);
}

function familiesOf(client: ControlClient, text: string): unknown {
  try {
    return parseExposition(text);
  } catch (error) {
    throw notOurs(client.address, `its metrics cannot be read, ${safeText((error as SyntaxError).message)}`);
  }
}

/** The pools that are neither open nor paused. */
function statesOf(answer: unknown): string {
  const list = isRecord(answer) ? answer.pools : answer;
  if (!Array.isArray(list)) return '';
  return list
    .filter((pool) => isRecord(pool) && pool.state !== 'open' && pool.state !== 'paused')
    .map(({ name, state }) => `${safeText(String(name))} is ${safeText(String(state))}`)
    .join(', ');
}
