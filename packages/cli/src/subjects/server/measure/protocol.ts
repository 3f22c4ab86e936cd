/**
 * What the command says to its children and they to it: to a process of the app, to the load generator. The command asks, one thing at
 * a time, and gets one `done` or `failed` for it. One that dies, or says nothing for too long, has said something as well.
 */
import type { ServerSubject } from '../rules/samples.js';

export interface OffloadTarget {
  /** File URL, links resolved. */
  readonly url: string;
  readonly names: readonly string[];
}

export interface AppSetup {
  /** A file URL. */
  readonly module: string;
  readonly export: string | undefined;
  /** process.argv of the app, beside itself. */
  readonly args: readonly string[];
  /** That the app wants to listen on: which of several is meant. */
  readonly port: number | undefined;
  readonly offload: readonly OffloadTarget[];
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

export interface AppSlice {
  readonly loopDelayMs: number;
  readonly loopShare: number;
  readonly cpuShare: number;
  readonly residentBytes: number;
}

/** What went through the pool since it was last asked. */
export interface OffloadedCalls {
  readonly calls: number;
  readonly failed: number;
  readonly firstFailure: string | undefined;
}

export interface RequestPlan {
  readonly method: string;
  /** With its query. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array | undefined;
}

export interface AskSetup {
  readonly origin: string;
  readonly requests: readonly RequestPlan[];
  readonly limitMs: number;
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

export interface LoadSetup {
  readonly origin: string;
  readonly requests: readonly RequestPlan[];
  readonly connections: number;
  /** From the first connection until it counts. */
  readonly rampMs: number;
  readonly timeoutMs: number;
}

/** `GET /main?name=x`. */
export function routeOf({ method, path }: RequestPlan): string {
  return `${method} ${path}`;
}
