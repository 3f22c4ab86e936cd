/**
 * What becomes of functions that behave, and of those that do not. Nothing here asserts how fast anything is: a machine that is busy
 * gets through fewer rounds.
 */
import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { control, openInline } from '../dist/subjects/function/measure/behaviour-step.js';
import { measure } from '../dist/subjects/function/measure/measure.js';
import { FunctionSession } from '../dist/subjects/function/measure/session.js';
import { temporaryFolder } from './command.mjs';

const fixture = (name) => new URL(`fixtures/analyze/${name}.mjs`, import.meta.url).href;
/** Without time limit nothing would be proven by what is missing. Milliseconds. */
const ENOUGH_MS = 6000;

function plan(name, inputs, { file = 'tasks', ...more } = {}) {
  return {
    module: fixture(file),
    moduleGiven: `${file}.mjs`,
    export: name,
    inputs,
    inputCount: inputs.length,
    inputsHow: 'listed',
    budgetMs: ENOUGH_MS,
    signal: new AbortController().signal,
    ...more,
  };
}

const silent = { progress() {} };
const measured = (name, inputs, more) => measure(plan(name, inputs, more), silent);
/** Until that step begins: what it needs is known by then, and the rest is of no interest. */
async function measuredUntil(what, name, inputs, more) {
  const controller = new AbortController();
  const progress = (step) => {
    if (what.test(step.what)) controller.abort();
  };
  return measure(plan(name, inputs, { ...more, signal: controller.signal }), { progress });
}

/** Measures one round, however long a busy machine takes for it. It has one thread, as each further one warms up for a second. */
const oneRound = (name, inputs, more) =>
  measuredUntil(/^round 2/, name, inputs, { ...more, maxThreads: 1, budgetMs: 5 * ENOUGH_MS });

const positive = (series) =>
  series.length > 0 && series.every((value) => Number.isFinite(value) && value > 0);
const shares = (series) => series.every((value) => value >= 0 && value <= 1);

test('a function that behaves is measured in every way', async () => {
  const steps = [];
  const inputs = [20_000, 21_000, 22_000];
  const controller = new AbortController();
  const progress = (step) => {
    steps.push(step);
    if (/^round 3/.test(step.what)) controller.abort();
  };
  // Two rounds are enough, and a busy machine that has time for one alone has measured everything, too.
  const given = plan('works', inputs, { budgetMs: 5 * ENOUGH_MS, signal: controller.signal });
  const samples = await measure(given, { progress });
  const { behaviour, inline, threads, subject, machine } = samples;
  assert.deepEqual(behaviour, {
    returnsPromise: false,
    failures: { calls: behaviour.failures.calls, failed: 0, first: undefined },
    neverSettled: undefined,
    ended: undefined,
    atInput: undefined,
    endedInWorker: undefined,
    failsInWorker: undefined,
    repeats: 'same',
    returnsStream: false,
    remembers: false,
    changesItsArgument: false,
    uncloneable: { argument: undefined, result: undefined },
    hasSetup: false,
    plainClasses: [],
  });
  assert.ok(behaviour.failures.calls >= inputs.length);
  assert.deepEqual(subject, {
    module: 'tasks.mjs',
    isCommonJs: false,
    export: 'works',
    inputs: { count: 3, used: 3, how: 'listed' },
  });
  for (const series of [inline.rate, inline.cpuMs]) assert.ok(positive(series), String(series));
  assert.equal(inline.cpuMs.length, inline.rate.length);
  assert.ok(shares(inline.garbageShare));
  assert.ok(inline.coldMs > 0 && inline.callMs.count > 0 && inline.residentBytes > 0);
  assert.ok(inline.callMs.p50 <= inline.callMs.p90 && inline.callMs.p99 <= inline.callMs.max);
  assert.equal(inline.bytesIn.count, 3);
  assert.equal(inline.bytesOut.count > 0, true);
  const upToCores = threads.filter(({ threads: count }) => count <= machine.cores);
  assert.ok(upToCores.some(({ threads: count }) => count === 1));
  assert.ok(upToCores.some(({ threads: count }) => count === machine.cores));
  for (const pool of threads) {
    assert.ok(positive(pool.rate) && positive(pool.cpuMs) && positive(pool.residentBytes));
    assert.ok(shares(pool.mainUtilization) && shares(pool.busyShare));
    assert.equal(pool.rate.length, inline.rate.length);
  }
  assert.ok(positive(samples.control.before));
  assert.ok(steps.every(({ done }, i) => done >= 0 && done <= 1 && (i === 0 || done >= steps[i - 1].done)));
  assert.equal(JSON.stringify(samples).includes('null'), false);
});

