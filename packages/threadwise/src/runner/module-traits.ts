/** How a module's functions may run on the calling thread: what it declares, and what can be seen of them. */
import { list, oneOf, record, reject } from '../core/options/checks.js';
import type { ModuleTraits, TaskFunction } from '../core/contracts.js';
import { didYouMean } from '../core/options/nearest.js';

const DECLARED = 'the module declares that it stays on threads';
const PLACES = ['threads', 'auto'] as const;
/** Functions that never return their result itself. */
const AWAITED = new Set(['AsyncFunction', 'AsyncGeneratorFunction', 'GeneratorFunction']);

/**
 * Reads what a module exports as `threadwise`: `{ placement: 'threads' }`, or of some functions
 * `{ placement: { render: 'threads' } }`. Throws ERR_OPTION.
 * @param hasSetup it prepares each worker, which nobody does for the calling thread
 */
export function traitsOf(
  namespace: Readonly<Record<string, unknown>>,
  tasks: ReadonlyMap<string, TaskFunction>,
  hasSetup: boolean,
): ModuleTraits {
  const declared = placementOf(declaredBy(namespace).placement ?? 'auto', tasks);
  const none = hasSetup ? 'the module has a setup or teardown of its own, for workers' : undefined;
  const all = typeof declared === 'string' ? (declared === 'threads' ? DECLARED : none) : none;
  const others: [string, string][] = [];
  for (const [name, run] of tasks) {
    const why = all ?? whyNot(name, run, declared);
    if (why !== undefined) others.push([name, why]);
  }
  const excluded = new Set(others.map(([name]) => name));
  return { functions: [...tasks.keys()].filter((name) => !excluded.has(name)), others };
}

function declaredBy(namespace: Readonly<Record<string, unknown>>): { placement?: unknown; pure?: unknown } {
  const given = namespace.threadwise ?? ofCommonJs(namespace.default) ?? {};
  return record('threadwise (export)', given, ['placement', 'pure']);
}

type Declared = (typeof PLACES)[number] | ReadonlyMap<string, (typeof PLACES)[number]>;

function placementOf(placement: unknown, tasks: ReadonlyMap<string, TaskFunction>): Declared {
  const option = 'threadwise.placement (export)';
  if (typeof placement === 'string') return oneOf(option, placement, PLACES);
  if (typeof placement !== 'object' || placement === null) {
    return reject(option, "'threads', 'auto' or an object of functions", placement);
  }
  const entries = Object.entries(placement).map(([name, place]) => {
    checkName(`${option}.${name}`, name, tasks);
    return [name, oneOf(`${option}.${name}`, place, PLACES)] as const;
  });
  return new Map(entries);
}

/** The functions that a module declares to be pure: `{ pure: ['render'] }`. Throws ERR_OPTION. */
export function pureOf(
  namespace: Readonly<Record<string, unknown>>,
  tasks: ReadonlyMap<string, TaskFunction>,
): string[] {
  const option = 'threadwise.pure (export)';
  return list(option, declaredBy(namespace).pure ?? []).map((each, i) =>
    checkName(`${option}[${i}]`, each, tasks),
  );
}

function checkName(option: string, given: unknown, tasks: ReadonlyMap<string, TaskFunction>): string {
  if (typeof given === 'string' && tasks.has(given)) return given;
  const names = [...tasks.keys()];
  const meant = typeof given === 'string' ? didYouMean(given, names) : '';
  return reject(option, `the name of a task.${meant} (${names.join(', ')})`, given);
}

/** Its lexer may not have found the export. */
function ofCommonJs(exported: unknown): unknown {
  const isObject = typeof exported === 'object' && exported !== null;
  return isObject && 'threadwise' in exported ? exported.threadwise : undefined;
}

function whyNot(name: string, run: TaskFunction, declared: Declared): string | undefined {
  if (typeof declared !== 'string' && declared.get(name) === 'threads') return DECLARED;
  const kind = Object.prototype.toString.call(run).slice('[object '.length, -1);
  return AWAITED.has(kind) ? 'it returns a promise' : undefined;
}
