/** The server: connects its parts and listens. It never keeps the process alive, and it closes at once. */
import { once } from 'node:events';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { bracketed, isLoopback } from './addresses.js';
import { buildApp } from './app.js';
import type { ControllablePool } from './controllable-pool.js';
import { directoryOf } from './directory.js';
import { ControlError } from './errors.js';
import { observeFleets } from './fleets.js';
import { makeGuard } from './guard.js';
import { LIMITS, type Limits } from './limits.js';
import { type ControlOptions, checkPools, type ResolvedOptions, resolveOptions } from './options.js';
import { keepHistories } from './pool-histories.js';
import { dashboard } from './routes/dashboard.js';
import { observe } from './routes/observe.js';
import { steer } from './routes/steer.js';
import { openStreams } from './streams/event-streams.js';

export interface ControlServer {
  /** The address, without a slash at the end: `http://127.0.0.1:9464`. */
  readonly url: string;
  /** What a client must send as `Authorization: Bearer <token>`. */
  readonly token: string;
  /** Closes the server and all its connections at once. The pools run on. */
  close(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}

/**
 * Serves a dashboard, an HTTP interface and metrics of pools. Rejects with a ControlError.
 * @param pools an array or a set, which may change while the server runs
 */
export function serveControl(
  pools: Iterable<ControllablePool>,
  options: ControlOptions = {},
): Promise<ControlServer> {
  return startServer(pools, options, LIMITS);
}

/** Does the same with other limits: for tests. */
export async function startServer(
  pools: Iterable<ControllablePool>,
  given: ControlOptions,
  limits: Limits,
): Promise<ControlServer> {
  const directory = directoryOf('pool', checkPools(pools), ({ name }) => name);
  const options = resolveOptions(given);
  const histories = keepHistories(directory, options.historyMs, limits);
  const streams = openStreams(limits, histories);
  const fleets = observeFleets(options.fleets, limits);
  const handlers = {
    ...dashboard(),
    ...observe(directory, fleets, streams, histories),
    ...steer(directory),
  };
  const app = await buildApp(handlers, makeGuard(options), limits);
  const port = await listen(app.server, options);
  histories.begin();
  let closed: Promise<void> | undefined;
  const close = () => {
    histories.close();
    closed ??= closeServer(app.server).then(() => app.close());
    return closed;
  };
  const url = `http://${bracketed(options.host)}:${port}`;
  return { url, token: options.token, close, [Symbol.asyncDispose]: close };
}

/** Returns the port in use. */
async function listen(server: Server, options: ResolvedOptions): Promise<number> {
  // Exclusive: a cluster would give one address to all of its processes, each with pools and a token of its own.
  server.listen({ port: options.port, host: options.host, exclusive: true });
  await once(server, 'listening').catch((error: NodeJS.ErrnoException) => {
    throw listenError(error, options);
  });
  // An 'error' event without a listener would end the program.
  server.on('error', ({ message }) => process.emitWarning(`Control server: ${message}`, 'ThreadwiseWarning'));
  server.unref();
  const { address, port } = server.address() as AddressInfo;
  if (!options.isLocal || isLoopback(address)) return port;
  await closeServer(server);
  throw notLocal(options, address);
}

async function closeServer(server: Server): Promise<void> {
  const closed = new Promise((resolve) => server.close(resolve));
  server.closeAllConnections();
  await closed;
}

function listenError(error: NodeJS.ErrnoException, { host, port }: ResolvedOptions): ControlError {
  const goesOn = 'There is no control server; the pools run on';
  if (error.code === 'EADDRINUSE') {
    const message = `Port ${port} of ${host} is taken. ${goesOn}. Give another port, or 0 for any that is free`;
    return new ControlError('ERR_CONTROL_PORT', message, { cause: error });
  }
  const message = `Cannot listen on port ${port} of ${host}: ${error.message}. ${goesOn}`;
  return new ControlError('ERR_CONTROL_LISTEN', message, { cause: error });
}

/** The error if the name `localhost` resolves to an address that other machines can reach. */
function notLocal({ host }: ResolvedOptions, address: string): ControlError {
  const message = `Option 'host': '${host}' is ${address} here, which others can reach: give '127.0.0.1', or '${address}' and a token`;
  return new ControlError('ERR_CONTROL_TOKEN_REQUIRED', message);
}
