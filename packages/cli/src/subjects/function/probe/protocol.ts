/**
 * What the command and a probe say to each other. The command speaks first: one `open` with the role that the probe is to
 * play, then any number of `step`s, one at a time; each gets one `done` or `failed`. A probe may send notes before its answer: it is
 * alive, and what it knows so far. One that dies, or says nothing for too long, has said something as well.
 */
import type { DescribedError } from '../../../run/work/batch.js';
import type { Passing } from '../../../run/work/passing.js';
import type { Shared } from '../../../experiment/gauges.js';

export interface SubjectReference {
  readonly module: string;
  readonly export: string | undefined;
  readonly passing: Passing;
}

export interface BehaviourSetup {
  readonly subject: SubjectReference;
  readonly inputs: readonly unknown[];
  /** After that no further input is begun. */
  readonly shareMs: number;
}

/** What is known of the function's behaviour, beside whether its process survives. */
export interface BehaviourReport {
  /** The export's own name, also where none was given. */
  readonly export: string;
  readonly hasSetup: boolean;
  readonly returnsPromise: boolean;
  readonly calls: number;
  readonly failed: number;
  readonly firstFailure: string | undefined;
  readonly repeats: 'same' | 'different' | 'unknown';
  readonly changesItsArgument: boolean;
  readonly uncloneableResult: string | undefined;
  readonly coldMs: number | undefined;
  /** Of each input that was tried, in order: its warmest call; undefined: it failed. */
  readonly inputMs: readonly (number | undefined)[];
  readonly bytesIn: readonly number[];
  readonly bytesOut: readonly number[];
  /** Of the first call that succeeded, if it can cross. */
  readonly result: unknown;
}

/** One call after the other in a worker, to see whether the function lives there at all. */
export interface SurvivalSetup {
  readonly module: string;
  readonly task: string;
  readonly passing: Passing;
  readonly inputs: readonly unknown[];
  readonly shareMs: number;
}

export interface SurvivalReport {
  readonly calls: number;
  readonly failed: number;
  readonly firstFailure: string | undefined;
  /** The worker ended, though its process did not. */
  readonly workerExit: number | undefined;
}

export interface InlineSetup {
  readonly subject: SubjectReference;
  readonly inputs: readonly unknown[];
  readonly isAsync: boolean;
  /** Each call gets a copy of its input, made while the clock stands: the function changes what it gets. */
  readonly copiesInputs: boolean;
  readonly warmMs: number;
}

export interface InlineOpened {
  /** Mean time of a warm call, one at a time. */
  readonly callMs: number;
  /** How many calls were outstanding, for the rate of an asynchronous function. */
  readonly outstanding: number;
  /** How late a timer is where nothing runs, 99th percentile. */
  readonly idleDelayMs: number;
}

export interface InlineStep {
  readonly ms: number;
  /** Inputs, by their index, to be measured one by one: one of each size. */
  readonly sizes: readonly number[];
}

export interface InlineSlice {
  readonly rate: number;
  readonly cpuMs: number;
  readonly loopDelayMs: number;
  readonly garbageShare: number;
  /** Some of the single calls. */
  readonly callMs: readonly number[];
  readonly sizeMs: readonly number[];
  readonly residentBytes: number;
  readonly shared: Shared | undefined;
}

/**
 * each: one input a call. batch: many. lease: its bytes lie in memory that is shared already, or are read into such. read: the
 * worker makes of the input what the function gets.
 */
export type CallKind = 'each' | 'batch' | 'lease' | 'read';

export interface PoolSetup {
  readonly module: string;
  readonly task: string;
  readonly data: unknown;
  readonly inputs: readonly unknown[];
  readonly kind: CallKind;
  readonly passing: Passing;
  /** Inputs in one call; 1 where it is not a batch. */
  readonly batch: number;
  readonly threads: number;
  readonly placement: 'threads' | 'auto';
  readonly outstanding: number;
  /** Calls take long: what has run of one when the time is over counts for a part of it. */
  readonly isLong: boolean;
  readonly idleDelayMs: number;
  /** At most so long, until it gets no faster. */
  readonly warmMs: number;
}

export interface PoolOpened {
  /** Calls that failed while it was warmed up. */
  readonly calls: number;
  readonly failed: number;
  readonly firstFailure: string | undefined;
}

export interface PoolStep {
  readonly ms: number;
}

export interface PoolSlice {
  readonly calls: number;
  readonly failed: number;
  readonly firstFailure: string | undefined;
  readonly rate: number;
  readonly cpuMs: number;
  readonly loopDelayMs: number;
  readonly mainUtilization: number;
  readonly busyShare: number;
  readonly residentBytes: number;
  readonly shared: Shared | undefined;
}

/** A task of ours: it gets what the function gets and gives what the function gives. */
export interface EchoSetup {
  readonly input: unknown;
  readonly passing: Passing;
  readonly result: unknown;
  readonly threads: number;
  readonly outstanding: number;
  readonly warmMs: number;
}

export interface CrossingStep {
  readonly transport: 'shared' | 'message';
  readonly ms: number;
}

export interface CrossingSlice {
  readonly cpuMs: number;
  readonly loneMs: number;
}

export interface SpinStep {
  readonly runMs: number;
  readonly ms: number;
}

export interface SpinSlice {
  readonly inline: number;
  readonly pool: number;
}

export interface StartSetup {
  readonly module: string;
  readonly threads: number;
}

export interface StartReport {
  readonly readyMs: number;
  readonly bytesPerThread: number;
}

/** Every role: what it is given, what it says when it is ready, what a step is, and what a step gives. */
export interface Roles {
  behaviour: { setup: BehaviourSetup; opened: BehaviourReport; step: never; result: never };
  survival: { setup: SurvivalSetup; opened: SurvivalReport; step: never; result: never };
  inline: { setup: InlineSetup; opened: InlineOpened; step: InlineStep; result: InlineSlice };
  pool: { setup: PoolSetup; opened: PoolOpened; step: PoolStep; result: PoolSlice };
  crossing: { setup: EchoSetup; opened: undefined; step: CrossingStep; result: CrossingSlice };
  spin: { setup: EchoSetup; opened: undefined; step: SpinStep; result: SpinSlice };
  start: { setup: StartSetup; opened: StartReport; step: never; result: never };
}

export type RoleName = keyof Roles;

/** What is known before the answer. */
export type Note = (known: Partial<BehaviourReport>) => Promise<void>;

export type Open<R extends RoleName> = (setup: Roles[R]['setup'], note: Note) => Promise<Opened<R>>;

export interface Opened<R extends RoleName> {
  readonly opened: Roles[R]['opened'];
  step?(step: Roles[R]['step']): Promise<Roles[R]['result']>;
}

export type Request =
  | { readonly type: 'open'; readonly role: RoleName; readonly setup: unknown }
  | { readonly type: 'step'; readonly step: unknown };

export type Answer =
  | { readonly type: 'note'; readonly known: Partial<BehaviourReport> }
  | { readonly type: 'done'; readonly value: unknown }
  | { readonly type: 'failed'; readonly error: DescribedError };

/** Marks what is ours on a channel that the user's module could use as well. */
export const MARK = 'threadwise-probe';

export interface Envelope<M> {
  readonly [MARK]: M;
}

/** Undefined: it is not ours. */
export function unwrap<M>(message: unknown): M | undefined {
  if (typeof message !== 'object' || message === null || !(MARK in message)) return undefined;
  return (message as Envelope<M>)[MARK];
}
