/** What writer and reader of the binary codec agree on: the first byte of every value, limits, and the writer's answers that are no position. */

/** The size of the memory that a book of shapes needs, all zero at first. */
export const BOOK_BYTES = 32 * 1024;
/** How many bytes of a book of shapes come before the first shape: they change with each shape. */
export const BOOK_HEADER_BYTES = 4;

// Bytes below TEXT are the integers 0 to 127 themselves.
export const TEXT = 0x80; // + length: a text of at most 31 one-byte characters
export const LIST = 0xa0; // + length: an array of at most 15 values
export const UNDEFINED = 0xb0;
export const NULL = 0xb1;
export const FALSE = 0xb2;
export const TRUE = 0xb3;
export const INT16 = 0xb4;
export const INT32 = 0xb5;
export const DOUBLE = 0xb6;
export const BIGINT64 = 0xb7; // a bigint of at most 64 bits, as such
export const BIGINT = 0xb8; // any other bigint: a text of hexadecimal digits, with a sign
export const TEXT8 = 0xb9; // u8 length, one-byte characters
export const TEXT32 = 0xba; // u32 length, one-byte characters
export const WIDE = 0xbb; // u32 length, two-byte characters
export const LIST32 = 0xbc; // u32 length, values
export const OBJECT = 0xbd; // u16 number of a shape in the book, values
export const RECORD = 0xbe; // u16 count, values, as many keys (each a text)
export const DATE = 0xbf; // f64 time
export const MAP = 0xc0; // u32 count, keys and values in turn
export const SET = 0xc1; // u32 count, values
export const BUFFER = 0xc2; // a block: an ArrayBuffer
export const VIEW = 0xc3; // u8 kind, block: a view with a buffer of its own
/** u8 kind, u32 offset, u32 length in bytes, the buffer (BUFFER, SHARED or SAME): a view of a buffer that others see, too. */
export const VIEW_OF = 0xc4;
export const ERROR = 0xc5; // u8 class, u8 whether it has a cause, message and stack (each a text or UNDEFINED), the cause
export const SAME = 0xc6; // u32 number: an object that came before in this message, counted in the order in which they begin
export const DOUBLES = 0xc7; // u32 length, f64 each: an array of numbers
export const SHARED = 0xc8; // u32 number: shared memory that the reader has been told of

/** A block is a u32 length, a u8 count of bytes to skip, the bytes to skip, and the content: as many bytes as the length says. */
export const BLOCK_HEAD = 5;

/** The first byte of a message: whether it has a SAME, so that the reader must count objects. */
export const TREE = 0;
export const GRAPH = 1;

/** How deep a value may be. Structured clone goes deeper; this bounds the stack that writing and reading take. */
export const MAX_DEPTH = 200;

/** What a writer returns instead of the position after the value: the value does not fit; it needs the general way, structured clone. */
export const FULL = -1;
export const UNKNOWN = -2;

/** The bytes of a value, or of the book of shapes, make no sense: another program wrote them, or they were overwritten. */
export class DamagedError extends Error {
  constructor(what: string) {
    super(`Damaged bytes: ${what}`);
    this.name = 'DamagedError';
  }
}
