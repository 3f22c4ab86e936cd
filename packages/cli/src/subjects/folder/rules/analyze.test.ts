/** Verdicts on made-up samples: given where the intervals allow it, and withheld where they do not. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'threadwise-test/fast-check';
import { analyzeFolder, meanBusy } from './analyze.js';
import { WAY_NAMES, type WayName } from './samples.js';
import {
  fakeClass,
  fakeFolder,
  fakeRounds,
  FEWER_ASYNC,
  LAST,
  MORE_IN_WORKERS,
  SECOND,
} from './samples.test.fake.js';

function findings(gains: Partial<Record<WayName, number>>, by?: number, rounds?: number) {
  return analyzeFolder(fakeFolder([fakeClass(fakeRounds(gains, by, rounds))]));
}

/** Gains with which neither workers nor processes pay. */
const NO_WORKERS = { workers: 0.9, 'workers-read-files': 0.85, processes: 0.9 } as const;

describe('one class of sizes', () => {
  test('workers pay where they beat both ways of one thread', () => {
    const { verdict, classes } = findings({ ...FEWER_ASYNC, ...MORE_IN_WORKERS });
    assert.equal(verdict.answer, 'workers');
    assert.match(verdict.sentence, /^Read files \(below 4 KiB\) in workers: 1\.9 x what one thread does$/);
    assert.match(classes[0]!.sentence, /^in workers, synchronously: 1\.9 x the best of one thread/);
    assert.equal(classes[0]!.how, 'sync');
  });

  test('they do not where one thread does as much asynchronously', () => {
    const { verdict, classes } = findings({ ...MORE_IN_WORKERS, 'async-all': 1.9 });
    assert.equal(classes[0]!.place, 'one-thread');
    assert.equal(verdict.answer, 'async');
    assert.match(verdict.sentence, /asynchronously on one thread: 1\.9 x a loop of readFileSync/);
  });

  test('processes where they bring more than workers, and not where workers do as well', () => {
    const more = findings({ ...FEWER_ASYNC, ...MORE_IN_WORKERS, processes: 2.5 });
    assert.equal(more.verdict.answer, 'processes');
    assert.match(more.verdict.sentence, /in several processes: 2\.5 x what one thread does$/);
    const alone = findings({ ...FEWER_ASYNC, ...NO_WORKERS, processes: 1.8 });
    assert.match(
      alone.classes[0]!.sentence,
      /^in processes, .*1\.8 x .*; workers bring 0\.8\d? to 0\.9\d? x the files$/,
    );
    assert.equal(findings({ ...FEWER_ASYNC, ...MORE_IN_WORKERS, processes: 1.95 }).verdict.answer, 'workers');
  });

  test('synchronously on one thread, and on a server with readFiles', () => {
    const { verdict } = findings({ ...FEWER_ASYNC, ...NO_WORKERS });
    assert.equal(verdict.answer, 'sync');
    assert.match(
      verdict.sentence,
      /synchronously on one thread \(on the main thread of a server with `readFiles`\)/,
    );
  });

  test('no difference is said where it is sure that there is none', () => {
    const { verdict } = findings({ ...NO_WORKERS, 'async-chain': 0.5 }, 0.002);
    assert.equal(verdict.answer, 'either');
  });

  test('where all of it is read before a thread has started, one thread is the answer, however much the figures differ', () => {
    const unclear = fakeRounds({ ...FEWER_ASYNC, workers: 1.02, 'workers-read-files': 1, processes: 1 }, 0.3);
    const read = (files: number) => analyzeFolder(fakeFolder([fakeClass(unclear, { files })]));
    assert.equal(read(1000).verdict.answer, 'unknown');
    const { verdict, classes } = read(5);
    assert.deepEqual(
      [verdict.answer, verdict.isLikely, classes[0]!.place],
      ['sync', undefined, 'one-thread'],
    );
    const why = /all files of the folder are read in \d[\d.]* ms, before a thread has started$/;
    assert.match(verdict.sentence, why);
    assert.match(classes[0]!.sentence, why);
    const cut = fakeFolder([fakeClass(unclear, { files: 5 })]);
    const { answer } = analyzeFolder({ ...cut, subject: { ...cut.subject, isWalkCut: true } }).verdict;
    assert.equal(answer, 'unknown', 'there may be many more');
  });

  test('where two runs of the same differ by more than the effect, it is a probable one', () => {
    const { verdict, classes } = findings({ ...FEWER_ASYNC, ...MORE_IN_WORKERS, processes: 1.5 }, 0.3);
    assert.deepEqual([verdict.answer, verdict.isLikely], ['workers', true]);
    assert.match(
      verdict.sentence,
      /^Read files \(below 4 KiB\) probably in workers: [\d.]+ x what one thread does$/,
    );
    assert.match(classes[0]!.sentence, /^probably in workers, /);
  });

  test('nothing is said where it is smaller than that, and goes both ways; but what would tell', () => {
    const { verdict, classes } = findings(
      { ...FEWER_ASYNC, workers: 1.1, 'workers-read-files': 1, processes: 1 },
      0.3,
    );
    assert.deepEqual([verdict.answer, classes[0]!.place], ['unknown', 'unknown']);
    assert.match(
      verdict.sentence,
      /^Cannot tell whether workers pay .*: workers read .* x the files of one thread, and two runs of the very same differ by up to \d+ %. What would tell: a quieter machine/,
    );
  });

  test('nor after too few rounds, or when there is no control run', () => {
    const few = findings({ ...FEWER_ASYNC, ...MORE_IN_WORKERS }, 0.01, 2);
    assert.equal(few.verdict.answer, 'unknown');
    assert.match(
      few.verdict.sentence,
      /2 rounds are too few; workers read about 1\.9 x the files of one thread\. /,
    );
    assert.match(few.reasons.join('\n'), /`readFiles` read about 0\.94 x as many files, /);
    const rounds = fakeRounds({ ...FEWER_ASYNC, ...MORE_IN_WORKERS }, 0.01, 1);
    const one = analyzeFolder(fakeFolder([fakeClass({ ...rounds, control: [] })]));
    assert.match(one.verdict.sentence, /^Cannot tell: one round is too few/);
  });

  test('where its files have vanished, it is said, and not that a quieter machine would tell', () => {
    const rounds = fakeRounds({ ...FEWER_ASYNC, ...MORE_IN_WORKERS }, 0.01, 2);
    const batch = { files: 10, bytes: 1000, repeatsFiles: true };
    const gone = fakeClass(rounds, { sampled: { files: 0, bytes: 0 }, batch });
    const { verdict, reasons, warnings } = analyzeFolder(fakeFolder([gone]));
    assert.equal(verdict.sentence, 'Cannot tell: none of the files could be read any more');
    assert.match(reasons[0]!, /^files below 4 KiB: cannot tell: none of the files could be read any more$/);
    assert.doesNotMatch(warnings.join('\n'), /again and again/);
    const both = analyzeFolder(fakeFolder([fakeClass(rounds), { ...gone, ...SECOND }]));
    assert.match(both.verdict.sentence, /^Cannot tell: 2 rounds are too few; .* What would tell: a quieter/);
  });

  test('what one thread does best is said where only workers cannot be told', () => {
    const { verdict } = findings(
      { ...FEWER_ASYNC, workers: 1.1, 'workers-read-files': 1, 'async-all': 0.1 },
      0.15,
    );
    assert.equal(verdict.answer, 'unknown');
    assert.match(
      verdict.sentence,
      /^Cannot tell whether workers pay \(on one thread, synchronously is better\): /,
    );
  });

  test('a way that could not be measured is left out, and the others stay', () => {
    const { ways, control } = fakeRounds({ ...FEWER_ASYNC, ...MORE_IN_WORKERS });
    const without = ways.filter(({ name }) => !name.startsWith('workers'));
    const { verdict, classes } = analyzeFolder(fakeFolder([fakeClass({ ways: without, control })]));
    assert.equal(verdict.answer, 'unknown');
    assert.deepEqual([classes[0]!.how, classes[0]!.ways.length], ['sync', WAY_NAMES.length - 3]);
  });

  test('a round in which a way failed does not count for it', () => {
    const { ways, control } = fakeRounds({ ...FEWER_ASYNC, ...MORE_IN_WORKERS });
    const holed = ways.map((way) => ({
      ...way,
      rate: way.rate.map((rate, i) => (i === 2 ? Number.NaN : rate)),
    }));
    const { verdict } = analyzeFolder(fakeFolder([fakeClass({ ways: holed, control })]));
    assert.equal(verdict.answer, 'workers');
  });
});

