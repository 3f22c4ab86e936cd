/** CPU time of one thread, against what the process says of all. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { cpuTime, cpuTimeIn, ownThreadId } from './usage.js';

const onLinux = { skip: process.platform === 'linux' ? false : 'only Linux tells' };

/** Computes until this thread has used `ms` of CPU time. Returns what the process used meanwhile. Milliseconds. */
function burn(ms: number): number {
  const before = process.cpuUsage();
  const start = cpuTime(ownThreadId())!.usedMs;
  while (cpuTime(ownThreadId())!.usedMs < start + ms);
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}

test('what a thread computes is counted, and no more than the process had', onLinux, () => {
  const before = cpuTime(ownThreadId())!;
  const ofProcess = burn(50);
  const after = cpuTime(ownThreadId())!;
  const used = after.usedMs - before.usedMs;
  assert.ok(used >= 50 && used <= ofProcess + 20, `${used} of ${ofProcess} ms`);
  assert.ok(after.waitedMs >= before.waitedMs);
});

test('a thread that waits uses nothing', onLinux, () => {
  const before = cpuTime(ownThreadId())!.usedMs;
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 100);
  assert.ok(cpuTime(ownThreadId())!.usedMs - before < 50);
});

test('of a thread that there is not, nothing is known', () => {
  assert.equal(cpuTime(0), undefined);
  assert.equal(cpuTime(2 ** 30), undefined);
});

test('the time on a core is read, and that without one; a kernel that counts neither tells nothing', () => {
  assert.deepEqual(cpuTimeIn('3000000 2000000 7\n'), { usedMs: 3, waitedMs: 2 });
  assert.equal(cpuTimeIn('0 0 0\n'), undefined);
  assert.equal(cpuTimeIn(undefined), undefined);
});
