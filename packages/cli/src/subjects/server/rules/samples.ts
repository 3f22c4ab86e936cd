/** What was measured of a user's HTTP app, in milliseconds, bytes and requests per second; a share is of one core or one event loop. Plain JSON. */
import type { Ended } from '../../../experiment/child.js';
import type { Measured } from '../../../experiment/session.js';
import { type Series, seriesOf } from '../../../experiment/statistics.js';

export interface ServerSamples extends Measured {
  readonly subject: {
    readonly module: string; // the module as the user named it
    readonly isCommonJs?: boolean | undefined; // whether it is CommonJS, and so the code to paste beside it
    /** listener, server: what the module exports, or what its factory returns. listens: the app listens by itself. */
    readonly form: 'listener' | 'server' | 'listens' | undefined;
    readonly routes: readonly string[]; // `GET /main?name=x`
    readonly against: readonly string[]; // the routes that do the same offloaded already, in the order of `routes`
    readonly offload: readonly string[]; // `./tasks.js#render`: what is offloaded for the measurement
    readonly connections: { readonly used: number; readonly asked: number };
    readonly threads: number; // how many threads the pool has, and how many processes the cluster
    readonly processes: number;
    readonly environment: string | undefined; // NODE_ENV of the app
  };
  readonly asIs: LaneSamples; // the app as it is, in one process
  readonly control: LaneSamples; // the same app in another process, in the same rounds: the difference is noise
  readonly offloaded: LaneSamples | undefined; // undefined: nobody asked for it, or `skipped` says why not
  readonly cluster: LaneSamples | undefined;
  readonly notes: readonly string[]; // observations that the user should know of
}

/** The figures of which each round has one number. */
export const SERIES = [
  'rate', // answers with a status of 2xx, per second
  'p50Ms',
  'p95Ms',
  'p99Ms',
  'loopDelayMs', // how late a timer was, 99th percentile, in the process where it was worst
  'loopShare', // share of the time in which the event loop was busy, in the process where it was busiest
  'cpuShare', // CPU time of all processes of the app, divided by the time that passed: 1 is one core
  'loadShare', // CPU time of the load generator, likewise
  'loadLoopShare', // as `loopShare`, of the load generator: near 1 it is the load generator that holds up the requests
  'otherShare', // CPU time of everything else on the machine, as above; not a number where it cannot be known
  'residentBytes', // resident memory of all processes of the app
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
  readonly answers: number; // answers, good and bad
  readonly bad: number; // answers with another status than 2xx
  readonly sockets: number;
  readonly timeouts: number;
  readonly first: string | undefined; // `500`, `connect ECONNREFUSED …`
}

export const NOTHING_MEASURED: LaneSamples = {
  ...seriesOf<SeriesName>([], ...SERIES),
  errors: { answers: 0, bad: 0, sockets: 0, timeouts: 0, first: undefined },
  ended: undefined,
};
