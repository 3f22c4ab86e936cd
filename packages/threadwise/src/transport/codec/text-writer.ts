/** Writes the characters of a text into memory; those of strings and of keys alike. */
import { FULL } from './outcome.js';
import { TEXT, TEXT_END, TEXT8, TEXT32, WIDE } from './tags.js';
import type { Memory } from './value-memory.js';

/** From so many characters on, a call into the platform is quicker than a loop. Measured on Node 20: about 36. */
const NATIVE_FROM = 36;
/** The longest text whose length fits its tag. */
const TEXT_MAX = TEXT_END - TEXT - 1;
const U8_MAX = 0xff;
/** A text that is one-byte inside the engine is not looked through: there, this cannot match. */
const WIDE_CHARACTER = /[^\0-\xff]/;

/** How many bytes a text takes, tag and all. */
export function textBytes(text: string): number {
  const { length } = text;
  if (isWide(text)) return 5 + 2 * length;
  return length + (length <= TEXT_MAX ? 1 : length <= U8_MAX ? 2 : 5);
}

function isWide(text: string): boolean {
  return WIDE_CHARACTER.test(text);
}

/** Writes `text`, tag and all, into memory[at, end). Returns the position after it, or FULL. */
export function writeText(text: string, memory: Memory, at: number, end: number): number {
  const { length } = text;
  if (length >= NATIVE_FROM) return writeLong(text, memory, at, end);
  const start = at;
  if (length <= TEXT_MAX) {
    if (end - at <= length) return FULL;
    memory.u8[at++] = TEXT + length;
  } else {
    if (end - at < length + 2) return FULL;
    memory.u8[at++] = TEXT8;
    memory.u8[at++] = length;
  }
  const { u8 } = memory;
  for (let i = 0; i < length; i++) {
    const code = text.charCodeAt(i);
    if (code > U8_MAX) return writeWide(text, memory, start, end);
    u8[at + i] = code;
  }
  return at + length;
}

function writeLong(text: string, memory: Memory, at: number, end: number): number {
  const { length } = text;
  const { u8, view, native } = memory;
  if (end - at < length + 2) return FULL;
  if (isWide(text)) return writeWide(text, memory, at, end);
  if (length <= U8_MAX) {
    u8[at++] = TEXT8;
    u8[at++] = length;
  } else {
    if (end - at < length + 5) return FULL;
    u8[at] = TEXT32;
    view.setUint32(at + 1, length, true);
    at += 5;
  }
  if (native !== undefined) native.latin1Write(text, at, length);
  else for (let i = 0; i < length; i++) u8[at + i] = text.charCodeAt(i);
  return at + length;
}

function writeWide(text: string, memory: Memory, at: number, end: number): number {
  const { length } = text;
  const { u8, view, native } = memory;
  if (end - at < 2 * length + 5) return FULL;
  u8[at] = WIDE;
  view.setUint32(at + 1, length, true);
  at += 5;
  if (native !== undefined && length >= NATIVE_FROM) native.ucs2Write(text, at, 2 * length);
  else for (let i = 0; i < length; i++) view.setUint16(at + 2 * i, text.charCodeAt(i), true);
  return at + 2 * length;
}
