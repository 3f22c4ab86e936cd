// The search: all words of a length over an alphabet are numbered, and some numbers in a row are a block.
import { createHash } from 'node:crypto';

export const ALPHABET = 'abcdefghijklmnopqrstuvwxyz0123456789';
/** How many words are tried between two checks of what the others have found: a few milliseconds of work. */
export const BLOCK = 4096;

export const wordCount = (length) => ALPHABET.length ** length;

export function sha1(word) {
  return createHash('sha1').update(word).digest('hex');
}

/** The word with this number: 0 is `aaa…`, and the last letter changes fastest. */
export function wordAt(number, length) {
  let word = '';
  for (let rest = number; word.length < length; rest = Math.floor(rest / ALPHABET.length)) {
    word = ALPHABET[rest % ALPHABET.length] + word;
  }
  return word;
}

/** Returns the word of a block that has the digest; undefined if none has. */
export function searchBlock(digest, length, block) {
  const end = Math.min((block + 1) * BLOCK, wordCount(length));
  for (let number = block * BLOCK; number < end; number++) {
    const word = wordAt(number, length);
    if (sha1(word) === digest) return word;
  }
  return undefined;
}
