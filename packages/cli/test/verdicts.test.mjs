/**
 * Functions of which the right verdict is known, measured for real, on cores that are quiet and on such as another program wants. On a
 * machine that is busy it may be that nothing can be told: but what is said has to be right.
 */
import assert from 'node:assert/strict';
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { analyze } from '../dist/subjects/function/rules/analyze.js';
import { certainAnswer } from '../dist/experiment/rules.js';
import { duration, times } from '../dist/format/figures.js';
import { measure } from '../dist/subjects/function/measure/measure.js';
import { temporaryFolder } from './command.mjs';

/** Of each: on two quiet cores enough for six rounds. Milliseconds. */
const BUDGET_MS = 5000;
/** Where 'unknown' will not do: a machine that is busy takes longer to get as far. */
const CLEAR_BUDGET_MS = 9000;
const HERE = new URL('fixtures/analyze/', import.meta.url);
const EXAMPLE = new URL('../../../examples/03-http-offload/', import.meta.url);

const repeat = (count, make) => Array.from({ length: count }, (_, i) => make(i));
const bytes = (size) => (i) => new Uint8Array(size).fill(i);
const listsOf = (name) => JSON.parse(readFileSync(new URL(name, EXAMPLE), 'utf8'));

/** Something like 5 MB of records. */
function largeJson() {
  const record = (id) => ({ id, name: `name ${id}`, tags: ['a', 'b'], place: { x: id / 3, y: -id } });
  return JSON.stringify(repeat(65_000, record));
}

function smallFiles() {
  const folder = temporaryFolder();
  return repeat(64, (i) => {
    const path = join(folder, `${i}.bin`);
    writeFileSync(path, bytes(1024)(i));
    return path;
  });
}

/**
 * `right`: beside 'unknown'. `isClear`: the effect is so large that no noise of a busy machine hides it.
 * @type {{ name: string, task: string, inputs: () => unknown[], right: string[], isClear?: boolean, module?: URL, passing?: string,
 *   look?: (findings: object) => void }[]}
 */
const CASES = [
  { name: 'fibonacci(100)', task: 'fibonacci', inputs: () => [100], right: ['inline'], isClear: true },
  {
    name: 'fibonacci of a million steps',
    task: 'fibonacciModulo',
    inputs: () => [1_000_000],
    right: ['threads'],
  },
  { name: 'SHA-256 of 1 KiB', task: 'hash', inputs: () => repeat(16, bytes(1024)), right: ['inline'] },
  {
    name: 'SHA-256 of files of 1 KiB',
    task: 'hash',
    inputs: smallFiles,
    passing: 'read',
    // The digest alone is off the calling thread: a tenth or so.
    right: ['inline', 'threads'],
    look: readsInWorkers,
  },
  { name: 'SHA-256 of 1 MiB', task: 'hash', inputs: () => repeat(8, bytes(2 ** 20)), right: ['threads'] },
  { name: 'pbkdf2 of some 50 ms', task: 'derive', inputs: () => ['secret'], right: ['threads'] },
  { name: 'a call that waits for 20 ms', task: 'waits', inputs: () => [20], right: ['async'], isClear: true },
  {
    name: 'a template of one sentence',
    module: new URL('tasks.js', EXAMPLE),
    task: 'render',
    passing: 'spread',
    inputs: () => listsOf('sentences.json'),
    right: ['inline'],
  },
  {
    name: 'a template of 80 sentences',
    module: new URL('tasks.js', EXAMPLE),
    task: 'render',
    passing: 'spread',
    inputs: () => listsOf('pages.json'),
    right: ['threads', 'inline'],
    look: saysOnWhatItDepends,
  },
  {
    name: 'JSON.parse of 5 MB',
    task: 'parse',
    inputs: () => [largeJson()],
    right: ['inline', 'threads'],
    look: saysWhatTheCopyCosts,
  },
  {
    name: 'one that waits for memory',
    task: 'sumsMemory',
    inputs: () => [1, 2],
    right: ['inline', 'threads'],
  },
  {
    name: 'one of which a half runs in one thread at a time',
    module: new URL('serial-half.mjs', HERE),
    task: 'halfSerial',
    inputs: () => [2_000_000],
    right: ['threads'],
  },
];

