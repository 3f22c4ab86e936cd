/** What a process that main has started begins with: what it has inherited, and what ends it. */
import { type OnReadOpts, Socket, type SocketConstructorOpts } from 'node:net';
import { fromBytes } from './clone.js';
import type { Load } from '../node/boot.js';
import { FD, PIECE_BYTES, type Pipe, readNow } from './port.js';
import { readAll, writeAll } from './ring.js';

/** What `node-process.ts` has sent before any message, and left to whoever asks first: what imports, which this code cannot do by itself. */
export function receiveBoot<Boot>(): Boot & { readonly load: Load } {
  // Signals that come from a terminal or a service manager mean the program: main ends its workers when it ends.
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => undefined);
  const key = Symbol.for('threadwise.load');
  const scope = globalThis as { [key]?: Load };
  const load = scope[key]!;
  delete scope[key];
  const boot = fromBytes(receive(receive(4).readUInt32LE())) as Boot;
  return { ...boot, load };
}

function receive(length: number): Buffer {
  const bytes = Buffer.alloc(length);
  if (!readAll(FD.fromMain, bytes)) die();
  return bytes;
}

/** What comes, comes by the event loop; what goes, goes at once: nothing that was said is lost when the process dies. */
export function inheritedPipe(): Pipe {
  let listener: (piece: Buffer) => void;
  const onread: OnReadOpts = {
    buffer: Buffer.allocUnsafeSlow(PIECE_BYTES),
    callback: (count, buffer) => {
      listener((buffer as Buffer).subarray(0, count));
      return true;
    },
  };
  // Into memory of its own: a stream would take new memory for each piece, and more time than the message itself.
  const options = { fd: FD.fromMain, readable: true, writable: false, manualStart: true, onread };
  const socket = new Socket(options as SocketConstructorOpts);
  socket.on('close', die); // main is gone
  socket.on('error', () => undefined);
  return {
    write: (bytes) => writeAll(FD.toMain, bytes),
    read: () => readNow(FD.fromMain),
    listen: (callback) => {
      listener = callback;
      socket.read(0);
    },
    close: die,
  };
}

function die(): never {
  process.kill(process.pid, 'SIGKILL');
  throw new Error('The process has been killed');
}
