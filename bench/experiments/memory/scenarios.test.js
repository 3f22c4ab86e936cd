import assert from 'node:assert/strict';
import { existsSync, statSync } from 'node:fs';
import { createRequire } from 'node:module';
import { test } from 'node:test';
import { KIBIBYTES, mebibytesOf, moduleFiles, sizesOf } from './scenarios.js';

const require = createRequire(import.meta.url);

test('modules are as large as they say, can be loaded, and are removed', () => {
  const { given, remove } = moduleFiles.make();
  for (const kibibytes of KIBIBYTES) {
    const path = given.paths[kibibytes];
    assert.equal(statSync(path).size, 1024 * kibibytes);
    const exported = require(path);
    assert.equal(Object.keys(exported).length, kibibytes);
    if (kibibytes > 0) assert.ok(exported.f0(5) < 1009);
  }
  remove();
  assert.ok(Object.values(given.paths).every((path) => !existsSync(path)));
});

const STATUS =
  'Name:\tnode\nVmPeak:\t 9999999 kB\nVmSize:\t 1048576 kB\nVmRSS:\t 4096 kB\nVmData:\t 2048 kB\nVmStk:\t 1024 kB\n';

test('sizes are what the system says, in MiB', () => {
  assert.equal(mebibytesOf(STATUS, ['VmSize']), 1024);
  assert.equal(mebibytesOf(STATUS, ['VmData', 'VmStk']), 3);
  assert.equal(mebibytesOf('Name:\tnode\n', ['VmSize']), undefined);
  assert.equal(mebibytesOf('VmData:\t 2048 kB\n', ['VmData', 'VmStk']), undefined);
  const { virtualMiB, sizeMiB } = sizesOf(STATUS);
  assert.deepEqual([virtualMiB, sizeMiB], [1024, 3]);
});

test('where the system says nothing there is a resident size and no other', () => {
  const { residentMiB, virtualMiB } = sizesOf(undefined);
  assert.ok(residentMiB > 1);
  if (process.platform === 'linux') assert.ok(virtualMiB >= residentMiB / 2);
  assert.deepEqual([sizesOf('').virtualMiB, sizesOf('').sizeMiB], [undefined, undefined]);
});
