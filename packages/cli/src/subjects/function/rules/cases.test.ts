/** The functions that the analysis is for, with figures worked out by hand. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { analyze } from './analyze.js';
import type { Samples, VariantName, VariantSamples } from './samples.js';
import { type Model, model, simulate, spreadOf, WELL_BEHAVED } from './simulated.test.fake.js';

function verdictOf(changes: Partial<Model>, other: Partial<Samples> = {}) {
  const { answer, sentence } = analyze(simulate(model(changes), other)).verdict;
  return `${answer}: ${sentence}`;
}

function behaving(changes: Partial<Samples['behaviour']>, other: Partial<Samples> = {}) {
  return verdictOf({}, { behaviour: { ...WELL_BEHAVED, ...changes }, ...other });
}

/** A variant with this gain over no pool. */
function variant(name: VariantName, samples: Samples, gain: number): VariantSamples {
  return { ...samples.threads[0]!, name, rate: samples.inline.rate.map((rate) => rate * gain) };
}

/** 1.1 us; both cores together do 2 calls in 1.1 + 1.4 us: 0.88 x. Threads pay from 1.4 us on. */
const FIBONACCI = { runMs: 0.0011, crossingMs: 0.0014, mainMs: 0.0005, spinMs: [0.0007, 0.0014, 0.0028] };

test('fibonacci(100): does not pay', () => {
  assert.equal(
    verdictOf(FIBONACCI),
    "inline: Don't: a call runs for 1.1 us, a crossing costs 1.4 us; threads bring 0.88 x the calls; they begin to pay at about 1.4 us a call",
  );
});

test('fibonacci of a million steps: pays', () => {
  assert.equal(verdictOf({ runMs: 3 }), 'threads: Threads pay: 2 x with 2 threads');
});

