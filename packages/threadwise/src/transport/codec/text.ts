/** Texts in memory: those of strings and of keys alike. */
import { compile } from './compile.js';
import { FULL, TEXT, TEXT_END, TEXT8, TEXT32, WIDE } from './tags.js';
import type { Memory } from './value-memory.js';

/**
 * The platform writes a text of this many characters or more, a loop writes a shorter one. Once the loop is compiled, both are equally fast
 * at about 36 characters (measured on Node 20); a short program ends before that, and its loop is slower.
 */
const NATIVE_WRITE_FROM = 24;
/** The longest text whose length fits its tag. */
const TEXT_MAX = TEXT_END - TEXT - 1;
const U8_MAX = 0xff;
/** What `writeLatin1` returns where a character needs more than a byte. */
const TOO_WIDE = -2;
/** Finds a character of two bytes. The engine does not even look through a text that it keeps with one byte a character. */
const WIDE_CHARACTER = /[^\0-\xff]/;

/** How many bytes a text takes, tag and all. */
export function textBytes(text: string): number {
  const { length } = text;
  if (WIDE_CHARACTER.test(text)) return 5 + 2 * length;
  return length + (length <= TEXT_MAX ? 1 : length <= U8_MAX ? 2 : 5);
}

/** Writes `text`, tag and all, into memory[at, end). Returns the position after it, or FULL. */
export function writeText(text: string, memory: Memory, at: number, end: number): number {
  const { length } = text;
  const headBytes = length <= TEXT_MAX ? 1 : length <= U8_MAX ? 2 : 5;
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
  if (end - at < 2 * length + 5) return FULL;
  u8[at] = WIDE;
  view.setUint32(at + 1, length, true);
  at += 5;
  if (native !== undefined && length >= NATIVE_WRITE_FROM) native.ucs2Write(text, at, 2 * length);
  else for (let i = 0; i < length; i++) view.setUint16(at + 2 * i, text.charCodeAt(i), true);
  return at + 2 * length;
}

const { fromCharCode } = String;
/** Longer texts are read by a call into the platform, which costs what a loop over 30 characters does. Measured on Node 20 to 26. */
const SHORT_MAX = 24;
/** Texts of more characters are not looked up among those that were read lately: they hardly come again. */
const CACHED_MAX = 16;
/** How many characters `fromCharCode` is given at once: its arguments go on the stack. */
const CHUNK = 4096;

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

/** Texts of fewer characters are not looked up: they are made as quickly. */
const CACHED_MIN = 3;
/** How many texts are remembered: a power of two. */
const SLOTS = 256;
/** While few texts are found, one text in this number of texts (a power of two) is looked up. */
const SAMPLE = 16;
const CREDIT_MAX = 256;

/**
 * Texts that were read lately, each with four words of which every byte of a text of 3 to 16 is part. The same few
 * come again and again: kinds, states, units, names of keys. Looking one up takes a third of making it.
 */
const words = new Int32Array(4 * SLOTS);
const texts = new Array<string>(SLOTS).fill('');
/** Rises with each text that is found, falls with each that is not: texts that are all different are not looked up. */
let credit = CREDIT_MAX;
let turn = 0;

function readCached(memory: Memory, at: number, length: number): string {
  if (credit <= 0 && (++turn & (SAMPLE - 1)) !== 0) return readShort(memory.u8, at, length);
  const { view } = memory;
  // The words overlap where the text is shorter than they are.
  const last = at + length - 4;
  const a = length > 3 ? view.getInt32(at, true) : threeCharacters(memory.u8, at);
  const b = length > 3 ? view.getInt32(last, true) : 0;
  const c = length > 8 ? view.getInt32(at + 4, true) : 0;
  const d = length > 8 ? view.getInt32(last - 4, true) : 0;
  const hash = Math.imul(a ^ Math.imul(b ^ c, 0x85ebca6b) ^ d, 0x9e3779b1);
  const slot = ((hash >>> 24) ^ length) & (SLOTS - 1);
  const first = slot << 2;
  const known = texts[slot]!;
  if (
    words[first] === a &&
    words[first + 1] === b &&
    words[first + 2] === c &&
    words[first + 3] === d &&
    known.length === length
  ) {
    if (credit < CREDIT_MAX) credit++;
    return known;
  }
  if (credit > -CREDIT_MAX) credit--;
  words[first] = a;
  words[first + 1] = b;
  words[first + 2] = c;
  words[first + 3] = d;
  const text = readShort(memory.u8, at, length);
  texts[slot] = text;
  return text;
}

function threeCharacters(u8: Uint8Array, at: number): number {
  return u8[at]! | (u8[at + 1]! << 8) | (u8[at + 2]! << 16);
}

type ReadText = (u8: Uint8Array, at: number, length: number) => string;

/** 1 to 24 characters. With a fixed number of arguments, `fromCharCode` is several times as fast as with a list. */
let readShort: ReadText = (u8, at, length) => {
  let code = '';
  for (let n = 0, codes = ''; n < SHORT_MAX; n++) {
    codes += `${n > 0 ? ', ' : ''}c${n}`;
    code += `const c${n} = u8[at + ${n}]; if (length === ${n + 1}) return fromCharCode(${codes});`;
  }
  const make = compile<(from: typeof fromCharCode) => ReadText>(
    'fromCharCode',
    `return (u8, at, length) => { ${code} };`,
  );
  readShort = make?.(fromCharCode) ?? ((bytes, from, count) => fromCodes(bytes.subarray(from, from + count)));
  return readShort(u8, at, length);
};
