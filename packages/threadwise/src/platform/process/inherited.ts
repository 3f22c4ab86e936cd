/** The pipe to main of a process that main has started, and what ends that process. */
import type { OnReadOpts, SocketConstructorOpts } from 'node:net';
import { PIECE_BYTES } from './frames.js';
import { FD, type Pipe, readNow } from './port.js';
import { writeAll } from './ring.js';

const die = () => process.kill(process.pid, 'SIGKILL');

/** Reads by the event loop, and writes at once, so that no message is lost when the process dies. Has the process ignore signals. */
export function inheritedPipe(): Pipe {
  // Signals from a terminal or a service manager are meant for the program: main ends its workers when it ends.
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGQUIT']) process.on(signal, () => undefined);
  let listener: (piece: Uint8Array) => void;
  const onread: OnReadOpts = {
    buffer: Buffer.allocUnsafeSlow(PIECE_BYTES),
    callback: (count, buffer) => {
      listener((buffer as Buffer).subarray(0, count));
      return true;
    },
  };
  // `onread` reads into one buffer: a stream would allocate memory for each piece, which takes longer than the message itself.
  const options = { fd: FD.fromMain, readable: true, writable: false, manualStart: true, onread };
  // Loaded when it is needed: threads have this code, too.
  const { Socket } = process.getBuiltinModule('node:net');
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
