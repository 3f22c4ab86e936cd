// Makes the input: files of random bytes, the same ones for the same seed.
import { createCipheriv } from 'node:crypto';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/**
 * Writes `count` files of `size` random bytes.
 * @param options dir: where to write them; default: a new temporary folder
 * @returns the files' paths, and `remove`, which deletes what was made
 */
export function makeFiles({ count = 4096, size = 65_536, seed = 1, dir } = {}) {
  const folder = dir ?? mkdtempSync(join(tmpdir(), 'hash-files-'));
  mkdirSync(folder, { recursive: true });
  const nextBytes = randomBytesFrom(seed);
  const paths = Array.from({ length: count }, (_, i) => join(folder, `${String(i).padStart(6, '0')}.bin`));
  for (const path of paths) writeFileSync(path, nextBytes(size));
  const made = dir === undefined ? [folder] : paths;
  return { paths, remove: () => made.forEach((path) => void rmSync(path, { recursive: true, force: true })) };
}

/** Returns a source of bytes that look random, are fast to make, and always the same: the key stream of a cipher. */
function randomBytesFrom(seed) {
  const key = Buffer.alloc(16);
  key.writeDoubleLE(seed);
  const cipher = createCipheriv('aes-128-ctr', key, Buffer.alloc(16));
  return (size) => cipher.update(Buffer.alloc(size));
}