describe('a folder', () => {
  const inWorkers = fakeRounds({ ...FEWER_ASYNC, ...MORE_IN_WORKERS });
  const noisy = fakeRounds({ ...FEWER_ASYNC }, 0.5);
  const asynchronously = fakeRounds({ ...NO_WORKERS, 'async-all': 1.5 });

  test('is told by size where sizes differ, neighbours with the same answer together', () => {
    const { verdict } = analyzeFolder(
      fakeFolder([fakeClass(inWorkers), fakeClass(inWorkers, SECOND), fakeClass(asynchronously, LAST)]),
    );
    assert.equal(verdict.answer, 'mixed');
    assert.equal(
      verdict.sentence,
      'Read files below 64 KiB in workers: 1.9 x what one thread does; 16 MiB and more asynchronously on one thread: 1.5 x a loop of readFileSync',
    );
  });

  test('says for which sizes it cannot be told', () => {
    const first = analyzeFolder(fakeFolder([fakeClass(noisy), fakeClass(inWorkers, LAST)]));
    assert.match(
      first.verdict.sentence,
      /^Read files 16 MiB and more in workers: 1\.9 x .*; it cannot be told of files below 4 KiB whether workers pay \(on one thread, synchronously is better\)$/,
    );
    const none = analyzeFolder(
      fakeFolder([fakeClass(noisy), fakeClass({ ...noisy, ways: [], control: [] }, LAST)]),
    );
    assert.match(
      none.verdict.sentence,
      /^Cannot tell of files below 4 KiB whether workers pay \(.*\); of files 16 MiB and more how they are read best\. What would tell/,
    );
  });

  test('of which nothing could be measured', () => {
    assert.deepEqual(analyzeFolder(fakeFolder([])).verdict, {
      answer: 'unknown',
      sentence: 'Cannot tell: no file could be measured',
    });
  });

  test('says what sending back costs, and what holds on a server', () => {
    const { reasons } = analyzeFolder(fakeFolder([fakeClass(inWorkers)]));
    assert.ok(
      reasons.some((text) => /sent back to the main thread come at 0\.42 x/.test(text)),
      reasons.join('\n'),
    );
    assert.ok(
      reasons.some((text) =>
        /on the main thread of a server: .*20 ms late with 10 files.*0\.9\d? to 0\.9\d? x/.test(text),
      ),
    );
  });

  test('says what to know before it is believed', () => {
    const samples = fakeClass(inWorkers, {
      files: 5000,
      batch: { files: 10, bytes: 1001, repeatsFiles: true },
      sampled: { files: 1, bytes: 100 },
    });
    const { subject } = fakeFolder([]);
    const { warnings } = analyzeFolder(
      fakeFolder([samples], {
        isCutShort: true,
        skipped: [{ what: 'readFiles', why: 'its process ended' }],
        subject: {
          ...subject,
          isWalkCut: true,
          left: { links: 2, others: 1 },
          unreadable: [{ why: 'permission denied', count: 3 }],
        },
      }),
    );
    for (const expected of [
      /only the first 100 files/,
      /not read, permission denied: 3 files or folders/,
      /2 symbolic links and 1 that is no file/,
      /the first read was slower than the second \(below 4 KiB: 10 x\): it may have come from the disk/,
      /there is one file to measure on, read again and again/,
      /measured on 1 file of 5,000/,
      /^below 4 KiB: files changed their size/,
      /readFiles: not measured, its process ended/,
      /not everything was measured: the time was over, or somebody ended the command/,
    ]) {
      assert.ok(
        warnings.some((text) => expected.test(text)),
        `${expected} in\n${warnings.join('\n')}`,
      );
    }
  });

  test('cold files have findings of their own', () => {
    const { classes, reasons, warnings } = analyzeFolder(
      fakeFolder([fakeClass(inWorkers, { cold: asynchronously })]),
    );
    assert.deepEqual(
      [classes[0]!.place, classes[0]!.cold?.place, classes[0]!.cold?.how],
      ['workers', 'one-thread', 'async'],
    );
    assert.ok(
      reasons.some((text) =>
        text.startsWith('files below 4 KiB, from the disk: on one thread, asynchronously'),
      ),
    );
    assert.deepEqual(warnings, []);
  });
});

