/**
 * Makes functions that the app imports run in a pool, without any change to the app's own code. For `import` there is a module hook
 * (https://nodejs.org/api/module.html#customization-hooks) that gives the app a replacement for each such module: it has all exports of that
 * module, with those functions replaced. It runs on a thread of its own, or on the calling one.
 */
import Module, * as nodeModule from 'node:module';
import { basename } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Pool } from 'threadwise';
import { UsageError } from '../../../exit-code.js';
import type { TaskFunction } from '../../../run/work/task-module.js';
import { tried } from '../../../system-error.js';
import type { OffloadTarget } from '../measure/measure.js';
import type { AppSetup } from './process.js';

interface HookTarget extends OffloadTarget {
  readonly hasDefault: boolean;
}

/** Empty in the pool's own threads: there, the functions are called directly. */
const pools = new Map<string, Pool>();
/** How many calls there were, and why the first one that failed did. */
export const seen = { calls: 0, firstFailure: undefined as string | undefined };

/** The URL of the module itself, past the hook: the pool's threads load it by the same URL. */
const originalOf = (url: string) => `${url}?threadwise=original`;
const fileOf = (url: string) => basename(fileURLToPath(url));

/** Must be called before the app is loaded. Rejects with UsageError if a function does not exist. */
export async function installOffload({ offload, threads, module }: AppSetup): Promise<void> {
  if (offload.length === 0) return;
  // The thread of the hook, which loads this file as well, cannot load these.
  const { createPool } = await import('threadwise');
  const { importModule, namedFunction } = await import('../../../run/work/task-module.js');
  const given: HookTarget[] = [];
  for (const { url, names } of offload) {
    const itself = `is the app itself, which calls ${names.join(', ')} without importing it`;
    const expected = 'expected a module that the app imports';
    if (url === module) throw new UsageError(`--offload: ${fileOf(url)} ${itself}: ${expected}`);
    const namespace = await importModule(originalOf(url));
    for (const name of names) namedFunction(namespace, name, url);
    given.push({ url, names, hasDefault: 'default' in namespace });
  }
  for (const { url } of given) {
    pools.set(url, createPool(new URL(originalOf(url)), { name: fileOf(url), threads, classes: 'plain' }));
  }
  await Promise.all([...pools.values()].map(({ ready }) => ready));
  // Node.js has `registerHooks` since 22.15; the typings are those of the oldest supported version.
  const { registerHooks } = nodeModule as { registerHooks?: (hooks: object) => void };
  if (registerHooks === undefined) nodeModule.register(import.meta.url, { data: given });
  else {
    initialize(given);
    registerHooks({ load });
  }
  replaceRequired(given);
}

/** Two members of Node's CommonJS loader: all supported versions have them, and every tool that patches `require` relies on them. */
interface Loader {
  _load(request: string, parent: object | null | undefined, isMain: boolean): unknown;
  _resolveFilename(request: string, parent: object): string;
}

/** Makes `require` give the app the offloaded functions of a module. */
function replaceRequired(given: readonly HookTarget[]): void {
  const loader = Module as unknown as Loader;
  const original = loader._load;
  const byPath = new Map(given.map((target) => [fileURLToPath(target.url), target]));
  const replacements = new Map<HookTarget, unknown>();
  loader._load = function load(request, parent, isMain) {
    const exported = original.call(this, request, parent, isMain);
    // A request without a parent comes from an import, which the hooks handle.
    const path = parent ? tried(() => loader._resolveFilename(request, parent)) : undefined;
    const target = path === undefined ? undefined : byPath.get(path);
    if (target === undefined) return exported;
    const { url, names } = target;
    if (!replacements.has(target)) replacements.set(target, withOffloaded(url, names, exported));
    return replacements.get(target);
  };
}

/** The function that the app gets in place of its own. */
export function offloaded(url: string, name: string, original: TaskFunction): TaskFunction {
  const pool = pools.get(url);
  if (pool === undefined) return original;
  return async (...args) => {
    seen.calls += 1;
    try {
      return await pool.run(name, args);
    } catch (error) {
      const { describeError, errorLine } = await import('../../../run/work/described-error.js');
      seen.firstFailure ??= errorLine(describeError(error));
      throw error;
    }
  };
}

/** What the app gets in place of what `require` gives, or of a default export. @param original the exports: only a function of theirs is offloaded */
export function withOffloaded(
  url: string,
  names: readonly string[],
  exported: unknown,
  original: unknown = exported,
): unknown {
  const isFunction = typeof exported === 'function';
  if (!isFunction && (typeof exported !== 'object' || exported === null)) return exported;
  const [all, known] = [exported, original] as Readonly<Record<string, TaskFunction>>[];
  // Node.js may not have found all exports of a CommonJS module.
  const isOriginal = (name: string) => !(name in known!) || all![name] === known![name];
  const ours = names.filter((name) => typeof all![name] === 'function' && isOriginal(name));
  const replacements = Object.fromEntries(ours.map((name) => [name, offloaded(url, name, all![name]!)]));
  const isOurs = isFunction && names.includes('default');
  if (ours.length === 0 && !isOurs) return exported;
  if (!isFunction) {
    // Getters stay getters, and what an instance of a class inherits is there.
    const own = Object.getOwnPropertyDescriptors(all);
    return Object.create(Object.getPrototypeOf(all), {
      ...own,
      ...Object.getOwnPropertyDescriptors(replacements),
    });
  }
  const main = exported as TaskFunction;
  const called = isOurs ? offloaded(url, 'default', main) : main;
  // A function may have others as its properties.
  return new Proxy(main, {
    apply: (_, self, args: unknown[]) => Reflect.apply(called, self, args),
    get: (_, name) =>
      Object.hasOwn(replacements, name) ? replacements[name as string] : Reflect.get(main, name),
  });
}

let targets: readonly HookTarget[] = [];

/** Called on the thread that has the hook. */
export function initialize(given: readonly HookTarget[]): void {
  targets = given;
}

type Context = { readonly conditions?: readonly string[] };

/** The replacement of a module, for `import`; `replaceRequired` handles `require`. */
export function load(url: string, context: Context, next: (url: string, of: Context) => unknown): unknown {
  const target = targets.find((each) => url === each.url);
  if (target === undefined || context.conditions?.includes('require')) return next(url, context);
  return { format: 'module', source: sourceOf(target), shortCircuit: true };
}

/** The source of the replacement. Its own exports win over those of `export *`. */
function sourceOf({ url, names, hasDefault }: HookTarget): string {
  const [original, runtime, own] = [originalOf(url), import.meta.url, url].map((each) =>
    JSON.stringify(each),
  );
  const replacements = names.map((name, i) => {
    const text = JSON.stringify(name);
    return `const f${i} = offloaded(${own}, ${text}, original[${text}]); export { f${i} as ${text} };`;
  });
  return [
    `import * as original from ${original};`,
    `import { offloaded, withOffloaded } from ${runtime};`,
    `export * from ${original};`,
    hasDefault && !names.includes('default')
      ? `export default withOffloaded(${own}, ${JSON.stringify(names)}, original.default, original);`
      : '',
    ...replacements,
  ].join('\n');
}
