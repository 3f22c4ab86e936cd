import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'threadwise-test/fast-check';
import { widthOf } from '../../../format/text.js';
import { jsonText } from '../../../report/outputs.js';
import type { Findings } from '../rules/analyze.js';
import { readFindings, renderComparison } from './compare.js';
import { anyFindings, NO_FIGURE } from './findings.arbitrary.test.fake.js';
import {
  fakeFindings,
  fakeSamples,
  five,
  HOSTILE,
  hostileFindings,
  nothingFound,
} from './findings.test.fake.js';

/** Findings with other rates for some numbers of threads. */
function withRates(
  rates: Readonly<Record<number, number>>,
  changes: Partial<Findings['samples']> = {},
): Findings {
  const threads = fakeSamples().threads.map((each) => {
    const perSecond = rates[each.threads];
    return perSecond === undefined ? each : { ...each, rate: five(perSecond) };
  });
  return fakeFindings({ samples: fakeSamples({ threads, ...changes }) });
}

const linesOf = (a: Findings, b: Findings): string[] => renderComparison(a, b, { columns: 200 }).split('\n');

function rowOf(name: string, a: Findings, b: Findings): string[] {
  const found = linesOf(a, b).find((line) => line.startsWith(`  ${name} `));
  assert.ok(found, `no '${name}'`);
  return found.trim().split(/\s{2,}/);
}

test('says first which one is faster, and then what each was', () => {
  const lines = linesOf(fakeFindings(), withRates({ 4: 4320 }));
  assert.deepEqual(lines.slice(0, 4), [
    'B is faster: 1.2 x the calls of A, each at its best',
    '  A  ./tasks.js#hash: Threads pay: 3.6 x with 4 threads',
    '  B  ./tasks.js#hash: Threads pay: 3.6 x with 4 threads',
    '  The verdict is the same: Use threads',
  ]);
  assert.equal(
    linesOf(withRates({ 4: 4320 }), fakeFindings())[0],
    'B is slower: 0.83 x the calls of A, each at its best',
  );
});

test('a ratio that is no number decides nothing', () => {
  const only = (perSecond: number) =>
    fakeFindings({
      samples: {
        ...nothingFound().samples,
        threads: withRates({ 4: perSecond }).samples.threads.slice(2, 3),
      },
    });
  assert.equal(linesOf(only(1e-300), only(1e300))[0], 'Cannot tell: one of them has no rates');
});

test('the same, faster, slower, or not to be told: by intervals', () => {
  const [a, b] = [fakeFindings(), withRates({ 4: 4320, 8: 2800 })];
  // Both are 990 to 1,010: at the most 2 % apart.
  assert.deepEqual(rowOf('calls/s, inline', a, b), [
    'calls/s, inline',
    '1,000 (990 to 1,010)',
    '1,000 (990 to 1,010)',
    '1 x',
    'the same',
  ]);
  // Both are 1,800 to 2,000: they overlap, and may be 11 % apart.
  assert.deepEqual(rowOf('calls/s, 2 threads', a, b).slice(-2), ['1 x', 'cannot tell']);
  assert.deepEqual(rowOf('calls/s, 4 threads', a, b).slice(-4), ['3,600', '4,320', '1.2 x', 'faster']);
  assert.deepEqual(rowOf('calls/s, 8 threads', a, b).slice(-4), ['3,500', '2,800', '0.8 x', 'slower']);
});

test('intervals that overlap decide nothing, wherever their middles are', () => {
  const threads = fakeSamples().threads.map((each) =>
    each.threads === 2 ? { ...each, rate: [1990, 2100, 2100, 2100, 2200] } : each,
  );
  const b = fakeFindings({ samples: fakeSamples({ threads }) });
  assert.deepEqual(rowOf('calls/s, 2 threads', fakeFindings(), b).slice(-2), ['1.11 x', 'cannot tell']);
});

test('a difference that noise makes as well is none', () => {
  // The noise of each is 1 %, 2 % together: 3,670 differs from 3,600 by less.
  assert.equal(rowOf('calls/s, 4 threads', fakeFindings(), withRates({ 4: 3670 })).at(-1), 'the same');
  const noisy = { ...withRates({ 4: 4320 }), noise: 0.3 };
  assert.equal(rowOf('calls/s, 4 threads', fakeFindings(), noisy).at(-1), 'cannot tell');
  assert.match(linesOf(fakeFindings(), noisy)[0]!, /^Cannot tell: B does 1\.2 x the calls of A/);
});

test('costs are more or less, not faster', () => {
  const { inline } = fakeSamples();
  const cheaper = withRates({}, { inline: { ...inline, cpuMs: five(0.5) } });
  assert.deepEqual(rowOf('CPU per call, inline', fakeFindings(), cheaper), [
    'CPU per call, inline',
    '1 ms',
    '0.5 ms',
    '0.5 x',
    'less',
  ]);
});

test('an interval has its unit once, and 100 columns are enough for all figures', () => {
  const lines = renderComparison(fakeFindings(), fakeFindings()).split('\n');
  const row = lines.find((line) => line.startsWith('  threads pay from '))!;
  assert.deepEqual(row.trim().split(/\s{2,}/), [
    'threads pay from',
    '15 us (14 to 16 us)',
    '15 us (14 to 16 us)',
    '1 x',
    'cannot tell',
  ]);
});

