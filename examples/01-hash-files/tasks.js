// The work: SHA-256 digests. Every exported function is a task; the code does not know about threads.
import { createHash } from 'node:crypto';
import { closeSync, openSync, readSync } from 'node:fs';
import { open } from 'node:fs/promises';

/**
 * Up to how many bytes a file is read synchronously and in one piece: a promise for each read of a small file costs more
 * than the read. Larger files are read piece by piece, so that a file of many gigabytes needs no more memory than this
 * and the worker's event loop goes on meanwhile.
 */
const PIECE = 2 ** 20;
/** Used again for every small file: nothing awaits between filling it and hashing it. */
const piece = Buffer.allocUnsafeSlow(PIECE);

/** The SHA-256 of bytes, as hexadecimal digits. */
export function digest(bytes) {
  return createHash('sha256').update(bytes).digest('hex');
}

/** The SHA-256 of a file, which is read on the thread that runs this. A relative path is relative to the working directory. */
export function digestFile(path) {
  const length = readStart(path, piece);
  if (length === piece.length) return digestLargeFile(path);
  return { path, digest: digest(piece.subarray(0, length)) };
}

/** Fills `bytes` from the start of a file. Returns how many bytes it got: if fewer than `bytes` has, that is the whole file. */
export function readStart(path, bytes) {
  const file = openSync(path);
  try {
    let length = 0;
    while (length < bytes.length) {
      const got = readSync(file, bytes, length, bytes.length - length, null);
      if (got === 0) break;
      length += got;
    }
    return length;
  } finally {
    closeSync(file);
  }
}

async function digestLargeFile(path) {
  const file = await open(path);
  try {
    const hash = createHash('sha256');
    const bytes = Buffer.allocUnsafeSlow(PIECE);
    for (;;) {
      const { bytesRead } = await file.read(bytes, 0, bytes.length);
      if (bytesRead === 0) return { path, digest: hash.digest('hex') };
      hash.update(bytes.subarray(0, bytesRead));
    }
  } finally {
    await file.close();
  }
}
