import assert from 'node:assert/strict';
import { test } from 'node:test';
import { analyze } from './analyze.js';
import type { Samples } from './samples.js';
import { type Model, model, simulate } from './simulated.test.fake.js';

const EIGHT = { cores: 8, threads: [1, 2, 4, 8] };

function limits(changes: Partial<Model>, other: Partial<Samples> = {}) {
  return analyze(simulate(model(changes), other)).limits.map(({ name, why }) => `${name}: ${why}`);
}

test('names the cores where nothing else keeps threads from doing more', () => {
  assert.deepEqual(limits({}), ['cores: there are 2 cores: 2 calls can compute at a time']);
  assert.deepEqual(limits({ cores: 1, threads: [1, 2] }), [
    'cores: there is one core, and threads take turns on it',
  ]);
});

test('names a quota that leaves fewer cores than there are', () => {
  const samples = simulate(model(EIGHT));
  const machine = { ...samples.machine, availableThreads: 2 };
  assert.deepEqual(limits({ ...EIGHT, threads: [1, 2] }, { machine }), [
    'cores: a CPU quota lets at most 2 threads compute all the time, though there are 8 cores',
  ]);
});

test('says that it does not know, rather than name what is not to blame', () => {
  const gainWith = (threads: number) => [1, 1, 1.9, 1.5, 1.2, 1.1, 1, 0.9, 0.8][threads]!;
  assert.deepEqual(limits({ ...EIGHT, gainWith }), [
    'none: more than 2 threads did not do more, and nothing that was measured says why',
  ]);
  const machine = { ...simulate(model(EIGHT)).machine, othersShare: 0.6 };
  assert.deepEqual(limits({ ...EIGHT, gainWith }, { machine }), [
    'none: more than 2 threads did not do more, which may be due to the other programs that were running',
  ]);
});

test('names the memory that the cores share', () => {
  // Memory can feed two calls at a time: with eight, each takes four times as long.
  assert.deepEqual(limits({ ...EIGHT, memory: 2 }), [
    'memory-bandwidth: the same call takes 4.0 times as much CPU time when 8 threads run it: they wait for the same memory, or are two threads of one core',
  ]);
});

test('compares what running takes, less what handing over does', () => {
  // 2 / 1.4 as long: 10 ms become 14.3, and 1.5 ms of crossing are in both.
  assert.match(
    limits({ runMs: 10, crossingMs: 1.5, memory: 1.4 })[0]!,
    /^memory-bandwidth: the same call takes 1\.4 times/,
  );
});

test('does not take the CPU time of handing over for that of memory', () => {
  // 2 us of running and 3 us of crossing: 2.5 times the CPU time, but for another reason.
  const [limit] = limits({ runMs: 0.002, crossingMs: 0.003, mainMs: 0.001 });
  assert.equal(
    limit,
    'crossing: 60 % of the CPU time of a call goes into handing it over (1 KiB there, and 32 bytes back)',
  );
});

test('a call that takes hardly any of the CPU time still takes some', () => {
  const [limit] = limits({ runMs: 0.000_001, crossingMs: 0.003, mainMs: 0.001 });
  assert.match(limit!, /^crossing: more than 99 % of the CPU time of a call goes into/);
});

test('where the crossing was not measured by itself, what one thread takes beyond the call is it', () => {
  const given = { runMs: 40, crossingMs: 30, mainMs: 15 };
  assert.match(limits(given, { crossings: [] })[0]!, /^crossing: 43 % of the CPU time of a call goes into/);
});

test('takes no more for the crossing than what a call costs beside running', () => {
  // 10 us of running, 4 of crossing; measured on busier cores a crossing came to 40.
  const given = { runMs: 0.01, crossingMs: 0.004, mainMs: 0.002 };
  const crossings = [{ transport: 'shared' as const, cpuMs: [0.04, 0.04, 0.04], loneMs: [] }];
  assert.match(limits(given, { crossings })[0]!, /^crossing: 29 % of the CPU time/);
});

