/**
 * Instances of registered classes in a value that crosses. Every way to cross makes plain objects of instances, and keeps who is the same as
 * whom; so a value crosses together with a list of its instances, and the receiver gives each the prototype of its class. The value
 * is copied only where it has an instance that an `encode` of its class stands for.
 */
import type { Instances } from '../../core/contracts.js';
import { isImmutable } from '../../core/calls/payload.js';
import { leaseOf } from '../../core/lease.js';
import { show, ThreadwiseError } from '../../core/options/errors.js';
import type { RegisteredClass } from '../../core/options/classes.js';
import { becomesPlain } from '../codec/instances.js';
import { type Fields, setOwn } from '../codec/own-keys.js';

/** The first item of a value that was packed. */
const MARK = '\0threadwise.instances';
/** `instances`: each in its place in `value`; `names`: those of their classes, in the same order. */
type Packed = readonly [typeof MARK, value: unknown, names: string[], instances: object[]];
/** Stands for an instance that was encoded. */
interface Box {
  data: unknown;
}
/** Boxes that are being opened. `made`: what they stood for; undefined while it is being made. */
interface Decoding {
  readonly boxes: ReadonlyMap<unknown, RegisteredClass>;
  readonly made: Map<unknown, unknown>;
  readonly instances: Set<unknown>;
}
type Kind = 'list' | 'map' | 'set' | 'object' | 'leaf';
type Replace = (part: unknown) => unknown;

function isPacked(value: unknown): value is Packed {
  return Array.isArray(value) && value[0] === MARK;
}

export class Packing implements Instances {
  readonly #byName: ReadonlyMap<string, RegisteredClass>;
  readonly #byPrototype: ReadonlyMap<object, RegisteredClass>;

  constructor(classes: readonly RegisteredClass[]) {
    this.#byName = new Map(classes.map((it) => [it.name, it]));
    this.#byPrototype = new Map(classes.map((it) => [it.prototype, it]));
  }

  pack(value: unknown): unknown {
    const packed = this.#pack(value);
    // A value of the user's own that looks packed arrives as it is.
    return packed === undefined && isPacked(value) ? [MARK, value, [], []] : (packed ?? value);
  }

  packArguments(args: readonly unknown[]): readonly unknown[] {
    const packed = this.#pack(args) ?? (isPacked(args.at(-1)) ? [MARK, args, [], []] : undefined);
    if (packed === undefined) return args;
    // Each argument stays in its place: the crossing looks for leases there.
    const [, own, names, instances] = packed as Packed;
    return [...(own as unknown[]), [MARK, undefined, names, instances]];
  }

  unpack(value: unknown): unknown {
    return isPacked(value) ? this.#unpack(value) : value;
  }

  unpackArguments(args: readonly unknown[]): readonly unknown[] {
    const last = args.at(-1);
    if (!isPacked(last)) return args;
    const [, , names, instances] = last;
    return this.#unpack([MARK, args.slice(0, -1), names, instances]) as readonly unknown[];
  }

  unpackError(error: unknown): unknown {
    if (!(error instanceof Error)) return this.unpack(error);
    const fields = error as unknown as Fields;
    for (const key of Object.keys(fields)) {
      if (isPacked(fields[key])) fields[key] = this.#unpack(fields[key]);
    }
    if (error.cause instanceof Error) this.unpackError(error.cause);
    if (error instanceof AggregateError) error.errors.forEach((part) => void this.unpackError(part));
    return error;
  }

  // --- packing ---

  /** Undefined: there is no instance in it. Throws ERR_NOT_CLONEABLE. */
  #pack(root: unknown): Packed | undefined {
    if (isImmutable(root)) return undefined;
    const boxes = new Map<object, Box>();
    const instances: object[] = [];
    const names: string[] = [];
    const seen = new Set<object>();
    const open: unknown[] = [root];
    for (let value = open.pop(); value !== undefined || open.length > 0; value = open.pop()) {
      if (typeof value !== 'object' || value === null || seen.has(value)) continue;
      const kind = this.#kindOf(value);
      if (kind === 'leaf') continue;
      seen.add(value);
      const known = this.#classOf(value);
      if (known !== undefined) {
        instances.push(value);
        names.push(known.name);
      }
      if (known?.encode === undefined) {
        eachPart(value, kind, (part) => void open.push(part));
      } else {
        const box = { data: encoded(known, value) };
        boxes.set(value, box);
        open.push(box.data);
      }
    }
    if (instances.length === 0) return undefined;
    if (boxes.size === 0) return [MARK, root, names, instances];
    const copies = new Map<unknown, object>();
    for (const value of seen) copies.set(value, boxes.get(value) ?? emptyLike(this.#kindOf(value)));
    const copyOf: Replace = (part) => copies.get(part) ?? part;
    for (const value of seen) {
      const box = boxes.get(value);
      if (box === undefined) fill(copyOf(value) as object, value, this.#kindOf(value), copyOf);
      else box.data = copyOf(box.data);
    }
    return [MARK, copyOf(root), names, instances.map((it) => copyOf(it) as object)];
  }

  #classOf(value: object): RegisteredClass | undefined {
    return this.#byPrototype.get(Object.getPrototypeOf(value) as object);
  }

  /** Throws ERR_NOT_CLONEABLE for an instance of which only a base class is registered. */
  #kindOf(value: object): Kind {
    try {
      if (Array.isArray(value)) return 'list';
    } catch {
      return 'leaf'; // a proxy that was revoked: whoever clones it says so
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
    const tag = Object.prototype.toString.call(value);
    if (tag === '[object Map]') return 'map';
    if (tag === '[object Set]') return 'set';
    const isPlain = tag === '[object Object]' && leaseOf(value) === undefined;
    return isPlain && becomesPlain(value, prototype) ? 'object' : 'leaf';
  }

  // --- unpacking ---

  /** Throws ERR_NOT_CLONEABLE where a `decode` throws. */
  #unpack([, root, names, instances]: Packed): unknown {
    const boxes = new Map<unknown, RegisteredClass>();
    for (const [i, instance] of instances.entries()) {
      const known = this.#byName.get(names[i]!)!; // both sides have the same classes
      if (known.decode === undefined) Object.setPrototypeOf(instance, known.prototype);
      else boxes.set(instance, known);
    }
    return boxes.size === 0 ? root : this.#decodeIn(root, { boxes, made: new Map(), instances: new Set() });
  }

