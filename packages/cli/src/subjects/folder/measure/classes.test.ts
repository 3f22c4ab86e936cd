/** Which files are measured on, and how many of them at a time. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'threadwise-test/fast-check';
import { batchOf, classesOf, filesPerCall, type SizedFile, sampleOf, sumOf } from './classes.js';

const KIB = 2 ** 10;
const MIB = 2 ** 20;
const file = (bytes: number, i = 0): SizedFile => ({ path: `${i}-${bytes}`, bytes });

test('a file belongs to the class that its size is in; classes without files are left out', () => {
  const sizes = [0, 4 * KIB - 1, 4 * KIB, 16 * MIB, 2 ** 40];
  const classes = classesOf(sizes.map(file));
  assert.deepEqual(
    classes.map(({ fromBytes, belowBytes, files }) => [
      fromBytes,
      belowBytes,
      files.map(({ bytes }) => bytes),
    ]),
    [
      [0, 4 * KIB, [0, 4 * KIB - 1]],
      [4 * KIB, 64 * KIB, [4 * KIB]],
      [16 * MIB, undefined, [16 * MIB, 2 ** 40]],
    ],
  );
});

const anyFiles = fc.array(
  fc.integer({ min: 0, max: 400 * MIB }).map((bytes) => file(bytes)),
  { minLength: 1 },
);

test('each file is in one class', () => {
  fc.assert(
    fc.property(anyFiles, (files) => {
      const all = classesOf(files).flatMap((each) => each.files);
      assert.deepEqual(new Set(all), new Set(files));
      assert.equal(all.length, files.length);
    }),
  );
});

test('a sample stays within its bytes, has no file that is larger, and is never empty where one fits', () => {
  fc.assert(
    fc.property(anyFiles, fc.integer({ min: 1, max: 500 * MIB }), (files, mostBytes) => {
      const sample = sampleOf(files, mostBytes);
      assert.ok(sumOf(sample) <= mostBytes);
      assert.equal(
        sample.length > 0,
        files.some(({ bytes }) => bytes <= mostBytes),
      );
    }),
  );
});

test('a sample of many comes from all over the folder', () => {
  const files = Array.from({ length: 100_000 }, (_, i) => file(10, i));
  const sample = sampleOf(files, 256 * MIB);
  assert.ok(sample.length <= 2000);
  assert.ok(files.indexOf(sample.at(-1)!) > 99_000);
});

test('a pass takes some milliseconds, and reads few files over again so that nobody is idle', () => {
  const many = Array.from({ length: 1000 }, (_, i) => file(10, i));
  const fast = batchOf(many, 50_000, 4);
  assert.deepEqual([fast.files.length, fast.repeatsFiles], [200, false]);
  const slow = batchOf(many, 10, 4);
  assert.equal(slow.files.length, 4);
  const one = batchOf([file(10)], 50_000, 4);
  assert.deepEqual([one.files.length, one.repeatsFiles], [4, true]);
  const huge = batchOf([file(60 * MIB)], 100, 4);
  assert.equal(huge.files.length, 1);
});

test('a call has about a MiB, and there are enough calls for all who read', () => {
  const batch = (count: number, bytes: number) => ({
    files: Array.from({ length: count }, () => file(bytes)),
    repeatsFiles: false,
  });
  assert.equal(filesPerCall(batch(500, 100), 2), 64);
  assert.equal(filesPerCall(batch(20, 100), 2), 5);
  assert.equal(filesPerCall(batch(100, 512 * KIB), 2), 2);
  assert.equal(filesPerCall(batch(4, 6 * MIB), 2), 1);
  assert.equal(filesPerCall(batch(10, 0), 2), 3);
});
