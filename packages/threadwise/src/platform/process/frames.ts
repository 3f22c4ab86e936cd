/**
 * Messages as bytes between processes: structured clone's own format (`node:v8`), each message behind its length. What no process can have
 * of another (shared memory, ports, functions) is refused with the error that a port gives: a DataCloneError.
 */
import type { Serializer } from 'node:v8';

/** Before each message: how many bytes it has, and what it is. */
const HEADER_BYTES = 4;
/** In the header of a message that is not for whoever listens to the port, but for whoever started the process. */
const ASIDE = 2 ** 31;
/** The longest message. Bytes. */
const MAX_BYTES = ASIDE - 1;

const NOT_SHARED =
  'a SharedArrayBuffer cannot be sent to another process (isolation: process). Send a copy: bytes.slice()';

function cloneError(message: string): Error {
  return new DOMException(message, 'DataCloneError');
}

/** The parts of Node's classes that its types leave out. */
interface Hooks {
  _getDataCloneError: unknown;
  _getSharedArrayBufferId: () => never;
  _writeHostObject: (value: unknown) => never;
}

const HOOKS: Hooks = {
  // Called as a constructor.
  _getDataCloneError: function DataCloneError(message: string) {
    return cloneError(message);
  },
  _getSharedArrayBufferId: () => {
    throw cloneError(NOT_SHARED);
  },
  _writeHostObject: (value: unknown) => {
    throw cloneError(`${Object.prototype.toString.call(value)} cannot be sent to another process`);
  },
};

let CloneSerializer: (new () => Serializer) | undefined;

/** Made when first needed: a program without such pools does not load this part of Node. */
function newSerializer(): Serializer {
  if (CloneSerializer === undefined) {
    CloneSerializer = class extends process.getBuiltinModule('node:v8').Serializer {};
    Object.assign(CloneSerializer.prototype as object, HOOKS);
  }
  return new CloneSerializer();
}

function newDeserializer(bytes: Buffer) {
  const { Deserializer } = process.getBuiltinModule('node:v8');
  return new Deserializer(bytes);
}

/** A message with its header. Throws a DataCloneError. */
export function encodeFrame(message: unknown, isAside = false): Buffer {
  const serializer = newSerializer();
  serializer.writeRawBytes(Buffer.alloc(HEADER_BYTES));
  serializer.writeHeader();
  serializer.writeValue(message);
  const frame = serializer.releaseBuffer();
  const length = frame.length - HEADER_BYTES;
  if (length > MAX_BYTES) throw cloneError(`a message of ${length} bytes is too long for a pipe`);
  frame.writeUInt32LE(isAside ? length + ASIDE : length);
  return frame;
}

/** Inverse of `encodeFrame`, without the header. Throws where the bytes cannot be read. */
export function decodeFrame(bytes: Buffer): unknown {
  const deserializer = newDeserializer(bytes);
  deserializer.readHeader();
  return deserializer.readValue();
}

/** A structured clone, as another process would get it. */
export function cloneByBytes<T>(value: T, transfer: readonly unknown[] = []): T {
  const buffers = transfer.map(movable);
  if (new Set(buffers).size < buffers.length) throw cloneError('a buffer is in the transfer list twice');
  const serializer = newSerializer();
  for (const [id, buffer] of buffers.entries()) serializer.transferArrayBuffer(id, buffer);
  serializer.writeHeader();
  serializer.writeValue(value);
  const deserializer = newDeserializer(serializer.releaseBuffer());
  for (const [id, buffer] of buffers.entries()) {
    deserializer.transferArrayBuffer(id, structuredClone(buffer, { transfer: [buffer] }));
  }
  deserializer.readHeader();
  return deserializer.readValue() as T;
}

function movable(value: unknown): ArrayBuffer {
  if (!(value instanceof ArrayBuffer)) {
    const what = Object.prototype.toString.call(value);
    throw cloneError(`${what} cannot be transferred to another process: only an ArrayBuffer can`);
  }
  try {
    new Uint8Array(value, 0, 0);
  } catch {
    throw cloneError('a buffer in the transfer list was transferred before');
  }
  return value;
}

/** What takes the buffers away from their sender, as a port does, once they are sent. Throws a DataCloneError where there is no such thing. */
export function detachLater(transfer: readonly unknown[]): () => void {
  const buffers = transfer.map(movable);
  return () => {
    for (const buffer of buffers) structuredClone(buffer, { transfer: [buffer] });
  };
}

/** One message as it came. */
export interface Frame {
  readonly bytes: Buffer;
  readonly isAside: boolean;
}

const NOTHING = Buffer.alloc(0);

/** Puts messages together from the pieces in which they come. */
export class FrameReader {
  /** What came last, from `#at` on. */
  #piece: Buffer = NOTHING;
  #at = 0;
  /** A message that has come in part, and how much of it. */
  #bytes: Buffer | undefined;
  #filled = 0;
  #isAside = false;

  /** Only when `next` has nothing more. */
  add(piece: Buffer): void {
    this.#piece =
      this.#at < this.#piece.length ? Buffer.concat([this.#piece.subarray(this.#at), piece]) : piece;
    this.#at = 0;
  }

  /** The next message that is here as a whole. */
  next(): Frame | undefined {
    if (this.#bytes === undefined) {
      if (this.#piece.length - this.#at < HEADER_BYTES) return undefined;
      const header = this.#piece.readUInt32LE(this.#at);
      const length = header % ASIDE;
      this.#at += HEADER_BYTES;
      this.#isAside = header >= ASIDE;
      const end = this.#at + length;
      if (end <= this.#piece.length) {
        const bytes = this.#piece.subarray(this.#at, end);
        this.#at = end;
        return { bytes, isAside: this.#isAside };
      }
      this.#bytes = Buffer.allocUnsafeSlow(length);
      this.#filled = 0;
    }
    const copied = this.#piece.copy(this.#bytes, this.#filled, this.#at);
    this.#at += copied;
    this.#filled += copied;
    if (this.#filled < this.#bytes.length) return undefined;
    const bytes = this.#bytes;
    this.#bytes = undefined;
    return { bytes, isAside: this.#isAside };
  }
}
