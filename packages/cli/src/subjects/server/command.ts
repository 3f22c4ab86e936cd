/** `threadwise analyze server`: its arguments, options and help, and what they resolve to. */
import { readFileSync, realpathSync } from 'node:fs';
import { validateHeaderName, validateHeaderValue } from 'node:http';
import { fileURLToPath, pathToFileURL } from 'node:url';
import type { Command } from 'commander';
import { named } from '../../disk/file-id.js';
import { parseWhole } from '../../run/option-values.js';
import { findModule, moduleFile } from '../../run/work/task-module.js';
import { UsageError } from '../../exit-code.js';
import { attempt } from '../../system-error.js';
import {
  addMeasuring,
  addOutputs,
  budgetOf,
  EXIT_CODES,
  parseCount,
  parseWorkers,
  reportingOf,
} from '../subject.js';
import type { RawOptions } from '../subject.js';
import type { RequestPlan } from './measure/answers.js';
import type { OffloadTarget, ServerPlan } from './measure/measure.js';

interface RawServerOptions extends RawOptions {
  readonly port?: number;
  readonly route?: readonly string[];
  readonly routes?: readonly string[];
  readonly header?: readonly string[];
  readonly body?: string;
  readonly offload?: readonly string[];
  readonly against?: readonly string[];
  readonly connections?: number;
  readonly processes?: number;
}

export function addAnalyzeServer(analyze: Command, setExitCode: (code: number) => void): void {
  const command = analyze
    .command('server')
    .summary('measure whether an HTTP app should be left alone, offloaded, or clustered')
    .description(
      'Run an HTTP app as it is, with functions offloaded to threads, and as a cluster of processes, each under load, and say which to choose, and why.',
    )
    .argument(
      '<app>',
      'module, and after # the export (default: its default export, or the program that listens)',
    )
    .argument('[args...]', 'after --: the arguments of the app, in its process.argv')
    .optionsGroup('App:')
    .option('--port <n>', 'the port to measure, if the app listens on several', parsePort)
    .optionsGroup('Load:')
    .option('--route <route>', "'/main?name=x' or 'POST /render'; repeatable (default: /)", collect)
    .option('--routes <list>', 'several routes in one option: /a,/b', (list, before?: readonly string[]) =>
      collect(list.split(','), before),
    )
    .option('--header <header>', "'name: value', sent with each request; repeatable", collect)
    .option('--body <file>', 'sent with each request that is a POST, PUT, PATCH or DELETE')
    .option('--connections <n>', 'how many connections are open at a time (default: 50)', parseCount)
    .optionsGroup('Compared with the app as it is:')
    .option(
      '--offload <functions>',
      'run in a pool what the app imports: ./tasks.js#render[,…]; repeatable',
      collect,
    )
    .option('--against <route>', 'a route that does the same in threads already; repeatable', collect);
  addMeasuring(command, 'threads of the pool (default: the cores)').option(
    '--processes <n>',
    'processes of the cluster (default: the cores, at least 2)',
    parseWorkers,
  );
  addOutputs(command)
    .addHelpText('after', examples)
    .action(async (app: string, args: string[]) => {
      const end = process.argv.indexOf('--');
      const passed = end === -1 ? 0 : process.argv.length - end - 1;
      if (args.length > passed)
        throw new UsageError(`expected one app, and its own arguments after --, got '${args[0]}'`);
      const raw = command.optsWithGlobals<RawServerOptions>();
      const { plan, reporting } = resolveServerOptions(app, args, raw);
      // Loaded only now: help and usage errors need none of it.
      const { measureAndReport } = await import('../../report/measure-and-report.js');
      setExitCode(await measureAndReport((await import('./report.js')).server, plan, reporting));
    });
}

const CONNECTIONS = 50;

function resolveServerOptions(app: string, args: readonly string[], raw: RawServerOptions) {
  const { route = [], routes = [], against = [], offload = [], header: headers = [], body } = raw;
  const { port, threads, processes, connections = CONNECTIONS } = raw;
  const module = findModule(app);
  const read = [
    moduleFile(app, module),
    ...offload.map((each) => moduleFile(each, findModule(each))),
    ...(body === undefined ? [] : [named('--body', body)]),
  ];
  const all = [...route, ...routes];
  const requests = requestsOf('--route', all.length === 0 ? ['/'] : all, { headers, body });
  const [many, got] = [requests.length, against.length];
  if (got > 0 && offload.length > 0) {
    const why = 'expected one of them: a route that uses threads already, or functions to move to threads';
    throw new UsageError(`--against and --offload: ${why}`);
  }
  if (got > 0 && got !== many)
    throw new UsageError(`--against: expected one for each route, in the same order, so ${many}, got ${got}`);
  const plan: Omit<ServerPlan, 'signal'> = {
    module: realUrl(module.url),
    moduleGiven: app,
    export: module.exportName,
    args,
    port,
    requests,
    against: requestsOf('--against', against, { headers, body }),
    offload: targetsOf(offload),
    offloadGiven: offload,
    connections,
    threads,
    processes,
    budgetMs: budgetOf(raw),
  };
  return { plan, reporting: reportingOf(raw, read) };
}

