/** Node.js with a process for each worker: what differs from threads. */
import os from 'node:os';
import type { Platform, WorkerSettings } from '../../core/contracts.js';
import type { ResolvedOptions } from '../../core/options/options.js';
import { messagesWith } from '../../transport/message/link.js';
import { clockZero } from '../node/clock.js';
import { nodePlatform } from '../node/platform.js';
import { processSource } from '../node/threads/thread-sources.js';
import { type BoardFile, boardsInOneFile, newFileBoard } from './board.js';
import { cloneByBytes, kept } from './clone.js';
import { optionsOf, residentBytesOfAll, specFor, startProcess, threadIn } from './node-process.js';
import { FD, type PipePort, pipePort } from './port.js';
import { spawnShared } from './shared-process.js';

export const processPlatform: Platform = {
  ...nodePlatform,
  name: 'process',
  /** The near and the far end are the same object: `spawn` connects it with the new process. */
  channel: () => {
    const port = pipePort();
    return { near: port, far: port };
  },
  /** Starts a worker in a process of its own. */
  spawn: (spec, onExit) => {
    const { settings, wire } = spec;
    const port = wire.port as PipePort;
    const start = {
      settings,
      execArgv: [...optionsOf(settings), ...limits(settings)],
      code: processSource(),
      boot: { ...specFor(spec, FD.toMain), data: settings.data, clockZero: clockZero() },
      board: wire.memory as BoardFile,
      pipes: 0,
    };
    const { pid, kill } = startProcess(port, start, (exit) => onExit({ ...exit, ...port.uncaught }));
    return threadIn(pid, kill, () => pid ?? 0);
  },
  clone: cloneByBytes,
  hasSharedMemory: false,
  /** Memory that only main uses, for leases and counts. Like that of threads, it cannot be transferred. */
  sharedMemory: (byteLength) => {
    const memory = new ArrayBuffer(byteLength);
    kept.add(memory);
    return memory;
  },
  memory: () => {
    const own = nodePlatform.memory();
    // The memory that the machine uses includes all processes; the memory used of a limit is that of main alone.
    if (own === undefined || own.limitBytes === os.totalmem()) return own;
    return { ...own, usedBytes: own.usedBytes + residentBytesOfAll() };
  },
};

export const processTransport = messagesWith(newFileBoard);

/** The platform and the transport of a pool whose workers are in processes. */
export function processesFor(division: ResolvedOptions['division']) {
  if (division.threads === 1) return { platform: processPlatform, transport: processTransport };
  const platform = { ...processPlatform, spawn: spawnShared(division) };
  return { platform, transport: messagesWith(boardsInOneFile()) };
}

function limits({ resourceLimits = {} }: WorkerSettings): string[] {
  const { maxOldGenerationSizeMb: old, maxYoungGenerationSizeMb: young } = resourceLimits;
  return [
    ...(old === undefined ? [] : [`--max-old-space-size=${Math.ceil(old)}`]),
    // The young generation is three semi-spaces.
    ...(young === undefined ? [] : [`--max-semi-space-size=${Math.ceil(young / 3)}`]),
  ];
}