test('a crossing that seems dearer than a whole call with one is not told', () => {
  const samples = simulate(model(FIBONACCI));
  const crossings = samples.crossings.map((each) => ({ ...each, cpuMs: each.cpuMs.map(() => 0.02) }));
  const { sentence } = analyze({ ...samples, crossings }).verdict;
  assert.match(sentence, /^Don't: a call runs for 1\.1 us; threads bring 0\.88 x the calls/);
});

/** 2 us, and 3 us of crossing: 2 calls in 5 us are 0.8 x. */
const SMALL_HASH = { runMs: 0.002, crossingMs: 0.003, mainMs: 0.0015, spinMs: [0.001, 0.003, 0.009] };

test('SHA-256 of 1 KiB: does not pay by call, but does where the worker reads', () => {
  const samples = simulate(model(SMALL_HASH));
  const { verdict, alternatives, reasons } = analyze({
    ...samples,
    variants: [variant('read', samples, 1.9)],
  });
  assert.equal(verdict.answer, 'inline');
  assert.equal(
    verdict.sentence,
    "Don't: a call runs for 2 us, a crossing costs 3 us; threads bring 0.8 x the calls; they begin to pay at about 3 us a call. " +
      'But where the worker reads the input itself, and only its name crosses, threads bring 1.9 x the calls',
  );
  assert.deepEqual(
    alternatives.map(({ name, changesVerdict }) => ({ name, changesVerdict })),
    [{ name: 'read', changesVerdict: true }],
  );
  // 1.9 / 0.8 = 2.375
  assert.equal(
    reasons.at(-1),
    'where the worker reads the input itself, and only its name crosses: 2.4 x the calls of the plain pool, 1.9 x those without a pool',
  );
});

test('SHA-256 of 1 MiB: pays, less the copy', () => {
  // 2 calls in 600 + 200 us of CPU time: 1.5 x; a quarter of it is the copy.
  const bytesIn = spreadOf(2 ** 20);
  const samples = simulate(model({ runMs: 0.6, crossingMs: 0.2, mainMs: 0.1 }));
  const { verdict, reasons } = analyze({ ...samples, inline: { ...samples.inline, bytesIn } });
  assert.deepEqual(verdict, { answer: 'threads', sentence: 'Threads pay: 1.5 x with 2 threads' });
  assert.equal(
    reasons[0],
    '25 % of the CPU time of a call goes into handing it over (1 MiB there, and 32 bytes back)',
  );
});

test('pbkdf2 of 50 ms: pays, and leaves the event loop free', () => {
  const { verdict, reasons } = analyze(simulate(model({ runMs: 50 })));
  assert.deepEqual(verdict, { answer: 'threads', sentence: 'Threads pay: 2 x with 2 threads' });
  assert.equal(reasons[1], 'the event loop is held up for less than 1 ms (p99) instead of 50 ms');
});

test('an async call that waits for 20 ms: await it', () => {
  const waits = (changes: Partial<Model>) =>
    verdictOf({ runMs: 20, isPromise: true, threads: [1, 2], ...changes });
  const sentence = (part: string) =>
    `async: Don't: it waits, it does not compute: a call computes for ${part} of its 20 ms, and the event loop can wait for many at a time`;
  assert.equal(waits({ computing: 0.01 }), sentence('1 %'));
  assert.equal(waits({ computing: 0.001 }), sentence('less than 1 %'));
  assert.equal(
    waits({ computing: 0.001, atOnce: 100 }),
    sentence('less than 1 %'),
    'measured many at a time',
  );
});

test('an async call that waits is not taken for one that computes because other programs were running', () => {
  const { machine } = simulate(model());
  const busy = { machine: { ...machine, loadBefore: 9 } };
  const given = { runMs: 20, isPromise: true };
  assert.match(verdictOf({ ...given, computing: 0.01 }, busy), /^async/);
  // One of ten programs on two cores gets a fifth of one: a call that only computes looks like this.
  assert.doesNotMatch(verdictOf({ ...given, computing: 0.2 }, busy), /^async/);
});

test('an async call that computes and waits: what one event loop can do with many at a time decides', () => {
  const given = { runMs: 20, isPromise: true, cores: 8, threads: [1, 2, 4, 8] };
  // 8 workers with one call each are 8 x, 2 are 2 x, and an event loop that is never idle 1 / 0.4 = 2.5 x.
  assert.equal(
    verdictOf({ ...given, computing: 0.4 }),
    'threads: Threads pay: 8 x with 8 threads, 3.2 x what one event loop can do with many calls at a time',
  );
  assert.equal(
    verdictOf({ ...given, computing: 0.4, cores: 1, threads: [1, 2] }),
    "async: Don't: a call computes for 40 % of its 20 ms and waits for the rest: one event loop with many calls at a time does up to 2.5 x the calls, threads bring at most 2 x",
  );
  // Measured with many at a time the loop does all it can: 1,000 / 7 calls a second; two workers 2,000 / 20.
  assert.equal(
    verdictOf({ ...given, computing: 0.35, atOnce: 64, cores: 1, threads: [1, 2] }),
    "inline: Don't: there is one core; a call runs for 20 ms, a crossing costs 4 us; threads bring 0.7 x the calls",
  );
  assert.equal(
    verdictOf({ ...given, computing: 0.9, cores: 2, threads: [1, 2] }),
    'threads: Threads pay: 2 x with 2 threads',
  );
  assert.equal(
    verdictOf({ ...given, computing: 0.52, cores: 2, threads: [1, 2] }),
    'unknown: Cannot tell: threads bring 2 x the calls, but a call also waits, and one event loop with many at a time may do as well. Start many calls before you await the first, then measure that',
  );
  assert.equal(
    verdictOf({ ...given, computing: 0.52, cores: 2, threads: [1, 2], rounds: 1 }),
    'unknown: Cannot tell: not enough was measured. What would tell: more time (`--budget 3m`)',
  );
});

test('a call that blocks its thread while it waits: pays, with more threads than cores', () => {
  const given = { runMs: 20, computing: 0.01, cores: 1 };
  assert.equal(verdictOf({ ...given, threads: [1, 2, 4, 8] }), 'threads: Threads pay: 8 x with 8 threads');
  assert.equal(
    verdictOf({ ...given, threads: [1] }),
    'unknown: Cannot tell: threads bring 1 x the calls, but more threads might pay, and were not measured. What would tell: more threads (`--threads`), or more time (`--budget 3m`)',
  );
  // A quota lets one thread compute on 64 cores, and twice that is all that can be tried. All calls wait for the same.
  const { machine } = simulate(model(given));
  assert.equal(
    verdictOf(
      { ...given, threads: [1, 2], serial: 1 },
      { machine: { ...machine, cores: 64, availableThreads: 1 } },
    ),
    "inline: Don't: a call runs for 20 ms, a crossing costs 4 us; threads bring no more calls",
  );
});

test('a template, small: does not pay', () => {
  // 4 us, and 6 us of crossing: 2 calls in 10 us are 0.8 x.
  const small = { runMs: 0.004, crossingMs: 0.006, mainMs: 0.003, spinMs: [0.002, 0.006, 0.018] };
  assert.equal(
    verdictOf(small),
    "inline: Don't: a call runs for 4 us, a crossing costs 6 us; threads bring 0.8 x the calls; they begin to pay at about 6 us a call",
  );
});

test('a template, large: pays, and from which size on is said', () => {
  // 300 us, and 6 of crossing: 600 / 306 = 1.96 x. 10 ns a byte: 6 us are 600 bytes.
  const samples = simulate(
    model({ runMs: 0.3, crossingMs: 0.006, mainMs: 0.003, spinMs: [0.002, 0.006, 0.018] }),
  );
  const bySize = [100, 1000, 30_000].map((bytes) => ({ bytes, ms: Array(6).fill(bytes * 1e-5) }));
  const { verdict, breakEven } = analyze({ ...samples, inline: { ...samples.inline, bySize } });
  assert.deepEqual(verdict, { answer: 'threads', sentence: 'Threads pay: 2 x with 2 threads' });
  assert.equal(Math.round(breakEven.inputBytes!.value), 600);
});

test('JSON.parse of 5 MB: says what the copy costs', () => {
  // 40 ms, and 30 of copying there and back: 2 calls in 70 ms of CPU time are 80 / 70 = 1.14 x; 30 / 70 is the copy.
  const samples = simulate(model({ runMs: 40, crossingMs: 30, mainMs: 15 }));
  const inline = { ...samples.inline, bytesIn: spreadOf(5 * 2 ** 20), bytesOut: spreadOf(12 * 2 ** 20) };
  const { verdict, reasons } = analyze({ ...samples, inline });
  assert.deepEqual(verdict, { answer: 'threads', sentence: 'Threads pay: 1.1 x with 2 threads' });
  assert.equal(
    reasons[0],
    '43 % of the CPU time of a call goes into handing it over (5 MiB there, and 12 MiB back)',
  );
});

test('a function that saturates memory: threads do nothing for it, and it is said why', () => {
  const { verdict, limits } = analyze(
    simulate(model({ runMs: 10, memory: 1, cores: 4, threads: [1, 2, 4] })),
  );
  assert.deepEqual(verdict, {
    answer: 'inline',
    sentence: "Don't: a call runs for 10 ms, a crossing costs 4 us; threads bring no more calls",
  });
  assert.deepEqual(
    limits.map(({ name }) => name),
    ['memory-bandwidth'],
  );
});

test('a function that memory can feed one and a half of: two threads, not four', () => {
  assert.equal(
    verdictOf({ runMs: 10, memory: 1.5, cores: 4, threads: [1, 2, 3, 4] }),
    'threads: Threads pay: 1.5 x with 2 threads',
  );
});

test('a serial part of a half: pays, and it is said how far', () => {
  // n / (1 + (n - 1) / 2): 1, 1.33, 1.5, 1.6; 1.5 / 1.6 is less than 0.95.
  const { verdict, limits } = analyze(simulate(model({ serial: 0.5, cores: 4, threads: [1, 2, 3, 4] })));
  assert.deepEqual(verdict, { answer: 'threads', sentence: 'Threads pay: 1.6 x with 4 threads' });
  assert.deepEqual(
    limits.map(({ name }) => name),
    ['serial-part'],
  );
});

test('one core: does not pay', () => {
  assert.equal(
    verdictOf({ cores: 1, threads: [1, 2] }),
    "inline: Don't: there is one core; a call runs for 3 ms, a crossing costs 4 us; threads bring no more calls",
  );
});

test('a gain that is too small for what threads cost', () => {
  assert.equal(
    verdictOf({ gainWith: (threads) => (threads === 2 ? 1.04 : 0.9) }),
    "inline: Don't: a call runs for 3 ms, a crossing costs 4 us; threads bring at most 4 % more calls, which does not pay for their memory",
  );
});

test('one input: says that one call gets no faster', () => {
  const samples = simulate(model());
  const subject = { ...samples.subject, inputs: { count: 1, used: 1, how: 'all' } };
  const { verdict, warnings } = analyze({ ...samples, subject });
  assert.equal(verdict.answer, 'threads');
  assert.deepEqual(warnings, [
    'there is one input: the figures are of many calls with it at a time, and threads make no single call faster',
  ]);
});

const NOTHING: Partial<Samples> = { threads: [], spins: [], crossings: [], start: undefined };

test('a function that ends its process, or never settles', () => {
  assert.equal(
    behaving({ ended: { exitCode: 3, signal: null } }, NOTHING),
    'unknown: Cannot tell: a call ends its process (exit code 3)',
  );
  assert.equal(
    behaving({ ended: { exitCode: null, signal: 'SIGSEGV' } }, NOTHING),
    'unknown: Cannot tell: a call ends its process (SIGSEGV)',
  );
  assert.equal(
    behaving({ neverSettled: 10_000, returnsPromise: true }, NOTHING),
    'unknown: Cannot tell: a call had not settled after 10 s',
  );
});

test('native code that cannot run in a worker', () => {
  assert.equal(
    behaving({ endedInWorker: { exitCode: null, signal: 'SIGSEGV' } }, NOTHING),
    "inline: Don't: in a worker it ends the process (SIGSEGV), on the main thread it does not: its native code cannot run in threads",
  );
});

test('JavaScript that exits in a worker is not called native code', () => {
  assert.equal(
    behaving({ endedInWorker: { exitCode: 5, signal: null } }, NOTHING),
    "inline: Don't: in a worker it ends (exit code 5), on the main thread it does not: it calls `process.exit` where it is not the main thread, or throws an error there that nothing catches, or its native code cannot run in threads",
  );
});

test('what fails in a worker alone is not said to need more time', () => {
  const failsInWorker = 'TypeError: process.chdir() is not supported in workers';
  assert.equal(
    behaving({ failsInWorker }, NOTHING),
    `inline: Don't: in a worker it fails, on the main thread it does not: ${failsInWorker}`,
  );
});

test('what ends in a worker may end the main thread as well, as long as no call was timed there', () => {
  const { inline } = simulate(model());
  assert.match(
    behaving(
      { endedInWorker: { exitCode: 1, signal: null } },
      { ...NOTHING, inline: { ...inline, callMs: undefined }, isCutShort: true },
    ),
    /^unknown: Cannot tell: not enough was measured/,
  );
});

test('arguments or results that cannot be cloned', () => {
  assert.equal(
    behaving({ uncloneable: { argument: 'a function at options.log', result: undefined } }, NOTHING),
    "inline: Don't: its arguments cannot go to another thread: a function at options.log",
  );
  assert.equal(
    behaving({ uncloneable: { argument: undefined, result: 'a Socket' } }, NOTHING),
    "inline: Don't: its results cannot go to another thread: a Socket",
  );
  const generator = { argument: undefined, result: '[object Generator] could not be cloned.' };
  assert.match(
    behaving({ uncloneable: generator, returnsStream: true }, NOTHING),
    /^unknown: Cannot tell: it returns a generator or a stream, .*`pool\.stream`/,
  );
});

test('a function that always fails gets no verdict, one that fails at times a warning', () => {
  const always = { failures: { calls: 40, failed: 40, first: 'TypeError: x is not a function' } };
  assert.equal(behaving(always), 'unknown: Cannot tell: every call fails: TypeError: x is not a function');
  const sometimes = { failures: { calls: 40, failed: 3, first: 'RangeError: too large' } };
  assert.match(behaving(sometimes), /^threads: /);
  const { warnings } = analyze(simulate(model(), { behaviour: { ...WELL_BEHAVED, ...sometimes } }));
  assert.deepEqual(warnings, ['3 of 40 calls failed: RangeError: too large']);
});

test('nothing that was measured, or too little, is no ground for a verdict', () => {
  assert.equal(
    behaving({}, NOTHING),
    'unknown: Cannot tell: not enough was measured. What would tell: more time (`--budget 3m`)',
  );
  assert.equal(
    verdictOf({ rounds: 1 }),
    'unknown: Cannot tell: not enough was measured. What would tell: more time (`--budget 3m`)',
  );
  const tooFew =
    'unknown: Cannot tell: 2 rounds of measuring are too few; threads brought about 2 x the calls. What would tell: more time (`--budget 3m`)';
  assert.equal(verdictOf({ rounds: 2 }), tooFew, 'even if they agree');
  assert.match(verdictOf({ rounds: 3 }), /^threads/);
  assert.match(
    verdictOf({ rounds: 3, noise: 0.4, gainWith: () => 1 }),
    /^unknown: Cannot tell: 3 rounds of measuring are too few/,
  );
});

test("does not say don't before as many threads were tried as there are cores", () => {
  const gainWith = (threads: number) => threads * 0.4;
  assert.match(
    verdictOf({ cores: 8, gainWith, threads: [1, 2, 8] }),
    /^threads: Threads pay: 3.2 x with 8 threads$/,
  );
  assert.equal(
    verdictOf({ cores: 8, gainWith, threads: [1, 2] }),
    'unknown: Cannot tell: threads bring 0.8 x the calls, but more threads might pay, and were not measured. What would tell: more threads (`--threads`), or more time (`--budget 3m`)',
  );
});

test("says don't as soon as no number of threads could help", () => {
  // One of eight brings a twentieth: all of them less than a half.
  assert.match(
    verdictOf({ cores: 8, gainWith: () => 0.05, threads: [1] }),
    /^inline: .*; threads bring 0.05 x the calls$/,
  );
});

test('noise that is larger than the effect forbids a verdict, and is named', () => {
  const rate = [100, 90, 110, 95, 105, 100];
  const samples = simulate(model({ runMs: 10, rounds: 6, gainWith: () => 1.2 }));
  const noisy = {
    ...samples,
    threads: samples.threads.map((of) => ({
      ...of,
      rate: [0.8, 0.9, 1.1, 1.3, 1.4, 1.5].map((by) => by * 100),
    })),
    control: { before: rate, after: rate },
  };
  // The logarithms have mean 0.1285 and deviation 0.2519; Student's t for one of two intervals is 3.163: 3.163 x 0.2519 / sqrt(6) = 0.325
  // to each side, so from 0.821 to 1.574, and at least from 0.8 to 1.5. The noise is that of the third to the tenth of 12 control runs: 95
  // to 105.
  assert.equal(
    analyze(noisy).verdict.sentence,
    'Cannot tell: the noise is larger than the effect: threads bring 0.8 to 1.6 x the calls, and repeated runs of the same differ by 10 %. What would tell: more time (`--budget 3m`)',
  );
});

test('a gain that repeated runs of the very same differ by is a probable one', () => {
  const gainWith = () => 1.15;
  const control = { before: [80, 100, 100], after: [100, 100, 120] };
  assert.equal(verdictOf({ gainWith }, { control }), 'threads: Threads probably pay: 1.1 x with 1 thread');
  assert.equal(verdictOf({ gainWith }), 'threads: Threads pay: 1.1 x with 1 thread');
});

test('a loss that repeated runs of the very same differ by is a probable one', () => {
  const control = { before: [80, 100, 100], after: [100, 100, 120] };
  const probable = analyze(simulate(model({ gainWith: () => 0.9 }), { control })).verdict;
  assert.match(probable.sentence, /^Probably don't: .*; threads bring 0\.9 x the calls$/);
  assert.deepEqual([probable.answer, probable.isLikely], ['inline', true]);
  const sure = analyze(simulate(model({ gainWith: () => 0.5 }), { control })).verdict;
  assert.match(sure.sentence, /^Don't: .*; threads bring 0\.5 x the calls$/);
  assert.equal(sure.isLikely, undefined);
});

test('a gain that is there and is hardly worth it', () => {
  assert.equal(
    verdictOf({ gainWith: () => 1.094 }, { control: { before: [99, 100], after: [100, 101] } }),
    'inline: Hardly worth it: threads bring 9 % more calls with 1 thread',
  );
});
