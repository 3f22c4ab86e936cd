/** Makes functions that the app imports run in a pool, without any change to the app's own code. */
import Module, * as nodeModule from 'node:module';
import { basename } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createPool } from 'threadwise';
import { importModule, namedFunction } from '../../../../run/work/task-module.js';
import { UsageError } from '../../../../exit-code.js';
import { tried } from '../../../../system-error.js';
import type { AppSetup } from '../process.js';
import { addPool, withOffloaded } from './calls.js';
import { type HookTarget, initialize, load, originalOf, resolve } from './hooks.js';

/** Must be called before the app is loaded. Rejects with UsageError if a function does not exist. */
export async function installOffload({ offload, threads, module }: AppSetup): Promise<void> {
  if (offload.length === 0) return;
  const targets: HookTarget[] = [];
  for (const { url, names } of offload) {
    const itself = `is the app itself, which calls ${names.join(', ')} without importing it`;
    const expected = 'expected a module that the app imports';
    if (url === module) throw new UsageError(`--offload: ${fileOf(url)} ${itself}: ${expected}`);
    const namespace = await importModule(originalOf(url));
    for (const name of names) namedFunction(namespace, name, url);
    targets.push({ url, names, hasDefault: 'default' in namespace });
  }
  const ready = targets.map(({ url }) => {
    const pool = createPool(new URL(originalOf(url)), { name: fileOf(url), threads, classes: 'plain' });
    addPool(url, pool);
    return pool.ready;
  });
  await Promise.all(ready);
  register(targets);
  replaceRequired(targets);
}

function fileOf(url: string): string {
  return basename(fileURLToPath(url));
}

/** Node.js has `registerHooks` since 22.15; the typings are those of the oldest supported version. */
interface WithHooks {
  readonly registerHooks?: (hooks: { resolve: typeof resolve; load: typeof load }) => void;
}

function register(targets: readonly HookTarget[]): void {
  const { registerHooks } = nodeModule as WithHooks;
  if (registerHooks === undefined) {
    nodeModule.register(new URL('./hooks.js', import.meta.url), { data: targets });
    return;
  }
  initialize(targets);
  registerHooks({ resolve, load });
}

/** Two members of Node's CommonJS loader: all supported versions have them, and every tool that patches `require` relies on them. */
interface Loader {
  _load(request: string, parent: object | null | undefined, isMain: boolean): unknown;
  _resolveFilename(request: string, parent: object): string;
}

/** Makes `require` give the app the offloaded functions of a module. */
function replaceRequired(targets: readonly HookTarget[]): void {
  const loader = Module as unknown as Loader;
  const original = loader._load;
  const byPath = new Map(targets.map((target) => [fileURLToPath(target.url), target]));
  const replaced = new Map<HookTarget, unknown>();
  loader._load = function load(request, parent, isMain) {
    const exported = original.call(this, request, parent, isMain);
    // A request without a parent comes from an import, which hooks.ts handles.
    const path = parent ? tried(() => loader._resolveFilename(request, parent)) : undefined;
    const target = path === undefined ? undefined : byPath.get(path);
    if (target === undefined) return exported;
    if (!replaced.has(target)) replaced.set(target, withOffloaded(target.url, target.names, exported));
    return replaced.get(target);
  };
}
