/** Errors as structured clone sees them: of a built-in class, with a message, a stack and a cause, and nothing else. */

type ErrorClass = new (message?: string) => Error;

/** The class of an error is its index in this list, in memory too. The first stands for all that are not listed. */
const CLASSES: readonly ErrorClass[] = [
  Error,
  EvalError,
  RangeError,
  ReferenceError,
  SyntaxError,
  TypeError,
  URIError,
];
const PROTOTYPES = new Set<unknown>(CLASSES.map((it) => it.prototype));
const NAMES = CLASSES.map((it) => it.name);

/** Which of its parts an error has: bits. */
export const HAS_MESSAGE = 1;
export const HAS_STACK = 2;
export const HAS_CAUSE = 4;

export interface ErrorParts {
  readonly kind: number;
  readonly has: number;
  readonly message: string;
  readonly stack: string;
  readonly cause: unknown;
}

/** Whether an object with this prototype may be an error of a built-in class. */
export function isErrorPrototype(prototype: unknown): boolean {
  return PROTOTYPES.has(prototype);
}

/** What to send of an error; undefined: it is none, or an odd one. */
export function partsOf(value: object): ErrorParts | undefined {
  // An object that only inherits from Error is an error to nobody but itself.
  if (Object.prototype.toString.call(value) !== '[object Error]' || Symbol.toStringTag in value)
    return undefined;
  const { name, stack } = value as { name?: unknown; stack?: unknown };
  const message = ownData(value, 'message', '');
  const cause = ownData(value, 'cause', undefined);
  if (message === undefined || cause === undefined) return undefined;
  if (typeof name !== 'string' || typeof message.value !== 'string') return undefined;
  const hasStack = typeof stack === 'string';
  return {
    kind: Math.max(0, NAMES.indexOf(name)),
    has: (message.has ? HAS_MESSAGE : 0) | (hasStack ? HAS_STACK : 0) | (cause.has ? HAS_CAUSE : 0),
    message: message.value,
    stack: hasStack ? stack : '',
    cause: cause.value,
  };
}

/** Undefined: it has a getter. */
function ownData(
  value: object,
  key: string,
  fallback: unknown,
): { readonly has: boolean; readonly value: unknown } | undefined {
  const own = Object.getOwnPropertyDescriptor(value, key);
  if (own === undefined) return { has: false, value: fallback };
  return 'value' in own ? { has: true, value: own.value } : undefined;
}

/** An error without its cause; undefined: there is no such class. */
export function makeError(
  kind: number,
  message: string | undefined,
  stack: string | undefined,
): Error | undefined {
  const Class = CLASSES[kind];
  if (Class === undefined) return undefined;
  const error = new Class(message);
  error.stack = stack!;
  return error;
}

export function setCause(error: Error, value: unknown): void {
  Object.defineProperty(error, 'cause', { value, writable: true, enumerable: false, configurable: true });
}
