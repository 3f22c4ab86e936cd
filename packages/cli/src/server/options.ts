/** All options of `threadwise analyze server`, checked against each other once and resolved into one record. */
import { realpathSync } from 'node:fs';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { type NamedFile, named } from '../disk/file-id.js';
import { budgetOf, threadsOf } from '../reporting/options.js';
import { type Output, outputsOf } from '../reporting/outputs.js';
import type { Threads } from '../run/option-values.js';
import { findModule, moduleFile } from '../run/work/task-module.js';
import { UsageError } from '../usage-error.js';
import type { ServerFindings } from './findings/findings.js';
import type { ServerPlan } from './measure/contract.js';
import type { OffloadTarget } from './measure/protocol.js';
import { VIEWS } from './report/views.js';
import { requestsOf } from './requests.js';

/** As the argument parser gives them. */
export interface RawServerOptions {
  readonly port?: number;
  readonly route?: readonly string[];
  readonly routes?: readonly string[];
  readonly header?: readonly string[];
  readonly body?: string;
  readonly offload?: readonly string[];
  readonly against?: readonly string[];
  readonly connections?: number;
  readonly threads?: Threads;
  readonly processes?: number;
  readonly budget?: number;
  readonly out?: readonly string[];
  readonly quiet?: boolean;
}

export interface ServerOptions {
  readonly plan: Omit<ServerPlan, 'signal'>;
  readonly outputs: readonly Output<ServerFindings>[];
  readonly read: readonly NamedFile[];
  readonly quiet: boolean;
}

const CONNECTIONS = 50;

export function resolveServerOptions(
  app: string,
  args: readonly string[],
  raw: RawServerOptions,
): ServerOptions {
  const module = findModule(app);
  const { url, exportName } = module;
  const { offload = [] } = raw;
  return {
    read: [
      moduleFile(app, module),
      ...offload.map((each) => moduleFile(each, findModule(each))),
      ...(raw.body === undefined ? [] : [named('--body', raw.body)]),
    ],
    plan: {
      module: realUrl(url),
      moduleGiven: app,
      export: exportName,
      args,
      port: raw.port,
      ...requestsFor(raw),
      offload: targetsOf(offload),
      offloadGiven: offload,
      connections: raw.connections ?? CONNECTIONS,
      threads: threadsOf(raw.threads, 'the threads of the pool'),
      processes: raw.processes,
      budgetMs: budgetOf(raw.budget),
    },
    outputs: outputsOf(raw.out, VIEWS),
    quiet: raw.quiet === true,
  };
}

function requestsFor(raw: RawServerOptions): Pick<ServerPlan, 'requests' | 'against'> {
  const { route = [], routes = [], against = [], offload = [], header: headers = [], body } = raw;
  const all = [...route, ...routes];
  const requests = requestsOf('--route', all.length === 0 ? ['/'] : all, { headers, body });
  if (against.length > 0 && offload.length > 0) {
    throw new UsageError(
      '--against and --offload: expected one of them, the app offloads or it is to be offloaded',
    );
  }
  if (against.length > 0 && against.length !== requests.length) {
    throw new UsageError(
      `--against: expected as many as routes, in the same order, which are ${requests.length}, got ${against.length}`,
    );
  }
  return { requests, against: requestsOf('--against', against, { headers, body }) };
}

/** `./tasks.js#render,sum` each; those of one module together. */
function targetsOf(given: readonly string[]): OffloadTarget[] {
  const byUrl = new Map<string, Set<string>>();
  for (const each of given) {
    const { url, exportName } = findModule(each);
    const names = (exportName ?? '').split(',').map((name) => name.trim());
    if (names.includes('')) {
      throw new UsageError(
        `--offload: expected a module and its functions, such as ./tasks.js#render, got '${each}'`,
      );
    }
    const real = realUrl(url);
    byUrl.set(real, new Set([...(byUrl.get(real) ?? []), ...names]));
  }
  return [...byUrl].map(([url, names]) => ({ url, names: [...names] }));
}

/** As Node.js knows a module: with links resolved. */
function realUrl(url: string): string {
  return pathToFileURL(realpathSync(fileURLToPath(url))).href;
}
