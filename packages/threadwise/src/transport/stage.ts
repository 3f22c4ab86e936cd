/**
 * Whether a worker that takes tasks by itself may begin to: one shared word, which changes once. Its worker is first, or
 * main is, which then can end it and knows that no task goes down with it.
 */
import { STAGE } from './shared/layout.js';

const NOT_READY = 0;
const READY = 1;
const FORESTALLED = 2;

/** The worker's, after it has said to main that it is ready. False: main was first, so it is to take nothing. */
export function becomeReady(own: Int32Array): boolean {
  return Atomics.compareExchange(own, STAGE, NOT_READY, READY) !== FORESTALLED;
}

/** Whether the worker has begun to. */
export function isReady(own: Int32Array): boolean {
  return Atomics.load(own, STAGE) === READY;
}

/** Main's. False: the worker was first, and has said so. */
export function forestall(own: Int32Array): boolean {
  return Atomics.compareExchange(own, STAGE, NOT_READY, FORESTALLED) !== READY;
}
