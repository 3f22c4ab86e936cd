/** Node.js with a process for each worker: what differs from threads. */
import os from 'node:os';
import type { Platform, Transport } from '../../core/contracts.js';
import { messagesWith } from '../../transport/message/link.js';
import { nodePlatform } from '../node/platform.js';
import { BoardFiles, newFileBoard } from './board.js';
import { cloneByBytes } from './clone.js';
import { residentBytesOfAll } from './node-process.js';
import { spawnProcess } from './own-process.js';
import { PipePort } from './port.js';
import { type Division, spawnShared } from './shared-process.js';

export const processPlatform: Platform = {
  ...nodePlatform,
  name: 'process',
  /** The far end is the same object: `spawn` connects it with the new process. */
  channel: () => {
    const port = new PipePort();
    return { near: port, far: port };
  },
  spawn: spawnProcess,
  clone: cloneByBytes,
  hasSharedMemory: false,
  /** Main's own: of leases and counts. */
  sharedMemory: (byteLength) => new ArrayBuffer(byteLength),
  memory: () => {
    const own = nodePlatform.memory();
    // What is used of a machine is used by all of its processes; of a limit, by main alone.
    if (own === undefined || own.limitBytes === os.totalmem()) return own;
    return { ...own, usedBytes: own.usedBytes + residentBytesOfAll() };
  },
};

export const processTransport = messagesWith(newFileBoard);

/** What holds the workers of one pool, and how their tasks cross. */
export function processesFor(division: Division): { platform: Platform; transport: Transport } {
  if (division.threads === 1) return { platform: processPlatform, transport: processTransport };
  const platform = { ...processPlatform, spawn: spawnShared(division) };
  return { platform, transport: messagesWith(new BoardFiles().newBoard) };
}
