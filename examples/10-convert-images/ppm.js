// The format PPM (as netpbm writes it, with the magic number P6): three bytes for each pixel behind a short header of text.

/** Whitespace and comments, then a number. */
const NUMBER = /(?:\s|#[^\n]*\n)+(\d+)/y;
/** How many pixels an image may have: more are a mistake, or an attack. */
const MAX_PIXELS = 2 ** 28;

/** Throws an error that says what is wrong. @param bytes the file's content */
export function readPpm(bytes) {
  if (bytes.toString('latin1', 0, 2) !== 'P6') throw new Error('it is no PPM image (P6)');
  const header = bytes.toString('latin1', 0, 1024);
  NUMBER.lastIndex = 2;
  const [width, height, max] = Array.from({ length: 3 }, () => Number(NUMBER.exec(header)?.[1]));
  if (!(width >= 1 && height >= 1 && width * height <= MAX_PIXELS))
    throw new Error('its header has no size that can be');
  if (max !== 255) throw new Error('it has not one byte for each color');
  // One character of whitespace is between the header and the pixels.
  const pixels = bytes.subarray(NUMBER.lastIndex + 1);
  const expected = width * height * 3;
  if (pixels.length !== expected)
    throw new Error(`it has ${pixels.length} bytes of pixels; ${width} x ${height} are ${expected}`);
  return { width, height, pixels };
}

export function writePpm({ width, height, pixels }) {
  return Buffer.concat([Buffer.from(`P6\n${width} ${height}\n255\n`), pixels]);
}
