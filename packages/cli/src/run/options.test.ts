import assert from 'node:assert/strict';
import { test } from 'node:test';
import { InvalidArgumentError } from 'commander';
import { UsageError } from '../exit-code.js';
import { parseBatch, parseDuration, parseRange, parseRetries, parseThreads } from './option-values.js';
import { type RawRunOptions, resolveRunOptions } from './options.js';

const resolve = (raw: RawRunOptions, isTerminal = true) => resolveRunOptions('./tasks.js', raw, isTerminal);
const range = { from: 1, to: 2 };

function refuses(raw: RawRunOptions, message: RegExp, isTerminal?: boolean): void {
  assert.throws(
    () => resolve(raw, isTerminal),
    (error) => error instanceof UsageError && message.test(error.message),
  );
}

test('reads values', () => {
  assert.deepEqual(['auto', '3', '2-8', '0-4'].map(parseThreads), [
    'auto',
    3,
    { min: 2, max: 8 },
    { min: 0, max: 4 },
  ]);
  assert.deepEqual(['500', '500ms', '2s', '1.5s', '1m'].map(parseDuration), [500, 500, 2000, 1500, 60_000]);
  assert.deepEqual(['auto', '12'].map(parseBatch), ['auto', 12]);
  assert.deepEqual(['1..3', '-5..-2', '7..7', '-0..1'].map(parseRange), [
    { from: 1, to: 3 },
    { from: -5, to: -2 },
    { from: 7, to: 7 },
    { from: 0, to: 1 },
  ]);
  assert.equal(parseRetries('0'), 0);
});

test('refuses values that are not what is expected', () => {
  for (const [parse, texts] of [
    [parseThreads, ['0', '-1', '1.5', 'x', '4-2', '0-0', '']],
    [parseDuration, ['', '0', '-1', '1d', 'x', '99999999m']],
    [parseBatch, ['0', '-3', '1e3', 'Auto']],
    [parseRange, ['3..1', '1..', '1', '1.5..2', 'a..b', '0..9007199254740993']],
    [parseRetries, ['-1', 'x', '0.5']],
  ] as const) {
    for (const text of texts) assert.throws(() => parse(text), InvalidArgumentError, `${parse.name} ${text}`);
  }
});

test('takes lines of standard input unless that is a terminal', () => {
  assert.deepEqual(resolve({}, false).input, { kind: 'lines', file: undefined });
  assert.deepEqual(resolve({ lines: true }).input, { kind: 'lines', file: undefined });
  assert.deepEqual(resolve({ lines: '-' }).input, { kind: 'lines', file: undefined });
  refuses({}, /expected an input: --files, --lines, --json, --range/);
});

test('takes one kind of input', () => {
  refuses({ range, files: ['a'] }, /expected one kind of input, got --files and --range/);
  refuses({ range, dot: true }, /--dot needs --files/);
});

test('on a fleet, what is of the threads of this machine is refused', () => {
  const on = { connection: 'redis://db', queue: 'work', shown: "'work' at db" };
  assert.equal(resolve({ range, on }).on, on);
  refuses({ range, on, threads: 2 }, /--on and --threads exclude each other: each machine/);
  refuses({ range, on, batch: 4 }, /--on and --batch exclude each other: on a fleet each input is a job/);
  refuses({ range, on, compareInline: true }, /--on and --compare-inline exclude each other/);
});

test('a timeout is for one input', () => {
  assert.equal(resolve({ range, timeout: 500 }).batch, 1);
  assert.equal(resolve({ range, timeout: 500, batch: 1 }).batch, 1);
  refuses({ range, timeout: 500, batch: 8 }, /--timeout and --batch 8 exclude each other/);
  refuses({ range, timeout: 500, batch: 'auto' }, /exclude each other/);
});

test('refuses what cannot go together', () => {
  refuses({ range, journal: 'j', reduce: 'sum' }, /--journal and --reduce/);
  refuses({ range, journal: 'j', format: 'json' }, /--journal and --format json/);
  refuses({ range, reduce: 'sum', withInput: true }, /--reduce and --with-input/);
  refuses({ range, format: 'text', withInput: true }, /--format text and --with-input/);
});

test('content is of files, and lists of arguments are of JSON', () => {
  assert.deepEqual(resolve({ files: ['a'], read: true }).input, {
    kind: 'files',
    patterns: ['a'],
    dot: false,
    read: true,
  });
  assert.deepEqual(resolve({ json: 'a.json', spread: true }).input, {
    kind: 'json',
    file: 'a.json',
    spread: true,
  });
  refuses({ range, read: true }, /--read needs --files/);
  refuses({ files: ['a'], spread: true }, /--spread needs --json/);
});
