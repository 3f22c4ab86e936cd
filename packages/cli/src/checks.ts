/** Checks values that were read back from a file, and says which field is wrong, what was expected, and what came. */

import { safeText, truncated } from './format/text.js';

/** How many characters of an unexpected value a message shows. */
const LONGEST_VALUE = 60;

export interface Wrong {
  readonly path: string;
  readonly expected: string;
  readonly value: unknown;
}

/** Returns what is wrong with the value; undefined: nothing. */
export type Check = (value: unknown, path: string) => Wrong | undefined;

export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export function that(isRight: (value: unknown) => boolean, expected: string): Check {
  return (value, path) => (isRight(value) ? undefined : { path, expected, value });
}

export const number = that((value) => Number.isFinite(value), 'a number');
export const string = that((value) => typeof value === 'string', 'a string');

export function oneOf(...values: readonly unknown[]): Check {
  return that((value) => values.includes(value), values.map((value) => JSON.stringify(value)).join(' or '));
}

export function optional(check: Check): Check {
  return (value, path) => (value === undefined ? undefined : check(value, path));
}

export function object(fields: Readonly<Record<string, Check>>): Check {
  return (value, path) => {
    if (!isRecord(value)) return { path, expected: 'an object', value };
    const found = Object.entries(fields).map(([name, check]) =>
      check(value[name], path === '' ? name : `${path}.${name}`),
    );
    return found.find((wrong) => wrong !== undefined);
  };
}

export function list(check: Check): Check {
  return (value, path) => {
    if (!Array.isArray(value)) return { path, expected: 'an array', value };
    const found = value.map((item, i) => check(item, `${path}[${i}]`));
    return found.find((wrong) => wrong !== undefined);
  };
}

export function shortly(value: unknown): string {
  if (value === undefined) return 'nothing';
  if (Array.isArray(value)) return `an array of ${value.length}`;
  return isRecord(value) ? 'an object' : truncated(safeText(JSON.stringify(value)), LONGEST_VALUE);
}