  /** Puts instances in the place of boxes, in place. */
  #decodeIn(root: unknown, decoding: Decoding): unknown {
    const { boxes, made, instances } = decoding;
    const decode: Replace = (part) => {
      const known = boxes.get(part);
      if (known === undefined) return part;
      if (made.has(part)) {
        const instance = made.get(part);
        if (instance !== undefined) return instance;
        throw notCloneable(`an instance of ${known.name} is part of what its own \`encode\` returned`);
      }
      made.set(part, undefined);
      const instance = decoded(known, this.#decodeIn((part as Box).data, decoding));
      made.set(part, instance);
      instances.add(instance);
      return instance;
    };
    const seen = new Set<unknown>([decode(root)]);
    for (const value of seen) {
      if (typeof value !== 'object' || value === null || instances.has(value)) continue;
      fill(value, value, this.#kindOf(value), (part) => {
        const whole = decode(part);
        if (!isImmutable(whole)) seen.add(whole);
        return whole;
      });
    }
    return decode(root);
  }
}

/** What it has for parts: those that structured clone would visit. */
function eachPart(value: object, kind: Kind, visit: (part: unknown) => void): void {
  if (kind === 'map') {
    (value as Map<unknown, unknown>).forEach((part, key) => {
      visit(key);
      visit(part);
    });
  } else if (kind === 'set') (value as Set<unknown>).forEach(visit);
  else if (kind !== 'leaf') {
    for (const key of Object.keys(value)) visit(partOf(value, key));
  }
}

/** Gives `copy` the parts of `value`, replaced; they may be the same object. */
function fill(copy: object, value: object, kind: Kind, replace: Replace): void {
  if (kind === 'map') {
    const [from, to] = [value, copy] as Map<unknown, unknown>[];
    const entries = [...from!].map(([key, part]) => [replace(key), replace(part)] as const);
    to!.clear();
    for (const [key, part] of entries) to!.set(key, part);
  } else if (kind === 'set') {
    const [from, to] = [value, copy] as Set<unknown>[];
    const parts = [...from!].map(replace);
    to!.clear();
    for (const part of parts) to!.add(part);
  } else if (kind !== 'leaf') {
    if (Array.isArray(value)) (copy as unknown[]).length = value.length;
    for (const key of Object.keys(value)) {
      const part = partOf(value, key);
      const other = replace(part);
      if (copy !== value || other !== part) setOwn(copy as Fields, key, other);
    }
  }
}

/** Throws ERR_NOT_CLONEABLE. */
function partOf(value: object, key: string): unknown {
  try {
    return (value as Fields)[key];
  } catch (cause) {
    throw notCloneable(`the getter of '${key}' threw ${textOf(cause)}`, cause);
  }
}

function emptyLike(kind: Kind): object {
  if (kind === 'list') return [];
  return kind === 'map' ? new Map() : kind === 'set' ? new Set() : {};
}

function encoded({ name, prototype, encode }: RegisteredClass, instance: object): unknown {
  let data: unknown;
  try {
    data = encode!(instance);
  } catch (cause) {
    throw notCloneable(`\`encode\` of ${name} threw ${textOf(cause)}`, cause);
  }
  if (isImmutable(data) || Object.getPrototypeOf(data) !== prototype) return data;
  throw notCloneable(`\`encode\` of ${name} returned an instance of ${name}`);
}

function decoded({ name, decode }: RegisteredClass, data: unknown): unknown {
  let instance: unknown;
  try {
    instance = decode!(data);
  } catch (cause) {
    throw notCloneable(`\`decode\` of ${name} threw ${textOf(cause)}`, cause);
  }
  if (typeof instance === 'object' && instance !== null) return instance;
  throw notCloneable(`\`decode\` of ${name} returned ${show(instance)}, no instance`);
}

function nameOf(prototype: object): string {
  const maker: unknown = prototype.constructor;
  return (typeof maker === 'function' && maker.name) || 'a class without a name';
}

function textOf(thrown: unknown): string {
  return thrown instanceof Error ? String(thrown) : show(thrown);
}

function notCloneable(why: string, cause?: unknown): ThreadwiseError {
  return new ThreadwiseError(
    'ERR_NOT_CLONEABLE',
    `Cannot clone: ${why}`,
    cause === undefined ? {} : { cause },
  );
}
