/** What is listed of a folder, what is left out and counted, and what is refused. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { after, test } from 'node:test';
import { countsOf, type FindOptions, findFiles } from './find-files.js';

const folder = mkdtempSync(join(tmpdir(), 'threadwise-find-'));
after(() => rmSync(folder, { recursive: true, force: true }));
mkdirSync(join(folder, 'inner/deep'), { recursive: true });
mkdirSync(join(folder, '.hidden'));
for (const [name, bytes] of [
  ['a.txt', 1],
  ['b.bin', 20],
  ['inner/c.txt', 300],
  ['inner/deep/d.txt', 0],
  ['.hidden/e.txt', 5],
  ['.f.txt', 6],
] as const) {
  writeFileSync(join(folder, name), Buffer.alloc(bytes));
}
symlinkSync('..', join(folder, 'inner/loop'));
symlinkSync('../a.txt', join(folder, 'inner/link'));

const noMkfifo = process.platform === 'win32' && 'there is no mkfifo';

async function found(options: Partial<FindOptions> = {}) {
  const result = await findFiles({
    folder,
    patterns: [],
    dot: false,
    ownFiles: [],
    mostMs: 60_000,
    signal: new AbortController().signal,
    ...options,
  });
  return { ...result, links: result.links, isCut: result.isCut, names: namesOf(result.files) };
}

const namesOf = (files: readonly { path: string; bytes: number }[]) =>
  files.map(({ path, bytes }) => `${relative(folder, path)} ${bytes}`).sort();

test('all regular files with their sizes; links are counted, not followed', async () => {
  const { names, links, isCut } = await found();
  assert.deepEqual(names, ['a.txt 1', 'b.bin 20', 'inner/c.txt 300', 'inner/deep/d.txt 0']);
  assert.deepEqual([links, isCut], [2, false]);
});

test('with a dot, what matches, and without what is excluded or written by the command itself', async () => {
  assert.equal((await found({ dot: true })).names.length, 6);
  assert.deepEqual((await found({ patterns: ['**/*.txt', '!inner/deep/**'] })).names, [
    'a.txt 1',
    'inner/c.txt 300',
  ]);
  assert.deepEqual((await found({ patterns: ['!**/*.txt'] })).names, ['b.bin 20']);
  assert.equal((await found({ ownFiles: [join(folder, 'b.bin')] })).names.length, 3);
});

test('a folder with as many files as are listed at most is not cut; one more, and it is', async () => {
  // The folder lists links and a subfolder after its last file.
  const full = await found({ mostFiles: 3, patterns: ['!inner/deep/**'] });
  assert.deepEqual([full.names.length, full.links, full.isCut], [3, 2, false]);
  const cut = await found({ mostFiles: 3 });
  assert.deepEqual([cut.names.length, cut.isCut], [3, true]);
});

test('what is excluded was not left out: neither links nor what is no file', { skip: noMkfifo }, async () => {
  const fifo = join(folder, 'inner/fifo');
  execFileSync('mkfifo', [fifo]);
  try {
    const counts = async (...patterns: string[]) => {
      const { links, others } = await found({ patterns });
      return [links, others];
    };
    assert.deepEqual(await counts(), [2, 1]);
    // A link may lead to a folder that has files which match.
    assert.deepEqual(await counts('**/*.txt'), [2, 0]);
    assert.deepEqual(await counts('!inner/l*', '!**/fifo'), [0, 0]);
  } finally {
    rmSync(fifo);
  }
});

test('a folder that takes too long is cut, and has something all the same', async () => {
  const many = mkdtempSync(join(tmpdir(), 'threadwise-find-'));
  try {
    for (let i = 0; i < 1500; i++) writeFileSync(join(many, `${i}`), '');
    const { files, isCut } = await found({ folder: many, mostMs: 0 });
    assert.ok(files.length > 0 && files.length < 1500);
    assert.equal(isCut, true);
  } finally {
    rmSync(many, { recursive: true });
  }
});

test('what is no folder is refused', async () => {
  await assert.rejects(found({ folder: join(folder, 'none') }), /cannot read folder .*none': no such file/);
  await assert.rejects(
    found({ folder: join(folder, 'a.txt') }),
    /expected a folder, got the file '.*a\.txt'/,
  );
});

const isRoot = process.getuid?.() === 0;
test(
  'a folder inside that may not be read is counted',
  {
    skip: isRoot ? 'root may read all' : false,
  },
  async () => {
    const closed = join(folder, 'closed');
    mkdirSync(closed);
    chmodSync(closed, 0);
    try {
      const { unreadable, names } = await found();
      assert.deepEqual(countsOf(unreadable), [{ why: 'permission denied', count: 1 }]);
      assert.equal(names.length, 4);
    } finally {
      chmodSync(closed, 0o700);
      rmSync(closed, { recursive: true });
    }
  },
);