/** Parses `./tasks.js#render,sum`, and puts the functions of one module together. */
function targetsOf(given: readonly string[]): OffloadTarget[] {
  const byUrl = new Map<string, Set<string>>();
  for (const each of given) {
    const { url, exportName } = findModule(each);
    const names = (exportName ?? '').split(',').map((name) => name.trim());
    const expected = 'a module and its functions, such as ./tasks.js#render';
    if (names.includes('')) throw new UsageError(`--offload: expected ${expected}, got '${each}'`);
    const real = realUrl(url);
    byUrl.set(real, new Set([...(byUrl.get(real) ?? []), ...names]));
  }
  return [...byUrl].map(([url, names]) => ({ url, names: [...names] }));
}

/** The URL by which Node.js knows a module: with links resolved. */
function realUrl(url: string): string {
  return pathToFileURL(realpathSync(fileURLToPath(url))).href;
}

function collect(value: string | readonly string[], before: readonly string[] = []): readonly string[] {
  return before.concat(value);
}

function parsePort(text: string): number {
  return parseWhole(text, 0, 'Expected a port, 0 to 65535.', 65_535);
}

const examples = `
Examples:
  threadwise analyze server ./app.js --route '/search?q=threads' --offload ./search.js#rank
  threadwise analyze server ./server.js#buildServer --route /main --against /pool --out report.html
  threadwise analyze server ./main.js --route 'POST /render' --body page.json -- --port 3000

The app gets free ports of the loopback interface, not those that it asks for; the command sends requests nowhere else.

${EXIT_CODES}`;

/** HEAD, CONNECT and TRACE have no answer that could be compared. */
const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'];
const WITHOUT_BODY = ['GET', 'OPTIONS'];

/** @param option the option's name, for messages. @param shared the headers and the body, a file, of all requests */
export function requestsOf(
  option: string,
  routes: readonly string[],
  shared: { readonly headers: readonly string[]; readonly body: string | undefined },
): RequestPlan[] {
  const pairs = shared.headers.map(parseHeader);
  const names = pairs.map(([name]) => name.toLowerCase());
  const again = names.find((name, i) => names.indexOf(name) < i);
  if (again !== undefined) throw new UsageError(`--header: expected each name once, got '${again}' again`);
  const headers = Object.fromEntries(pairs);
  const { body: file } = shared;
  const read = () => new Uint8Array(readFileSync(file!));
  const body = file === undefined ? undefined : attempt(read, `--body: cannot read ${file}`);
  return routes.map((route) => {
    const { method, path } = parseRoute(option, route, body === undefined ? 'GET' : 'POST');
    return { method, path, headers, body: WITHOUT_BODY.includes(method) ? undefined : body };
  });
}

function parseRoute(option: string, route: string, usual: string): { method: string; path: string } {
  const parts = /^(?:([A-Za-z]+)\s+)?(\/\S*)$/.exec(route.trim());
  const expected = "a path such as '/main?name=x' or 'POST /render'";
  if (parts === null) throw new UsageError(`${option}: expected ${expected}, got '${route}'`);
  const method = (parts[1] ?? usual).toUpperCase();
  if (!METHODS.includes(method)) {
    throw new UsageError(`${option}: expected one of ${METHODS.join(', ')}, got '${parts[1]}'`);
  }
  const { pathname, search } = new URL(`http://127.0.0.1${parts[2]}`);
  return { method, path: pathname + search };
}

function parseHeader(header: string): [name: string, value: string] {
  const colon = header.indexOf(':');
  const [name, value] = [header.slice(0, Math.max(0, colon)).trim(), header.slice(colon + 1).trim()];
  try {
    validateHeaderName(name);
    validateHeaderValue(name, value);
    return [name, value];
  } catch {
    throw new UsageError(`--header: expected 'name: value', got '${header}'`);
  }
}
