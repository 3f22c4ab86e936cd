/**
 * Instances of registered classes in a value that crosses. Every way to cross makes plain objects of instances, and keeps which objects are
 * the same; so a value crosses together with a list of its instances, and the receiver gives each the prototype of its class. The value
 * is copied only where it has an instance that an `encode` of its class stands for.
 */
import { isList, isObject, tagOf } from '../../core/options/checks.js';
import type { Instances } from '../../core/contracts.js';
import { isImmutable } from '../../core/calls/payload.js';
import { leaseOf } from '../../core/lease.js';
import { show, textOf, ThreadwiseError } from '../../core/options/errors.js';
import type { RegisteredClass } from '../../core/options/classes.js';
import { becomesPlain, type Fields, setOwn } from '../codec/plain-objects.js';

const MARK = '\0threadwise.instances'; // the first item of a value that was packed
/** `instances`: the instances, each in its place in `value`; `names`: the names of their classes, in the same order. */
type Packed = readonly [typeof MARK, value: unknown, names: string[], instances: object[]];
/** Stands for an instance that was encoded. */
interface Box {
  data: unknown;
}
type Kind = 'list' | 'map' | 'set' | 'object' | 'leaf';
type Replace = (part: unknown) => unknown;

function isPacked(value: unknown): value is Packed {
  return isList(value) && value[0] === MARK;
}

export class Packing implements Instances {
  readonly #byName: ReadonlyMap<string, RegisteredClass>;
  readonly #byPrototype: ReadonlyMap<object, RegisteredClass>;

  constructor(classes: readonly RegisteredClass[]) {
    this.#byName = new Map(classes.map((it) => [it.name, it]));
    this.#byPrototype = new Map(classes.map((it) => [it.prototype, it]));
  }

  pack(value: unknown): unknown {
    // A value of the user's own that looks packed arrives as it is.
    return this.#pack(value) ?? (isPacked(value) ? [MARK, value, [], []] : value);
  }

  packArguments(args: readonly unknown[]): readonly unknown[] {
    const packed = this.#pack(args);
    if (packed === undefined && !isPacked(args.at(-1))) return args;
    // Each argument stays in its place: the crossing looks for leases there.
    const [, own, names, instances] = packed ?? [MARK, args, [], []];
    return [...(own as unknown[]), [MARK, undefined, names, instances]];
  }

  unpack(value: unknown): unknown {
    return isPacked(value) ? this.#unpack(value[1], value) : value;
  }

  unpackArguments(args: readonly unknown[]): readonly unknown[] {
    const last = args.at(-1);
    return isPacked(last) ? (this.#unpack(args.slice(0, -1), last) as readonly unknown[]) : args;
  }

  unpackError(error: unknown, seen: Set<unknown>): unknown {
    if (seen.has(error)) return error;
    if (!(error instanceof Error)) return this.unpack(error);
    seen.add(error);
    const unpackIn = (parts: object, keys: readonly string[]) => {
      for (const key of keys) {
        const part = (parts as Fields)[key];
        const own = this.unpackError(part, seen);
        if (own !== part) (parts as Fields)[key] = own;
      }
    };
    unpackIn(error, [...Object.keys(error), 'cause', 'error', 'suppressed']);
    if (error instanceof AggregateError) unpackIn(error.errors, Object.keys(error.errors));
    return error;
  }

  /**
   * Returns undefined if there is no instance in the value. Throws ERR_NOT_CLONEABLE.
   * @param isCopied whether an instance in it has an `encode`: then copies of all objects cross, with boxes in the place of such instances
   */
  #pack(root: unknown, isCopied = false): Packed | undefined {
    if (isImmutable(root)) return undefined;
    const instances: object[] = [];
    const names: string[] = [];
    /** What crosses for each object. */
    const crossing = new Map<object, object>();
    const cross: Replace = (part) => {
      if (!isObject(part)) return part;
      const known = crossing.get(part);
      if (known !== undefined) return known;
      const kind = this.#kindOf(part);
      if (kind === 'leaf') return part;
      const copy = isCopied ? emptyLike(part, kind) : part;
      crossing.set(part, copy);
      const registered = this.#classOf(part);
      if (registered !== undefined) {
        instances.push(copy);
        names.push(registered.name);
      }
      return copy;
    };
    const whole = cross(root);
    for (const [value, copy] of crossing) {
      const registered = this.#classOf(value);
      if (registered?.encode === undefined)
        fill(isCopied ? copy : undefined, value, this.#kindOf(value), cross);
      else if (isCopied) (copy as Box).data = cross(encoded(registered, value));
      else return this.#pack(root, true);
    }
    return instances.length === 0 ? undefined : [MARK, whole, names, instances];
  }

  #classOf(value: object): RegisteredClass | undefined {
    return this.#byPrototype.get(Object.getPrototypeOf(value) as object);
  }

