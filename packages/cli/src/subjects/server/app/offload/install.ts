/** Lets functions that the app imports run in a pool, the app's own code being as it is. */
import * as nodeModule from 'node:module';
import { basename } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createPool } from 'threadwise';
import { importModule, namedFunction } from '../../../../run/work/task-module.js';
import { UsageError } from '../../../../usage-error.js';
import type { AppSetup, OffloadTarget } from '../../measure/protocol.js';
import { addPool } from './calls.js';
import { type HookData, type HookTarget, initialize, load, originalOf, resolve } from './hooks.js';
import { replaceRequired } from './require.js';

/** Before the app is loaded. Throws UsageError where there is no such function. */
export async function installOffload({ offload, threads, module }: AppSetup): Promise<void> {
  if (offload.length === 0) return;
  const targets: HookTarget[] = [];
  for (const target of offload) {
    if (target.url === module) throw callsItself(target);
    targets.push(await check(target));
  }
  const pools = targets.map(({ url }) => {
    const pool = createPool(new URL(originalOf(url)), { name: basename(fileURLToPath(url)), threads });
    addPool(url, pool);
    return pool;
  });
  await Promise.all(pools.map(({ ready }) => ready));
  register({ targets, runtime: new URL('./calls.js', import.meta.url).href });
  replaceRequired(targets);
}

async function check({ url, names }: OffloadTarget): Promise<HookTarget> {
  const namespace = await importModule(originalOf(url));
  for (const name of names) namedFunction(namespace, name, url);
  return { url, names, hasDefault: 'default' in namespace };
}

function callsItself({ url, names }: OffloadTarget): UsageError {
  const file = basename(fileURLToPath(url));
  return new UsageError(
    `--offload: ${file} is the app itself, which calls ${names.join(', ')} without importing it: expected a module that the app imports`,
  );
}

/** Since Node.js 22.15; the typings are those of the oldest line. */
interface WithHooks {
  readonly registerHooks?: (hooks: { resolve: typeof resolve; load: typeof load }) => void;
}

function register(data: HookData): void {
  const { registerHooks } = nodeModule as WithHooks;
  if (registerHooks === undefined) {
    nodeModule.register(new URL('./hooks.js', import.meta.url), { data });
    return;
  }
  initialize(data);
  registerHooks({ resolve, load });
}
