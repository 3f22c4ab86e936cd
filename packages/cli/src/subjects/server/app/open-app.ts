/** Loads the user's app and lets it listen, whichever way it wants to. */
import cluster from 'node:cluster';
import { once } from 'node:events';
import http from 'node:http';
import net from 'node:net';
import { basename } from 'node:path';
import { setImmediate as turn, setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { exportsOf, importModule, type ModuleNamespace } from '../../../run/work/task-module.js';
import { UsageError } from '../../../exit-code.js';
import { didYouMean } from '../../did-you-mean.js';
import { type Listening, listenOnLoopback } from './listening.js';
import { installOffload } from './offload.js';
import type { AppOpened, AppSetup } from './process.js';

/** Throws UsageError if the app will never listen; an error of the module itself comes out as it is. */
export async function openApp(setup: AppSetup): Promise<AppOpened> {
  const listening = listenOnLoopback(setup.port);
  await installOffload(setup);
  const path = fileURLToPath(setup.module);
  process.argv = [process.execPath, path, ...setup.args];
  let exported: ModuleNamespace = {};
  const open = async (): Promise<AppOpened> => {
    exported = await importModule(setup.module);
    // An app that listens now does so by itself.
    await turn();
    const form = listening.isExpected ? 'listens' : await start(chosen(exported, setup), listening);
    return { origin: await listening.origin(), form };
  };
  const fail = (what: string): never => {
    const why = whyNever(what, setup, listening, exported);
    // The end of the process would leave a socket file.
    for (const server of listening.elsewhere) server.close();
    throw new UsageError(why);
  };
  const late = `let no server of Node.js listen on a port within ${Math.round(setup.limitMs / 1000)} s`;
  try {
    return await Promise.race([
      open(),
      nothingLeftToDo().then(() => fail('listens on no port')),
      sleep(setup.limitMs, undefined, { ref: false }).then(() => fail(late)),
    ]);
  } finally {
    process.channel?.ref();
  }
}

/** Resolves when the process waits for nothing but the command: never in one of a cluster, which waits for the primary one the same way. */
async function nothingLeftToDo(): Promise<void> {
  if (cluster.isWorker) return new Promise(() => {});
  process.channel?.unref();
  await once(process, 'beforeExit');
  process.channel?.ref();
}

/** @param what what the app did, such as `listens on no port` */
function whyNever(what: string, setup: AppSetup, listening: Listening, exported: ModuleNamespace) {
  const { module, port, export: given } = setup;
  const { others, foreign, elsewhere } = listening;
  const file = basename(fileURLToPath(module));
  if (port !== undefined && others.length > 0) {
    return `--port: expected one that it listens on, which is ${others.join(', ')}, got ${port}`;
  }
  if (foreign !== undefined) {
    return `${file} listens ${foreign}, and the load speaks HTTP/1.1. Expected a server of node:http or node:https: export one with the same handlers for the measurement`;
  }
  const path = elsewhere.map((server) => server.address()).find((address) => typeof address === 'string');
  if (path !== undefined) {
    return `${file} listens on '${path}', and the load needs a port. Expected an app that listens on one, or that exports the server and does not let it listen`;
  }
  const example = Object.entries(exportsOf(exported)).find(
    ([name, value]) => typeof value === 'function' && !['default', 'module.exports', given].includes(name),
  );
  const hint = example === undefined ? '' : `, or name what makes one: ${file}#${example[0]}`;
  const gives = given === undefined ? 'exports' : `'${given}' gives`;
  return `${file} ${what}, and ${gives} no server and no request listener; ${exportsInWords(exported)}. Expected a default export such as (request, response) => …, a server${hint}`;
}

const MOST_FACTORIES = 3; // how many times a factory may return another factory

async function start(given: Usable | undefined, listening: Listening): Promise<AppOpened['form']> {
  let usable = given;
  for (let made = 0; usable?.kind === 'factory' && made < MOST_FACTORIES; made++) {
    const value = await usable.start();
    await turn();
    if (listening.isExpected) return 'listens';
    usable = usableOf(value, true);
  }
  // The app may still begin to listen by itself; nothing else can be done.
  if (usable === undefined || usable.kind === 'factory') return 'listens';
  await usable.start();
  return usable.kind;
}

/** The exports that are looked at, in this order; those that are listeners, with any parameters. */
const NAMES = ['default', 'listener', 'handler', 'server', 'app'];
const LISTENER_NAMES = ['listener', 'handler'];

/** The named export, else the first of NAMES that can serve, else the only export that can. */
function chosen(namespace: ModuleNamespace, { export: name, module }: AppSetup): Usable | undefined {
  const exported = exportsOf(namespace);
  const usable = (of: string) => usableOf(exported[of], LISTENER_NAMES.includes(of));
  if (name === undefined) {
    const usual = NAMES.map(usable).find((each) => each !== undefined);
    const all = Object.values(exported).flatMap((value) => usableOf(value) ?? []);
    return usual ?? (all.length === 1 ? all[0] : undefined);
  }
  const file = basename(fileURLToPath(module));
  if (!Object.hasOwn(exported, name)) {
    const hint = didYouMean(name, Object.keys(exported));
    throw new UsageError(
      `${file} has no export '${name}'; ${exportsInWords(namespace) + (hint && `.${hint}`)}`,
    );
  }
  const named = usable(name);
  if (named !== undefined) return named;
  const expected = 'no server, no request listener, and no function that makes one';
  throw new UsageError(`'${name}' of ${file} is ${expected}`);
}

/** A factory returns another value to look at when it is started; a listener or a server listens then. */
interface Usable {
  readonly kind: 'listener' | 'server' | 'factory';
  readonly start: () => unknown;
}

type AnyFunction = (...args: unknown[]) => unknown;

/** @param isListener whether a function is a listener, because a factory has made it, or by its name */
function usableOf(value: unknown, isListener = false): Usable | undefined {
  if (typeof value === 'object' && value !== null) {
    const start = starterOf(value);
    return start && { kind: 'server', start };
  }
  if (typeof value !== 'function') return undefined;
  // An Express app is a function that has `listen`; a listener has two parameters, `(request, response)`.
  if (isListener || 'listen' in value || value.length >= 2) {
    return { kind: 'listener', start: () => serveWith(value) };
  }
  const isClass = /^class\b/.test(Function.prototype.toString.call(value));
  return isClass ? undefined : { kind: 'factory', start: () => (value as AnyFunction)() };
}

function starterOf(value: object): (() => unknown) | undefined {
  const methods = value as Record<string, AnyFunction>;
  const has = (name: string): boolean => typeof methods[name] === 'function';
  if (value instanceof net.Server) return () => value.listening || value.listen(0);
  // Fastify.
  if (has('ready') && has('listen')) return () => methods.listen!({ port: 0, host: '127.0.0.1' });
  // Koa.
  if (has('callback')) return () => serveWith(methods.callback!());
  // hapi.
  if (has('start') && 'listener' in value) return () => methods.start!();
  return has('listen') ? () => methods.listen!(0) : undefined;
}

function serveWith(listener: unknown): http.Server {
  return http.createServer(listener as http.RequestListener).listen(0);
}

/** What a module exports, for messages: `it exports build, VERSION`. */
function exportsInWords(namespace: ModuleNamespace): string {
  const names = Object.keys(namespace).filter((name) => name !== 'module.exports' && name !== '__esModule');
  return names.length === 0 ? 'it exports nothing' : `it exports ${names.join(', ')}`;
}
