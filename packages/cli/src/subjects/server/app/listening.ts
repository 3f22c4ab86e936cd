/** Makes each server that listens on a port do so on the loopback interface and a free port: nobody else can reach it, and copies can run at once. */
import { errorMonitor, once } from 'node:events';
import http from 'node:http';
import https from 'node:https';
import net from 'node:net';

const LOOPBACK = '127.0.0.1';

/** The classes of node:http2, which it does not export. */
const HTTP2_SERVERS: ReadonlySet<string> = new Set(['Http2Server', 'Http2SecureServer']);

type ListenArguments = unknown[];

export type Listening = ReturnType<typeof listenOnLoopback>;

/** Replaces `listen` in this process from now on. @param wanted the port of the server to measure; undefined: any */
export function listenOnLoopback(wanted: number | undefined) {
  /** The ports of all servers that have listened: one that is closed and listens again gets its port again. 0: it is about to listen. */
  const ports = new WeakMap<net.Server, number>();
  let found!: (server: net.Server) => void;
  const first = new Promise<net.Server>((resolve) => {
    found = resolve;
  });
  const listening = {
    /** Resolves as soon as a wanted server listens; if that was closed meanwhile, as soon as it listens again. */
    async origin(): Promise<string> {
      const server = await first;
      if (!server.listening) await once(server, 'listening');
      return `${server instanceof https.Server ? 'https' : 'http'}://${LOOPBACK}:${ports.get(server)}`;
    },
    /** Ports that the app asked for, other than the wanted one. */
    others: [] as number[],
    /** Whether a wanted server listens, or is about to. */
    isExpected: false,
    /** How a server listens that does not speak what the load generator does: `on port 9000`. */
    foreign: undefined as string | undefined,
    /** The servers that listen on something else than a port, such as a socket file. */
    elsewhere: [] as net.Server[],
  };
  const { prototype } = net.Server as { prototype: { listen: (...args: ListenArguments) => net.Server } };
  const original = prototype.listen;
  prototype.listen = function listen(this: net.Server, ...args) {
    const wish = wishOf(args);
    if (wish === undefined) {
      if (this instanceof http.Server || this instanceof https.Server) listening.elsewhere.push(this.unref());
      return original.apply(this, args);
    }
    const { port: wished, options, callback } = wish;
    const port = ports.get(this);
    // An app may export its server and let it listen as well.
    if (this.listening || port === 0) {
      if (callback !== undefined && this.listening) queueMicrotask(callback);
      else if (callback !== undefined) this.once('listening', callback);
      return this;
    }
    ports.set(this, 0);
    note(this, wished);
    return original.call(this, { ...options, port: port ?? 0, host: LOOPBACK }, callback);
  };
  return listening;

  function note(server: net.Server, wished: number): void {
    const isWanted = wanted === undefined || wished === wanted;
    const isHttp = server instanceof https.Server || server instanceof http.Server;
    if (isHttp && isWanted) listening.isExpected = true;
    else if (isHttp) listening.others.push(wished);
    const events: NodeJS.EventEmitter = server;
    const listens = (): void => {
      events.off(errorMonitor, fails);
      const { port } = server.address() as net.AddressInfo;
      ports.set(server, port);
      if (isHttp && isWanted) return found(server);
      // Other servers do not keep the process alive, so that an app which has nothing else to do is noticed.
      server.unref();
      const isHttp2 = HTTP2_SERVERS.has(server.constructor.name);
      if (!isHttp)
        listening.foreign = isHttp2 ? 'with node:http2' : `on port ${wished || port} without node:http`;
    };
    const fails = (): void => {
      events.off('listening', listens);
      ports.delete(server);
    };
    events.once('listening', listens).once(errorMonitor, fails);
  }
}

/** Undefined if the server is not for a port, but for a socket file, a pipe, or something that is open already. */
function wishOf(args: ListenArguments) {
  const [first, ...rest] = args;
  const callback = args.find((each) => typeof each === 'function') as (() => void) | undefined;
  if (typeof first === 'object' && first !== null) {
    const { host: _, ipv6Only: __, ...options }: net.ListenOptions & { fd?: unknown } = first;
    if ('_handle' in first || typeof options.fd === 'number') return undefined;
    // Node.js listens on the port where both are given, and so does this; `path` may be there and undefined.
    if ('path' in first && !('port' in first)) return undefined;
    return { port: Number(options.port ?? 0), options, callback };
  }
  if (typeof first === 'string' && Number.isNaN(Number(first))) return undefined;
  const backlog = rest.find((each) => typeof each === 'number');
  const port = typeof first === 'function' ? 0 : Number(first ?? 0);
  return { port, options: backlog === undefined ? {} : { backlog }, callback };
}
