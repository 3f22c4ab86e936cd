/** What main and the first thread of a process with several workers say to each other. Workers are known by their seats. */
import type { ThreadSpec } from '../../core/contracts.js';
import type { EncodedError } from '../../transport/codec/error-codec.js';
import type { WorkerPlace } from './run-worker.js';

export const START = 0;
export const END = 1;
export const PASS = 2;

export type ToRelay =
  | readonly [type: typeof START, seat: number, spec: ThreadSpec]
  /** Its thread is to be ended now. */
  | readonly [type: typeof END, seat: number]
  /** For the worker: a piece of what its pipe carries. */
  | readonly [type: typeof PASS, seat: number, bytes: Uint8Array];

/** A thread is gone. What it has said is in its pipe. */
export type FromRelay = readonly [
  seat: number,
  exitCode: number,
  outOfMemory: boolean,
  error: EncodedError | undefined,
];

/** What the process is told first. */
export interface RelayBoot {
  readonly poolName: string;
  readonly execArgv: readonly string[];
  readonly clockZero: number;
  /** The code of its threads. */
  readonly source: string;
}

/** What of a worker's surroundings its thread is told beside its specification, as the memory of its wire. */
export interface Surroundings extends Pick<WorkerPlace, 'board' | 'argv' | 'execArgv'> {
  /** Its own pipe to main. */
  readonly toMain: number;
}
