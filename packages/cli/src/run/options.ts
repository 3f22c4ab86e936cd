/** All options of `threadwise run`, checked against each other once and resolved into one record. */

import { UsageError } from '../exit-code.js';
import type { FleetAddress } from '../fleet/address.js';
import type { InputOptions, RangeOptions } from './inputs/open-inputs.js';
import type { Threads } from './option-values.js';
import type { FormatName } from './output/format.js';

/** The options of the input, as the argument parser gives them. */
export interface RawInputOptions {
  readonly files?: readonly string[];
  readonly dot?: boolean;
  readonly read?: boolean;
  readonly lines?: string | true;
  readonly json?: string;
  readonly spread?: boolean;
  readonly range?: RangeOptions;
}

export interface RawRunOptions extends RawInputOptions {
  readonly unordered?: boolean;
  readonly out?: string;
  readonly format?: FormatName;
  readonly withInput?: boolean;
  readonly reduce?: string;
  /** The fleet to run on; undefined: this machine. */
  readonly on?: FleetAddress;
  /** Undefined if it is not given: then the library's default and environment variable hold. */
  readonly threads?: Threads;
  readonly batch?: number | 'auto';
  readonly timeout?: number;
  readonly retries?: number;
  readonly onError?: 'stop' | 'skip';
  readonly journal?: string;
  readonly compareInline?: number | true;
  readonly quiet?: boolean;
}

export type RunOptions = ReturnType<typeof resolveRunOptions>;

const DEFAULT_SAMPLE = 200;

export function resolveRunOptions(module: string, raw: RawRunOptions, isStdinTerminal: boolean) {
  const input = resolveInput(raw, isStdinTerminal);
  checkPairs(raw);
  return {
    ...raw,
    module,
    input,
    out: raw.out === '-' ? undefined : raw.out,
    ordered: raw.unordered !== true,
    format: raw.format ?? 'ndjson',
    withInput: raw.withInput === true,
    // A timeout is for one input, so with a timeout each batch has one input.
    batch: raw.timeout === undefined ? (raw.batch ?? 'auto') : 1,
    timeoutMs: raw.timeout,
    retries: raw.retries ?? 0,
    stopsAtFailure: raw.onError !== 'skip',
    compareInline: raw.compareInline === true ? DEFAULT_SAMPLE : raw.compareInline,
  };
}

/** Throws UsageError if several kinds of input are given, or none and standard input is a terminal. */
export function resolveInput(raw: RawInputOptions, isStdinTerminal: boolean): InputOptions {
  const given = (['files', 'lines', 'json', 'range'] as const).filter((name) => raw[name] !== undefined);
  if (given.length > 1)
    throw new UsageError(`expected one kind of input, got ${given.map((name) => `--${name}`).join(' and ')}`);
  const { files, dot = false, read = false, lines, json, spread = false, range } = raw;
  if (dot && files === undefined) throw new UsageError('--dot needs --files');
  if (read && files === undefined) throw new UsageError('--read needs --files');
  if (spread && json === undefined) throw new UsageError('--spread needs --json');
  if (files !== undefined) return { kind: 'files', patterns: files, dot, read };
  if (json !== undefined) return { kind: 'json', file: json, spread };
  if (range !== undefined) return { kind: 'range', ...range };
  if (lines === undefined && isStdinTerminal) {
    throw new UsageError('expected an input: --files, --lines, --json, --range, or lines on standard input');
  }
  return { kind: 'lines', file: lines === true || lines === '-' ? undefined : lines };
}

/** Throws UsageError if two options exclude each other. */
function checkPairs(raw: RawRunOptions): void {
  const { format, batch } = raw;
  const has = (name: keyof RawRunOptions): boolean => raw[name] !== undefined && raw[name] !== false;
  const on = has('on');
  const excluded: readonly (readonly [isWrong: boolean, what: string, why: string])[] = [
    [has('journal') && has('reduce'), '--journal and --reduce', 'a fold cannot be continued in its middle'],
    [has('journal') && format === 'json', '--journal and --format json', 'use --format ndjson'],
    [has('reduce') && has('withInput'), '--reduce and --with-input', 'a fold has no single input'],
    [format === 'text' && has('withInput'), '--format text and --with-input', 'use --format ndjson or json'],
    [
      has('timeout') && batch !== undefined && batch !== 1,
      `--timeout and --batch ${batch}`,
      'the timeout is for one input, so with it a batch is one input',
    ],
    [on && has('threads'), '--on and --threads', 'each machine of the fleet has its own'],
    [on && has('batch'), '--on and --batch', 'on a fleet each input is a job'],
    [on && has('compareInline'), '--on and --compare-inline', 'that measures the threads of this machine'],
  ];
  const found = excluded.find(([isWrong]) => isWrong);
  if (found !== undefined) throw new UsageError(`${found[1]} exclude each other: ${found[2]}`);
}
