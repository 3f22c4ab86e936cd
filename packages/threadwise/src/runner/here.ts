/** A task module on the calling thread: its functions see, and return, the same as in a worker. */
import type { LoadedModule, ModuleHere, RunningCall, ThreadSpec } from '../core/contracts.js';
import { decodeError, encodeError } from '../transport/codec/error-codec.js';
import { estimateItems } from '../transport/codec/value-memory.js';
import { copyPlain } from '../transport/codec/plain-copy.js';
import { type CallStore, isTaskAsked, isTransferred, nextOrder, type RunnerSeat, seats } from './current.js';
import { packingClone, packingHost } from './instances.js';
import type { RunnerPlatform } from './runner.js';
import { RunningTask } from './running-task.js';
import { readTaskModule } from './task-module.js';

interface HereContext extends Pick<RunnerPlatform, 'clone' | 'load'>, Pick<ThreadSpec, 'classes'> {
  /** Makes a store that knows which call the running code belongs to, also after an await. */
  newStore(): CallStore;
}

export function moduleHere({ clone, load, newStore, classes }: HereContext): ModuleHere {
  /** Made when first needed: on Node.js 20 and 22 it makes every promise of the thread slower. */
  let store: CallStore | undefined;
  let currentCall: () => RunningCall | undefined = () => undefined;
  const seat: RunnerSeat = { workerId: 0, current: () => currentCall() as RunningTask | undefined };
  let loaded: LoadedModule | undefined;
  return {
    load: async () => (loaded = readTaskModule(await load(), classes)),
    find: (name) => loaded!.find(name),
    serve: (current) => {
      currentCall = current;
      seats.add(seat);
    },
    leave: () => {
      seats.delete(seat);
      store?.disable(); // Else Node.js 20 and 22 keep the store for good, and copy its content to every promise.
    },
    newCall: (id, given) => {
      const host = loaded?.instances === undefined ? given : packingHost(given, loaded.instances);
      return new RunningTask(id, 0, host, nextOrder());
    },
    isAsked: isTaskAsked,
    enter: (call, run, args) => {
      if (isTaskAsked()) store ??= newStore();
      return store === undefined ? run(...args) : store.run(call, run, ...args);
    },
    entered: () => store?.getStore() as RunningCall | undefined,
    copy: (given, transfer) => {
      const { value, list } = isTransferred(given) ? given : { value: given, list: transfer };
      return list === undefined ? copyPlain(value, clone) : clone(value, list);
    },
    isMoved: isTransferred,
    copyError: (error, isPacked) =>
      decodeError(encodeError(error, packingClone(clone, isPacked ? loaded?.instances : undefined))),
    sizeOf: estimateItems,
  };
}
