/** Memory as the binary codec sees it: one stretch of bytes under the views that are the quickest for each purpose. */

export interface Memory {
  readonly u8: Uint8Array;
  readonly view: DataView;
  /** Undefined where the platform has no such methods. */
  readonly native: NativeBytes | undefined;
}

/** The methods of Node's Buffer that are used, where there is one: calls into the platform for what would be a loop here. */
interface NativeBytes {
  latin1Write(text: string, offset: number, length: number): number;
  latin1Slice(start: number, end: number): string;
  ucs2Write(text: string, offset: number, byteLength: number): number;
  ucs2Slice(start: number, end: number): string;
  fill(bytes: Uint8Array, start: number, end: number): unknown;
}

const NATIVE = ['latin1Write', 'latin1Slice', 'ucs2Write', 'ucs2Slice', 'fill'] as const;
/** The number of bytes from which on the platform's `fill` copies them faster than `set` of a typed array. */
const NATIVE_COPY_FROM = 2048;

interface BufferClass {
  from?(buffer: ArrayBufferLike, byteOffset: number, length: number): NativeBytes;
  /** Returns bytes that are not cleared, in a buffer of their own (`allocUnsafe` takes them from one that others share). */
  allocUnsafeSlow?(length: number): NativeBytes & { readonly buffer: ArrayBuffer };
}

const BufferHere = (globalThis as unknown as { Buffer?: BufferClass }).Buffer;

// Shared memory may be growable: a view of growable memory is fifty times as slow if it is made without a length.

/** The views of `buffer`: make them once and keep them. */
export function memoryOf(buffer: ArrayBufferLike): Memory {
  const { byteLength } = buffer;
  const bytes = BufferHere?.allocUnsafeSlow && BufferHere.from?.(buffer, 0, byteLength);
  return {
    u8: new Uint8Array(buffer, 0, byteLength),
    view: new DataView(buffer, 0, byteLength),
    // Buffers of other platforms, and the replacements that bundlers put in, may lack these methods.
    native: NATIVE.every((name) => typeof bytes?.[name] === 'function') ? bytes : undefined,
  };
}

/** The memory of writers and readers that have let go of their own. */
export const NO_MEMORY = memoryOf(new ArrayBuffer(0));

export function int32sOf(buffer: ArrayBufferLike): Int32Array {
  return new Int32Array(buffer, 0, buffer.byteLength / 4);
}

export function float64sOf(buffer: ArrayBufferLike): Float64Array {
  return new Float64Array(buffer, 0, buffer.byteLength / 8);
}

// The engine copies to and from shared memory word by word, in case another thread uses the memory at that time. No thread does here. The
// only way to the platform's own fast copy is `fill`, on a stretch that has exactly as many bytes as are copied.

/** A copy that can be kept: in memory that is not shared, even if this memory is. */
export function copyBytes({ u8, native }: Memory, at: number, length: number): Uint8Array<ArrayBuffer> {
  if (native === undefined || length < NATIVE_COPY_FROM) {
    return u8.slice(at, at + length) as Uint8Array<ArrayBuffer>;
  }
  // The memory is not cleared: to clear a MiB takes as long as to copy it.
  const copy = BufferHere!.allocUnsafeSlow!(length);
  copy.fill(u8.subarray(at, at + length), 0, length);
  return new Uint8Array(copy.buffer);
}

export function writeBytes({ u8, native }: Memory, at: number, bytes: Uint8Array): void {
  const { length } = bytes;
  if (native === undefined || length < NATIVE_COPY_FROM) u8.set(bytes, at);
  else native.fill(bytes, at, at + length);
}
