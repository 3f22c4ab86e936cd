import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { after, before, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { createPool } from 'threadwise';
import { compare } from './compare.js';
import { makeFiles } from './generate.js';
import { digest, digestFile } from './tasks.js';

const taskModule = new URL('./tasks.js', import.meta.url);
let folder;

before(() => {
  folder = mkdtempSync(join(tmpdir(), 'hash-files-test-'));
});
after(() => rmSync(folder, { recursive: true, force: true }));

/** Computes the same digest in another way. */
function expectedDigest(bytes) {
  return createHash('sha256').update(bytes).digest('base64');
}

function toBase64(hex) {
  return Buffer.from(hex, 'hex').toString('base64');
}

test('digests bytes as the standard says', () => {
  const known = 'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad';
  assert.equal(digest(new TextEncoder().encode('abc')), known);
});

test('digests files of every size around the piece that is read at a time, in a worker as inline', async () => {
  const piece = 2 ** 20;
  const sizes = [0, 1, piece - 1, piece, piece + 1, 3 * piece + 7];
  const paths = sizes.map((size) => {
    const { paths } = makeFiles({ count: 1, size, seed: size, dir: join(folder, `size-${size}`) });
    return paths[0];
  });
  const pool = createPool(taskModule, { threads: 2 });
  try {
    for (const path of paths) {
      const expected = {
        path,
        digest: Buffer.from(expectedDigest(readFileSync(path)), 'base64').toString('hex'),
      };
      assert.deepEqual(await digestFile(path), expected);
      assert.deepEqual(await pool.run('digestFile', [path]), expected);
    }
  } finally {
    await pool.close();
  }
});

test('takes a path relative to the working directory and gives it back as it was', async () => {
  const path = join(folder, 'weiß nicht [1].txt');
  writeFileSync(path, 'abc');
  const asGiven = relative(process.cwd(), path);
  const result = await digestFile(asGiven);
  assert.equal(result.path, asGiven);
  assert.equal(toBase64(result.digest), expectedDigest('abc'));
});

test('a path that cannot be read rejects that call, with the code of the system', async () => {
  const pool = createPool(taskModule, { threads: 1 });
  try {
    await assert.rejects(pool.run('digestFile', [join(folder, 'absent')]), { code: 'ENOENT' });
    await assert.rejects(pool.run('digestFile', [folder]), { code: 'EISDIR' });
  } finally {
    await pool.close();
  }
});

test('the generator makes the same files from the same seed, and removes them', () => {
  const [a, b, c] = [7, 7, 8].map((seed) => makeFiles({ count: 3, size: 1000, seed }));
  const read = ({ paths }) => paths.map((path) => readFileSync(path, 'hex'));
  assert.deepEqual(read(a), read(b));
  assert.notDeepEqual(read(a), read(c));
  assert.equal(new Set(read(a)).size, 3);
  for (const made of [a, b, c]) made.remove();
  assert.ok(![a, b, c].some(({ paths }) => existsSync(paths[0])));
});

test('the three ways agree, and a folder that was given stays', async () => {
  const dir = join(folder, 'given');
  const options = { files: 40, size: 3000, threads: 2, seed: 3, dir };
  const ways = await compare(options);
  assert.deepEqual(
    ways.map(({ name }) => name),
    ['inline', 'mainReads', 'workersRead'],
  );
  const again = makeFiles({ count: 40, size: 3000, seed: 3, dir });
  const expected = again.paths.map((path) => expectedDigest(readFileSync(path)));
  for (const { digests } of ways) assert.deepEqual(digests.map(toBase64), expected);
  again.remove();
  assert.deepEqual(readdirSync(dir), []);
});

test('main.js runs and ends by itself', async () => {
  const main = fileURLToPath(new URL('./main.js', import.meta.url));
  const args = [main, '--files', '32', '--size', '100', '--threads', '2'];
  const { stdout } = await promisify(execFile)(process.execPath, args);
  assert.match(stdout, /workers read/);
  assert.match(stdout, /All 32 digests agree/);
});
