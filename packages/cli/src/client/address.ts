/** Reads the address of a program's control server from the command line or from the environment. */

import { UsageError } from '../exit-code.js';

const EXPECTED =
  'Expected where the program listens: a port (9000, :9000), host:port (localhost:9000), ' +
  'or a URL (http://127.0.0.1:9000).';
/** A server that listens on all interfaces can be reached on the loopback one. */
const ANY_HOST: Readonly<Record<string, string>> = { '0.0.0.0': '127.0.0.1', '[::]': '[::1]' };

/** The server's address, ending in a slash: a path is kept, for servers behind a proxy. Throws UsageError. */
export function parseAddress(text: string): URL {
  const url = urlOf(text.trim());
  if (url === undefined || url.hostname === '') throw unusable(text, EXPECTED);
  if (url.protocol !== 'http:' && url.protocol !== 'https:') throw unusable(text, 'Expected http or https.');
  if (url.username !== '' || url.password !== '') {
    url.password = '';
    throw unusable(url.href, 'Expected no user and password in it; a token goes by --token.');
  }
  url.hostname = ANY_HOST[url.hostname] ?? url.hostname;
  url.search = '';
  url.hash = '';
  if (!url.pathname.endsWith('/')) url.pathname += '/';
  return url;
}

/** The address that THREADWISE_CONTROL names: the same variable with which the program was started. */
export function addressFrom(env: NodeJS.ProcessEnv): URL {
  const text = env.THREADWISE_CONTROL?.trim() ?? '';
  if (text === '') {
    throw new UsageError(
      `Which program? ${EXPECTED} Without an argument, the command ` +
        'takes the address from the environment variable THREADWISE_CONTROL, which is not set.',
    );
  }
  try {
    return parseAddress(text);
  } catch (error) {
    throw error instanceof UsageError ? new UsageError(`THREADWISE_CONTROL: ${error.message}`) : error;
  }
}

export const TOKEN_VARIABLE = 'THREADWISE_CONTROL_TOKEN';

/** The address as messages show it. */
export function shown(url: URL): string {
  return url.href.replace(/\/$/, '');
}

function urlOf(text: string): URL | undefined {
  const port = /^:?(\d+)$/.exec(text)?.[1];
  // Port 0 is for listening: nobody answers there.
  if (port !== undefined) return Number(port) === 0 ? undefined : parsed(`http://127.0.0.1:${port}`);
  if (/^[a-z][a-z\d+.-]*:\/\//i.test(text)) return parsed(text);
  // A name without a port is more likely a mistyped command than a server on port 80.
  return /:\d+(\/|$)/.test(text) ? parsed(`http://${text}`) : undefined;
}

function parsed(text: string): URL | undefined {
  return URL.canParse(text) ? new URL(text) : undefined;
}

function unusable(text: string, expected: string): UsageError {
  return new UsageError(`'${text}' is no address. ${expected}`);
}
