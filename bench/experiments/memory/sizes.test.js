import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sizesOf, virtualMiBOf } from './sizes.js';

test('the virtual size is what the system says, in MiB', () => {
  assert.equal(
    virtualMiBOf('Name:\tnode\nVmPeak:\t 9999999 kB\nVmSize:\t 1048576 kB\nVmRSS:\t 4096 kB\n'),
    1024,
  );
  assert.equal(virtualMiBOf('Name:\tnode\n'), undefined);
});

test('where the system says nothing there is a resident size and no virtual one', () => {
  const { residentMiB, virtualMiB } = sizesOf(undefined);
  assert.ok(residentMiB > 1);
  if (process.platform === 'linux') assert.ok(virtualMiB >= residentMiB / 2);
  assert.equal(sizesOf('').virtualMiB, undefined);
});
