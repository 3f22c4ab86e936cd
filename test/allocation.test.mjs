// A plain call allocates one promise and no other object of ours on the main thread. The growth of the heap shows it.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';

/** How many bytes the smallest object of V8 takes: a number that is not a small integer. */
const SMALLEST_OBJECT_BYTES = 12;

test('100,000 plain calls make one promise each, and nothing else', () => {
  const script = fileURLToPath(new URL('./fixtures/heap-of-calls.mjs', import.meta.url));
  const flags = ['--expose-gc', '--min-semi-space-size=256', '--max-semi-space-size=256'];
  const { ours, bare } = JSON.parse(execFileSync(process.execPath, [...flags, script], { encoding: 'utf8' }));
  // The minimum of several runs: results that come in more batches, and code that is compiled meanwhile, add to a run.
  const added = Math.min(...ours) - Math.min(...bare);
  assert.ok(added < SMALLEST_OBJECT_BYTES, `${added} bytes per call; ours ${ours}, bare ${bare}`);
});
