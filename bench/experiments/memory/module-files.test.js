import assert from 'node:assert/strict';
import { existsSync, statSync } from 'node:fs';
import { createRequire } from 'node:module';
import { test } from 'node:test';
import { KIBIBYTES, moduleFiles } from './module-files.js';

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
