/**
 * What the command and a process that reads say to each other: first `open` with the way in which it reads, then any number of `read`,
 * one at a time. Each gets one answer.
 */
import type { WayName } from '../samples.js';

export interface OpenRequest {
  readonly type: 'open';
  readonly way: WayName;
  /** Of threads or processes, where there are several. */
  readonly readers: number;
}

export interface ReadRequest {
  readonly type: 'read';
  readonly paths: readonly string[];
  /** Again and again for so long; 0: once. */
  readonly ms: number;
  /** Where several read: so many files in one call. */
  readonly perCall: number;
}

export type Request = OpenRequest | ReadRequest;

export interface Slice {
  /** What was read, without what failed. */
  readonly files: number;
  readonly bytes: number;
  readonly ms: number;
  readonly loopDelayMs: number;
  readonly failed: readonly Failed[];
}

export interface Failed {
  readonly path: string;
  readonly why: string;
}

export type Answer =
  | { readonly type: 'opened' }
  | { readonly type: 'read'; readonly slice: Slice }
  | { readonly type: 'failed'; readonly message: string };
