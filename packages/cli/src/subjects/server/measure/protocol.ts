/**
 * What the command says to its children and they to it: to a process of the app, to the load generator. The command asks, one thing at
 * a time, and gets one `done` or `failed` for it. One that dies, or says nothing for too long, has said something as well.
 */
import type { Reading } from '../../../experiment/gauges.js';
import type { ServerPlan } from './measure.js';
import type { ServerSubject } from '../rules/samples.js';

export interface OffloadTarget {
  /** File URL, links resolved. */
  readonly url: string;
  readonly names: readonly string[];
}

/** Of the plan, and what differs by lane. */
export interface AppSetup extends Pick<ServerPlan, 'module' | 'export' | 'args' | 'port' | 'offload'> {
  readonly threads: number;
  /** Undefined: one process. */
  readonly processes: number | undefined;
  /** To load, and to listen. */
  readonly limitMs: number;
}

export interface AppOpened {
  /** `http://127.0.0.1:43210`. */
  readonly origin: string;
  readonly form: NonNullable<ServerSubject['form']>;
}

export type AppSlice = Pick<Reading, 'loopDelayMs' | 'loopShare' | 'residentBytes'> & {
  readonly cpuShare: number;
};

export interface RequestPlan {
  readonly method: string;
  /** With its query. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array | undefined;
}

/** Text of `failed`: there was no answer. */
export interface Answer {
  readonly status: number;
  readonly type: string;
  readonly location: string;
  readonly closes: boolean;
  readonly body: Uint8Array;
  readonly failed: string | undefined;
  /** How long it took. */
  readonly ms: number;
}

/** `GET /main?name=x`. */
export function routeOf({ method, path }: RequestPlan): string {
  return `${method} ${path}`;
}