test('what is not in both is not compared', () => {
  const { threads } = fakeSamples();
  const fewer = withRates({}, { threads: threads.slice(0, 2), start: undefined });
  const lines = linesOf(fakeFindings(), fewer).join('\n');
  assert.doesNotMatch(lines, /calls\/s, [48] threads/);
  assert.deepEqual(rowOf('a thread takes', fakeFindings(), fewer), [
    'a thread takes',
    '10 MiB',
    '-',
    '-',
    'cannot tell',
  ]);
  assert.equal(linesOf(fakeFindings(), nothingFound())[0], 'Cannot tell: one of them has no rates');
  assert.equal(linesOf(nothingFound(), nothingFound()).includes('Figures'), false);
});

test('tells what was not the same: verdicts, functions, machines', () => {
  const { machine, subject } = fakeSamples();
  const other = fakeFindings({
    verdict: { answer: 'inline', sentence: "Don't: a call runs for 1 us" },
    samples: fakeSamples({
      machine: { ...machine, cores: 8, node: 'v24.0.0' },
      subject: { ...subject, export: 'sum' },
    }),
  });
  const text = linesOf(fakeFindings(), other).join('\n');
  assert.ok(text.includes('  Another verdict: Use threads in A, Do without threads in B'), text);
  assert.ok(text.includes('\n  - export: hash in A, sum in B\n'), text);
  assert.ok(text.includes('\n  - cores: 4 in A, 8 in B\n  - Node.js: v22.1.0 in A, v24.0.0 in B\n'), text);
  assert.doesNotMatch(linesOf(fakeFindings(), fakeFindings()).join('\n'), /Not the same/);
});

test('any two: never wider than the terminal, nothing that steers it, no broken figure', () => {
  const findings = fc.oneof(anyFindings, fc.constantFrom(hostileFindings(), nothingFound()));
  fc.assert(
    fc.property(findings, findings, fc.integer({ min: 20, max: 200 }), (a, b, columns) => {
      const text = renderComparison(a, b, { columns });
      assert.doesNotMatch(text, NO_FIGURE);
      for (const line of text.split('\n')) {
        assert.ok(widthOf(line) <= columns, line);
        assert.doesNotMatch(line, /[\p{Cc}\p{Cf}]/u);
      }
    }),
  );
});

const changed = (change: (findings: Record<string, never>) => void): string => {
  const parsed = JSON.parse(jsonText(fakeFindings()));
  change(parsed);
  return JSON.stringify(parsed);
};

test('reads what was written', () => {
  const read = readFindings(jsonText(fakeFindings()), 'a.json');
  assert.deepEqual(read, JSON.parse(jsonText(fakeFindings())));
  assert.deepEqual(linesOf(read, read), linesOf(fakeFindings(), fakeFindings()));
  assert.equal(readFindings(`\uFEFF${jsonText(fakeFindings())}`, 'a.json').schemaVersion, 1);
});

const BEGIN = "a.json: expected findings of 'threadwise analyze --out x.json', ";
const wrong: readonly (readonly [what: string, text: string, message: string])[] = [
  ['no JSON', '{ nonsense', 'got text that is not JSON: '],
  ['nothing', '', 'got text that is not JSON: '],
  ['a list', '[1, 2]', 'an object, got an array of 2'],
  ['another object', '{}', 'schemaVersion: 1, got nothing'],
  [
    'another version',
    '{"schemaVersion":2}',
    'schemaVersion 1, got 2: they are of another version of threadwise',
  ],
  [
    'another answer',
    changed((of) => Object.assign(of.verdict!, { answer: 'perhaps' })),
    'verdict.answer: "threads" or "inline" or "async" or "unknown", got "perhaps"',
  ],
  [
    'no sentence',
    changed((of) => Object.assign(of.verdict!, { sentence: 3 })),
    'verdict.sentence: a string, got 3',
  ],
  [
    'half an estimate',
    changed((of) => Object.assign(of, { gain: { value: 1 } })),
    'gain.low: a number, got nothing',
  ],
  [
    'a rate that is a text',
    changed((of) => Object.assign((of.samples! as { inline: object }).inline, { rate: [1, 'fast'] })),
    'samples.inline.rate[1]: a number or null, got "fast"',
  ],
  [
    'no threads',
    changed((of) => Object.assign(of.samples!, { threads: {} })),
    'samples.threads: an array, got an object',
  ],
];

for (const [what, text, message] of wrong) {
  test(`says what was expected, and what came: ${what}`, () => {
    assert.throws(
      () => readFindings(text, 'a.json'),
      (error: Error) => error.name === 'UsageError' && error.message.startsWith(BEGIN + message),
    );
  });
}

test('a message has nothing of the file that steers a terminal', () => {
  const texts = [HOSTILE, JSON.stringify({ schemaVersion: HOSTILE }), JSON.stringify(HOSTILE)];
  for (const text of texts) {
    assert.throws(
      () => readFindings(text, '\x1b[2J.json'),
      (error: Error) => !/[\p{Cc}\p{Cf}]/u.test(error.message) && error.message.length < 400,
    );
  }
});

test('the delay of timers is compared only for calls that may hold them up', () => {
  const inline = {
    ...fakeSamples().inline,
    callMs: { count: 9, mean: 0.1, p50: 0.1, p90: 0.1, p99: 0.1, max: 4 },
  };
  const short = fakeFindings({ samples: fakeSamples({ inline }) });
  assert.equal(rowOf('loop delay p99, inline', fakeFindings(), short)[2], '-');
  assert.ok(linesOf(short, short).every((line) => !line.includes('loop delay')));
});