test('does not take the CPU time of workers that look for the next call for that of memory', () => {
  const { threads } = simulate(model({ runMs: 0.002, crossingMs: 0.003, mainMs: 0.001 }));
  const looking = threads.map((of) => (of.threads === 1 ? of : { ...of, cpuMs: of.cpuMs.map(() => 0.01) }));
  // (10 - 3) / 2 us would be 3.5 times as much.
  const names = analyze(
    simulate(model({ runMs: 0.002, crossingMs: 0.003, mainMs: 0.001 }), { threads: looking }),
  ).limits.map(({ name }) => name);
  assert.deepEqual(names, ['crossing']);
});

test('names the calling thread that cannot hand over more', () => {
  // 10 us a call, 2 of them handing over, 8 threads: 500 calls a millisecond are all that the calling thread can do.
  const [limit] = limits({ ...EIGHT, runMs: 0.01, crossingMs: 0.0024, mainMs: 0.002 });
  assert.equal(
    limit,
    'main-thread: the calling thread is busy for 100 % of the time; the workers run tasks for 65 % of theirs',
  );
});

test('names a serial part, and how fast it can ever be', () => {
  assert.deepEqual(limits({ ...EIGHT, serial: 0.25 }), [
    'serial-part: 25 % of the work does not run in parallel: no number of threads makes it more than 4.0 times as fast',
  ]);
});

test('takes a machine that is shared with others for one, where one number of threads is all that speaks for a serial part', () => {
  const serial = { serial: 0.3 };
  const { machine } = simulate(model(serial));
  assert.match(limits(serial)[0]!, /^serial-part: 30 %/);
  assert.match(
    limits(serial)[0]!,
    / in parallel, if nothing else slows the threads down: no number of threads makes/,
  );
  assert.match(limits(serial, { machine: { ...machine, loadBefore: 2.5 } })[0]!, /^cores/);
});

test('a curve that is no curve of a serial part is not called one', () => {
  const gainWith = (threads: number) => (threads === 8 ? 8 : 1);
  assert.ok(limits({ ...EIGHT, gainWith }).every((limit) => !limit.startsWith('serial-part')));
});

test('names garbage collection, beside what else there is', () => {
  const samples = simulate(model());
  const inline = { ...samples.inline, garbageShare: [0.28, 0.29, 0.3, 0.3, 0.31, 0.33] };
  assert.deepEqual(limits({}, { inline }), [
    'garbage-collection: 30 % of the time goes into collecting garbage',
  ]);
});

test('names waiting, and does not take a busy machine for it', () => {
  const blocking = { computing: 0.2, threads: [1, 2, 4] };
  assert.match(
    limits(blocking)[0]!,
    /^waiting: a call computes for 20 % of its time, and waits for the rest$/,
  );
  const { machine } = simulate(model());
  const busy = { machine: { ...machine, loadBefore: 9 } };
  assert.match(limits({ ...blocking, computing: 0.4 }, busy)[0]!, /^cores/);
});

test('names memory that has no room for as many threads as cores', () => {
  const samples = simulate(model(EIGHT));
  const machine = { ...samples.machine, memoryBytes: 512 * 2 ** 20 };
  const start = { readyMs: [30, 30], bytesPerThread: [150 * 2 ** 20, 150 * 2 ** 20] };
  // Three quarters of 512 MiB are 384.
  assert.deepEqual(limits({ ...EIGHT, threads: [1, 2] }, { machine, start }), [
    'memory: the memory has room for 2 threads of 150 MiB each: there is 512 MiB',
  ]);
});

test('does not name memory that has room for more threads than a quota leaves cores', () => {
  const samples = simulate(model(EIGHT));
  const machine = { ...samples.machine, cores: 64, availableThreads: 2, memoryBytes: 2 ** 30 };
  assert.deepEqual(limits({ ...EIGHT, threads: [1, 2] }, { machine }), [
    'cores: a CPU quota lets at most 2 threads compute all the time, though there are 64 cores',
  ]);
});

test('tells no reason where time was up before enough rounds were complete', () => {
  const short = { runMs: 0.002, crossingMs: 0.003, mainMs: 0.001 };
  for (const rounds of [1, 2, 3]) {
    const { limits: found, reasons } = analyze(simulate(model({ ...short, rounds })));
    assert.equal(found.length > 0, rounds > 2);
    assert.equal(reasons.length > 0, rounds > 2, String(reasons));
  }
});

test('has no limits where no pool was measured', () => {
  assert.deepEqual(limits({}, { threads: [] }), []);
});