test('what crossing costs, where it pays, and what threads cost are measured where there is time', async () => {
  const samples = await measured('tiny', [1], { budgetMs: 12_000 });
  // A busy machine may not come to all of it; then it says so.
  const isDone = (what) => !samples.skipped.some((each) => each.what === what && /no time/.test(each.why));
  if (isDone('crossings and the break-even')) {
    assert.deepEqual(
      samples.crossings.map(({ transport }) => transport),
      ['shared', 'message'],
    );
    assert.ok(samples.spins.length > 1);
  }
  for (const { cpuMs, loneMs } of samples.crossings) assert.ok(positive(cpuMs) && positive(loneMs));
  for (const { inline, pool } of samples.spins) {
    assert.ok(positive(inline) && positive(pool));
    assert.equal(inline.length, pool.length);
  }
  // The longer a task computes, the fewer of them in a second: by a factor of a thousand, noise or not.
  if (samples.spins.length > 1) {
    assert.ok(samples.spins[0].inline[0] > samples.spins.at(-1).inline[0]);
  }
  if (isDone('the start of threads')) assert.ok(positive(samples.start.readyMs));
  if (isDone("placement 'auto'")) assert.ok(samples.variants.some(({ name }) => name === 'auto'));
  if (isDone('batches')) assert.ok(samples.variants.some(({ name, size }) => name === 'batch' && size > 1));
  const cores = samples.skipped.find(({ what }) => what === 'fewer cores');
  assert.ok(cores !== undefined || samples.cores.length > 0 || samples.isCutShort);
});

test('the bytes of files are offered in memory that is shared as well', async () => {
  const folder = temporaryFolder();
  const inputs = [1, 2].map((value) => join(folder, `${value}`));
  for (const [i, path] of inputs.entries()) writeFileSync(path, Buffer.alloc(40_000, i));
  const samples = await measured('sumOfBytes', inputs, { passing: 'read', budgetMs: 9000 });
  assert.equal(samples.behaviour.failures.failed, 0);
  assert.equal(samples.inline.bytesIn.max, 40_000);
  const lease = samples.variants.find(({ name }) => name === 'lease');
  if (lease === undefined) assert.ok(samples.skipped.some(({ what }) => what === 'leases'));
  else assert.ok(positive(lease.rate));
});

test('inputs of different sizes are told apart', async () => {
  const inputs = [1000, 4000, 16_000].map((size) => new Uint8Array(size));
  const { inline } = await measuredUntil(/^crossings/, 'sumOfBytes', inputs);
  assert.deepEqual(
    inline.bySize.map(({ bytes }) => bytes),
    [1000, 4000, 16_000],
  );
  for (const { ms } of inline.bySize) assert.ok(positive(ms));
});

test('a function that waits is seen to return a promise, and not to compute', async () => {
  const { behaviour, inline } = await measuredUntil(/^crossings/, 'waits', [20]);
  assert.equal(behaviour.returnsPromise, true);
  // A timer may be early by less than a millisecond.
  assert.ok(inline.callMs.p50 >= 19, `${inline.callMs.p50}`);
  // Many at a time: more than could be made one after the other.
  assert.ok(inline.rate[0] > 1000 / 19, `${inline.rate}`);
});

test('one that throws every time is called, and then left alone', async () => {
  const samples = await measured('throwsAlways', [1, 2]);
  const { calls, failed, first } = samples.behaviour.failures;
  assert.deepEqual({ calls, failed, first }, { calls: 2, failed: 2, first: 'RangeError: never 1' });
  assert.deepEqual([samples.inline.rate, samples.threads], [[], []]);
  assert.equal(samples.isCutShort, false);
});

test('inputs that make it throw are counted, and not used', async () => {
  const samples = await measuredUntil(/^round 1/, 'throwsForOdd', [1, 2, 3, 4]);
  const { failed, first } = samples.behaviour.failures;
  assert.deepEqual({ failed, first }, { failed: 2, first: 'RangeError: 1 is odd' });
  assert.equal(samples.subject.inputs.used, 2);
});

