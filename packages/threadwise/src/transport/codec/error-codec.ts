/**
 * Carries what was thrown across threads. Structured clone drops an error's code and own fields, its class where that
 * is not one of six, and the causes of some; so what was thrown crosses as a plain record. An error that is part of an
 * argument or a result crosses as structured clone sees it: of a built-in class, with a message, a stack and a cause.
 */
import { isObject, tagOf } from '../../core/options/checks.js';
import { BRAND, type ErrorCode, ThreadwiseError } from '../../core/options/errors.js';
import type { Clone } from '../../core/calls/payload.js';
import { withoutStacks } from './engine.js';
import { defineOwn } from './plain-objects.js';
import { DamagedError } from './tags.js';

/** What was thrown, as plain data. Inverse pair: `encodeError`, `decodeError`. */
export type EncodedError = { readonly type: 'value'; readonly value: unknown } | EncodedObject;

interface EncodedObject {
  readonly type: 'error';
  /** The nearest built-in class, or ThreadwiseError. */
  readonly className: string;
  readonly name: string;
  readonly message: string;
  stack: string;
  readonly cause?: EncodedError;
  /** The errors of an AggregateError; of a SuppressedError, its `error` and its `suppressed`. */
  readonly errors?: readonly EncodedError[];
  /** Own enumerable properties, `code` among them. */
  readonly fields: readonly (readonly [string, unknown])[];
}

/** The class of an error that is part of a value is its index in this list, in memory too. The first stands for all others. */
const CLASSES = [Error, EvalError, RangeError, ReferenceError, SyntaxError, TypeError, URIError];
const PROTOTYPES = new Set<unknown>(CLASSES.map((it) => it.prototype));
const CLASS_NAMES = CLASSES.map((it) => it.name);
const KNOWN = [...CLASS_NAMES, 'AggregateError', 'SuppressedError', 'DOMException'];

/** Read here, before a task can replace the globals. Node 20 and 22 have no SuppressedError. */
const { DOMException, SuppressedError } = globalThis as Omit<typeof globalThis, 'SuppressedError'> & {
  readonly SuppressedError?: SuppressedErrorConstructor;
};

/** Own properties that have a place of their own in the record. */
const NOT_FIELDS = ['name', 'message', 'stack', 'cause'];
/** More such properties, of some classes: those that hold other errors. */
const HOLDERS: Readonly<Record<string, readonly string[]>> = {
  AggregateError: ['errors'],
  SuppressedError: ['error', 'suppressed'],
};
const MAX_DEPTH = 10; // how many causes of causes cross: a longer chain is a loop, or nobody reads it
/** How many errors one record has at most, causes and parts of aggregates together: an error that holds itself would have no end. */
const MAX_ERRORS = 1000;

/** Never throws, for no thrown value: not for a getter that throws, a proxy, an error that refers to itself. */
export function encodeError(thrown: unknown, clone: Clone): EncodedError {
  let left = MAX_ERRORS;
  const encode = (error: unknown, depth: number): EncodedError => {
    if (!isError(error)) return encodeValue(error, clone);
    left--;
    const textOf = (key: string, fallback: string) => {
      const value = read(error, key);
      return typeof value === 'string' ? value : fallback;
    };
    const className = attempt(() => classNameOf(error), 'Error');
    const holders = HOLDERS[className] ?? [];
    const goesOn = depth < MAX_DEPTH && left > 0;
    const hasCause = goesOn && attempt(() => Object.hasOwn(error, 'cause'), false);
    const encodedCause = hasCause ? { cause: encode(read(error, 'cause'), depth + 1) } : {};
    const errors: EncodedError[] = [];
    for (const part of goesOn ? errorsIn(error, holders) : []) {
      if (left > 0) errors.push(encode(part, depth + 1));
    }
    const keys = attempt(() => Object.keys(error), []);
    const fields = keys.filter((key) => !NOT_FIELDS.includes(key) && !holders.includes(key));
    return {
      type: 'error',
      className,
      name: textOf('name', 'Error'),
      message: textOf('message', ''),
      stack: textOf('stack', ''),
      ...encodedCause,
      ...(errors.length > 0 ? { errors } : {}),
      fields: fields.map((key) => {
        const value = read(error, key);
        // A field that cannot be cloned arrives as a description of it, so that the others are not lost with it.
        return [key, attempt(() => clone(value), describe(value))];
      }),
    };
  };
  return encode(thrown, 0);
}

/** Inverse of `encodeError`. */
export function decodeError(encoded: EncodedError): unknown {
  return withoutStacks(() => decode(encoded));
}

