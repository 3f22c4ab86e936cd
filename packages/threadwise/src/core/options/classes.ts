/** Classes whose instances cross as instances: what the option `classes` of a pool, and a task module, register, and its checks. */
import { isObject, list, record, reject } from './checks.js';
import { ThreadwiseError } from './errors.js';

type Class = abstract new (...args: never[]) => object;

/**
 * A class, and how its instances cross. Without `encode` and `decode`, an instance's own enumerable fields cross, and an object of the
 * class gets them, without a call of its constructor.
 */
export interface ClassCodec {
  readonly class: Class;
  /** What both sides call the class. Default: the class's own name, which a minifier changes. */
  readonly name?: string | undefined;
  /** Returns what crosses of an instance: any value that can cross, other registered instances among it. */
  readonly encode?: ((instance: never) => unknown) | undefined;
  /** Returns an instance, made of what `encode` has returned. Inverse of `encode`. */
  readonly decode?: ((data: never) => object) | undefined;
}

/** A class, or a class and how its instances cross. */
export type ClassEntry = Class | ClassCodec;

/** An entry that was checked. */
export interface RegisteredClass {
  readonly name: string;
  readonly prototype: object;
  readonly encode: ((instance: object) => unknown) | undefined;
  readonly decode: ((data: unknown) => unknown) | undefined;
}

const KEYS = ['class', 'name', 'encode', 'decode'];
const NATIVE = /\{\s*\[native code\]\s*\}$/;
/** Found only in the source of a class with private members, or in its texts and comments. */
const PRIVATE = /\bthis\.#/;

/** Checks a list of classes. Throws ERR_OPTION. */
export function registeredClasses(option: string, given: unknown): readonly RegisteredClass[] {
  const entries = list(option, given).map((entry, i) => registered(`${option}[${i}]`, entry));
  for (const [i, { name, prototype }] of entries.entries()) {
    const isSame = (other: RegisteredClass) => other.name === name || other.prototype === prototype;
    if (entries.findIndex(isSame) < i)
      reject(`${option}[${i}]`, 'each class, and each name, once: give one of them a `name`', name);
  }
  return entries;
}

function registered(option: string, given: unknown): RegisteredClass {
  const isBare = typeof given === 'function';
  const entry: Record<string, unknown> = isBare ? { class: given } : record(option, given, KEYS);
  const { class: it, encode, decode } = entry;
  const prototype: unknown = typeof it === 'function' ? it.prototype : undefined;
  if (typeof it !== 'function' || !isObject(prototype))
    return reject(isBare ? option : `${option}.class`, 'a class', it);
  const name = entry.name ?? it.name;
  if (typeof name !== 'string' || name === '') return reject(`${option}.name`, 'a string', name);
  for (const [key, half] of Object.entries({ encode, decode })) {
    if (half !== undefined && typeof half !== 'function') reject(`${option}.${key}`, 'a function', half);
  }
  if ((encode === undefined) !== (decode === undefined))
    reject(option, '`encode` and `decode`, or neither', Object.keys(entry).join(', '));
  const why = encode === undefined ? hiddenState(prototype) : undefined;
  if (why !== undefined) reject(option, `{ class, encode, decode } for ${name}, ${why}`, it);
  return { name, prototype, encode, decode } as RegisteredClass;
}

/** Why the fields of an instance are not all that it is made of; undefined: nothing else can be seen. */
function hiddenState(prototype: object): string | undefined {
  for (let at = prototype; at !== null && at !== Object.prototype; at = Object.getPrototypeOf(at)) {
    const maker: unknown = Object.getOwnPropertyDescriptor(at, 'constructor')?.value;
    if (typeof maker !== 'function') continue;
    const source = Function.prototype.toString.call(maker);
    if (NATIVE.test(source)) return `whose instances have what ${maker.name} keeps of them`;
    if (PRIVATE.test(source)) return 'whose private members (#) nobody else can read';
  }
  return undefined;
}

export function classNames(classes: readonly RegisteredClass[] | 'plain'): readonly string[] | 'plain' {
  return classes === 'plain' ? classes : classes.map(({ name }) => name);
}

/** Throws ERR_OPTION if a pool and its task module do not register the same classes; the message says where to register what. */
export function checkSameClasses(ofPool: readonly string[], ofModule: readonly string[]): void {
  const others = (all: readonly string[], known: readonly string[]) =>
    all.filter((name) => !known.includes(name)).join(', ');
  const [notInPool, notInModule] = [others(ofModule, ofPool), others(ofPool, ofModule)];
  const why = [
    notInPool &&
      `the task module registers ${notInPool}, createPool does not: add the option classes: [${notInPool}], or classes: 'plain' to have such instances arrive as plain objects`,
    notInModule &&
      `createPool registers ${notInModule}, the task module does not: add export const threadwise = { classes: [${notInModule}] } to it`,
  ].filter(Boolean);
  if (why.length > 0) throw new ThreadwiseError('ERR_OPTION', `Option 'classes': ${why.join('; ')}`);
}