  /** Throws ERR_NOT_CLONEABLE for an instance of which only a base class is registered. */
  #kindOf(value: object): Kind {
    try {
      if (Array.isArray(value)) return 'list';
    } catch {
      return 'leaf'; // a revoked proxy: the clone will refuse it
    }
    const prototype = Object.getPrototypeOf(value) as object | null;
    if (prototype === Object.prototype || prototype === null || this.#byPrototype.has(prototype))
      return 'object';
    for (let base = Object.getPrototypeOf(prototype); base !== null; base = Object.getPrototypeOf(base)) {
      const known = this.#byPrototype.get(base as object);
      if (known !== undefined)
        throw notCloneable(
          `${nameOf(prototype)} extends ${known.name}, and is not registered: add it to \`classes\`, in the task module and in createPool`,
        );
    }
    const tag = tagOf(value);
    if (tag === '[object Map]') return 'map';
    if (tag === '[object Set]') return 'set';
    const isPlain = tag === '[object Object]' && leaseOf(value) === undefined;
    return isPlain && becomesPlain(value, prototype) ? 'object' : 'leaf';
  }

  /** Throws ERR_NOT_CLONEABLE where a `decode` throws. */
  #unpack(root: unknown, [, , names, instances]: Packed): unknown {
    const boxes = new Map<unknown, RegisteredClass>();
    for (const [i, instance] of instances.entries()) {
      const known = this.#byName.get(names[i]!)!; // both sides have the same classes
      if (known.decode === undefined) Object.setPrototypeOf(instance, known.prototype);
      else boxes.set(instance, known);
    }
    if (boxes.size === 0) return root;
    /** What each box stood for, undefined while it is being made; an instance that was made stands for itself. */
    const made = new Map<unknown, unknown>();
    const decode: Replace = (part) => {
      const known = boxes.get(part);
      if (known === undefined) return part;
      if (!made.has(part)) {
        made.set(part, undefined);
        const instance = decoded(known, decodeIn((part as Box).data));
        made.set(part, instance).set(instance, instance);
      }
      const instance = made.get(part);
      if (instance !== undefined) return instance;
      throw notCloneable(`an instance of ${known.name} is part of what its own \`encode\` returned`);
    };
    /** Puts instances in the place of boxes, in place. What `decode` has made is left alone. */
    const decodeIn = (value: unknown): unknown => {
      const whole = decode(value);
      const seen = new Set([whole]);
      for (const each of seen) {
        if (!isObject(each) || made.has(each)) continue;
        fill(each, each, this.#kindOf(each), (part) => {
          const other = decode(part);
          seen.add(other);
          return other;
        });
      }
      return whole;
    };
    return decodeIn(root);
  }
}

/**
 * Gives `copy` the parts of `value` that structured clone would visit, replaced.
 * @param copy may be `value`; undefined: `replace` only hears of the parts
 */
function fill(copy: object | undefined, value: object, kind: Kind, replace: Replace): void {
  if (kind === 'map' || kind === 'set') {
    // Each item of a Set is its own key.
    const entries = [...(value as Map<unknown, unknown>).entries()].map((entry) => entry.map(replace));
    if (copy === undefined) return;
    const to = copy as Map<unknown, unknown> & Set<unknown>;
    to.clear();
    for (const [key, part] of entries) {
      if (kind === 'map') to.set(key, part);
      else to.add(part);
    }
  } else if (kind !== 'leaf') {
    for (const key of Object.keys(value)) {
      const part = partOf(value as Fields, key);
      const other = replace(part);
      if (copy !== undefined && (copy !== value || other !== part)) setOwn(copy as Fields, key, other);
    }
  }
}

/** Throws ERR_NOT_CLONEABLE. */
function partOf(value: Fields, key: string): unknown {
  try {
    return value[key];
  } catch (cause) {
    throw notCloneable(`the getter of '${key}' threw ${textOf(cause)}`, { cause });
  }
}

function emptyLike(value: object, kind: Kind): object {
  if (kind === 'list') return new Array<unknown>((value as unknown[]).length);
  if (kind === 'map') return new Map();
  return kind === 'set' ? new Set() : {};
}

function encoded({ name, prototype, encode }: RegisteredClass, instance: object): unknown {
  const data = resultOf(`\`encode\` of ${name}`, encode!, instance);
  if (isImmutable(data) || Object.getPrototypeOf(data) !== prototype) return data;
  throw notCloneable(`\`encode\` of ${name} returned an instance of ${name}`);
}

function decoded({ name, decode }: RegisteredClass, data: unknown): object {
  const instance = resultOf(`\`decode\` of ${name}`, decode!, data);
  if (isObject(instance)) return instance;
  throw notCloneable(`\`decode\` of ${name} returned ${show(instance)}, no instance`);
}

function resultOf<T>(what: string, run: (value: T) => unknown, value: T): unknown {
  try {
    return run(value);
  } catch (cause) {
    throw notCloneable(`${what} threw ${textOf(cause)}`, { cause });
  }
}

function nameOf({ constructor: maker }: object): string {
  return (typeof maker === 'function' && maker.name) || 'a class without a name';
}

function notCloneable(why: string, details = {}): ThreadwiseError {
  return new ThreadwiseError('ERR_NOT_CLONEABLE', `Cannot clone: ${why}`, details);
}
