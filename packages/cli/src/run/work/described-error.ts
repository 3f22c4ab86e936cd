/** Turns a value that a task threw into plain words; one whose properties throw must not break the run. */

import { fileURLToPath } from 'node:url';
import { inspect } from 'node:util';
import { tried } from '../../system-error.js';
import type { DescribedError } from './batch.js';

const UNREADABLE = '(cannot be read)';
/** The folders of this command and of the library, and the name of the code of workers: a stack is cut there, for they only call the user's code. */
const OWN_CODE = [
  ...[new URL('..', import.meta.url), new URL('.', import.meta.resolve('threadwise'))].map(
    ({ pathname }) => pathname,
  ),
  '[worker eval]',
];

/** @param hasCause whether the message tells the error's own cause, if that says more */
export function describeError(thrown: unknown, hasCause = true): DescribedError {
  if (!isErrorLike(thrown)) return { name: 'thrown', message: shownValue(thrown), code: undefined };
  // The code is null in Node.js's error for a child process that a signal has ended.
  const code = safely(() => ('code' in thrown ? String(thrown.code ?? '') : ''));
  const message = safely(() => String(thrown.message));
  const inner = tried(() => hasCause && 'cause' in thrown && isErrorLike(thrown.cause) && thrown.cause);
  const cause = inner ? describeError(inner, false) : undefined;
  // The message of a system call ends with the call and the path, which are often left out.
  const said = cause?.message.replace(/, \w+(?: '.*')?$/s, '') ?? '';
  const isTold = cause === undefined || (said !== '' && message.includes(said));
  return {
    name: safely(() => String(thrown.name)),
    message: isTold ? message : `${message} (cause: ${errorLine(cause)})`,
    code: code === '' ? undefined : code,
  };
}

/** The stack lines of the code that was called from here. To make them takes longer than to throw. */
export function stackOf(thrown: unknown): string | undefined {
  if (!isErrorLike(thrown)) return undefined;
  const text = safely(() => ('stack' in thrown ? String(thrown.stack) : ''));
  const lines = text.split('\n').filter((line) => /^ {4}at /.test(line));
  const own = lines.findIndex((line) => OWN_CODE.some((folder) => line.includes(folder)));
  // Functions of JavaScript itself that our own code has called, such as JSON.stringify, are no place of the user's.
  const end = lines.findLastIndex((line, i) => i < own && !line.endsWith('(<anonymous>)')) + 1;
  const kept = own === -1 ? lines : lines.slice(0, end);
  return kept.length === 0 ? undefined : kept.map((line) => line.trim()).join('\n');
}

/** The place in the user's code where the error was thrown, as ` (path:line)`; an empty text if the stack names none. */
export function placeIn(stack: string | undefined): string {
  for (const line of stack?.split('\n') ?? []) {
    const [, file, number] =
      /(?:\(|^at (?:async )?)(file:.+|\/.+|[A-Za-z]:\\.+):(\d+):\d+\)?$/.exec(line) ?? [];
    if (file !== undefined) return ` (${pathOf(file)}:${number})`;
  }
  return '';
}

export function pathOf(reference: string): string {
  return reference.startsWith('file:') ? fileURLToPath(reference.replace(/#.*$/, '')) : reference;
}

export function errorLine({ name, message, code }: DescribedError): string {
  const shownCode = code === undefined || message.includes(code) ? '' : ` [${code}]`;
  return [`${name}${shownCode}`.trim(), message].filter(Boolean).join(': ') || 'an error that says nothing';
}

/** What failed in a thread outside of an input: its setup, its teardown, or its start. */
export function threadFailure(thrown: unknown): string {
  const error = describeError(thrown);
  if (error.code === 'ERR_WORKER_INIT_FAILED') return `the system gives no further thread (${error.message})`;
  return errorLine(error);
}

/** Structural, because an error of another realm or a copy that crossed a thread may not be `instanceof Error`. */
function isErrorLike(thrown: unknown): thrown is { name: unknown; message: unknown } {
  return typeof thrown === 'object' && thrown !== null && 'message' in thrown && 'name' in thrown;
}

/** Any value of the user's, for a message: a text as it is, unless nothing of it would be seen. */
export function shownValue(value: unknown): string {
  return typeof value === 'string' && value.trim() !== '' ? value : shownJson(value);
}

/** The value as JSON; some versions of Node.js can parse values that are too deep for them to stringify. */
export function shownJson(value: unknown): string {
  try {
    return JSON.stringify(value) ?? String(value);
  } catch (error) {
    // JSON has no word for a BigInt, nor for an object that holds itself.
    return error instanceof RangeError
      ? '(too deep to be shown)'
      : safely(() => inspect(value, { breakLength: Infinity }));
  }
}

function safely(read: () => string): string {
  try {
    return read();
  } catch {
    return UNREADABLE;
  }
}
