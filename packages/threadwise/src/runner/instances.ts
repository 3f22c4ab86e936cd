/** Wraps the functions of a task module that registers classes, and its host, so that its code sees instances of these classes. */
import type { Clone } from '../core/calls/payload.js';
import type { CallHost, Instances, TaskFunction } from '../core/contracts.js';
import { isThenable } from '../core/promised.js';
import { isTransferred, transfer } from './current.js';

/** Wraps a function: it unpacks the arguments that have crossed, and packs the result. */
export function unpacked(run: TaskFunction, instances: Instances): TaskFunction {
  const pack = (result: unknown) => convert(result, (value) => instances.pack(value));
  return (...args) => {
    const result = run(...instances.unpackArguments(args));
    return isThenable(result) ? (async () => pack(await result))() : pack(result);
  };
}

/** Converts a result, and keeps the list of what it transfers. */
function convert(result: unknown, to: (value: unknown) => unknown): unknown {
  return isTransferred(result) ? transfer(to(result.value), result.list) : to(result);
}

/** Wraps a host: the wrapper packs what the task sends, and unpacks what the task receives. */
export function packingHost(host: CallHost, instances: Instances): CallHost {
  const pack = (value: unknown) => instances.pack(value);
  const unpack = (value: unknown) => instances.unpack(value);
  return {
    workerId: host.workerId,
    now: () => host.now(),
    pollAbort: (call) => host.pollAbort(call),
    progress: (id, value) => host.progress(id, convert(value, pack)),
    callHost: async (name, args, transfer) =>
      unpack(await host.callHost(name, [...instances.packArguments(args)], transfer)),
    find: (name) => {
      const run = host.find(name);
      return async (...args) => convert(await run(...instances.packArguments(args)), unpack);
    },
    copy: (value, name) => unpack(host.copy(convert(value, pack), name)),
  };
}

/** A clone function for what was thrown, which is cloned before it is sent: it packs instances first. */
export function packingClone(clone: Clone, instances: Instances | undefined): Clone {
  if (instances === undefined) return clone;
  return (value, transfer) => clone(instances.pack(value) as typeof value, transfer);
}
