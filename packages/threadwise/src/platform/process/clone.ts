/** Values as bytes, in the format of `node:v8`. Refuses what cannot cross to another process (shared memory, ports, functions) as a port does. */
import type { Serializer } from 'node:v8';
import wt from 'node:worker_threads';
import type { Clone } from '../../core/calls/payload.js';
import { copyPlain } from '../../transport/codec/plain-copy.js';
import { cloneError, refuseHost, refuseHosts } from '../node/host-objects.js';
import { detach, movable } from '../node/port.js';

const NOT_SHARED =
  'a SharedArrayBuffer cannot be sent to another process (isolation: process). Send a copy: bytes.slice()';

let CloneSerializer: (new () => Serializer) | undefined;

/** Made when first needed: a program without such pools does not load this part of Node. */
function newSerializer(): Serializer {
  if (CloneSerializer === undefined) {
    CloneSerializer = class extends process.getBuiltinModule('node:v8').Serializer {};
    // The parts of Node's class that its types leave out.
    Object.assign(CloneSerializer.prototype, {
      // Node calls it as a constructor.
      _getDataCloneError: function DataCloneError(message: string) {
        return cloneError(message);
      },
      _getSharedArrayBufferId: () => {
        throw cloneError(NOT_SHARED);
      },
      _writeHostObject: (value: unknown) => refuseHost(value),
    });
  }
  return new CloneSerializer();
}

/** The value as bytes. Throws a DataCloneError. @param room how many bytes are left free before the value */
export function toBytes(value: unknown, room = 0): Buffer {
  const serializer = newSerializer();
  serializer.writeRawBytes(Buffer.alloc(room));
  return written(serializer, value);
}

function written(serializer: Serializer, value: unknown): Buffer {
  refuseHosts(value, (part) => fromBytes(bytesOf(newSerializer(), part)));
  return bytesOf(serializer, value);
}

function bytesOf(serializer: Serializer, value: unknown): Buffer {
  serializer.writeHeader();
  serializer.writeValue(value);
  return serializer.releaseBuffer();
}

/** Inverse of `toBytes`, without the room before the value. Throws where the bytes cannot be read. */
export const fromBytes = (bytes: Buffer): unknown => process.getBuiltinModule('node:v8').deserialize(bytes);

export function cloneByBytes<T>(value: T, transfer: readonly unknown[] = []): T {
  if (transfer.length === 0) return copyPlain(value, cloneAll) as T;
  const buffers = movable(transfer).map(checked);
  if (new Set(buffers).size < buffers.length) throw cloneError('a buffer is in the transfer list twice');
  const serializer = newSerializer();
  for (const [id, buffer] of buffers.entries()) serializer.transferArrayBuffer(id, buffer);
  const bytes = written(serializer, value);
  const { Deserializer } = process.getBuiltinModule('node:v8');
  const deserializer = new Deserializer(bytes);
  for (const [id, buffer] of buffers.entries()) {
    deserializer.transferArrayBuffer(id, structuredClone(buffer, { transfer: [buffer] }));
  }
  deserializer.readHeader();
  return deserializer.readValue() as T;
}

const cloneAll: Clone = (value) => fromBytes(toBytes(value)) as typeof value;

/** The memory of leases, which another process cannot share: their owner keeps it. */
export const kept = new WeakSet<object>();

/** Undefined on Node 20. */
const { isMarkedAsUntransferable: isMarked } = wt as { isMarkedAsUntransferable?(value: object): boolean };

function checked(value: unknown): ArrayBuffer {
  if (!(value instanceof ArrayBuffer))
    return refuseHost(value, 'cannot be transferred to another process: only an ArrayBuffer can');
  if (isMarked?.(value) || kept.has(value))
    throw cloneError('a buffer in the transfer list is marked as untransferable');
  return value;
}

/** Returns a function that detaches the buffers, as a port does when they are sent. Throws a DataCloneError if one cannot be moved. */
export function detachLater(transfer: readonly unknown[]): () => void {
  const buffers = movable(transfer).map(checked);
  return () => {
    for (const buffer of buffers) {
      try {
        detach([buffer]);
      } catch {
        // The memory of WebAssembly cannot be detached. The message, with a copy of it, is sent already, so the call must not fail.
      }
    }
  };
}
