/**
 * Has each server of the app that listens on a port do so on the loopback interface only, and on a free port, whatever it asked for. So
 * nobody else can reach it, and several copies can run at once, beside the one that serves already.
 */
import http from 'node:http';
import https from 'node:https';
import net from 'node:net';

const LOOPBACK = '127.0.0.1';

/** The classes of node:http2, which it does not export. */
const HTTP2_SERVERS: ReadonlySet<string> = new Set(['Http2Server', 'Http2SecureServer']);

type ListenArguments = readonly unknown[];

interface Wish {
  readonly port: number;
  readonly options: net.ListenOptions;
  readonly callback: (() => void) | undefined;
}

export class Listening {
  readonly #asked = new WeakSet<net.Server>();
  #found!: (origin: string) => void;
  /** Resolves as soon as a server listens. */
  readonly origin = new Promise<string>((resolve) => {
    this.#found = resolve;
  });
  /** Ports that the app asked for, other than the wanted one. */
  readonly others: number[] = [];
  /** Whether a wanted server listens, or is about to. */
  isExpected = false;
  /** Whether a wanted server speaks HTTP/2, which the load generator does not. */
  hasHttp2 = false;

  /** Replaces `listen` in this process from now on. @param wanted the port of the server to measure; undefined: any */
  constructor(wanted: number | undefined) {
    const { prototype } = net.Server as { prototype: { listen: (...args: ListenArguments) => net.Server } };
    const original = prototype.listen;
    const asked = (server: net.Server, args: ListenArguments): net.Server => {
      const wish = wishOf(args);
      if (wish === undefined) return original.apply(server, [...args]);
      const { port, options, callback } = wish;
      if (this.#asked.has(server)) return again(server, callback);
      this.#asked.add(server);
      this.#note(server, port, wanted === undefined || port === wanted);
      return original.call(server, { ...options, port: 0, host: LOOPBACK }, callback);
    };
    prototype.listen = function listen(this: net.Server, ...args) {
      return asked(this, args);
    };
  }

  #note(server: net.Server, wished: number, isWanted: boolean): void {
    const isHttps = server instanceof https.Server;
    const isHttp2 = HTTP2_SERVERS.has(server.constructor.name);
    if (!isHttps && !isHttp2 && !(server instanceof http.Server)) return;
    if (!isWanted) this.others.push(wished);
    else if (isHttp2) this.hasHttp2 = true;
    else this.isExpected = true;
    server.once('listening', () => {
      const { port } = server.address() as net.AddressInfo;
      if (isWanted && !isHttp2) this.#found(`${isHttps ? 'https' : 'http'}://${LOOPBACK}:${port}`);
      // Other servers do not keep the process alive, so that an app which has nothing else to do is noticed.
      else server.unref();
    });
  }
}

/** Answers another `listen` of the same server: an app may export its server and let it listen as well. */
function again(server: net.Server, callback: Wish['callback']): net.Server {
  if (callback !== undefined) {
    if (server.listening) queueMicrotask(callback);
    else server.once('listening', callback);
  }
  return server;
}

/** Undefined if the server is not for a port, but for a socket file, a pipe, or something that is open already. */
function wishOf(args: ListenArguments): Wish | undefined {
  const [first, ...rest] = args;
  const callback = args.find((each) => typeof each === 'function') as Wish['callback'];
  if (typeof first === 'object' && first !== null) {
    if (['path', 'fd', '_handle'].some((name) => name in first)) return undefined;
    const { host: _, ipv6Only: __, ...options } = first as net.ListenOptions;
    return { port: Number(options.port ?? 0), options, callback };
  }
  if (typeof first === 'string' && Number.isNaN(Number(first))) return undefined;
  const backlog = rest.find((each) => typeof each === 'number');
  const port = typeof first === 'function' ? 0 : Number(first ?? 0);
  return { port, options: backlog === undefined ? {} : { backlog }, callback };
}
