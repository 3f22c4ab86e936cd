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

type BufferClass = { from(buffer: ArrayBufferLike): Partial<NativeBytes> };
const BufferHere = (globalThis as { Buffer?: BufferClass }).Buffer;

/** The views of `buffer`: make them once and keep them. */
export function memoryOf(buffer: ArrayBufferLike): Memory {
  return { u8: new Uint8Array(buffer), view: new DataView(buffer), native: nativeBytesOf(buffer) };
}

/** Buffers of other platforms, and the replacements that bundlers put in, may lack these methods. */
function nativeBytesOf(buffer: ArrayBufferLike): NativeBytes | undefined {
  if (typeof BufferHere?.from !== 'function') return undefined;
  const bytes = BufferHere.from(buffer);
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
