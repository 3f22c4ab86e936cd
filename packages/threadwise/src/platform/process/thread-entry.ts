/** The first code of a worker that is a thread of a process: hears main by way of `relay-entry.ts`, and writes to main directly. */
import { type MessagePort, receiveMessageOnPort } from 'node:worker_threads';
import { receiveBoot } from '../node/boot.js';
import type { WorkerBoot } from '../node/worker-entry.js';
import { ownThreadId } from '../node/usage.js';
import type { Pipe } from './port.js';
import { writeAll } from './ring.js';
import { runWorker, type WorkerPlace } from './run-worker.js';

/** What the thread needs beside its `ThreadSpec`; crosses as the `memory` of its wire. */
export interface Surroundings extends Pick<WorkerPlace, 'data' | 'board' | 'argv' | 'execArgv'> {
  /** The descriptor of the worker's own pipe to main. */
  readonly toMain: number;
}

const { wire, ...place } = receiveBoot<WorkerBoot>();
const { toMain, ...surroundings } = wire.memory as Surroundings;
const port = runWorker({ ...place, ...surroundings }, pipeOver(wire.port));
port.postAside(ownThreadId());

function pipeOver(port: MessagePort): Pipe {
  return {
    write: (bytes) => writeAll(toMain, bytes),
    read: () => receiveMessageOnPort(port)?.message as Uint8Array | undefined,
    listen: (callback) => void port.on('message', callback),
    close: () => process.exit(),
  };
}
