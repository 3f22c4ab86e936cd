// What a worker does: converts one image at a time. Two paths cross, and no pixels.
import { convert } from './convert.js';

/** Returns failures as results, also that of a full disk: an error would end the map, and with it what other workers are writing. */
export function convertImage(item) {
  try {
    return convert(item);
  } catch ({ message, code }) {
    return { failure: { message, code } };
  }
}
