/** Tells the person at the terminal where the server is, once. */
import type { ControlServer } from './server.js';

/** Writes one line, with the address and the token, to standard error: a link that opens the dashboard with the token. */
export function announce({ url, token }: Pick<ControlServer, 'url' | 'token'>): void {
  process.stderr.write(`threadwise control: ${url}/#token=${encodeURIComponent(token)}\n`);
}
