/** What main and the first thread of a process with several workers say to each other. Workers are known by their seats. */
import type { ThreadSpec } from '../../core/contracts.js';
import type { EncodedError } from '../../transport/codec/error-codec.js';
import type { WorkerPlace } from './run-worker.js';

export const START = 0;
export const END = 1;
export const PASS = 2;

export type ToRelay =
  | readonly [type: typeof START, seat: number, spec: ThreadSpec]
  /** Ends the worker's thread now. */
  | readonly [type: typeof END, seat: number]
  /** Bytes of the worker's pipe, to be passed on to it. */
  | readonly [type: typeof PASS, seat: number, bytes: Uint8Array];

/** A worker's thread is gone; its pipe has all that it had said. */
export type FromRelay = readonly [
  seat: number,
  exitCode: number,
  outOfMemory: boolean,
  error: EncodedError | undefined,
];

/** The boot message of the process. */
export interface RelayBoot {
  readonly poolName: string;
  readonly execArgv: readonly string[];
  readonly clockZero: number;
  /** The code of the workers' threads. */
  readonly source: string;
}

/** What a worker's thread needs beside its `ThreadSpec`; crosses as the `memory` of its wire. */
export interface Surroundings extends Pick<WorkerPlace, 'board' | 'argv' | 'execArgv'> {
  /** The descriptor of the worker's own pipe to main. */
  readonly toMain: number;
}
