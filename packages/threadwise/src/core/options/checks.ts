/** Checks on single values of options: each returns the value, typed, or throws ERR_OPTION that says what came. */
import type { Platform } from '../contracts.js';
import { show, ThreadwiseError } from './errors.js';
import { didYouMean } from './nearest.js';

/** setTimeout's longest delay, in milliseconds; beyond it Node fires at once. */
export const MAX_TIMER_MS = 2 ** 31 - 1;

/** Throws ERR_OPTION: which option, what was expected, what came, and what was meant, perhaps. */
export function reject(option: string, expected: string, value: unknown, meant = ''): never {
  const message = `Option '${option}': expected ${expected}, got ${show(value)}${meant && `.${meant}`}`;
  throw new ThreadwiseError('ERR_OPTION', message);
}

/** Makes the check of one value. */
function check<T>(expected: string, accepts: (value: unknown) => boolean) {
  return (option: string, value: unknown): T =>
    accepts(value) ? (value as T) : reject(option, expected, value);
}

export function integer(option: string, value: unknown, min: number, max: number): number {
  if (typeof value === 'number' && Number.isInteger(value) && value >= min && value <= max) return value;
  const range = max === Number.MAX_SAFE_INTEGER ? `of at least ${min}` : `from ${min} to ${max}`;
  return reject(option, `a whole number ${range}`, value);
}

/** A duration in milliseconds; Infinity means none and becomes undefined. */
export function duration(option: string, value: unknown, min: number): number | undefined {
  if (value === Number.POSITIVE_INFINITY) return undefined;
  if (typeof value === 'number' && value >= min && value <= MAX_TIMER_MS) return value;
  return reject(option, `milliseconds from ${min} to ${MAX_TIMER_MS}, or Infinity`, value);
}

/** How long something may run in one turn of the event loop: a second is what people call hung. */
export const budget = check<number>(
  'milliseconds above 0, up to 1000',
  (value) => typeof value === 'number' && value > 0 && value <= 1000,
);
export const finite = check<number>('a finite number', Number.isFinite);
export const text = check<string>('a string', (value) => typeof value === 'string' && value !== '');
export const callback = check<(...args: unknown[]) => unknown>(
  'a function',
  (value) => typeof value === 'function',
);
export const list = check<readonly unknown[]>('an array', isList);

export function oneOf<T extends string>(option: string, value: unknown, known: readonly T[]): T {
  if (known.includes(value as T)) return value as T;
  return reject(option, known.map((k) => `'${k}'`).join(' or '), value);
}

/** Whether a value is an object, and no function. */
export function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}

/** The kind of a value, also of one of another realm: '[object Map]'. Throws what a getter of `Symbol.toStringTag` throws. */
export function tagOf(value: unknown): string {
  return Object.prototype.toString.call(value);
}

/** Does what `Array.isArray` does, but gives false for a revoked proxy, at which that throws. */
export function isList(value: unknown): value is readonly unknown[] {
  try {
    return Array.isArray(value);
  } catch {
    return false;
  }
}

export function texts(option: string, value: unknown): readonly string[] {
  const items = list(option, value);
  if (items.every((item) => typeof item === 'string')) return items;
  return reject(option, 'an array of strings', value);
}

/** Checks one option, and returns what its value comes to. Throws ERR_OPTION. */
export interface Check<T> {
  (option: string, value: unknown): T;
  /** The checks of a group's options, where this is the check of a group. */
  readonly checks?: Checks;
}

type Checks = Readonly<Record<string, Check<unknown>>>;

/** Gives `missing` where the option is not given. */
export function optional<T>(check: Check<T>): Check<T | undefined>;
export function optional<T, const M>(check: Check<T>, missing: M): Check<T | M>;
export function optional<T>(check: Check<T>, missing?: unknown): Check<unknown> {
  return (option, value) => (value === undefined ? missing : check(option, value));
}

/** Checks each option of a record by its entry in `checks`, and refuses all others. */
export function checked<C extends Checks>(
  option: string,
  given: unknown,
  checks: C,
): { readonly [K in keyof C]: ReturnType<C[K]> } {
  const values = record(option, given, Object.keys(checks), checks);
  const results = Object.keys(checks).map((key) => [key, checks[key]!(pathOf(option, key), values[key])]);
  return Object.fromEntries(results) as { [K in keyof C]: ReturnType<C[K]> };
}

/** Checks an option that is a record of options; where it is not given, it has none of them. */
export function group<C extends Checks>(checks: C) {
  return Object.assign((option: string, value: unknown = {}) => checked(option, value, checks), { checks });
}

/** The options in the groups among `checks`, such as 'worker.env'. */
function grouped(checks: Checks): string[] {
  const within = (inner: Checks = {}) => [...Object.keys(inner), ...grouped(inner)];
  return Object.entries(checks).flatMap(([key, group]) =>
    within(group.checks).map((name) => `${key}.${name}`),
  );
}

/** The value that the environment has for an option, checked; undefined if the variable is not set, or empty. */
export function fromEnvironment<T>(
  { env }: Pick<Platform, 'env'>,
  name: string,
  check: (option: string, value: string) => T,
): T | undefined {
  const value = env(name);
  return value === undefined || value === '' ? undefined : check(`${name} (environment)`, value);
}

function pathOf(option: string, key: string): string {
  return option === 'options' || option === 'changes' ? key : `${option}.${key}`;
}

/** Returns the own properties of a plain object with known keys; none of its prototype is read. The error may name an option of `groups`. */
export function record(
  option: string,
  value: unknown,
  known: readonly string[],
  groups: Checks = {},
): Record<string, unknown> {
  // A signal or a Map, given in place of options, has no keys that could be refused.
  if (!/^\[object (Object|Module)\]$/.test(tagOf(value))) return reject(option, 'an object', value);
  for (const key of Object.keys(value as object)) {
    if (known.includes(key)) continue;
    const lastPart = (path: string) => path.split('.').pop()!;
    const inGroups = grouped(groups);
    const meant = inGroups.includes(key)
      ? ` Did you mean ${key.split('.').reduceRight((inner, name) => `{ ${name}: ${inner} }`, '...')}?`
      : didYouMean(key, [...known, ...inGroups], lastPart);
    const message = `Unknown option '${pathOf(option, key)}'.${meant} Known: ${known.join(', ')}`;
    throw new ThreadwiseError('ERR_OPTION', message);
  }
  return Object.assign(Object.create(null), value);
}
