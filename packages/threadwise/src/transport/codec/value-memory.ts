/** Memory as the binary codec sees it: one stretch of bytes under the views that are the quickest for each purpose, and texts and bytes in it. */
import { isObject } from '../../core/options/checks.js';
import { compile } from './engine.js';
import { FULL, LIST, TEXT, TEXT8, TEXT32, WIDE } from './tags.js';

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
const BufferHere = globalThis.Buffer as Partial<typeof Buffer> | undefined;

// Shared memory may be growable: a view of growable memory is fifty times as slow if it is made without a length.

/** The views of `buffer`: make them once and keep them. */
export function memoryOf(buffer: ArrayBufferLike): Memory {
  const { byteLength } = buffer;
  const bytes = BufferHere?.allocUnsafeSlow && BufferHere.from?.(buffer, 0, byteLength);
  const native = bytes as NativeBytes | undefined;
  return {
    u8: new Uint8Array(buffer, 0, byteLength),
    view: new DataView(buffer, 0, byteLength),
    // Buffers of other platforms, and the replacements that bundlers put in, may lack these methods.
    native: NATIVE.every((name) => typeof native?.[name] === 'function') ? native : undefined,
  };
}

/** The memory of writers and readers that have let go of their own. */
export const NO_MEMORY = memoryOf(new ArrayBuffer(0));

export const int32sOf = (buffer: ArrayBufferLike) => new Int32Array(buffer, 0, buffer.byteLength / 4);
export const float64sOf = (buffer: ArrayBufferLike) => new Float64Array(buffer, 0, buffer.byteLength / 8);

// The engine copies to and from shared memory word by word, in case another thread uses the memory at that time. No thread does here. The
// only way to the platform's own fast copy is `fill`, on a stretch that has exactly as many bytes as are copied.

/** The number of bytes from which on the platform's `fill` copies them faster than `set` of a typed array. */
const NATIVE_COPY_FROM = 2048;

/** A copy that can be kept: in memory that is not shared, even if this memory is. */
export function copyBytes({ u8, native }: Memory, at: number, length: number): Uint8Array<ArrayBuffer> {
  if (native === undefined || length < NATIVE_COPY_FROM) {
    return u8.slice(at, at + length) as Uint8Array<ArrayBuffer>;
  }
  // The memory is not cleared: to clear a MiB takes as long as to copy it. It is no part of a buffer that others share, as that of `allocUnsafe` is.
  const copy = BufferHere!.allocUnsafeSlow!(length);
  copy.fill(u8.subarray(at, at + length), 0, length);
  return new Uint8Array(copy.buffer);
}

export function writeBytes({ u8, native }: Memory, at: number, bytes: Uint8Array): void {
  const { length } = bytes;
  if (native === undefined || length < NATIVE_COPY_FROM) u8.set(bytes, at);
  else native.fill(bytes, at, at + length);
}

// The platform writes a text of this many characters or more, a loop writes a shorter one. Once the loop is compiled, both are equally fast
// at about 36 characters (measured on Node 20); a short program ends before that, and its loop is slower.
const NATIVE_WRITE_FROM = 24;
const U8_MAX = 0xff;
const TOO_WIDE = -2; // what `writeLatin1` returns where a character needs more than a byte
/** Finds a character of two bytes. The engine does not even look through a text that it keeps with one byte a character. */
const WIDE_CHARACTER = /[^\0-\xff]/;

/** How many bytes the tag and the length of a text take, if its characters take a byte each. */
function headBytesOf(length: number): number {
  if (length < LIST - TEXT) return 1;
  return length <= U8_MAX ? 2 : 5;
}

/** How many bytes a text takes, tag and all. */
export function textBytes(text: string): number {
  const { length } = text;
  return WIDE_CHARACTER.test(text) ? 5 + 2 * length : headBytesOf(length) + length;
}

/** Writes `text`, tag and all, into memory[at, end). Returns the position after it, or FULL. */
export function writeText(text: string, memory: Memory, at: number, end: number): number {
  const { length } = text;
  const headBytes = headBytesOf(length);
  const after = writeLatin1(text, memory, at + headBytes, end);
  if (after === TOO_WIDE) return writeWide(text, memory, at, end);
  if (after === FULL) return FULL;
  const { u8, view } = memory;
  if (headBytes === 1) {
    u8[at] = TEXT + length;
  } else if (headBytes === 2) {
    u8[at] = TEXT8;
    u8[at + 1] = length;
  } else {
    u8[at] = TEXT32;
    view.setUint32(at + 1, length, true);
  }
  return after;
}

/** Writes the characters of `text`, a byte each, into memory[at, end). Returns the position after them, or FULL, or TOO_WIDE. */
export function writeLatin1(text: string, { u8, native }: Memory, at: number, end: number): number {
  const { length } = text;
  if (end - at < length) return FULL;
  if (native !== undefined && length >= NATIVE_WRITE_FROM) {
    if (WIDE_CHARACTER.test(text)) return TOO_WIDE;
    native.latin1Write(text, at, length);
    return at + length;
  }
  for (let i = 0; i < length; i++) {
    const code = text.charCodeAt(i);
    if (code > U8_MAX) return TOO_WIDE;
    u8[at + i] = code;
  }
  return at + length;
}

function writeWide(text: string, { u8, view, native }: Memory, at: number, end: number): number {
  const { length } = text;
  const after = at + 5 + 2 * length;
  if (after > end) return FULL;
  u8[at] = WIDE;
  view.setUint32(at + 1, length, true);
  if (native !== undefined && length >= NATIVE_WRITE_FROM) native.ucs2Write(text, at + 5, 2 * length);
  else for (let i = 0; i < length; i++) view.setUint16(at + 5 + 2 * i, text.charCodeAt(i), true);
  return after;
}

