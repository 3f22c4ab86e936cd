/** Memory as the binary codec sees it: one stretch of bytes under the views that are the quickest for each purpose. */

export interface Memory {
  readonly u8: Uint8Array;
  readonly view: DataView;
  /** Its quick ways for long texts; undefined where the platform has none. */
  readonly texts: NativeTexts | undefined;
}

/** What of Node's Buffer is used, where there is one. Faster than a loop, and the only way to copy text in bulk. */
export interface NativeTexts {
  latin1Write(text: string, offset: number, length: number): number;
  latin1Slice(start: number, end: number): string;
  ucs2Write(text: string, offset: number, byteLength: number): number;
  ucs2Slice(start: number, end: number): string;
}

type BufferClass = { from(buffer: ArrayBufferLike): Partial<NativeTexts> };

/** The views of `buffer`: make them once and keep them. */
export function memoryOf(buffer: ArrayBufferLike): Memory {
  return { u8: new Uint8Array(buffer), view: new DataView(buffer), texts: nativeTextsOf(buffer) };
}

/** Buffers of other platforms, and the replacements that bundlers put in, lack these methods. */
function nativeTextsOf(buffer: ArrayBufferLike): NativeTexts | undefined {
  const BufferHere = (globalThis as { Buffer?: BufferClass }).Buffer;
  if (typeof BufferHere?.from !== 'function') return undefined;
  const texts = BufferHere.from(buffer);
  const { latin1Write, latin1Slice, ucs2Write, ucs2Slice } = texts;
  const isNative = [latin1Write, latin1Slice, ucs2Write, ucs2Slice].every((it) => typeof it === 'function');
  return isNative ? (texts as NativeTexts) : undefined;
}
