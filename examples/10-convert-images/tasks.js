// What a worker does: an image at a time. Two paths cross and no pixels.
import { convert } from './convert.js';

/** Also a disk that is full is a result: an error would end the map, and with it what other workers are just writing. */
export function convertImage(item) {
  try {
    return convert(item);
  } catch ({ message, code }) {
    return { failure: { message, code } };
  }
}
