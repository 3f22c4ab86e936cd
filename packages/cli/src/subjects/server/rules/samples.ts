/**
 * What was measured of a user's HTTP app: all that the findings know. Plain JSON. Durations in milliseconds, memory in bytes,
 * rates in requests per second; a share is of one core or of one event loop, 1 is all of it.
 */
import type { Ended } from '../../../experiment/child.js';
import type { Measured } from '../../../experiment/session.js';
import { type Series, seriesOf } from '../../../experiment/statistics.js';

export interface ServerSamples extends Measured {
  readonly subject: {
    /** The module as the user named it. */
    readonly module: string;
    /** Whether it is CommonJS, and so the code to paste beside it. */
    readonly isCommonJs?: boolean | undefined;
    /** listener, server: what the module exports, or what its factory returns. listens: the app listens by itself. */
    readonly form: 'listener' | 'server' | 'listens' | undefined;
    /** `GET /main?name=x`. */
    readonly routes: readonly string[];
    /** The routes that do the same work offloaded already, one for each of `routes`, in their order. */
    readonly against: readonly string[];
    /** `./tasks.js#render`: what is offloaded for the measurement. */
    readonly offload: readonly string[];
    readonly connections: { readonly used: number; readonly asked: number };
    /** How many threads the pool has, and how many processes the cluster. */
    readonly threads: number;
    readonly processes: number;
    /** NODE_ENV of the app. */
    readonly environment: string | undefined;
  };
  /** The app as it is, in one process. */
  readonly asIs: LaneSamples;
  /** The same app in another process, in the same rounds: the difference is noise. */
  readonly control: LaneSamples;
  /** Undefined: nobody asked for it, or `skipped` says why not. */
  readonly offloaded: LaneSamples | undefined;
  readonly cluster: LaneSamples | undefined;
  /** Observations that the user should know of. */
  readonly notes: readonly string[];
}

/** The figures of which each round has one number. */
export const SERIES = [
  /** Answers with a status of 2xx, per second. */
  'rate',
  'p50Ms',
  'p95Ms',
  'p99Ms',
  /** How late a timer was, 99th percentile, in the process where it was worst. */
  'loopDelayMs',
  /** Share of the time in which the event loop was busy, in the process where it was busiest. */
  'loopShare',
  /** CPU time of all processes of the app, divided by the time that passed: 1 is one core. */
  'cpuShare',
  /** CPU time of the load generator, likewise. */
  'loadShare',
  /** Share of the time in which the load generator's event loop was busy: near 1 it is the load generator that holds up the requests. */
  'loadLoopShare',
  /** CPU time of everything else on the machine, as above; not a number where it cannot be known. */
  'otherShare',
  /** Resident memory of all processes of the app. */
  'residentBytes',
] as const;

export type SeriesName = (typeof SERIES)[number];

/** One of the ways in which the app was run, under load. */
export interface LaneSamples extends Readonly<Record<SeriesName, Series>> {
  readonly errors: ErrorSamples;
  /** Set where the app ended by itself before its last round: how, and the last lines that it wrote to standard error. */
  readonly ended: Ended | undefined;
}

/** What went wrong in all rounds and the warm-up. */
export interface ErrorSamples {
  /** Answers, good and bad. */
  readonly answers: number;
  /** Answers with another status than 2xx. */
  readonly bad: number;
  readonly sockets: number;
  readonly timeouts: number;
  /** `500`, `connect ECONNREFUSED …` */
  readonly first: string | undefined;
}

export const NOTHING_MEASURED: LaneSamples = {
  ...seriesOf<SeriesName>([], ...SERIES),
  errors: { answers: 0, bad: 0, sockets: 0, timeouts: 0, first: undefined },
  ended: undefined,
};
