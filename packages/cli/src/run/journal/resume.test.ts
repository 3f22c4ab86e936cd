import assert from 'node:assert/strict';
import { appendFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, beforeEach, test } from 'node:test';
import { UsageError } from '../../exit-code.js';
import type { Counts } from '../inputs/input-source.js';
import type { Sink } from '../output/sink.js';
import type { Batch } from '../work/batch.js';
import { openJournal } from './journal.js';
import { type JournalIdentity, newRun, planResume, type Resume } from './resume.js';

let folder: string;
let path: string;
let count = 0;

before(() => {
  folder = mkdtempSync(join(tmpdir(), 'threadwise-journal-'));
});
beforeEach(() => {
  count += 1;
  path = join(folder, `${count}.journal`);
});
after(() => rmSync(folder, { recursive: true }));

const identity: JournalIdentity = {
  module: 'file:///tasks.js',
  export: 'hash',
  input: { kind: 'range', from: 1, to: 100 },
  out: '/out.ndjson',
  format: 'ndjson',
  withInput: false,
};

const counts = (inputs: number, failed = 0): Counts => ({ inputs, failed, bytes: inputs * 10 });
const batch = (first: number, last: number, after?: number): Batch => ({
  inputs: [first, last].map((position) => ({ value: position, position, bytes: 0 })),
  after,
});

/** A sink of which only the offset matters. */
const sinkAt = (offset: number): Sink & { offset: number } => ({
  place: { kind: 'out', path: '/out.ndjson' },
  offset,
  async write() {},
  commit() {},
  close() {},
});

function begin(resume: Resume, offset = 0) {
  const sink = sinkAt(offset);
  const journal = openJournal(path, identity, resume);
  journal.begin(sink);
  return { sink, journal };
}

const plan = (with_: JournalIdentity = identity): Resume => planResume(path, with_);
const failsWith = (message: RegExp, with_?: JournalIdentity): void =>
  assert.throws(
    () => plan(with_),
    (error) => error instanceof UsageError && message.test(error.message),
  );

function writeTwoRecords(): void {
  const { sink, journal } = begin(newRun);
  for (const one of [batch(0, 1), batch(2, 3, 1)]) {
    sink.offset += 20;
    journal.finish(one, 2);
    journal.record(counts(sink.offset / 10), sink);
  }
  journal.close();
}

test('without a journal, or with an empty one, a run is new', () => {
  assert.equal(plan(), newRun);
  writeFileSync(path, '');
  assert.equal(plan(), newRun);
});

test('goes on from the last record', () => {
  writeTwoRecords();
  assert.deepEqual(plan(), {
    kind: 'continue',
    counts: counts(4),
    done: { mark: 3, beyond: [] },
    output: { place: { kind: 'out', path: '/out.ndjson' }, offset: 40 },
    length: readFileSync(path).length,
  });
});

test('a torn last line is ignored and cut off, wherever it was torn', () => {
  writeTwoRecords();
  const whole = readFileSync(path, 'utf8');
  const lines = whole.split('\n');
  const lastStart = whole.length - lines.at(-2)!.length - 1;
  for (let length = lastStart; length < whole.length; length += 1) {
    writeFileSync(path, whole.slice(0, length));
    const resume = plan();
    assert.ok(resume.kind === 'continue');
    assert.deepEqual([resume.done.mark, resume.output!.offset, resume.length], [1, 20, lastStart]);
  }
  begin(plan()).journal.close();
  assert.equal(readFileSync(path, 'utf8'), whole.slice(0, lastStart));
});

test('killed before the first record, it goes on from the header', () => {
  begin(newRun, 7).journal.close();
  const resume = plan();
  assert.ok(resume.kind === 'continue');
  assert.deepEqual(resume.done, { mark: undefined, beyond: [] });
  assert.equal(resume.output!.offset, 7);
});

