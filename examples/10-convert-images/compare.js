// Converts all images on several threads and in one, into two folders that must be the same.
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { createPool } from 'threadwise';
import { timed } from '../timing.js';
import { convert } from './convert.js';

/** @returns milliseconds `alone` and `together`, and the problems of images that cannot be read, each with its path */
export async function compare({ paths, output, threads }) {
  const plain = mkdtempSync(join(tmpdir(), 'convert-images-plain-'));
  const pool = createPool(new URL('./tasks.js', import.meta.url), { threads });
  try {
    await pool.ready;
    const [results, together] = await timed(() => convertAll(pool, paths, { folder: output, threads }));
    const [expected, alone] = await timed(() => paths.map((path) => convert({ path, folder: plain })));
    if (!isDeepStrictEqual(results, expected)) throw new Error('The threads found other problems');
    for (const name of readdirSync(plain)) {
      const [one, other] = [plain, output].map((folder) => readFileSync(join(folder, name)));
      if (!one.equals(other)) throw new Error(`The threads made another ${name}`);
    }
    return { alone, together, problems: results.filter(({ problem }) => problem !== undefined) };
  } finally {
    await pool.close();
    rmSync(plain, { recursive: true });
  }
}

/** Rejects if an image cannot be written: conversions that have begun end then, and no more begin. */
async function convertAll(pool, paths, { folder, threads }) {
  const results = [];
  let failure;
  function* items() {
    for (const path of paths) {
      if (failure !== undefined) return;
      yield { path, folder };
    }
  }
  for await (const result of pool.map('convertImage', items(), { concurrency: 2 * threads })) {
    failure ??= result.failure;
    results.push(result);
  }
  if (failure !== undefined) throw Object.assign(new Error(failure.message), { code: failure.code });
  return results;
}
