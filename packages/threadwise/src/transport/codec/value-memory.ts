/** Memory as the binary codec sees it: one stretch of bytes under the views that are the quickest for each purpose. */

export interface Memory {
  readonly u8: Uint8Array;
  readonly view: DataView;
  /** Undefined where the platform has none. */
  readonly native: NativeBytes | undefined;
}

/** What of Node's Buffer is used, where there is one: calls into the platform for what would be a loop here. */
export interface NativeBytes {
  latin1Write(text: string, offset: number, length: number): number;
  latin1Slice(start: number, end: number): string;
  ucs2Write(text: string, offset: number, byteLength: number): number;
  ucs2Slice(start: number, end: number): string;
  copy(target: Uint8Array, targetStart: number, start: number, end: number): number;
}

const NATIVE = ['latin1Write', 'latin1Slice', 'ucs2Write', 'ucs2Slice', 'copy'] as const;
/** From so many bytes on, a copy out of shared memory by the platform is as quick as the engine's, or twice as quick. */
const NATIVE_COPY_FROM = 2048;

type BufferClass = {
  from(buffer: ArrayBufferLike, byteOffset: number, length: number): Partial<NativeBytes>;
};

// What the threads share may be growable: of such memory a view without a length is fifty times as slow.

/** The views of `buffer`: make them once and keep them. */
export function memoryOf(buffer: ArrayBufferLike): Memory {
  const { byteLength } = buffer;
  return {
    u8: new Uint8Array(buffer, 0, byteLength),
    view: new DataView(buffer, 0, byteLength),
    native: nativeBytesOf(buffer),
  };
}

export function int32sOf(buffer: ArrayBufferLike): Int32Array {
  return new Int32Array(buffer, 0, buffer.byteLength / 4);
}

export function float64sOf(buffer: ArrayBufferLike): Float64Array {
  return new Float64Array(buffer, 0, buffer.byteLength / 8);
}

/** Buffers of other platforms, and the replacements that bundlers put in, may lack these methods. */
function nativeBytesOf(buffer: ArrayBufferLike): NativeBytes | undefined {
  const BufferHere = (globalThis as { Buffer?: BufferClass }).Buffer;
  if (typeof BufferHere?.from !== 'function') return undefined;
  const bytes = BufferHere.from(buffer, 0, buffer.byteLength);
  return NATIVE.every((name) => typeof bytes[name] === 'function') ? (bytes as NativeBytes) : undefined;
}

/** A copy, as it is to be kept; in memory that is not shared, whatever this memory is. */
export function copyBytes({ u8, native }: Memory, at: number, length: number): Uint8Array<ArrayBuffer> {
  if (native === undefined || length < NATIVE_COPY_FROM) {
    return u8.slice(at, at + length) as Uint8Array<ArrayBuffer>;
  }
  const copy = new Uint8Array(length);
  native.copy(copy, 0, at, at + length);
  return copy;
}
