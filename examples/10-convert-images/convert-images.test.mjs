import assert from 'node:assert/strict';
import { execFile, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { PNG } from 'pngjs';
import { writeWhole } from '../whole-file.js';
import { compare } from './compare.js';
import { drawImages } from './generate.js';
import { readPpm, writePpm } from './ppm.js';

const main = fileURLToPath(new URL('./main.js', import.meta.url));
let root;
before(() => {
  root = mkdtempSync(join(tmpdir(), 'convert-images-test-'));
});
after(() => rmSync(root, { recursive: true }));

function folders(name) {
  const [input, output] = ['in', 'out'].map((kind) => join(root, `${name}-${kind}`));
  for (const folder of [input, output]) mkdirSync(folder);
  return { input, output };
}

test('a header may have comments and any space; one character of space is before the pixels', () => {
  const bytes = Buffer.from('P6 # made by hand\n2\t1\n# max\n255\n\nabcde');
  assert.deepEqual(readPpm(bytes), { width: 2, height: 1, pixels: Buffer.from('\nabcde') });
});

test('each pixel of a PPM is the same in the PNG', async () => {
  const { input, output } = folders('same');
  const pixels = Buffer.from([0, 1, 2, 253, 254, 255, 7, 8, 9, 10, 11, 12]);
  const path = join(input, 'four.ppm');
  writeFileSync(path, writePpm({ width: 2, height: 2, pixels }));
  const { problems } = await compare({ paths: [path], output, threads: 1 });
  assert.deepEqual(problems, []);
  const { width, height, data } = PNG.sync.read(readFileSync(join(output, 'four.png')));
  assert.deepEqual([width, height], [2, 2]);
  assert.deepEqual([...data], [0, 1, 2, 255, 253, 254, 255, 255, 7, 8, 9, 255, 10, 11, 12, 255]);
});

test('what is no image is left out by name, with the reason, and the others are converted', async () => {
  const { input, output } = folders('bad');
  drawImages(input, { files: 3, size: 20, seed: 1 });
  const bad = {
    'empty.ppm': ['', /no PPM image/],
    'text.ppm': ['no image', /no PPM image/],
    'no-size.ppm': ['P6\nwide high\n255\n', /no size/],
    'huge.ppm': ['P6\n99999999 99999999\n255\n', /no size/],
    'deep.ppm': ['P6\n1 1\n65535\n123456', /one byte/],
    'cut.ppm': ['P6\n2 2\n255\n123', /3 bytes of pixels; 2 x 2 are 12/],
    'long.ppm': ['P6\n1 1\n255\n1234', /4 bytes of pixels; 1 x 1 are 3/],
  };
  for (const [name, [content]] of Object.entries(bad)) writeFileSync(join(input, name), content);
  mkdirSync(join(input, 'folder.ppm'));
  bad['folder.ppm'] = [undefined, /EISDIR/];
  const paths = readdirSync(input).map((name) => join(input, name));
  const { problems } = await compare({ paths, output, threads: 2 });
  assert.equal(problems.length, Object.keys(bad).length);
  for (const [name, [, reason]] of Object.entries(bad))
    assert.match(problems.find(({ path }) => path === join(input, name)).problem, reason, name);
  assert.deepEqual(readdirSync(output), ['image-0000.png', 'image-0001.png', 'image-0002.png']);
});

test('a file that cannot be written leaves no part of it, and the error names it', async () => {
  const { input, output } = folders('unwritable');
  const paths = drawImages(input, { files: 1, size: 5, seed: 1 });
  // A folder has the name of the image: the part is written, and cannot be renamed.
  mkdirSync(join(output, 'image-0000.png'));
  writeFileSync(join(output, 'image-0000.png', 'kept'), '');
  await assert.rejects(compare({ paths, output, threads: 1 }), ({ message, code }) => {
    assert.match(message, /image-0000\.png cannot be written/);
    return typeof code === 'string';
  });
  assert.deepEqual(readdirSync(output), ['image-0000.png']);
  assert.throws(() => writeWhole(join(root, 'absent', 'x'), 'x'), { code: 'ENOENT' });
});

/** Why the test cannot make a small disk; false if it can. */
function whyNoDisk() {
  if (process.platform !== 'linux') return 'unshare is of Linux';
  const { status } = spawnSync('unshare', ['-rm', 'mount', '-t', 'tmpfs', 'small', tmpdir()]);
  return status === 0 ? false : 'mounting is not allowed here';
}

test(
  'a full disk: the first file that has no room is named, and each that is there is whole',
  { skip: whyNoDisk() },
  () => {
    const { input, output } = folders('full');
    const kept = join(root, 'kept');
    const paths = drawImages(input, { files: 12, size: 80, seed: 1 });
    // Only this process sees the disk, so what was written to it is copied before the process ends.
    const script =
      'mount -t tmpfs -o size=64k small "$2" && { "$3" "$4" --in "$1" --out "$2" --threads 2; code=$?; cp -a "$2" "$5"; exit $code; }';
    const args = ['-rm', 'sh', '-c', script, 'sh', input, output, process.execPath, main, kept];
    const { status, stderr } = spawnSync('unshare', args, { encoding: 'utf8' });
    assert.equal(status, 1);
    assert.match(stderr, /^\S+image-\d{4}\.png cannot be written: ENOSPC: no space left on device.*\n$/);
    const names = readdirSync(kept);
    assert.ok(names.length > 0 && names.length < paths.length, `${names}`);
    for (const name of names) {
      const { data } = PNG.sync.read(readFileSync(join(kept, name)));
      const { pixels } = readPpm(readFileSync(join(input, name.replace('.png', '.ppm'))));
      assert.ok(
        data.every((value, i) => value === (i % 4 === 3 ? 255 : pixels[((i - (i % 4)) / 4) * 3 + (i % 4)])),
      );
    }
  },
);

test('main.js runs, and ends with what threads brought', async () => {
  const { input, output } = folders('main');
  const args = [main, '--out', output, '--files', '3', '--size', '16', '--threads', '2'];
  const { stdout } = await promisify(execFile)(process.execPath, args);
  assert.match(stdout, /^3 of 3 images are PNG files now.* in every byte\.\nOn 2 threads .* times as fast/);
  assert.equal(readdirSync(output).length, 3);
  writeFileSync(join(input, 'text.ppm'), 'no image');
  await assert.rejects(promisify(execFile)(process.execPath, [main, '--in', input]), (error) => {
    assert.equal(error.code, 1);
    assert.match(error.stderr, /text\.ppm is left out: it is no PPM image/);
    return true;
  });
});
