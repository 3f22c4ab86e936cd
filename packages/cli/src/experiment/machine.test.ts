/** What `taskset` says, and what the machine says of itself. */
import assert from 'node:assert/strict';
import os from 'node:os';
import { test } from 'node:test';
import { parseCpus, readMachine } from './machine.js';

test('a list of cores is read, with its ranges', () => {
  assert.deepEqual(parseCpus("pid 17's current affinity list: 0-2,5\n"), [0, 1, 2, 5]);
  assert.deepEqual(parseCpus("pid 17's current affinity list: 3\n"), [3]);
});

test('what is no list is none', () => {
  assert.equal(parseCpus('taskset: failed to get pid 17: No such process'), undefined);
  assert.equal(parseCpus(''), undefined);
});

test('the machine has cores, threads and memory', () => {
  const machine = readMachine();
  assert.ok(machine.cores >= 1 && machine.availableThreads >= 1);
  assert.ok(machine.memoryBytes > 2 ** 20);
  assert.ok(Number.isFinite(machine.loadBefore));
});

test('a CPU quota of less than two cores leaves both cores to be used', () => {
  assert.equal(readMachine({ ...os, availableParallelism: () => 1, usableCpus: () => [0, 3] }).cores, 2);
});

test('a system that tells nothing of itself is a machine all the same', () => {
  // As with a /proc that may not be read.
  const silent = {
    cpus: () => [],
    availableParallelism: () => 1,
    usableCpus: () => undefined,
    totalmem: () => 0,
    loadavg: () => [],
  };
  const { cpu, cores, memoryBytes, loadBefore } = readMachine(silent);
  assert.deepEqual(
    { cpu, cores, memoryBytes, loadBefore },
    { cpu: 'unknown', cores: 1, memoryBytes: 0, loadBefore: 0 },
  );
});
