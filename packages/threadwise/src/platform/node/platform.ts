/** Node.js: worker threads, message channels, timers. */
import { AsyncLocalStorage, AsyncResource } from 'node:async_hooks';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { MessageChannel, type MessagePort, SHARE_ENV } from 'node:worker_threads';
import { reject } from '../../core/options/checks.js';
import type { KeepAlive, Platform } from '../../core/contracts.js';
import { burstClock, clockZero, now, timer } from './clock.js';
import type { HelperBoot } from './coordinator-entry.js';
import { availableThreads, memory, threadCeiling } from './limits.js';
import { nodeThread, recipeFor, spawnFrom } from './node-thread.js';
import { NodePort } from './port.js';
import { coordinatorSource, workerSource } from './thread-sources.js';
import { atExit } from './exit.js';
import { cpuTime, ownLoad } from './usage.js';

type StructuredCloneOptions = Parameters<typeof structuredClone>[1];

/** setInterval's longest delay: the timer that keeps a process alive never has to fire. */
const FOR_EVER_MS = 2 ** 31 - 1;

export const nodePlatform: Platform = {
  name: 'node',
  now,
  burstNow: burstClock(),
  timer,
  defer: queueMicrotask,
  nextTurn: setImmediate,
  bind: (callback) => AsyncResource.bind(callback as () => unknown) as unknown as typeof callback,
  keepAlive,
  channel: () => {
    const { port1, port2 } = new MessageChannel();
    return { near: nearPort(port1), far: port2 };
  },
  channelEnds: () => {
    const { port1, port2 } = new MessageChannel();
    return [port1, port2];
  },
  port: (far) => nearPort(far as MessagePort),
  spawn: (spec, onExit) => spawnFrom(workerSource, spec, onExit),
  recipe: (spec) => ({ data: recipeFor(workerSource, spec), transfer: [spec.wire.port] }),
  cpuOf: cpuTime,
  startHelper: ({ name, port, data }, onExit) => {
    const workerData: HelperBoot = { port: port as MessagePort, data, clockZero: clockZero() };
    const boot = { name, workerData, transferList: [workerData.port] };
    // Nothing of the user's runs there.
    return nodeThread(coordinatorSource, { ...boot, execArgv: [], env: SHARE_ENV }, onExit);
  },
  clone: (value, transfer) => structuredClone(value, { transfer } as StructuredCloneOptions),
  hasSharedMemory: 'waitAsync' in Atomics,
  hasProcesses: process.platform !== 'win32',
  sharedMemory,
  availableThreads,
  threadCeiling,
  memory,
  ownLoad: ownLoad(),
  atExit,
  env: (name) => process.env[name],
  resolveModule,
};

/** The size, in bytes, from which on the C library maps each allocation by itself, and unmaps it, whatever was freed before. */
const ALWAYS_MAPPED_BYTES = 2 ** 26;

type GrowableBuffer = new (byteLength: number, options: { maxByteLength: number }) => SharedArrayBuffer;

/**
 * A buffer of fixed length is allocated as any other memory: once a few of some MiB were freed, the C library clears and
 * keeps what it gives instead of mapping it, and a process that makes and closes pools grows by all of that. What can grow is
 * mapped. Leases, which users see, lie in buffers that are large enough not to need that.
 */
function sharedMemory(byteLength: number): SharedArrayBuffer {
  if (byteLength >= ALWAYS_MAPPED_BYTES) return new SharedArrayBuffer(byteLength);
  return new (SharedArrayBuffer as GrowableBuffer)(byteLength, { maxByteLength: byteLength });
}

export const asyncStore = () => new AsyncLocalStorage<unknown>();

/** Listening to a port keeps the process alive; whether it stays alive is for `keepAlive` alone to say. */
const nearPort = (port: MessagePort) => new NodePort(port, 'unref');

/** The timer stays when it is released: making one anew for each lone call costs more than the rest of this. */
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

/** A URL, a file: or data: URL as a string, or a path, relative to the working directory. */
export function resolveModule(specifier: unknown): string {
  if (specifier instanceof URL) return checkProtocol(specifier);
  if (typeof specifier !== 'string' || specifier === '') {
    return reject('module', "a URL, such as new URL('./tasks.js', import.meta.url), or a path", specifier);
  }
  if (/^(file|data|https?|node|blob):/.test(specifier)) return checkProtocol(new URL(specifier));
  return pathToFileURL(resolve(specifier)).href;
}

function checkProtocol(url: URL): string {
  if (url.protocol === 'file:' || url.protocol === 'data:') return url.href;
  return reject('module', 'a file: or data: URL', url.href);
}