function decode(encoded: EncodedError): unknown {
  if (encoded.type === 'value') return encoded.value;
  const error = construct(encoded);
  // If the error has a stack already, V8 first makes the text of that stack, by an Error.prepareStackTrace that may throw.
  attempt(() => defineOwn(error, 'stack', encoded.stack, false), undefined);
  if (read(error, 'name') !== encoded.name) defineOwn(error, 'name', encoded.name, false);
  if (encoded.cause !== undefined) defineOwn(error, 'cause', decode(encoded.cause), false);
  for (const [key, value] of encoded.fields) defineOwn(error, key, value);
  return error;
}

function isError(value: unknown): value is Error {
  if (!isObject(value)) return false;
  // The tag finds errors of another realm (node:vm), which instanceof does not.
  return attempt(() => value instanceof Error || tagOf(value) === '[object Error]', false);
}

function encodeValue(value: unknown, clone: Clone): EncodedError {
  try {
    return { type: 'value', value: clone(value) };
  } catch {
    const message = `A value was thrown that cannot be cloned: ${describe(value)}`;
    return encodeError(new ThreadwiseError('ERR_NOT_CLONEABLE', message, { path: 'thrown' }), clone);
  }
}

function classNameOf(error: object): string {
  // The brand decides: the class may be that of another copy of the package, and a minifier may have given it another name.
  if (read(error, BRAND)) return 'ThreadwiseError';
  for (let proto = Object.getPrototypeOf(error); proto !== null; proto = Object.getPrototypeOf(proto)) {
    const name = read(read(proto, 'constructor') as object, 'name');
    if (typeof name === 'string' && KNOWN.includes(name)) return name;
  }
  return 'Error';
}

/** The errors in an error, beside its cause. @param holders the properties that hold them: one that is a list, or several */
function errorsIn(error: object, holders: readonly string[]): readonly unknown[] {
  const parts = holders.map((key) => read(error, key));
  if (parts.length !== 1) return parts;
  return attempt(() => (Array.isArray(parts[0]) ? Array.from<unknown>(parts[0]) : []), []);
}

function construct({ className, message, name, errors = [], fields }: EncodedObject): Error {
  if (className === 'AggregateError') return new AggregateError(errors.map(decode), message);
  if (className === 'SuppressedError' && SuppressedError !== undefined) {
    const [error, suppressed] = errors.map(decode);
    return new SuppressedError(error, suppressed, message);
  }
  if (className === 'DOMException') return new DOMException(message, name);
  const code = fields.find(([key]) => key === 'code')?.[1];
  if (className === 'ThreadwiseError' && typeof code === 'string')
    return new ThreadwiseError(code as ErrorCode, message);
  return new (CLASSES[CLASS_NAMES.indexOf(className)] ?? Error)(message);
}

/** What `ask` returns; `otherwise` if it throws, as a getter or a proxy may. */
function attempt<T>(ask: () => T, otherwise: T): T {
  try {
    return ask();
  } catch {
    return otherwise;
  }
}

function read(target: object, key: string | symbol): unknown {
  return attempt(() => (target as Record<string | symbol, unknown>)[key], undefined);
}

const describe = (value: unknown) => attempt<string>(() => tagOf(value), typeof value);

// --- errors that are part of a value ---

/** Whether an object with this prototype may be an error of a built-in class. */
export function isErrorPrototype(prototype: unknown): boolean {
  return PROTOTYPES.has(prototype);
}

/**
 * The parts of an error that are sent: message and stack, if it has them, and the descriptor of its cause, whose value may be undefined.
 * Undefined: the value is no error, or one that only structured clone can copy.
 */
export function partsOf(value: object) {
  // An object that only inherits from Error is no error to structured clone.
  if (tagOf(value) !== '[object Error]' || Symbol.toStringTag in value) return undefined;
  const { name, stack } = value as Partial<Record<string, unknown>>;
  const message = Object.getOwnPropertyDescriptor(value, 'message');
  const cause = Object.getOwnPropertyDescriptor(value, 'cause');
  const hasText = message === undefined || typeof message.value === 'string';
  const hasGetter = cause !== undefined && !('value' in cause);
  if (!hasText || hasGetter || typeof name !== 'string') return undefined;
  const kind = Math.max(0, CLASS_NAMES.indexOf(name));
  return {
    kind,
    message: message?.value as unknown,
    stack: typeof stack === 'string' ? stack : undefined,
    cause,
  };
}

const isTextOrNone = (value: unknown) => value === undefined || typeof value === 'string';

/** An error without its cause. Inverse of `partsOf`. */
export function makeError(kind: number, message: unknown, stack: unknown): Error {
  const Class = CLASSES[kind];
  if (Class === undefined) throw new DamagedError(`there is no class ${kind} of errors`);
  if (!isTextOrNone(message) || !isTextOrNone(stack)) throw new DamagedError('an error without texts');
  const error = withoutStacks(() => new Class(message), 0);
  error.stack = stack!;
  return error;
}
