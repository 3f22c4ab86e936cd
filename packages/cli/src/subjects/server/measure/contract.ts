/** What a measurement of a server is asked for. */
import type { Plan } from '../../../experiment/session.js';
import type { OffloadTarget, RequestPlan } from './protocol.js';

export interface ServerPlan extends Plan {
  /** A file URL. */
  readonly module: string;
  /** As the user gave it, for messages and for the report. */
  readonly moduleGiven: string;
  readonly export: string | undefined;
  readonly args: readonly string[];
  readonly port: number | undefined;
  readonly requests: readonly RequestPlan[];
  /** In place of these, in the same order, for what is offloaded already; empty: there is none. */
  readonly against: readonly RequestPlan[];
  readonly offload: readonly OffloadTarget[];
  /** `./tasks.js#render`, as the user gave them. */
  readonly offloadGiven: readonly string[];
  readonly connections: number;
  /** Undefined: as many as cores. */
  readonly threads: number | undefined;
  readonly processes: number | undefined;
}

/** `GET /main?name=x`. */
export function routeOf({ method, path }: RequestPlan): string {
  return `${method} ${path}`;
}
