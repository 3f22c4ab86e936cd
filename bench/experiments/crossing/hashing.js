// Hashes all files of a folder with a pool, in several ways, and checks the digests.
import assert from 'node:assert/strict';
import { closeSync, openSync, readdirSync, readSync } from 'node:fs';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { combine, FILE_BYTES } from '../../fixtures/files.js';
import { median } from '../../conclusions/statistics.js';

/** How many files are on their way at a time: enough for sixteen threads, and 4 MiB of memory. */
const OUTSTANDING = 64;

/** A buffer that is not part of a shared one, so that it can be moved; it is not cleared. */
const newBuffer = () => Buffer.allocUnsafeSlow(FILE_BYTES);

/** How the bytes of a file get to the task. Returns, per file, the buffer to read into and the argument of the call. */
const HANDOVERS = {
  leased: (pool) => () => {
    const lease = pool.lease(FILE_BYTES);
    return { bytes: lease.bytes, argument: lease };
  },
  /** Reads into one buffer again and again: a call has ended before the next file is read. */
  copied() {
    const bytes = newBuffer();
    return () => ({ bytes, argument: bytes });
  },
  moved: () => () => {
    const bytes = newBuffer();
    return { bytes, argument: bytes, transfer: [bytes.buffer] };
  },
};

/** The main thread lists and reads the files, the threads hash. `way` is undefined inline, where all ways are the same. */
export async function readAndHash(pool, folder, way = 'copied') {
  let readingMs = 0;
  const digests = await inLanes(folder, () => {
    const prepare = HANDOVERS[way](pool);
    return (path) => {
      const { bytes, argument, transfer } = prepare();
      const began = performance.now();
      readInto(bytes, path);
      readingMs += performance.now() - began;
      return pool.call('hash', argument, transfer);
    };
  });
  return { digests, readingMs };
}

/** The main thread lists the files, the threads read and hash. */
export async function hashPaths(pool, folder) {
  const hashFile = (path) => pool.call('hashFile', { path, length: FILE_BYTES });
  return { digests: await inLanes(folder, () => hashFile), readingMs: 0 };
}

/** Each lane takes the next file when its last one is hashed. @returns the digests in the order of the files */
async function inLanes(folder, makeLane) {
  const names = readdirSync(folder).sort();
  const digests = new Array(names.length);
  let next = 0;
  const lane = async () => {
    const digestOf = makeLane();
    while (next < names.length) {
      const i = next++;
      digests[i] = await digestOf(join(folder, names[i]));
    }
  };
  await Promise.all(Array.from({ length: OUTSTANDING }, lane));
  return digests;
}

function readInto(bytes, path) {
  const file = openSync(path, 'r');
  const count = readSync(file, bytes, 0, FILE_BYTES, 0);
  closeSync(file);
  assert.equal(count, FILE_BYTES);
}

/**
 * Times passes over all files, after passes that warm up. Checks the digests of each pass.
 * @returns the median of each figure
 */
export async function measurePasses({ warmUpPasses, passes }, expectedDigest, work) {
  const timed = [];
  for (let pass = 0; pass < warmUpPasses + passes; pass++) {
    const cpuBefore = process.cpuUsage();
    const began = performance.now();
    const { digests, readingMs } = await work();
    const totalMs = performance.now() - began;
    const { user, system } = process.cpuUsage(cpuBefore);
    assert.equal(combine(digests), expectedDigest, 'the digests of the files, in order');
    const values = {
      ...{ totalMs, readMs: readingMs, cleanMs: totalMs - readingMs },
      cpuMs: (user + system) / 1000,
      cleanUsPerFile: (1000 * (totalMs - readingMs)) / digests.length,
    };
    if (pass >= warmUpPasses) timed.push(values);
  }
  const middle = (id) => median(timed.map((values) => values[id]));
  return Object.fromEntries(Object.keys(timed[0]).map((id) => [id, middle(id)]));
}
