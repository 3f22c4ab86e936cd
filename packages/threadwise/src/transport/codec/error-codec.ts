/**
 * Carries what was thrown across threads. Structured clone drops an error's code and own fields, its class where that
 * is not one of six, and the causes of some; so errors cross as plain records.
 */

import { isErrorCode, ThreadwiseError } from '../../core/options/errors.js';
import type { Clone } from '../../core/calls/payload.js';

/** What was thrown, as plain data. Inverse pair: `encodeError`, `decodeError`. */
export type EncodedError =
  | { readonly type: 'value'; readonly value: unknown }
  | {
      readonly type: 'error';
      /** The nearest built-in class, or ThreadwiseError. */
      readonly className: string;
      readonly name: string;
      readonly message: string;
      readonly stack: string;
      readonly cause?: EncodedError;
      /** Of an AggregateError. */
      readonly errors?: readonly EncodedError[];
      /** Own enumerable properties, `code` among them. */
      readonly fields: readonly (readonly [string, unknown])[];
    };

const BUILT_IN: Readonly<Record<string, new (message?: string) => Error>> = {
  Error,
  EvalError,
  RangeError,
  ReferenceError,
  SyntaxError,
  TypeError,
  URIError,
};

/** Own properties that have a place of their own in the record. */
const NOT_FIELDS = new Set(['name', 'message', 'stack', 'cause']);
/** A chain of causes longer than that is cut: it is a loop, or nobody reads it. */
const MAX_DEPTH = 10;
/** Errors in one record, causes and parts of aggregates together: one that holds itself has no end. */
const MAX_ERRORS = 1000;

/** Never throws, whatever was thrown: a getter that throws, a proxy, an error that refers to itself. */
export function encodeError(thrown: unknown, clone: Clone): EncodedError {
  return encode(thrown, clone, 0, { left: MAX_ERRORS });
}

function encode(thrown: unknown, clone: Clone, depth: number, budget: { left: number }): EncodedError {
  if (!isError(thrown)) return encodeValue(thrown, clone);
  budget.left--;
  const className = classNameOf(thrown);
  const goesOn = depth < MAX_DEPTH && budget.left > 0;
  const cause = goesOn && hasOwn(thrown, 'cause') ? read(thrown, 'cause') : undefined;
  const isAggregate = className === 'AggregateError';
  const errors = isAggregate && goesOn ? listOf(read(thrown, 'errors')) : [];
  return {
    type: 'error',
    className,
    name: asText(read(thrown, 'name'), 'Error'),
    message: asText(read(thrown, 'message'), ''),
    stack: asText(read(thrown, 'stack'), ''),
    ...(cause === undefined ? {} : { cause: encode(cause, clone, depth + 1, budget) }),
    ...(isAggregate ? { errors: encodeList(errors, clone, depth + 1, budget) } : {}),
    fields: encodeFields(thrown, clone, isAggregate ? 'errors' : undefined),
  };
}

function encodeList(
  errors: readonly unknown[],
  clone: Clone,
  depth: number,
  budget: { left: number },
): EncodedError[] {
  const encoded: EncodedError[] = [];
  for (const error of errors) if (budget.left > 0) encoded.push(encode(error, clone, depth, budget));
  return encoded;
}

/** Inverse of `encodeError`. */
export function decodeError(encoded: EncodedError): unknown {
  if (encoded.type === 'value') return encoded.value;
  const error = construct(encoded);
  define(error, 'stack', encoded.stack);
  if (read(error, 'name') !== encoded.name) define(error, 'name', encoded.name);
  if (encoded.cause !== undefined) define(error, 'cause', decodeError(encoded.cause));
  for (const [key, value] of encoded.fields) {
    Object.defineProperty(error, key, { value, writable: true, enumerable: true, configurable: true });
  }
  return error;
}

function isError(value: unknown): value is Error {
  if (typeof value !== 'object' || value === null) return false;
  try {
    // The tag finds errors of another realm (node:vm), which instanceof does not.
    return value instanceof Error || Object.prototype.toString.call(value) === '[object Error]';
  } catch {
    return false;
  }
}

function encodeValue(value: unknown, clone: Clone): EncodedError {
  try {
    return { type: 'value', value: clone(value) };
  } catch {
    const message = `A value was thrown that cannot be cloned: ${describe(value)}`;
    return encodeError(new ThreadwiseError('ERR_NOT_CLONEABLE', message, { path: 'thrown' }), clone);
  }
}

function encodeFields(error: object, clone: Clone, except: string | undefined): [string, unknown][] {
  return ownKeys(error)
    .filter((key) => !NOT_FIELDS.has(key) && key !== except)
    .map((key) => [key, encodeField(read(error, key), clone)]);
}

/** A field that cannot be cloned arrives as a description of it, so that the others are not lost with it. */
function encodeField(value: unknown, clone: Clone): unknown {
  try {
    return clone(value);
  } catch {
    return describe(value);
  }
}

function describe(value: unknown): string {
  try {
    return Object.prototype.toString.call(value);
  } catch {
    return typeof value;
  }
}

function classNameOf(error: object): string {
  try {
    for (let proto = Object.getPrototypeOf(error); proto !== null; proto = Object.getPrototypeOf(proto)) {
      const name: unknown = read(read(proto, 'constructor') as object, 'name');
      if (typeof name === 'string' && isKnownClass(name)) return name;
    }
  } catch {
    // A proxy that refuses: it arrives as a plain Error.
  }
  return 'Error';
}

function isKnownClass(name: string): boolean {
  return (
    Object.hasOwn(BUILT_IN, name) ||
    name === 'AggregateError' ||
    name === 'DOMException' ||
    name === 'ThreadwiseError'
  );
}

/** DOMException exists on every runtime of ours, but not in the language. */
type DOMExceptionClass = new (message: string, name: string) => Error;
const DOMExceptionHere = (globalThis as { DOMException?: DOMExceptionClass }).DOMException;

function construct(encoded: Extract<EncodedError, { type: 'error' }>): Error {
  const { className, message, name } = encoded;
  if (className === 'AggregateError')
    return new AggregateError((encoded.errors ?? []).map(decodeError), message);
  if (className === 'DOMException' && DOMExceptionHere) return new DOMExceptionHere(message, name);
  const code = encoded.fields.find(([key]) => key === 'code')?.[1];
  if (className === 'ThreadwiseError' && isErrorCode(code)) return new ThreadwiseError(code, message);
  return new (BUILT_IN[className] ?? Error)(message);
}

function define(error: Error, key: string, value: unknown): void {
  Object.defineProperty(error, key, { value, writable: true, enumerable: false, configurable: true });
}

function read(target: object, key: string): unknown {
  try {
    return (target as Record<string, unknown>)[key];
  } catch {
    return undefined;
  }
}

/** The items of an array, or none: it may be a proxy that refuses. */
function listOf(value: unknown): unknown[] {
  try {
    return Array.isArray(value) ? Array.from(value) : [];
  } catch {
    return [];
  }
}

function hasOwn(target: object, key: string): boolean {
  try {
    return Object.hasOwn(target, key);
  } catch {
    return false;
  }
}

function ownKeys(target: object): string[] {
  try {
    return Object.keys(target);
  } catch {
    return [];
  }
}

function asText(value: unknown, fallback: string): string {
  return typeof value === 'string' ? value : fallback;
}
