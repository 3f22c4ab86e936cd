/** The same for CommonJS: what `require` gives the app of a module whose functions are offloaded. */
import Module from 'node:module';
import { fileURLToPath } from 'node:url';
import type { TaskFunction } from '../../../../run/work/task-module.js';
import { offloaded } from './calls.js';
import type { HookTarget } from './hooks.js';

/** As far as they are used here: both exist in all versions that are supported, and every tool that patches `require` relies on them. */
interface Loader {
  _load(request: string, parent: object | null | undefined, isMain: boolean): unknown;
  _resolveFilename(request: string, parent: object): string;
}

export function replaceRequired(targets: readonly HookTarget[]): void {
  const loader = Module as unknown as Loader;
  const original = loader._load;
  const byPath = new Map(targets.map((target) => [fileURLToPath(target.url), target]));
  const replaced = new Map<HookTarget, unknown>();
  loader._load = function load(request, parent, isMain) {
    const exported = original.call(this, request, parent, isMain);
    // Without a parent it is an import that asks, which hooks.ts sees to.
    const target = parent ? byPath.get(pathOf(loader, request, parent)) : undefined;
    if (target === undefined) return exported;
    if (!replaced.has(target)) replaced.set(target, replacementOf(target, exported));
    return replaced.get(target);
  };
}

function pathOf(loader: Loader, request: string, parent: object): string {
  try {
    return loader._resolveFilename(request, parent);
  } catch {
    return '';
  }
}

function replacementOf({ url, names }: HookTarget, exported: unknown): unknown {
  if (typeof exported === 'function') return offloaded(url, 'default', exported as TaskFunction);
  const all = exported as Record<string, TaskFunction>;
  const ours = names.map((name) => [name, offloaded(url, name, all[name]!)]);
  return { ...all, ...Object.fromEntries(ours) };
}
