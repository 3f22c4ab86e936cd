/** The first code of a worker that is a thread of a process: hears main by way of `relay-entry.ts`, and writes to main directly. */
import { type MessagePort, receiveMessageOnPort } from 'node:worker_threads';
import { receiveBoot } from '../node/boot.js';
import type { WorkerBoot } from '../node/worker-entry.js';
import { ownThreadId } from '../node/usage.js';
import type { Pipe } from './port.js';
import type { Surroundings } from './relay.js';
import { writeAll } from './ring.js';
import { runWorker } from './run-worker.js';

const { wire, ...place } = receiveBoot<WorkerBoot>();
const { toMain, ...surroundings } = wire.memory as Surroundings;
const port = runWorker({ ...place, ...surroundings }, pipeOver(wire.port));
port.postAside(ownThreadId());

function pipeOver(port: MessagePort): Pipe {
  // Beside a large message, structured clone sends all of the buffer that it lies in.
  const bytesOf = ({ buffer, byteOffset, length }: Uint8Array) => Buffer.from(buffer, byteOffset, length);
  return {
    write: (bytes) => writeAll(toMain, bytes),
    read: () => {
      const received = receiveMessageOnPort(port) as { readonly message: Uint8Array } | undefined;
      return received && bytesOf(received.message);
    },
    listen: (callback) => void port.on('message', (bytes: Uint8Array) => callback(bytesOf(bytes))),
    close: () => process.exit(),
  };
}