for (const name of ['loops', 'neverSettles']) {
  test(`a call that never settles is given up: ${name}`, async () => {
    const { behaviour, threads, inline } = await measured(name, [1], { budgetMs: 1500 });
    assert.ok(behaviour.neverSettled > 0 && behaviour.neverSettled <= 1500);
    assert.deepEqual([threads, inline.rate], [[], []]);
  });
}

test('an answer that is still missing when the time is over is no call that never settles', async () => {
  const given = plan('stopsLater', [1], { budgetMs: 5000 });
  // This clock stands at a fifth of the budget, however slow the machine is. One call may take as long as the whole budget, and 4000 ms are left.
  let ms = 0;
  const session = new FunctionSession(given, silent, () => ms);
  ms = 1000;
  const reference = { module: given.module, export: given.export, passing: 'value' };
  const inline = await openInline(session, { reference, isAsync: false, copiesInputs: false }, [1]);
  while (inline !== undefined && !inline.lane.isDead) await control(session, 'before', inline);
  await session.close();
  assert.equal(session.limitMs, 5000);
  assert.equal(session.draft.behaviour.neverSettled, undefined);
  assert.deepEqual(session.draft.inline.rate, []);
  assert.deepEqual(session.skipped, [{ what: 'the calling thread', why: 'it had not answered after 4.5 s' }]);
});

test('state that is kept from call to call is seen', async () => {
  const { behaviour } = await measuredUntil(/^one call in a worker/, 'counts', [1]);
  assert.equal(behaviour.repeats, 'different');
});

test('an argument that is changed is seen, and each call has its own', async () => {
  const { behaviour, inline } = await oneRound('sorts', [[3, 1, 2]]);
  assert.equal(behaviour.changesItsArgument, true);
  assert.equal(behaviour.repeats, 'same');
  assert.ok(positive(inline.rate));
});

test('no call gets what another one has changed', async () => {
  const { behaviour, inline } = await oneRound('empties', [[3, 1, 2]]);
  assert.equal(behaviour.ended, undefined);
  assert.ok(positive(inline.rate));
});

test('one that ends its process is a finding', async () => {
  const exit = await measured('exits', [1]);
  assert.deepEqual(exit.behaviour.ended, { exitCode: 7, signal: null });
  const kill = await measured('killsItself', [1]);
  assert.deepEqual(kill.behaviour.ended, { exitCode: null, signal: 'SIGKILL' });
  assert.ok(kill.skipped.some(({ why }) => why.includes('SIGKILL')));
});

test('of one that ends its process the input is known, unless the inputs are a sample', async () => {
  const inputs = ['1', '2', 'x'];
  const { behaviour } = await measured('exitsWithoutNumber', inputs);
  assert.deepEqual([behaviour.ended.exitCode, behaviour.atInput], [7, 3]);
  const sampled = await measured('exitsWithoutNumber', inputs, { inputCount: 1001 });
  assert.deepEqual([sampled.behaviour.ended.exitCode, sampled.behaviour.atInput], [7, undefined]);
});

test('what an earlier call has left behind ends the process: the input of that call is named', async () => {
  const { behaviour } = await measured('exitsLater', [1, 2, 3]);
  assert.deepEqual([behaviour.ended.exitCode, behaviour.atInput], [7, 2]);
});

test('a module that ends the process while it is loaded does not load', async () => {
  await assert.rejects(
    measured('tiny', [1], { file: 'exits-at-load' }),
    /^UsageError: cannot load '.*': its process ended \(exit code 9\)$/,
  );
});

test('one that ends its worker, and not the process that calls it, is told apart', async () => {
  const { behaviour, threads, skipped } = await measuredUntil(/^round 1/, 'exitsInWorker', [1]);
  assert.equal(behaviour.ended, undefined);
  assert.deepEqual(behaviour.endedInWorker, { exitCode: 5, signal: null });
  assert.deepEqual(threads, []);
  assert.ok(skipped.some(({ what, why }) => what === 'threads' && why.includes('exit code 5')));
});