function readsInWorkers({ samples, verdict, alternatives }) {
  if (samples.threads.some(({ rate }) => rate.length > 1)) {
    assert.ok(samples.variants.some(({ name }) => name === 'read'));
  }
  const read = alternatives.find(({ name }) => name === 'read');
  assert.equal(verdict.sentence.includes('where the worker reads'), read?.changesVerdict === true);
}

function saysOnWhatItDepends({ verdict, breakEven, reasons, samples: { inline } }) {
  if (verdict.answer !== 'threads' || breakEven.runMs === undefined) return;
  if (inline.callMs.mean <= breakEven.runMs.high) return;
  assert.ok(
    reasons.some((reason) => reason.startsWith('it depends on how much a call does')),
    String(reasons),
  );
}

function saysWhatTheCopyCosts({ limits, samples: { crossings, threads } }) {
  if (crossings.length === 0 || threads.length === 0) return;
  const crossing = limits.find(({ name }) => name === 'crossing');
  assert.match(
    crossing?.why ?? String(limits.map(({ why }) => why)),
    /handing it over \([\d.]+ MiB there, and/,
  );
}

/** The figures of the sentence are those that were found, and none speaks against another. */
function checkSentence({
  verdict: { answer, sentence, isLikely },
  gain,
  knee,
  noise = 0,
  breakEven,
  samples,
}) {
  const { mean, p50 } = samples.inline.callMs ?? {};
  const pays = /^Threads pay: ([\d.]+ x) with (\d+) threads?/.exec(sentence);
  const brings = /; threads bring (?:([\d.]+) to )?([\d.]+) x the calls/.exec(sentence);
  const runs = /a call runs for ([\d.]+ [mu]?s)/.exec(sentence);
  const from = /they begin to pay at about ([\d.]+ [mu]?s) a call/.exec(sentence);
  const computes = /computes for (?:less than )?(\d+) % of its ([\d.]+ [mu]?s)/.exec(sentence);
  const isEstimate = isLikely === true;
  assert.equal(answer === 'threads' && !isEstimate, pays !== null, sentence);
  if (pays !== null) {
    const of = Number(pays[2]) === knee?.threads ? knee.gain : gain;
    assert.equal(pays[1], times(of));
    assert.ok(of.low > 1 && of.value >= 1.1, JSON.stringify(of));
  }
  if (answer === 'inline' && brings !== null) assert.ok(Number(brings[2]) <= 1.1, sentence);
  if (runs !== null) assert.equal(runs[1], duration(mean));
  if (from !== null) {
    assert.equal(from[1], duration(breakEven.runMs.value));
    assert.ok(mean < breakEven.runMs.low && gain.value < 1, sentence);
  }
  if (computes !== null) {
    assert.ok(Number(computes[1]) < 50);
    assert.equal(computes[2], duration(p50));
  }
  assert.ok(noise >= 0);
}

for (const load of ['quiet', 'loaded']) {
  // Where more than one answer is right on quiet cores, load makes none of them wrong.
  const cases = load === 'quiet' ? CASES : CASES.filter(({ right }) => right.length === 1);
  describe(`on ${load} cores`, () => {
    let burner;
    before(async () => {
      if (load === 'quiet') return;
      burner = fork(new URL('burner.mjs', HERE));
      await once(burner, 'message');
    });
    after(async () => {
      if (burner === undefined) return;
      burner.kill('SIGKILL');
      await once(burner, 'exit');
    });

    for (const { name, task, inputs, right, isClear = false, module, passing, look } of cases) {
      test(name, async (t) => {
        const given = inputs();
        const url = module ?? new URL('verdicts.mjs', HERE);
        const samples = await measure(
          {
            module: url.href,
            moduleGiven: url.pathname.split('/').at(-1),
            export: task,
            inputs: given,
            inputCount: given.length,
            inputsHow: 'all',
            budgetMs: isClear ? CLEAR_BUDGET_MS : BUDGET_MS,
            signal: new AbortController().signal,
            ...(passing === undefined ? {} : { passing }),
          },
          { progress() {} },
          (soFar) => certainAnswer(analyze(soFar).verdict),
        );
        const findings = analyze(samples);
        const { answer, sentence } = findings.verdict;
        t.diagnostic(sentence);
        const isRight = right.includes(answer) || (answer === 'unknown' && !isClear);
        assert.ok(isRight, `${answer}: ${sentence}`);
        checkSentence(findings);
        look?.(findings);
      });
    }
  });
}
