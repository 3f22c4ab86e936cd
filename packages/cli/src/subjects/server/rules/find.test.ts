/** Verdicts on made-up measurements, whose right answers are known; where the figures do not show it, there must be no verdict. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { findServer } from './find.js';
import { NOTHING_MEASURED } from './samples.js';
import { type FakeServer, fakeServer } from './samples.test.fake.js';

const MIB = 2 ** 20;
const BUSY = { rate: 1000, p99Ms: 60, loopDelayMs: 25, residentBytes: 80 * MIB };
const WAITING = { rate: 1000, p99Ms: 25, loopDelayMs: 1, loopShare: 0.2, cpuShare: 0.2, loadShare: 0.3 };

const found = (server: FakeServer) => findServer(fakeServer(server));
const answerOf = (server: FakeServer) => found(server).verdict.answer;

test('twice the requests with two processes: cluster it, with what it brings', () => {
  const cluster = { rate: 2000, p99Ms: 30, residentBytes: 200 * MIB, cpuShare: 2 };
  const { verdict, warnings, reasons } = found({ asIs: BUSY, cluster, noise: 0, subject: { processes: 2 } });
  assert.equal(verdict.answer, 'cluster');
  assert.equal(verdict.sentence, 'Cluster it: 2 x the requests with 2 processes, p99 from 60 ms to 30 ms');
  assert.ok(warnings.some((text) => /memory of its own/.test(text)));
  assert.ok(
    reasons.some((text) => /a cluster of 2 processes takes 200 MiB of memory, one process 80 MiB/.test(text)),
  );
});

test('more requests when offloaded, and none more as a cluster: offload, by name', () => {
  const server = {
    asIs: BUSY,
    offloaded: { rate: 1500, p99Ms: 40, loopDelayMs: 2, cpuShare: 2 },
    cluster: { rate: 1000, p99Ms: 60, cpuShare: 1 },
  };
  const { verdict, reasons } = found({ ...server, noise: 0, subject: { threads: 2 } });
  assert.equal(
    verdict.sentence,
    'Offload render: 1.5 x the requests with 2 threads, p99 from 60 ms to 40 ms',
  );
  assert.ok(
    reasons.includes(
      'its event loop is held up for 25 ms (p99), 2 ms when offloaded: a request that comes meanwhile has to wait',
    ),
  );
  const against = found({ ...server, noise: 0, subject: { offload: [], against: ['GET /pool'] } });
  assert.match(against.verdict.sentence, /^Offload, as GET \/pool does: 1\.5 x the requests, p99/);
});

test('both pay: by requests, then by the slowest answers, then by memory', () => {
  const with_ = (offloaded: object, cluster: object) =>
    answerOf({
      asIs: BUSY,
      offloaded: { rate: 1500, p99Ms: 40, ...offloaded },
      cluster: { rate: 1500, p99Ms: 40, ...cluster },
    });
  assert.equal(with_({}, { rate: 1900 }), 'cluster');
  assert.equal(with_({ rate: 1900 }, {}), 'offload');
  assert.equal(with_({}, { p99Ms: 20 }), 'cluster');
  assert.equal(with_({ p99Ms: 20 }, {}), 'offload');
  assert.equal(with_({ residentBytes: 100 * MIB }, { residentBytes: 200 * MIB }), 'offload');
  assert.equal(with_({ residentBytes: 200 * MIB }, { residentBytes: 100 * MIB }), 'cluster');
});

test('where both pay, it is said what each brings against the other, and costs', () => {
  const { reasons } = found({
    asIs: BUSY,
    offloaded: { rate: 1500, p99Ms: 40, residentBytes: 100 * MIB },
    cluster: { rate: 3000, p99Ms: 20, residentBytes: 200 * MIB },
    noise: 0,
  });
  assert.equal(
    reasons[0],
    'both ways pay: a cluster of 4 processes answers 2 x the requests of offloading to 4 threads, with 0.5 x its p99',
  );
  assert.ok(reasons.some((text) => /offloading to 4 threads takes 100 MiB/.test(text)));
  assert.ok(reasons.some((text) => /a cluster of 4 processes takes 200 MiB/.test(text)));
});

test('as many requests, the slowest answered much sooner: worth it, if it can be noticed', () => {
  const { verdict } = found({
    asIs: BUSY,
    offloaded: { rate: 1000, p99Ms: 20, cpuShare: 1.2 },
    cluster: { rate: 1000, p99Ms: 60 },
    noise: 0,
  });
  assert.equal(verdict.answer, 'offload');
  assert.match(verdict.sentence, /no fewer requests with 4 threads, p99 from 60 ms to 20 ms/);
  const asIs = { ...BUSY, p99Ms: 1 };
  const tiny = answerOf({ asIs, offloaded: { rate: 1000, p99Ms: 0.4 }, cluster: { rate: 1000, p99Ms: 1 } });
  assert.equal(tiny, 'leave', 'from 1 ms to 0.4 ms nobody notices');
});

test('an app that waits is left alone, and the sentence says that it waits', () => {
  const { verdict } = found({ asIs: WAITING, cluster: { ...WAITING, cpuShare: 0.3 }, noise: 0.01 });
  assert.equal(verdict.answer, 'leave');
  assert.match(
    verdict.sentence,
    /^Leave it: with 50 connections its event loop is busy for 20 % of the time, and waits/,
  );
});

test('an app that waits, on a noisy machine: its event loop has time left, so that a second one brings nothing', () => {
  const answers = Array.from({ length: 50 }, (_, seed) =>
    answerOf({ asIs: WAITING, cluster: WAITING, noise: 0.3, seed: seed + 1 }),
  );
  assert.ok(answers.every((answer) => answer === 'leave' || answer === 'unknown'));
  assert.ok(answers.filter((answer) => answer === 'leave').length > 25, answers.join());
});

test('an app that mostly waits, and now and then blocks: not left alone where a cluster answers sooner', () => {
  const asIs = { ...WAITING, p99Ms: 200 };
  assert.equal(answerOf({ asIs, cluster: { ...WAITING, p99Ms: 40 } }), 'cluster');
  assert.equal(answerOf({ asIs, cluster: { ...WAITING, p99Ms: 150 } }), 'unknown');
});

test('answers that take longer than most rounds: no verdict, since a rate of 0 says nothing', () => {
  const withRates = (asIs: number[], cluster: number[]) => {
    const given = fakeServer({ asIs: WAITING, cluster: WAITING });
    const rates = { asIs: { ...given.asIs, rate: asIs }, cluster: { ...given.cluster!, rate: cluster } };
    return findServer({ ...given, ...rates }).verdict.sentence;
  };
  const [none, some, all] = [
    [0, 0, 0, 0, 0, 0],
    [4, 0, 0, 0, 0, 5],
    [4, 4, 4, 4, 4, 4],
  ];
  const more = 'answered no request in most rounds: a larger --budget gives more time';
  assert.equal(withRates(some, none), `Cannot tell: the app as it is ${more}`);
  assert.equal(withRates(all, some), `Cannot tell: a cluster of 4 processes ${more}`);
});

test('a way that answers nothing hides no verdict on the other, and is told', () => {
  const given = fakeServer({ asIs: BUSY, offloaded: { rate: 900 }, cluster: { rate: 2000, cpuShare: 2 } });
  const offloaded = { ...given.offloaded!, rate: given.offloaded!.rate.map(() => 0) };
  const { verdict, warnings, gains } = findServer({ ...given, offloaded });
  assert.equal(verdict.answer, 'cluster');
  assert.equal(gains.offloaded, undefined);
  assert.ok(
    warnings.includes(
      'offloading to 4 threads answered no request in most rounds: a larger --budget gives more time',
    ),
    warnings.join('\n'),
  );
});

test('one core: left alone, since there is one; a quota for less than two cores is another reason', () => {
  const cluster = { rate: 950, p99Ms: 60, loadShare: 0.3, cpuShare: 0.7 };
  const given = fakeServer({
    asIs: { ...BUSY, cpuShare: 0.7 },
    cluster,
    cores: 1,
    noise: 0.001,
    subject: { processes: 2 },
  });
  const { verdict } = findServer(given);
  assert.equal(verdict.answer, 'leave');
  assert.match(verdict.sentence, /^Leave it: there is one core; 2 processes bring 0\.9\d/);
  const quota = findServer({ ...given, machine: { ...given.machine, cores: 2 } });
  assert.match(
    quota.verdict.sentence,
    /^Leave it: other ways answer hardly more requests, or fewer; 2 processes/,
  );
});

test('a CPU quota of 1.5 cores, of which only the whole one is known, is not said to be one core', () => {
  const asIs = { ...BUSY, cpuShare: 1, loadShare: 0.4 };
  const cluster = { ...asIs, rate: 1010, cpuShare: 1.1 };
  const given = fakeServer({ asIs, cluster, cores: 2, noise: 0.005 });
  const { reasons, verdict } = findServer({ ...given, machine: { ...given.machine, availableThreads: 1 } });
  const full = 'The machine is full: the load generator takes 0.4 of 1.5 cores';
  const said = `one process takes 1.0 of 1.5 cores, its event loop is busy for 100 % of the time. ${full}`;
  assert.ok(reasons.includes(said), reasons.join('\n'));
  assert.match(verdict.sentence, /^Likely, cluster it: .* with 2 processes on 1\.5 free cores/);
});

test('what other programs use of cores that a CPU quota takes from the app fills no machine', () => {
  const lane = { ...BUSY, otherShare: 28 };
  const given = fakeServer({ asIs: lane, cluster: lane, noise: 0.001 });
  const sentence = (availableThreads: number) =>
    findServer({ ...given, machine: { ...given.machine, cores: 32, availableThreads } }).verdict.sentence;
  assert.match(sentence(4), /^Leave it: /);
  assert.match(sentence(32), /^Likely, cluster it: .* on 32 free cores/);
});

test('a load generator that has the other core: by the CPU time of a request, as an estimate that says so', () => {
  const server = (cpuShare: number, rate = 1010): FakeServer => ({
    asIs: { ...BUSY, cpuShare: 1, loadShare: 0.9 },
    cluster: { rate, p99Ms: 60, cpuShare, loadShare: 0.9 },
    cores: 2,
    noise: 0.005,
  });
  const { verdict } = found(server(1.1));
  assert.deepEqual([verdict.answer, verdict.isLikely], ['cluster', true]);
  // 2 x 1 ms / 1.09 ms.
  assert.match(
    verdict.sentence,
    /^Likely, cluster it: a request takes 1 ms of CPU time: about 1\.8 x the requests with 2 processes on 2 free cores \(here /,
  );
  assert.match(found(server(1, 1030)).verdict.sentence, /: about 2 x the requests with 2 processes/);
  const dear = found(server(1.7)).verdict;
  assert.equal(dear.answer, 'unknown', 'a request that gets dearer');
  assert.match(
    dear.sentence,
    /^Cannot tell: with a cluster of 2 processes the machine is full: the load generator takes 0\.9 of 2 cores/,
  );
});

test('a load generator that has next to nothing is not to blame: the noise is', () => {
  const sentences = Array.from({ length: 20 }, (_, seed) => {
    const asIs = { ...BUSY, cpuShare: 1, loadShare: 0.1 };
    const cluster = { rate: 1300, p99Ms: 60, cpuShare: 2, loadShare: 0.1 };
    return found({ asIs, cluster, cores: 2, noise: 0.6, seed: seed + 1 }).verdict.sentence;
  });
  assert.ok(sentences.some((sentence) => /the noise is larger than the effect/.test(sentence)));
  assert.deepEqual(
    sentences.filter((sentence) => /the load generator takes/.test(sentence)),
    [],
  );
});

test('a load generator at its limit: no verdict, also where the app seems to wait', () => {
  const asIs = { ...WAITING, loopShare: 0.6, loadLoopShare: 0.97, loadShare: 0.95 };
  const { verdict } = found({ asIs, cluster: { ...asIs, loopShare: 0.4 }, noise: 0.01 });
  assert.equal(verdict.answer, 'unknown');
  assert.match(verdict.sentence, /the load generator is at its limit/);
});

test('other programs that have the other cores, and an event loop that is not all that there is: no verdict, and they are named', () => {
  const { verdict } = found({
    asIs: { ...BUSY, loopShare: 0.6, loadShare: 0.1, otherShare: 0.9 },
    cluster: { rate: 1000, p99Ms: 60, cpuShare: 1, loadShare: 0.1, otherShare: 0.9 },
    cores: 2,
    noise: 0.01,
  });
  assert.equal(verdict.answer, 'unknown');
  assert.match(verdict.sentence, /other programs 0\.9/);
});

test('whoever takes more of the cores is said to be what the app would be better without', () => {
  const sentence = (loadShare: number, otherShare: number): string => {
    const shares = { loadShare, otherShare };
    const asIs = { ...BUSY, loopShare: 0.6, ...shares };
    const cluster = { rate: 1000, p99Ms: 60, cpuShare: 1, ...shares };
    return found({ asIs, cluster, cores: 2, noise: 0.01 }).verdict.sentence;
  };
  assert.match(sentence(0.1, 0.9), /; without other programs the app would have these cores, too$/);
  assert.match(sentence(0.9, 0.1), /; with the load on another machine the app would have these cores, too$/);
});

test('of the warnings the first is what was left out of what was asked for', () => {
  const skipped = [{ what: 'offloading', why: 'GET /: the answer differs: does the app await render()?' }];
  const cluster = { rate: 1000, p99Ms: 60, loadShare: 2 };
  const { warnings } = found({
    asIs: { ...BUSY, loadShare: 2 },
    cluster,
    more: { skipped, isCutShort: true },
  });
  assert.deepEqual(
    warnings.map((text) => text.slice(0, 12)),
    ['offloading: ', 'the load gen', 'not everythi'],
  );
});

test('a full machine is no doubt where the other ways are far slower', () => {
  const cluster = { rate: 300, p99Ms: 120, cpuShare: 1.5, loadShare: 0.4 };
  assert.equal(answerOf({ asIs: BUSY, cluster, cores: 2, noise: 0.01 }), 'leave');
});

test('noise larger than the effect: no verdict', () => {
  const { verdict } = found({ asIs: BUSY, cluster: { rate: 1300, p99Ms: 60, cpuShare: 1.3 }, noise: 0.5 });
  assert.equal(verdict.answer, 'unknown');
  assert.match(verdict.sentence, /^Cannot tell: the noise is larger than the effect: 4 processes bring/);
});

test('what differs by no more than the very same does by itself is a probable one', () => {
  const cluster = { rate: 1300, p99Ms: 60, cpuShare: 1.3 };
  const samples = fakeServer({ asIs: BUSY, cluster, noise: 0 });
  assert.match(findServer(samples).verdict.sentence, /^Cluster it: /);
  const { control } = samples;
  const off = { ...control, rate: control.rate.map((rate, i) => rate * (i % 2 === 0 ? 1.4 : 0.7)) };
  const { verdict } = findServer({ ...samples, control: off });
  assert.equal(verdict.sentence, 'Probably cluster it: 4 processes bring 1.3 x the requests');
  assert.deepEqual([verdict.answer, verdict.isLikely], ['cluster', true]);
});

test('nothing is probable where the very same app differs from itself by more than 100 %', () => {
  const samples = fakeServer({ asIs: BUSY, cluster: { rate: 1700, p99Ms: 60, cpuShare: 1.3 }, noise: 0 });
  const { control } = samples;
  const off = { ...control, rate: control.rate.map((rate, i) => rate * (i % 2 === 0 ? 3 : 0.5)) };
  const { verdict } = findServer({ ...samples, control: off });
  assert.match(
    verdict.sentence,
    /^Cannot tell: the noise is larger than the effect: 4 processes bring 1\.7 x .* differ by more than 100 %/,
  );
  assert.deepEqual([verdict.answer, verdict.isLikely], ['unknown', undefined]);
});

test('error pages: no verdict from them', () => {
  const errors = { bad: 500, first: 'status 500' };
  const { verdict } = found({ asIs: { ...BUSY, errors }, cluster: { rate: 2000 } });
  assert.equal(verdict.answer, 'unknown');
  assert.match(
    verdict.sentence,
    /answers with errors: 500 of 10,000 answers had a status that is not 2xx \(the first: status 500\)/,
  );
});

test('a way that fails is no choice, whatever it brings, and that is said', () => {
  const { verdict, warnings } = found({
    asIs: BUSY,
    offloaded: { rate: 9000, errors: { sockets: 100, first: 'read ECONNRESET' } },
    cluster: { rate: 2000, p99Ms: 30, cpuShare: 2 },
  });
  assert.equal(verdict.answer, 'cluster');
  assert.ok(warnings.some((text) => /offloading is no choice as it is: 100 connections failed/.test(text)));
});

test('an app that ends under load: no verdict, and its last words', () => {
  const ended = { exitCode: 1, signal: null, lastWords: 'TypeError: x is not a function' };
  const { verdict } = found({ asIs: { ...BUSY, ended }, cluster: { rate: 2000 } });
  assert.equal(
    verdict.sentence,
    'Cannot tell: the app ended under load (exit code 1): TypeError: x is not a function',
  );
});

test('an app that ends at its first request was under no load', () => {
  const ended = { exitCode: 1, signal: null, lastWords: 'TypeError: x is not a function' };
  const { verdict } = found({ asIs: BUSY, more: { asIs: { ...NOTHING_MEASURED, ended } } });
  assert.equal(
    verdict.sentence,
    'Cannot tell: the app ended at a single request, before there was any load (exit code 1): TypeError: x is not a function',
  );
});

test('a cluster that ends is no choice; without it there is nothing to compare with', () => {
  const ended = { exitCode: null, signal: 'SIGKILL', lastWords: '' };
  const { verdict, warnings } = found({ asIs: BUSY, cluster: { rate: 2000, ended } });
  assert.equal(verdict.answer, 'unknown');
  assert.match(verdict.sentence, /nothing to compare with/);
  assert.ok(
    warnings.some((text) => /the cluster is no choice as it is: it ended under load \(SIGKILL\)/.test(text)),
  );
});

test('never left alone without having tried a cluster', () => {
  const { verdict } = found({ asIs: BUSY, offloaded: { rate: 900, p99Ms: 60 }, noise: 0.01 });
  assert.equal(verdict.answer, 'unknown');
  assert.match(verdict.sentence, /a cluster could not be measured/);
});

test('two rounds are too few, however large the effect', () => {
  const server = { asIs: BUSY, cluster: { rate: 4000, p99Ms: 30, cpuShare: 4 } };
  const { verdict, reasons } = found({ ...server, rounds: 2, noise: 0.2 });
  assert.equal(verdict.answer, 'unknown');
  assert.match(verdict.sentence, /2 rounds of measuring are too few/);
  // The intervals would be from 0.0003 to 2,000 x, or so.
  const about =
    /^a cluster of 4 processes: about [34]\.?\d* x the requests and about 0\.\d+ x the p99 of the app/;
  assert.match(reasons[0]!, about);
  const enough = found({ ...server, rounds: 8, noise: 0.2 });
  assert.match(enough.reasons[0]!, /^a cluster of 4 processes: [\d.]+ to [\d.]+ x the requests/);
});

test('nothing at all was measured: no verdict, and no exception', () => {
  const { verdict } = found({ asIs: { rate: 0, errors: { answers: 0 } }, rounds: 0 });
  assert.equal(verdict.answer, 'unknown');
});

test('never a wrong verdict, whatever the noise: 1,000 servers of which the truth is known', () => {
  const [wrong, wrongEstimates]: [string[], string[]] = [[], []];
  for (let seed = 1; seed <= 1000; seed++) {
    const noise = (seed % 10) / 20;
    const gain = [0.5, 0.9, 1, 1, 1.5, 2][seed % 6]!;
    const cluster = { rate: 1000 * gain, p99Ms: 60 / gain, cpuShare: 1 };
    const { verdict } = found({ asIs: BUSY, cluster, noise, seed, cores: 4 });
    const isWrong = gain > 1 ? verdict.answer === 'leave' : verdict.answer === 'cluster';
    if (isWrong)
      (verdict.isLikely ? wrongEstimates : wrong).push(
        `gain ${gain}, noise ${noise}, seed ${seed}: ${verdict.sentence}`,
      );
  }
  // With 95 % confidence, some clusters that bring nothing would seem to by chance; but a verdict also needs an effect of 10 %.
  assert.deepEqual(wrong, []);
  assert.ok(wrongEstimates.length <= 5, wrongEstimates.join('\n'));
});

test('an app that ends whichever way it is run: what it wrote last is told once', () => {
  const ended = { exitCode: 1, signal: null, lastWords: 'Error: no\nat main.js:1:1' };
  const { reasons } = found({ asIs: { ...BUSY, ended }, cluster: { rate: 2000, ended } });
  const told = reasons.filter((text) => text.startsWith('what it wrote last'));
  assert.deepEqual(told, ['what it wrote last: Error: no / at main.js:1:1']);
});