test('one that crashes the process from a worker is told by its signal', async () => {
  const { behaviour, inline } = await measuredUntil(/^control after/, 'crashesInWorker', [1]);
  assert.equal(behaviour.ended, undefined);
  assert.deepEqual(behaviour.endedInWorker, { exitCode: null, signal: 'SIGSEGV' });
  // On the calling thread it works, and that much is known.
  assert.ok(positive(inline.rate));
});

test('one that fails in a worker alone says what it failed with there', async () => {
  const { behaviour, skipped } = await measuredUntil(/^round 1/, 'throwsInWorker', [1]);
  assert.equal(behaviour.failures.first, 'in a worker: TypeError: only on the main thread');
  assert.equal(behaviour.failsInWorker, 'TypeError: only on the main thread');
  assert.ok(skipped.some(({ what, why }) => what === 'threads' && why.includes('only on the main thread')));
});

test('results that cannot cross are told, and threads are not tried', async () => {
  const { behaviour, threads, inline, skipped } = await measuredUntil(/^control after/, 'givesFunction', [1]);
  assert.match(behaviour.uncloneable.result, /could not be cloned/);
  assert.deepEqual(threads, []);
  assert.deepEqual(skipped, [{ what: 'threads', why: 'its results cannot cross' }]);
  assert.ok(positive(inline.rate));
});

test('inputs that cannot cross are told', async () => {
  const samples = await measured('tiny', [() => 1]);
  assert.match(samples.behaviour.uncloneable.argument, /could not be cloned/);
  assert.equal(samples.subject.inputs.used, 0);
  assert.deepEqual(samples.inline.rate, []);
});

test('setup is called for the calling thread as a worker would call it', async () => {
  const samples = await oneRound('twice', [4], { file: 'with-setup' });
  assert.equal(samples.behaviour.hasSetup, true);
  assert.equal(samples.behaviour.failures.failed, 0);
  assert.ok(positive(samples.threads[0].rate));
});

test('without a name it is the default export, and its name is told', async () => {
  const TEST_PIDS = join(temporaryFolder(), 'pids');
  process.env.TEST_PIDS = TEST_PIDS;
  const samples = await measuredUntil(/^one call/, undefined, [1], { file: 'pids' });
  assert.equal(samples.subject.export, 'default');
});

test('a name that is not there is refused, with the one that was meant', async () => {
  await assert.rejects(measured('wrks', [1]), {
    name: 'UsageError',
    message: /no export 'wrks'; it exports #.*#works.*Did you mean 'works'\?$/,
  });
});

test('a module that is not there is refused', async () => {
  await assert.rejects(measured('tiny', [1], { file: 'missing' }), {
    name: 'UsageError',
    message: /^cannot load 'missing\.mjs'/,
  });
});

test('without an input there is nothing to measure', async () => {
  await assert.rejects(measured('tiny', []), { name: 'UsageError', message: /at least one input/ });
});

test('an interrupted measurement gives what is known, and leaves no process behind', async () => {
  const pidFile = join(temporaryFolder(), 'pids');
  process.env.TEST_PIDS = pidFile;
  const samples = await measuredUntil(/^round 2/, 'default', [1], { file: 'pids' });
  assert.equal(samples.isCutShort, true);
  assert.equal(samples.inline.rate.length, 1);
  assert.ok(samples.threads.every(({ rate }) => rate.length === 1));
  const pids = readFileSync(pidFile, 'utf8').trim().split('\n').map(Number);
  assert.ok(new Set(pids).size > 2, String(pids));
  for (const pid of pids) assert.throws(() => process.kill(pid, 0), { code: 'ESRCH' });
});

test('one that is interrupted before it begins says so', async () => {
  const samples = await measure(plan('tiny', [1], { signal: AbortSignal.abort() }), silent);
  assert.equal(samples.isCutShort, true);
  assert.deepEqual(samples.inline.rate, []);
});

test('a slice that is over before it begins, as on a busy machine, has a rate', async () => {
  const session = new FunctionSession(plan('tiny', [1]), silent);
  const probe = session.probe('costs');
  const setup = { input: 1, passing: 'value', result: 1, threads: 1, outstanding: 2, warmMs: 0 };
  const opened = await probe.ask('open', setup, 60_000);
  assert.equal(opened.kind, 'done');
  const { value } = await probe.ask('step', { runMs: 0.1, ms: 0 }, 60_000);
  await session.close();
  assert.ok(positive([value.inline, value.pool]), JSON.stringify(value));
});
