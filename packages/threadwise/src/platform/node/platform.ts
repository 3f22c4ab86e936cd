/** Node.js: worker threads, message channels, timers. */
import { AsyncLocalStorage, AsyncResource } from 'node:async_hooks';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { MessageChannel } from 'node:worker_threads';
import { reject } from '../../core/options/checks.js';
import type { KeepAlive, Platform } from '../../core/contracts.js';
import { burstClock, clearInterval, defer, now, setImmediate, setInterval, timer } from './clock.js';
import { collectShared, collectSoon } from './collect.js';
import { startCoordinatorThread } from './coordinator-thread.js';
import { availableThreads, memory, threadCeiling } from './limits.js';
import { recipeFor, spawnFrom } from './node-thread.js';
import { clone, detach, nodePort } from './port.js';
import { workerSource } from './threads/worker-source.js';
import { atExit } from './exit.js';
import { cpuTime, ownLoad } from './usage.js';

/** The longest delay of setInterval: the timer that keeps a process alive need never fire. Milliseconds. */
const FOR_EVER_MS = 2 ** 31 - 1;

/** Like `AsyncResource.bind`, which also gives each function that it returns a property with a warning: that takes longer than a whole call. */
function bind<F extends (...args: never[]) => unknown>(callback: F): F {
  const resource = new AsyncResource('threadwise');
  const run = callback as unknown as (...args: unknown[]) => unknown;
  return ((...args: unknown[]) => resource.runInAsyncScope(run, undefined, ...args)) as unknown as F;
}

export const nodePlatform: Platform = {
  name: 'node',
  now,
  burstNow: burstClock(),
  timer,
  defer,
  nextTurn: setImmediate,
  bind,
  keepAlive,
  channel: () => {
    const { port1, port2: far } = new MessageChannel();
    return { near: nearPort(port1), far };
  },
  channelEnds: () => {
    const { port1, port2 } = new MessageChannel();
    return [port1, port2];
  },
  port: (far) => nearPort(far),
  spawn: (spec, onExit) => spawnFrom(workerSource(), spec, onExit),
  recipe: (spec) => ({ data: recipeFor(workerSource(), spec), transfer: [spec.wire.port] }),
  cpuOf: cpuTime,
  startHelper: startCoordinatorThread,
  clone,
  detach,
  hasSharedMemory: 'waitAsync' in Atomics,
  noProcesses,
  sharedMemory,
  collectShared,
  collectSoon,
  availableThreads,
  threadCeiling,
  memory,
  ownLoad: ownLoad(),
  atExit,
  env: (name) => process.env[name],
  resolveModule,
};

/** The C library maps and unmaps each allocation of at least this size by itself, and reuses none that was freed. Bytes. */
const ALWAYS_MAPPED_BYTES = 2 ** 26;

type GrowableBuffer = new (byteLength: number, options: { maxByteLength: number }) => SharedArrayBuffer;

/**
 * Small buffers are made growable, because those are always mapped. Of others, the C library keeps and clears memory once a few were freed, and
 * a process that makes and closes pools grows by that. Leases, which users see, are in buffers that are large enough to be of fixed length.
 */
function sharedMemory(byteLength: number): SharedArrayBuffer {
  if (byteLength >= ALWAYS_MAPPED_BYTES) return new SharedArrayBuffer(byteLength);
  return new (SharedArrayBuffer as GrowableBuffer)(byteLength, { maxByteLength: byteLength });
}

/** Why no processes can be started here, if so. Where `process.execPath` is not Node.js, it is the program itself, which would start itself again. */
function noProcesses(): string | undefined {
  if (process.platform === 'win32') return 'on Windows';
  if (process.versions.electron !== undefined && !process.env.ELECTRON_RUN_AS_NODE) return 'in Electron';
  if (process.getBuiltinModule('node:sea').isSea()) return 'in a single executable application';
  return undefined;
}

export const asyncStore = () => new AsyncLocalStorage<unknown>();

/** Unreferenced, since a port with a listener keeps the process alive: only `keepAlive` is to do that. */
const nearPort = (port: unknown) => nodePort(port, 'unref');

/** `release` keeps the timer: to make a new timer for each single call would cost more than all else here. */
function keepAlive(): KeepAlive {
  let handle: NodeJS.Timeout | undefined;
  return {
    hold: () => {
      handle ??= setInterval(() => undefined, FOR_EVER_MS);
      handle.ref();
    },
    release: () => void handle?.unref(),
    dispose: () => {
      clearInterval(handle);
      handle = undefined;
    },
  };
}

/** The URL of a module that is given as a URL, as the text of a file: or data: URL, or as a path from the working directory. */
export function resolveModule(specifier: unknown): string {
  const isUrl = specifier instanceof URL;
  const given: unknown = isUrl ? specifier.href : specifier;
  if (typeof given !== 'string' || given === '')
    return reject('module', "a URL, such as new URL('./tasks.js', import.meta.url), or a path", specifier);
  if (!isUrl && !/^(file|data|https?|node|blob):/i.test(given)) return pathToFileURL(resolve(given)).href;
  const url = URL.canParse(given) ? new URL(given) : undefined;
  if (url?.protocol === 'file:' || url?.protocol === 'data:') return url.href;
  return reject('module', 'a file: or data: URL', given);
}
