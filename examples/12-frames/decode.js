// A stand-in for a decoder: each frame is made from the one before, so only one thread at a time can make them.
import { randomFrom } from '../random.js';

/**
 * Yields gray frames of a byte for each pixel: a moving picture with noise, the same for the same seed.
 * @param onFrame called before each frame is yielded
 */
export function* decodeFrames({ frames, width, height, seed }, onFrame = () => {}) {
  const random = randomFrom(seed);
  const size = width * height;
  let last = Uint8Array.from({ length: size }, (_, i) => ((i % width) * 255) / width);
  for (let number = 0; number < frames; number++) {
    const frame = newFrame({ number, width, height });
    // The picture moves by a pixel, and of 64 pixels in a row one is noise.
    for (let i = 0; i < size; i++) frame.pixels[i] = last[i === 0 ? size - 1 : i - 1] + 1;
    for (let i = 0; i < size; i += 64) frame.pixels[i + (random() % Math.min(64, size - i))] = random();
    last = frame.pixels;
    onFrame();
    yield frame;
  }
}

/** Makes a frame in shared memory, with room for the pixels before and after the filter, so that nothing is copied. */
function newFrame({ number, width, height }) {
  const memory = new SharedArrayBuffer(2 * width * height);
  const [pixels, filtered] = [0, 1].map(
    (half) => new Uint8Array(memory, half * width * height, width * height),
  );
  return { number, width, height, pixels, filtered };
}
