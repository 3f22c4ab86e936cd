/** Access control: checks the Host, the Origin and the token of every request before anything else in it. */
import type { IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { ownHosts } from './addresses.js';
import { RequestError, show } from './errors.js';
import type { ResolvedOptions } from './options.js';
import { tokenCheck } from './token.js';

/** What a request needs: 'open' no token; 'read' a token if other machines can reach the server; 'change' always a token. */
export type Access = 'open' | 'read' | 'change';

export type Guard = ReturnType<typeof makeGuard>;

/** Returns the check of a request. */
export function makeGuard({ host: ownHost, allowedHosts, isLocal, token }: ResolvedOptions) {
  const accepts = tokenCheck(token);
  return check;

  /** Throws a RequestError: 400, 403 or 401. @param place where this server listens, for its Host names */
  function check(access: Access, headers: IncomingHttpHeaders, place: AddressInfo): void {
    const { host, origin, authorization } = headers;
    if (host === undefined)
      throw new RequestError(
        'ERR_CONTROL_REQUEST',
        "The header 'Host' is missing: send this server's host and port",
      );
    checkHost(host, place);
    checkOrigin(origin, host);
    const isFree = access === 'open' || (access === 'read' && isLocal);
    if (isFree || accepts(authorization)) return;
    const what = authorization === undefined ? 'A token is needed' : 'The token is not the right one';
    const message = `${what}: send 'Authorization: Bearer <token>'`;
    throw new RequestError('ERR_CONTROL_TOKEN', message, { 'www-authenticate': 'Bearer' });
  }

  /** Against DNS rebinding: another site can point its name at this server, but the browser still sends that name as the Host. */
  function checkHost(host: string, { address, port }: AddressInfo): void {
    // Made anew each time: if the server listens on all addresses, the machine may have got a new one since.
    const own = ownHosts(ownHost, address, port);
    if (own.has(host.toLowerCase()) || isAllowed(host)) return;
    const names = [...own, ...allowedHosts].join(', ');
    const message = `Host ${show(host)} is not one of this server's: ${names}. See the option 'allowedHosts'`;
    throw new RequestError('ERR_CONTROL_HOST', message);
  }

  /** A browser sends the origin of the page; a program that is no browser sends none. */
  function checkOrigin(origin: string | undefined, host: string): void {
    if (origin === undefined) return;
    // A proxy in front of this server may speak TLS.
    const protocols = isAllowed(host) ? ['http', 'https'] : ['http'];
    if (protocols.some((protocol) => isOrigin(origin.toLowerCase(), `${protocol}://${host.toLowerCase()}`)))
      return;
    throw new RequestError('ERR_CONTROL_ORIGIN', `Origin ${show(origin)} is not this server's`);
  }

  function isAllowed(host: string): boolean {
    return allowedHosts.includes(host.toLowerCase());
  }
}

/** A proxy may add the protocol's usual port to the Host (`box:443`), and a browser leaves it out of the Origin. */
function isOrigin(origin: string, url: string): boolean {
  return origin === url || (URL.canParse(url) && origin === new URL(url).origin);
}