test('killed within the header, it begins anew', () => {
  begin(newRun).journal.close();
  const header = readFileSync(path, 'utf8');
  for (const length of [1, 20, header.length - 1]) {
    writeFileSync(path, header.slice(0, length));
    assert.equal(plan(), newRun);
  }
  begin(plan()).journal.close();
  assert.equal(readFileSync(path, 'utf8'), header);
});

test('finds the last record behind a very long one and in front of a very long torn one', () => {
  writeTwoRecords();
  appendFileSync(
    path,
    `{"mark":9,"beyond":[],"inputs":10,"failed":2,"bytes":0,"offset":90,"x":"${'y'.repeat(200_000)}"}\n`,
  );
  appendFileSync(path, `{"mark":10,"x":"${'z'.repeat(300_000)}`);
  const resume = plan();
  assert.ok(resume.kind === 'continue');
  assert.deepEqual([resume.done.mark, resume.counts.failed, resume.output!.offset], [9, 2, 90]);
});

test('a complete run is complete', () => {
  const { sink, journal } = begin(newRun);
  const all = batch(0, 99);
  journal.finish(all, 2);
  journal.record(counts(100, 3), sink, { complete: true });
  journal.close();
  assert.deepEqual([plan().kind, plan().counts], ['complete', counts(100, 3)]);
});

test('another command is told what differs', () => {
  writeTwoRecords();
  failsWith(/belongs to another command: format was "ndjson", is "text"/, { ...identity, format: 'text' });
  failsWith(/export was "hash", is null; out was "\/out\.ndjson", is "\/b"/, {
    ...identity,
    export: null,
    out: '/b',
  });
  failsWith(/input was .*"to":100.*, is .*"to":200/, {
    ...identity,
    input: { kind: 'range', from: 1, to: 200 },
  });
});

test('a file that is no journal is left alone', () => {
  for (const content of ['precious data\n', 'x', '{"threadwise":"other"}\n']) {
    writeFileSync(path, content);
    failsWith(/is not a journal of threadwise run/);
    assert.equal(readFileSync(path, 'utf8'), content);
  }
});

test('a whole line that is no JSON is damage, not a kill', () => {
  writeTwoRecords();
  appendFileSync(path, 'garbage\n');
  failsWith(/is damaged/);
});

/** The identity of a run over files, whose positions are paths. */
const ofFiles: JournalIdentity = { ...identity, input: { kind: 'files', patterns: ['**'] } };

/** The error message for a record with these fields; undefined: it is accepted. */
function refusal(fields: object, of: JournalIdentity = identity): string | undefined {
  const header = { threadwise: 'journal', version: 1, ...of, place: { kind: 'stream' }, offset: 10 };
  const record = { mark: 3, beyond: [], inputs: 4, failed: 0, bytes: 0, offset: 40, ...fields };
  writeFileSync(path, `${JSON.stringify(header)}\n${JSON.stringify(record)}\n`);
  try {
    plan(of);
    return undefined;
  } catch (error) {
    assert.ok(error instanceof UsageError, String(error));
    return error.message.replace(`journal '${path}' is damaged: `, '');
  }
}

test('no field of a record is believed: each is checked, with what was expected and what came', () => {
  assert.equal(refusal({}), undefined);
  const count = 'expected a whole number, 0 or more';
  const position = 'expected the number of an input, from 0 on, or null';
  for (const [fields, message] of [
    [{ mark: -5 }, `mark: ${position}, got -5`],
    [{ mark: 1.5 }, `mark: ${position}, got 1.5`],
    [{ mark: '3' }, `mark: ${position}, got "3"`],
    [{ mark: 2 ** 53 }, `mark: ${position}, got 9007199254740992`],
    [{ mark: undefined }, `mark: ${position}, got nothing`],
    [{ beyond: {} }, 'beyond: expected an array, got an object'],
    [{ beyond: [7] }, 'beyond[0]: expected the first and the last of a stretch, got 7'],
    [{ beyond: [[5, 6, 7]] }, 'beyond[0]: expected the first and the last of a stretch, got an array of 3'],
    [{ beyond: [[7, 5]] }, 'beyond[0]: expected the first and the last of a stretch, got an array of 2'],
    [{ beyond: [[5, null]] }, 'beyond[0]: expected the first and the last of a stretch, got an array of 2'],
    [{ inputs: -1 }, `inputs: ${count}, got -1`],
    [{ inputs: undefined }, `inputs: ${count}, got nothing`],
    [{ failed: 'none' }, `failed: ${count}, got "none"`],
    [{ bytes: null }, `bytes: ${count}, got null`],
    [{ offset: -1 }, `offset: ${count}, got -1`],
    [{ complete: 'yes' }, 'complete: expected true, got "yes"'],
  ] as const) {
    assert.equal(refusal(fields), message);
  }
});