test('no advice is ever given that the truth contradicts, whatever the noise', () => {
  const gain = fc.double({ min: 0.2, max: 4, noNaN: true });
  fc.assert(
    fc.property(
      fc.record({
        'async-all': gain,
        'async-chain': gain,
        processes: gain,
        workers: gain,
        'workers-read-files': gain,
      }),
      fc.double({ min: 0, max: 0.6, noNaN: true }),
      fc.integer({ min: 1, max: 15 }),
      (gains, by, rounds) => {
        const { classes } = findings(gains, by, rounds);
        const { place, how } = classes[0]!;
        const best = Math.max(1, gains['async-all'], gains['async-chain']);
        const workers = Math.max(gains.workers, gains['workers-read-files']);
        if (place === 'workers') assert.ok(workers > best);
        if (place === 'processes') assert.ok(gains.processes > best && gains.processes > workers);
        if (place === 'one-thread') assert.ok(Math.max(workers, gains.processes) < 1.1 * best * (1 + 2 * by));
        if (how === 'sync') assert.ok(Math.max(gains['async-all'], gains['async-chain']) < 1 + 2 * by);
        if (how === 'async') assert.ok(best > 1);
      },
    ),
    { numRuns: 1000 },
  );
});

test('the mean of each core over time; nothing where nothing was seen', () => {
  assert.deepEqual(
    meanBusy([
      [1, 0],
      [0.5, 0.5],
    ]),
    [0.75, 0.25],
  );
  assert.deepEqual(meanBusy([]), []);
});
