/** Reads a task module: its tasks are the functions that it exports itself, and not those that it inherits. */
import { streamedName } from '../core/calls/stream.js';
import type { LoadedModule, TaskFunction } from '../core/contracts.js';
import { checkSameClasses, classNames, registeredClasses } from '../core/options/classes.js';
import { isObject, list, oneOf, record, reject, tagOf } from '../core/options/checks.js';
import { didYouMean } from '../core/options/nearest.js';
import { taskNotFound } from '../core/workers/failures.js';
import { Packing } from '../transport/classes/packing.js';
import { unpacked } from './instances.js';
import { streamed } from './streamed.js';

type Namespace = Readonly<Record<string, unknown>>;
type Functions = ReadonlyMap<string, TaskFunction>;

/** Exports with a meaning of their own; none of them is a task. */
const RESERVED = new Set(['setup', 'teardown', 'module.exports', '__esModule', '']);
const PLACES = ['threads', 'auto'] as const;
type Place = (typeof PLACES)[number];
/** Kinds of functions whose result is always a promise or an iterator. */
const AWAITED = /^\[object (Async|Generator|AsyncGenerator)Function\]$/;

/** Throws a TypeError if no export is a task, and ERR_OPTION. @param classes those that the pool registers; 'plain': the module's are ignored */
export function readTaskModule(
  namespace: Namespace,
  classes: readonly string[] | 'plain' = [],
): LoadedModule {
  // The `module.exports` of a CommonJS module: Node's lexer may not have found all of its properties.
  const { default: main } = namespace;
  const ofMain = (isObject(main) ? main : {}) as Namespace;
  const exported = functionsOf([namespace, ofMain]);
  const tasks = new Map([...exported].filter(([name]) => !RESERVED.has(name)));
  if (tasks.size === 0) {
    const values = Object.keys(namespace).filter((name) => name !== 'module.exports');
    const error = new TypeError(
      `The module exports no function to run as a task; it exports ${values.join(', ') || 'nothing'}`,
    );
    error.stack = String(error); // on the calling thread it would lead into the library
    throw error;
  }
  const names = [...tasks.keys()].sort();
  const [setup, teardown] = [exported.get('setup'), exported.get('teardown')];
  const find = (wireName: string): TaskFunction => {
    const ofStream = streamedName(wireName);
    const name = ofStream ?? wireName;
    const run = tasks.get(name);
    if (run === undefined) throw taskNotFound(name, names);
    return ofStream === undefined ? run : streamed(exported.get(name)!, instances);
  };
  const given = namespace.threadwise ?? ofMain.threadwise ?? {};
  const declared = record('threadwise (export)', given, ['placement', 'pure', 'classes']);
  const registered = registeredClasses('threadwise.classes (export)', declared.classes ?? []);
  const ofPool = classes === 'plain' ? [] : classes;
  if (classes !== 'plain') checkSameClasses(ofPool, classNames(registered) as readonly string[]);
  const instances = ofPool.length > 0 ? new Packing(registered) : undefined;
  const placeOf = placesOf(declared.placement ?? 'auto', tasks);
  const functions: string[] = [];
  const refused: [string, string][] = [];
  for (const [name, run] of tasks) {
    const why = refusal(run, placeOf(name), (setup ?? teardown) !== undefined);
    if (why === undefined) functions.push(name);
    else refused.push([name, why]);
    if (instances !== undefined) tasks.set(name, unpacked(run, instances));
  }
  const option = 'threadwise.pure (export)';
  const pure = list(option, declared.pure ?? []).map((each, i) => checkName(`${option}[${i}]`, each, tasks));
  return { names, tasks, traits: { functions, others: refused }, pure, find, instances, setup, teardown };
}

/** The functions in these objects; of those that share a name, the first. */
function functionsOf(objects: readonly Namespace[]): Map<string, TaskFunction> {
  const found = new Map<string, TaskFunction>();
  for (const from of objects) {
    for (const name of Object.keys(from)) {
      try {
        const value = from[name];
        if (typeof value === 'function' && !found.has(name)) found.set(name, value as TaskFunction);
      } catch {
        // A getter that throws is no task. Some packages have such getters for exports that they have removed.
      }
    }
  }
  return found;
}

/** The place that the module declares for a function: `'threads'` for all functions, or for some of them, `{ render: 'threads' }`. */
function placesOf(given: unknown, tasks: Functions): (name: string) => Place | undefined {
  const option = 'threadwise.placement (export)';
  if (typeof given === 'string') {
    const place = oneOf(option, given, PLACES);
    return () => (place === 'threads' ? place : undefined);
  }
  if (!isObject(given)) return reject(option, "'threads', 'auto' or an object of functions", given);
  const entries = Object.entries(given).map(([name, place]) => {
    checkName(`${option}.${name}`, name, tasks);
    return [name, oneOf(`${option}.${name}`, place, PLACES)] as const;
  });
  const places = new Map(entries);
  return (name) => places.get(name);
}

function checkName(option: string, given: unknown, tasks: Functions): string {
  if (typeof given === 'string' && tasks.has(given)) return given;
  const names = [...tasks.keys()];
  const meant = typeof given === 'string' ? didYouMean(given, names) : '';
  return reject(option, `the name of a task (${names.join(', ')})`, given, meant);
}

/** Why 'auto' may not run a function on the calling thread, which does not run `setup` or `teardown` for it; undefined: it may. */
function refusal(run: TaskFunction, place: Place | undefined, hasSetup: boolean): string | undefined {
  if (place === 'threads') return 'the module declares that it stays on threads';
  if (hasSetup && place === undefined) return 'the module has a setup or teardown of its own, for workers';
  return AWAITED.test(tagOf(run)) ? 'it returns a promise' : undefined;
}