const { fromCharCode } = String;
const CHUNK = 4096; // how many characters `fromCharCode` is given at once: its arguments go on the stack
/** Longer texts are read by a call into the platform, which costs what a loop over 30 characters does. Measured on Node 20 to 26. */
const SHORT_MAX = 24;
/** Texts of fewer characters are made as quickly as they are looked up among those that were read lately; longer ones hardly come again. */
const CACHED_MIN = 3;
const CACHED_MAX = 16;
const SLOTS = 256; // how many texts are remembered: a power of two
const SAMPLE = 16; // while few texts are found, one text in this number of texts (a power of two) is looked up
const CREDIT_MAX = 256;

/** Reads `length` one-byte characters. The caller has checked that they are there. */
export function readLatin1(memory: Memory, at: number, length: number): string {
  if (length < CACHED_MIN) return length === 0 ? '' : readShort(memory.u8, at, length);
  if (length <= CACHED_MAX) return readCached(memory, at, length);
  if (length <= SHORT_MAX) return readShort(memory.u8, at, length);
  const end = at + length;
  return memory.native?.latin1Slice(at, end) ?? fromCodes(memory.u8.subarray(at, end));
}

/** Reads `length` two-byte characters. The caller has checked that they are there. */
export function readWide({ view, native }: Memory, at: number, length: number): string {
  if (native !== undefined) return native.ucs2Slice(at, at + 2 * length);
  return fromCodes(Uint16Array.from({ length }, (_, i) => view.getUint16(at + 2 * i, true)));
}

function fromCodes(codes: Uint8Array | Uint16Array): string {
  let text = '';
  for (let i = 0; i < codes.length; i += CHUNK) text += fromCharCode(...codes.subarray(i, i + CHUNK));
  return text;
}

// Texts that were read lately, each with four words of which every byte of a text of 3 to 16 is part. The same few
// come again and again: kinds, states, units, names of keys. Looking one up takes a third of making it.
const words = new Int32Array(4 * SLOTS);
const texts = new Array<string>(SLOTS).fill('');
/** Rises with each text that is found, falls with each that is not: texts that are all different are not looked up. */
let credit = CREDIT_MAX;
let turn = 0;

function readCached({ u8, view }: Memory, at: number, length: number): string {
  if (credit <= 0 && (++turn & (SAMPLE - 1)) !== 0) return readShort(u8, at, length);
  // The words overlap where the text is shorter than they are.
  const last = at + length - 4;
  const a = length > 3 ? view.getInt32(at, true) : u8[at]! | (u8[at + 1]! << 8) | (u8[at + 2]! << 16);
  const b = length > 3 ? view.getInt32(last, true) : 0;
  const c = length > 8 ? view.getInt32(at + 4, true) : 0;
  const d = length > 8 ? view.getInt32(last - 4, true) : 0;
  const hash = Math.imul(a ^ Math.imul(b ^ c, 0x85ebca6b) ^ d, 0x9e3779b1);
  const slot = ((hash >>> 24) ^ length) & (SLOTS - 1);
  const first = slot << 2;
  const isSame =
    words[first] === a && words[first + 1] === b && words[first + 2] === c && words[first + 3] === d;
  if (isSame && texts[slot]!.length === length) {
    if (credit < CREDIT_MAX) credit++;
    return texts[slot]!;
  }
  if (credit > -CREDIT_MAX) credit--;
  words[first] = a;
  words[first + 1] = b;
  words[first + 2] = c;
  words[first + 3] = d;
  return (texts[slot] = readShort(u8, at, length));
}

type ReadText = (u8: Uint8Array, at: number, length: number) => string;

/** 1 to 24 characters. With a fixed number of arguments, `fromCharCode` is several times as fast as with a list. */
let readShort: ReadText = (u8, at, length) => {
  let code = '';
  for (let n = 0, codes = ''; n < SHORT_MAX; n++) {
    codes += `${n > 0 ? ', ' : ''}c${n}`;
    code += `const c${n} = u8[at + ${n}]; if (length === ${n + 1}) return fromCharCode(${codes});`;
  }
  code = `return (u8, at, length) => { ${code} };`;
  const make = compile<(from: typeof fromCharCode) => ReadText>('fromCharCode', code);
  readShort = make?.(fromCharCode) ?? ((bytes, from, count) => fromCodes(bytes.subarray(from, from + count)));
  return readShort(u8, at, length);
};

const OBJECT_BYTES = 48; // the guess for an object that is not looked into
const DOUBLE_BYTES = 9;
const HEAD_BYTES = 14; // the most that comes before the items of an array, Map or Set, or before bytes

/** How many bytes an array of `values` will take, quickly: exact for texts and bytes, a guess for what is in other objects. */
export function estimateItems(values: readonly unknown[]): number {
  let bytes = HEAD_BYTES;
  for (const value of values) bytes += estimateOne(value);
  return bytes;
}

function estimateOne(value: unknown): number {
  if (typeof value === 'string') return textBytes(value);
  if (!isObject(value)) return DOUBLE_BYTES;
  try {
    if (ArrayBuffer.isView(value) || value instanceof ArrayBuffer) return HEAD_BYTES + value.byteLength;
    if (Array.isArray(value)) {
      const first: unknown = value[0]; // stands for all
      return HEAD_BYTES + value.length * (typeof first === 'object' ? OBJECT_BYTES : estimateOne(first));
    }
    if (value instanceof Map || value instanceof Set) return HEAD_BYTES + value.size * OBJECT_BYTES;
  } catch {
    // The value is a proxy that refuses.
  }
  return OBJECT_BYTES;
}
