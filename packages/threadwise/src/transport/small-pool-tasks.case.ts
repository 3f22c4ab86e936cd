/** Tasks for tests with real threads: what they wait for and what they leave behind is in words that main has as well. */
import type { SetupContext } from '../runner/task-handle.js';
import { task, transfer } from '../runner/task-handle.js';
import { Mutex } from '../sync/mutex.js';
import { ARRIVED, collected, LEFT, OPEN, opened, RAN, type Words } from './small-pool-words.case.js';

let words: Words = new Int32Array(0);
let holdsTeardown = false;

export function setup({ data }: SetupContext): void {
  ({ words, holdsTeardown } = data as { words: Words; holdsTeardown: boolean });
}

export async function teardown(): Promise<void> {
  if (!holdsTeardown) return;
  count(LEFT);
  await opened(words);
}

function count(which: number): void {
  Atomics.add(words, which, 1);
  Atomics.notify(words, which);
}

export const echo = (value: unknown) => value;
export const kindOf = (value: unknown) => Object.prototype.toString.call(value);
export const text = (length: number, letter: string) => letter.repeat(length);
export const bytes = (length: number, value: number) => new Uint8Array(length).fill(value);
/** Says of each view where it begins, how long it is and its buffer, and which view is the first that sees the same buffer. */
export const placesOf = (views: readonly Uint8Array[]) =>
  views.map(({ byteOffset, byteLength, buffer }) => [
    ...[byteOffset, byteLength, buffer.byteLength],
    views.findIndex((view) => view.buffer === buffer),
  ]);
export function sum(values: Iterable<number>): number {
  let all = 0;
  for (const value of values) all += value;
  return all;
}
export const add = (words: Int32Array) => Atomics.add(words, 0, 1);
export const pattern = (source: string) => new RegExp(source);
/** What else a call got beside its bytes, and the bytes' sum. */
export const around = (before: unknown, values: Uint8Array, after: unknown) => [before, sum(values), after];

let kept: ArrayBuffer;
/** Moves to main what sees a buffer of so many bytes: a part of it, all of it, or what is no list of what moves. */
export function moved(bytes: number, how: 'part' | 'all' | 'twice' | 'wrong'): unknown {
  kept = new ArrayBuffer(bytes);
  const part = new Uint8Array(kept, 2, 4).fill(7);
  const list = { part: [kept], all: [kept], twice: [kept, kept], wrong: [kept, {}] }[how];
  return transfer(how === 'all' ? kept : [part, new Uint8Array(kept, 0, 3)], list);
}
/** The bytes that the worker has left of the last of these buffers. */
export const left = () => kept.byteLength;

/** Counts that it ran. */
export function mark(value: unknown): unknown {
  count(RAN);
  return value;
}

/** Counts that it ran, and gives little back. */
export function lengthOf(values: Uint8Array): number {
  count(RAN);
  return values.length;
}

/** Blocks its thread until main opens. */
export function hold(value: unknown): unknown {
  count(ARRIVED);
  Atomics.wait(words, OPEN, 0);
  return value;
}

/** Takes the first lock that is free, waits until main opens, and ends its thread. */
export function lockAndExit(...locks: SharedArrayBuffer[]): void {
  locks.find((lock) => Mutex.from(lock).tryLock() !== undefined);
  hold(undefined);
  process.exit(1);
}

/** Leaves its thread to others until main opens. */
export async function linger(value: unknown): Promise<unknown> {
  count(ARRIVED);
  await opened(words);
  return value;
}

/** Blocks until so many have come. */
export function meet(many: number): number {
  count(ARRIVED);
  for (let seen = Atomics.load(words, ARRIVED); seen < many; seen = Atomics.load(words, ARRIVED)) {
    Atomics.wait(words, ARRIVED, seen);
  }
  return many;
}

/** Writes into the caller's bytes when main opens, whatever the caller may think by then. */
export async function scribble(values: Uint8Array, value: number): Promise<void> {
  count(ARRIVED);
  await opened(words);
  values.fill(value);
  count(RAN);
}

export function fill(values: Uint8Array, value: number): Uint8Array {
  return values.fill(value);
}

/** Says so much that main does not hear all of it at once, and ends with what can only follow over the port. */
export function talk(words: number, source: string): RegExp {
  for (let i = 0; i < words; i++) task.progress(i);
  return new RegExp(source);
}

/** Takes its worker down the first time; the second time it gives the sum. */
export function fallOnce(values: Iterable<number>): number {
  if (Atomics.add(words, ARRIVED, 1) === 0) process.exit(3);
  return sum(values);
}

/** Goes on until its signal is raised. */
export async function untilAborted(): Promise<void> {
  const { signal } = task;
  const raised = new Promise((resolve) => signal.addEventListener('abort', resolve));
  count(ARRIVED);
  await raised;
  count(RAN);
}

export function exit(code: number): never {
  count(ARRIVED);
  process.exit(code);
}

/** Counts when this thread has nothing left of the bytes' buffer. */
export function remember(values: Uint8Array): void {
  const buffer = new WeakRef(values.buffer);
  void collected(() => buffer.deref() === undefined).then(() => count(RAN));
}
