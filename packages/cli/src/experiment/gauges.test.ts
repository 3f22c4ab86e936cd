/** What is read of a process: how late its timers are, and how long its threads waited for a core. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import os, { tmpdir } from 'node:os';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { test } from 'node:test';
import { coresOfOthers, cpuMs, waitedMs, watchDelay, watchProcess } from './gauges.js';

const HELD_MS = 20;

test('a call that holds up the event loop from the beginning to the end is seen', async () => {
  for (const time of ['first', 'second']) {
    const endDelay = await watchDelay();
    for (const end = performance.now() + HELD_MS; performance.now() < end;);
    const ms = await endDelay();
    // The histogram keeps three digits.
    assert.ok(ms >= 0.99 * HELD_MS, `${ms} the ${time} time`);
  }
});

test('how long all threads waited for a core is known only where the kernel counts it', (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'threadwise-gauges-'));
  t.after(() => rmSync(folder, { recursive: true }));
  const tasksOf = (name: string, ...said: readonly string[]): string => {
    for (const [task, text] of said.entries()) {
      mkdirSync(join(folder, name, `${task}`), { recursive: true });
      writeFileSync(join(folder, name, `${task}`, 'schedstat'), text);
    }
    return join(folder, name);
  };
  assert.equal(waitedMs(tasksOf('counted', '5000000 3000000 9\n', '7000000 4000000 1\n', '0 0 0\n')), 7);
  assert.equal(waitedMs(tasksOf('free', '5000000 0 9\n')), 0);
  assert.ok(Number.isNaN(waitedMs(tasksOf('not counted', '0 0 0\n', '0 0 0\n'))));
  assert.ok(Number.isNaN(waitedMs(join(folder, 'none'))));
});

test('the CPU time of a program counts for the process that ran it, once it has ended', (t) => {
  if (process.platform !== 'linux') return t.skip('only Linux tells it');
  const before = cpuMs();
  execFileSync(process.execPath, ['-e', 'while (process.cpuUsage().user < 200_000);']);
  assert.ok(cpuMs() - before >= 190, `${cpuMs() - before} ms`);
});

test('others never use more cores than there are, however late this process reads its clock', async (t) => {
  let passedMs = 0;
  const times = () => ({ user: passedMs, nice: 0, sys: 0, idle: 0, irq: 0 });
  t.mock.method(os, 'cpus', () => [1, 2].map(() => ({ model: '', speed: 0, times: times() })));
  t.mock.method(os, 'availableParallelism', () => 2);
  const end = await watchProcess();
  passedMs = 60_000; // by the clock of this process it is much less
  const { shared } = await end();
  const used = coresOfOthers(shared);
  assert.ok(used > 1.9 && used <= 2, `${used} of 2 cores`);
  assert.ok(Number.isNaN(coresOfOthers(undefined)));
});

test('without /proc there is no figure for the memory, and everything else is measured', async (t) => {
  t.mock.method(process.memoryUsage, 'rss', () => {
    throw new Error('ENOENT: no such file or directory, uv_resident_set_memory');
  });
  const end = await watchProcess();
  const { residentBytes, elapsedMs } = await end();
  assert.ok(Number.isNaN(residentBytes) && elapsedMs > 0, `${residentBytes} bytes, ${elapsedMs} ms`);
});