test('the fields of a record must agree with each other', () => {
  for (const [fields, message] of [
    [{ mark: 1 }, 'inputs: expected 2, as many as mark and beyond say are done, got 4'],
    [{ mark: 199 }, 'inputs: expected 200, as many as mark and beyond say are done, got 4'],
    [{ mark: null }, 'inputs: expected 0, as many as mark and beyond say are done, got 4'],
    [{ beyond: [[5, 9]] }, 'inputs: expected 9, as many as mark and beyond say are done, got 4'],
    [{ beyond: [[2, 9]] }, 'beyond[0]: expected a stretch behind the mark, got one from 2 on'],
    [{ failed: 5 }, 'failed: expected at most 4, the number of inputs, got 5'],
    [{ offset: 9 }, 'offset: expected at least 10, where the output begins, got 9'],
  ] as const) {
    assert.equal(refusal(fields), message);
  }
  assert.equal(
    refusal({
      beyond: [
        [6, 6],
        [5, 9],
        [12, 13],
      ],
      inputs: 11,
    }),
    undefined,
    'stretches may overlap',
  );
});

test('of files the positions are absolute paths, in path order', () => {
  const done = {
    mark: '/a/b',
    beyond: [
      ['/a/c', '/a/d/e'],
      ['/a-b', '/a-b'],
    ],
  };
  assert.equal(refusal(done, ofFiles), undefined);
  const position = 'expected the absolute path of an input, or null';
  assert.equal(refusal({ ...done, mark: 3 }, ofFiles), `mark: ${position}, got 3`);
  assert.equal(refusal({ ...done, mark: 'a/b' }, ofFiles), `mark: ${position}, got "a/b"`);
  assert.equal(
    refusal({ ...done, mark: '/a/d' }, ofFiles),
    'beyond[0]: expected a stretch behind the mark, got one from "/a/c" on',
  );
  assert.equal(
    refusal({ mark: null, beyond: [] }, ofFiles),
    'inputs: expected 0, since nothing is done, got 4',
  );
});

test('no field of a header is believed either', () => {
  writeTwoRecords();
  const [header, ...records] = readFileSync(path, 'utf8').split('\n');
  const count = 'expected a whole number, 0 or more';
  for (const [fields, message] of [
    [{ offset: -1 }, `offset: ${count}, got -1`],
    [{ offset: '0' }, `offset: ${count}, got "0"`],
    [{ place: 7 }, 'place: expected an object, got 7'],
    [{ place: { kind: 'moon' } }, 'place.kind: expected "out" or "file" or "stream", got "moon"'],
    [{ place: { kind: 'file', dev: 1 } }, 'place.ino: expected a number, got nothing'],
  ] as const) {
    writeFileSync(path, [JSON.stringify({ ...JSON.parse(header!), ...fields }), ...records].join('\n'));
    failsWith(new RegExp(`is damaged: ${message.replaceAll('.', '\\.')}$`));
  }
  const deep = `${'['.repeat(100_000)}${']'.repeat(100_000)}`;
  writeFileSync(path, [header!.replace(/"input":.*?\}/, `"input":${deep}`), ...records].join('\n'));
  failsWith(/belongs to another command: input was (\(too deep to be shown\)|\[{400}…), is /);
  writeFileSync(path, [header, `{"mark":${deep}}`, ''].join('\n'));
  failsWith(/is damaged: mark: expected .*, got an array of 1$/);
});
