/** Starts the server from an environment variable, for a program that does not call `serveControl`. It never makes the program fail. */
import type { ControllablePool } from './controllable-pool.js';
import { ControlError, show } from './errors.js';
import { portNumber } from './options.js';
import { type ControlServer, serveControl } from './server.js';

const FORMS = "'port', 'host:port' or '[address]:port'";

/** Writes one line to standard error: a link that opens the dashboard with the token. */
export function announce({ url, token }: Pick<ControlServer, 'url' | 'token'>): void {
  say(`${url}/#token=${encodeURIComponent(token)}`);
}

/** Ignores that nobody reads standard error, or that its disk is full: an error of the stream that nobody listens to would end the program. */
function say(where: string): void {
  const { stderr } = process;
  const ignore = () => undefined;
  stderr.on('error', ignore);
  // The stream emits the error after it has called back.
  stderr.write(`threadwise control: ${where}\n`, () => setImmediate(() => stderr.off('error', ignore)));
}

/**
 * Starts a server on the address in `value`, the text of THREADWISE_CONTROL: `9464`, `0.0.0.0:9464`, `[::1]:9464`. The token
 * is THREADWISE_CONTROL_TOKEN; without it a random token, which is written to standard error. Never rejects: an error becomes
 * a process warning, and the result is undefined.
 */
export async function serveFromEnvironment(
  pools: Iterable<ControllablePool>,
  value: string,
): Promise<ControlServer | undefined> {
  const token = process.env.THREADWISE_CONTROL_TOKEN || undefined;
  try {
    const server = await serveControl(pools, { ...parseAddress(value), ...(token && { token }) });
    if (token === undefined) announce(server);
    else say(server.url);
    return server;
  } catch (error) {
    const { message, code = 'ERR_CONTROL_LISTEN' } = error as Partial<ControlError> & Error;
    process.emitWarning(`THREADWISE_CONTROL=${value}: ${message}`, { type: 'ThreadwiseWarning', code });
    return undefined;
  }
}

function parseAddress(value: string): { host?: string; port: number } {
  const match = /^(?:(?:\[([^\]]+)\]|([^:[\]\s]+)):)?(\d+)$/.exec(String(value).trim());
  if (match === null) throw new ControlError('ERR_CONTROL_OPTION', `Expected ${FORMS}, got ${show(value)}`);
  const host = match[1] ?? match[2];
  const port = portNumber('port', Number(match[3]));
  return host === undefined ? { port } : { host, port };
}
