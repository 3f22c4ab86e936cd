/**
 * The first code of a process with several workers: starts and ends their threads, and passes main's messages on to them. No code of a
 * task runs here, so this thread always answers. The workers write to main by themselves.
 */
import { MessageChannel, type MessagePort } from 'node:worker_threads';
import type { Thread, ThreadExit, ThreadSpec } from '../../core/contracts.js';
import { encodeError } from '../../transport/codec/error-codec.js';
import { followClock } from '../node/clock.js';
import { spawnFrom } from '../node/node-thread.js';
import { cloneByBytes } from './clone.js';
import { inheritedPipe, receiveBoot } from './inherited.js';
import { PipePort } from './port.js';
import { END, type FromRelay, type RelayBoot, START, type ToRelay } from './relay.js';

const boot = receiveBoot<RelayBoot>();
followClock(boot.clockZero);
process.title = `threadwise ${boot.poolName}`;
process.execArgv = [...boot.execArgv];

/** The threads of the workers, by their seats. */
const workers = new Map<number, { readonly port: MessagePort; readonly thread: Thread }>();

const main = new PipePort();
main.attach(inheritedPipe());
main.listen((message) => {
  const [type, seat, content] = message as ToRelay;
  if (type === START) return start(seat, content);
  const worker = workers.get(seat); // undefined if it has just ended
  if (type === END) void worker?.thread.terminate();
  else worker?.port.postMessage(content, [content.buffer as ArrayBuffer]);
});

function start(seat: number, spec: ThreadSpec): void {
  const { port1: port, port2: far } = new MessageChannel();
  try {
    const wire = { ...spec.wire, port: far };
    const thread = spawnFrom(boot.source, { ...spec, wire }, (exit) => {
      workers.delete(seat);
      port.close();
      tell(seat, exit);
    });
    workers.set(seat, { port, thread });
  } catch (error) {
    tell(seat, { exitCode: 1, error, outOfMemory: false });
  }
}

function tell(seat: number, { exitCode, outOfMemory, error }: ThreadExit): void {
  const encoded = error === undefined ? undefined : encodeError(error, cloneByBytes);
  main.post([seat, exitCode, outOfMemory, encoded] satisfies FromRelay);
}
