/** `threadwise/internal`: for packages of this project that promise what a pool promises. Not for programs: it may change in any version. */
export { onAbort } from './core/calls/signals.js';
export { abortSignal } from './core/calls/run-options.js';
export { cloned } from './core/calls/payload.js';
export { withCallerStack, withoutCallerStack } from './core/calls/caller-stack.js';
export { UserCode } from './core/events/user-code.js';
export { iteratorOf, Mapping } from './core/calls/map.js';
export { tasksBy } from './core/pool.js';
export { promised } from './core/promised.js';
export {
  callback,
  type Check,
  checked,
  duration,
  integer,
  isList,
  oneOf,
  optional,
  record,
  reject,
  text,
  texts,
} from './core/options/checks.js';
export { show, textOf } from './core/options/errors.js';
export { decodeError, type EncodedError, encodeError } from './transport/codec/error-codec.js';
