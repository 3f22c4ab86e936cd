/**
 * How arguments, results and progress are stored in a job: as plain JSON wherever JSON carries them unchanged, so that anybody can read and
 * write them; otherwise as `{ "$threadwise": "v8", "base64": "…" }`, the bytes of `v8.serialize`: dates, maps, bytes, undefined, cycles.
 */
import { DefaultDeserializer, serialize } from 'node:v8';
import { ThreadwiseError } from 'threadwise';
import { cloned } from 'threadwise/internal';
import { FleetError } from './errors.js';

/** 'auto': JSON if it carries the value unchanged, otherwise v8. 'json': any other value is refused. 'v8': always v8. */
export type Encoding = 'auto' | 'json' | 'v8';
export const ENCODINGS = ['auto', 'json', 'v8'] as const satisfies readonly Encoding[];

const MARK = '$threadwise';
/** Values nested deeper than this are left to v8, which can encode cycles. */
const MAX_DEPTH = 100;

/**
 * The inverse of `decode`. Throws ERR_NOT_CLONEABLE or ERR_PAYLOAD_TOO_LARGE.
 * @param what the name of the value in an error
 * @param maxBytes how many bytes `checkSize` will allow. As JSON each part takes one at least: a value with more parts is not looked at further,
 * since one whose parts share others, in many layers, would have no end
 */
export function encode(value: unknown, encoding: Encoding, what: string, maxBytes: number): unknown {
  const parts = { left: maxBytes };
  const path = encoding === 'v8' ? what : pathOfNotJson(value, what, 0, parts);
  if (path === undefined) return value;
  if (encoding !== 'json') return { [MARK]: 'v8', base64: cloned(value, what, serialize).toString('base64') };
  if (parts.left < 0) throw tooLarge(what, `more than ${maxBytes}`, maxBytes);
  // undefined is the usual result of a function that returns nothing; in JSON it becomes null.
  if (value === undefined) return null;
  const message = `${path} cannot be carried by JSON, and this job asks for JSON: encoding 'auto' carries it`;
  throw new ThreadwiseError('ERR_NOT_CLONEABLE', message, { path });
}

/** Stands for a value that is no JSON. */
export const NO_JSON = { [MARK]: 'no JSON' } as const;

/** What JSON text from Redis stands for, to be decoded. Never throws. */
export function parsed(text: string | undefined): unknown {
  try {
    return JSON.parse(text!);
  } catch {
    return NO_JSON;
  }
}

/** The inverse of `encode`. Throws ERR_FLEET_DATA. */
export function decode(encoded: unknown): unknown {
  if (!isMarked(encoded)) return encoded;
  if (encoded === NO_JSON)
    throw new FleetError('ERR_FLEET_DATA', 'The value is no JSON: a worker of another kind wrote it');
  try {
    const { base64 } = encoded;
    if (encoded[MARK] === 'v8' && typeof base64 === 'string')
      return deserialized(Buffer.from(base64, 'base64'));
  } catch (cause) {
    const message = 'The value cannot be read: a newer Node.js wrote it, or it is damaged';
    throw new FleetError('ERR_FLEET_DATA', message, { cause });
  }
  const message = `The value has an encoding that this version does not know: ${JSON.stringify(encoded[MARK])}`;
  throw new FleetError('ERR_FLEET_DATA', message);
}

/** Returns the value as the text that Redis stores. Throws ERR_PAYLOAD_TOO_LARGE. */
export function checkSize(encoded: unknown, maxBytes: number, what: string): string {
  const text = JSON.stringify(encoded);
  const bytes = Buffer.byteLength(text);
  if (bytes <= maxBytes) return text;
  throw tooLarge(what, `${bytes}`, maxBytes);
}

function tooLarge(what: string, bytes: string, maxBytes: number): ThreadwiseError {
  const advice = 'Put it where both sides reach it, and send where';
  const message = `${what}: ${bytes} bytes in Redis; at most ${maxBytes} are allowed. ${advice}`;
  // The field names the option: the message is also for the users of a command, who cannot set it.
  return Object.assign(new ThreadwiseError('ERR_PAYLOAD_TOO_LARGE', message), { maxBytes });
}

/** Gives each view a buffer of its own, with its bytes alone: Node.js makes all of them views of what it reads, or of memory that many share. */
class Values extends DefaultDeserializer {
  _readHostObject(): ArrayBufferView {
    const { _readHostObject: read } = DefaultDeserializer.prototype as unknown as Values;
    const view = read.call(this);
    const { buffer, byteOffset, byteLength } = view;
    const View = (Buffer.isBuffer(view) ? Uint8Array : view.constructor) as Uint8ArrayConstructor;
    return new View(buffer.slice(byteOffset, byteOffset + byteLength) as ArrayBuffer);
  }
}

function deserialized(bytes: Buffer): unknown {
  const values = new Values(bytes);
  values.readHeader();
  return values.readValue();
}

function isMarked(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && Object.hasOwn(value, MARK);
}

/** How many more parts of a value are looked at. */
interface Parts {
  left: number;
}

/** The path of the first part that JSON would change, or that is one too many; undefined if there is none. Properties that are undefined do not count. */
function pathOfNotJson(value: unknown, path: string, depth: number, parts: Parts): string | undefined {
  if (--parts.left < 0) return path;
  switch (typeof value) {
    case 'string':
    case 'boolean':
      return undefined;
    case 'number':
      return Number.isFinite(value) && !Object.is(value, -0) ? undefined : path;
    case 'object':
      return value === null ? undefined : pathInObject(value, path, depth, parts);
    default:
      return path;
  }
}

function pathInObject(value: object, path: string, depth: number, parts: Parts): string | undefined {
  if (depth > MAX_DEPTH || isMarked(value)) return path;
  if (Array.isArray(value)) {
    for (let i = 0; i < value.length; i++) {
      const found = pathOfNotJson(value[i], `${path}[${i}]`, depth + 1, parts);
      if (found !== undefined) return found;
    }
    return Object.keys(value).length === value.length ? undefined : path; // it has properties beside its items
  }
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype !== Object.prototype && prototype !== null) return path;
  for (const [key, part] of Object.entries(value)) {
    const found = part === undefined ? undefined : pathOfNotJson(part, `${path}.${key}`, depth + 1, parts);
    if (found !== undefined) return found;
  }
  return undefined;
}
