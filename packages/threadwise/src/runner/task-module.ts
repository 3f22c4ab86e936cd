/** Which functions of a module are tasks: its exported functions, by their own names and no inherited ones. */
import type { LoadedModule, TaskFunction } from '../core/contracts.js';
import { taskNotFound } from '../core/workers/failures.js';
import { pureOf, traitsOf } from './module-traits.js';

/** Exports with a meaning of their own; none of them is a task. */
const RESERVED = new Set(['setup', 'teardown', 'module.exports', '__esModule']);

/** Reads the exports of a loaded module. Throws where none is a function. */
export function readTaskModule(namespace: Readonly<Record<string, unknown>>): LoadedModule {
  const exported = functionsOf(namespace);
  const tasks = new Map([...exported].filter(([name]) => !RESERVED.has(name)));
  if (tasks.size === 0) {
    const names = Object.keys(namespace).filter((name) => name !== 'module.exports');
    throw new TypeError(
      `The module exports no function to run as a task; it exports ${names.join(', ') || 'nothing'}`,
    );
  }
  const names = [...tasks.keys()].sort();
  const setup = exported.get('setup');
  const teardown = exported.get('teardown');
  return {
    names,
    tasks,
    traits: traitsOf(namespace, tasks, setup !== undefined || teardown !== undefined),
    pure: pureOf(namespace, tasks),
    find: (name) => tasks.get(name) ?? notFound(name, names),
    setup,
    teardown,
  };
}

/** Named exports; of a CommonJS module also the functions on `module.exports` that its lexer did not find. */
function functionsOf(namespace: Readonly<Record<string, unknown>>): Map<string, TaskFunction> {
  const found = new Map<string, TaskFunction>();
  const add = (from: object) => {
    for (const [name, value] of Object.entries(from)) {
      if (typeof value === 'function' && !found.has(name)) found.set(name, value as TaskFunction);
    }
  };
  add(namespace);
  if (typeof namespace.default === 'object' && namespace.default !== null) add(namespace.default);
  return found;
}

function notFound(name: string, names: readonly string[]): never {
  throw taskNotFound(name, names);
}
