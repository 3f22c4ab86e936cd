/** The server by an environment variable, for a program that knows nothing of it: never a reason for it to fail. */
import type { ControllablePool } from './controllable-pool.js';
import { ControlError, show } from './errors.js';
import { portNumber } from './options.js';
import { type ControlServer, serveControl } from './server.js';

const FORMS = "'port', 'host:port' or '[address]:port'";

/** Writes one line, with the address and the token, to standard error: a link that opens the dashboard with the token. */
export function announce({ url, token }: Pick<ControlServer, 'url' | 'token'>): void {
  process.stderr.write(`threadwise control: ${url}/#token=${encodeURIComponent(token)}\n`);
}

/**
 * Serves as `value`, of THREADWISE_CONTROL, says: `9464`, `0.0.0.0:9464`, `[::1]:9464`. The token is that of
 * THREADWISE_CONTROL_TOKEN, or a random one, which is written to standard error. Never rejects: what goes wrong becomes a
 * process warning, and the program runs on.
 */
export async function serveFromEnvironment(
  pools: Iterable<ControllablePool>,
  value: string,
): Promise<ControlServer | undefined> {
  const token = process.env.THREADWISE_CONTROL_TOKEN || undefined;
  try {
    const server = await serveControl(pools, { ...parseAddress(value), ...(token && { token }) });
    if (token === undefined) announce(server);
    else process.stderr.write(`threadwise control: ${server.url}\n`);
    return server;
  } catch (error) {
    const { message, code = 'ERR_CONTROL_LISTEN' } = error as Partial<ControlError> & Error;
    process.emitWarning(`THREADWISE_CONTROL=${value}: ${message}`, { type: 'ThreadwiseWarning', code });
    return undefined;
  }
}

function parseAddress(value: string): { host?: string; port: number } {
  const match = /^(?:(?:\[([^\]]+)\]|([^:[\]\s]+)):)?(\d+)$/.exec(value.trim());
  if (match === null) throw new ControlError('ERR_CONTROL_OPTION', `Expected ${FORMS}, got ${show(value)}`);
  const host = match[1] ?? match[2];
  const port = portNumber('port', Number(match[3]));
  return host === undefined ? { port } : { host, port };
}
