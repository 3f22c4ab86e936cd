/** The first code of a process with several workers: starts and ends their threads, and passes messages on. Runs no task, so it always answers. */
import { MessageChannel, type MessagePort } from 'node:worker_threads';
import type { Thread, ThreadExit, ThreadSpec } from '../../core/contracts.js';
import { type EncodedError, encodeError } from '../../transport/codec/error-codec.js';
import { flush, receiveBoot } from '../node/threads/boot.js';
import { noteEnds } from '../node/ended-threads.js';
import { spawnFrom } from '../node/node-thread.js';
import type { WorkerBoot } from '../node/threads/worker-entry.js';
import { cloneByBytes } from './clone.js';
import { inheritedPipe } from './inherited.js';
import { pipePort } from './port.js';

/** What main says of the worker that has a seat: starts its thread, passes bytes of its pipe on to it, or ends its thread now. */
export type ToRelay = readonly [seat: number, content: ThreadSpec | Uint8Array | 'end'];

/** A worker's thread is gone; its pipe has all that it had said. */
export type FromRelay = readonly [seat: number, exit: ThreadExit, error: EncodedError | undefined];

/** The boot message of the process. `source`: the code of the workers' threads. */
export interface RelayBoot extends Pick<WorkerBoot, 'poolName' | 'clockZero'> {
  readonly execArgv: readonly string[];
  readonly source: string;
}

/** How many milliseconds the end of a thread waits at most for what it has printed. Less than main waits (`shared-process.ts`). Chosen by hand. */
const FLUSH_MS = 3000;

const boot = receiveBoot<RelayBoot>();
process.title = `threadwise ${boot.poolName}`;
process.execArgv = [...boot.execArgv];
noteEnds(); // for the structures of `threadwise/sync`, which the workers may hold

/** The threads of the workers, by their seats. */
const workers = new Map<number, { readonly port: MessagePort; readonly thread: Thread }>();

const main = pipePort();
main.attach(inheritedPipe());
main.listen((message) => {
  const [seat, content] = message as ToRelay;
  const worker = workers.get(seat); // undefined if it is to start, or has just ended
  if (content === 'end') worker?.thread.terminate();
  else if (content instanceof Uint8Array) worker?.port.postMessage(content, [content.buffer as ArrayBuffer]);
  else start(seat, content);
});

function start(seat: number, spec: ThreadSpec): void {
  const { port1: port, port2: far } = new MessageChannel();
  try {
    const wire = { ...spec.wire, port: far };
    const thread = spawnFrom(boot.source, { ...spec, wire }, (exit) => {
      workers.delete(seat);
      port.close();
      void tell(seat, exit);
    });
    workers.set(seat, { port, thread });
  } catch (error) {
    void tell(seat, { exitCode: 1, error, outOfMemory: false });
  }
}

async function tell(seat: number, { error, ...exit }: ThreadExit): Promise<void> {
  // Main may kill this process when it hears of the exit, and with it what the thread has printed and nobody has read.
  await Promise.race([flush(), new Promise((resolve) => setTimeout(resolve, FLUSH_MS))]);
  const encoded = error === undefined ? undefined : encodeError(error, cloneByBytes);
  main.post([seat, exit, encoded] satisfies FromRelay);
}
