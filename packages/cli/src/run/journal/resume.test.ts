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
import { type JournalIdentity, newRun, planResume, type Resume, sealed } from './resume.js';

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
  assert.deepEqual(plan(), newRun);
});

test('goes on from the last record', () => {
  writeTwoRecords();
  assert.deepEqual(plan(), {
    kind: 'continue',
    counts: counts(4),
    done: { mark: 3, beyond: [] },
    output: { place: { kind: 'out', path: '/out.ndjson' }, offset: 40 },
    length: readFileSync(path).length,
    size: readFileSync(path).length,
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
    assert.deepEqual(plan(), { ...newRun, size: length });
  }
  begin(plan()).journal.close();
  assert.equal(readFileSync(path, 'utf8'), header);
});

test('finds the last record behind a very long one and in front of a very long torn one', () => {
  writeTwoRecords();
  const long = { mark: 9, beyond: [], inputs: 10, failed: 2, bytes: 0, offset: 90, x: 'y'.repeat(200_000) };
  appendFileSync(path, sealed(long));
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

test('a whole line that is not as it was written is damage, not a kill', () => {
  writeTwoRecords();
  const whole = readFileSync(path, 'utf8');
  const changed = [
    `${whole}garbage\n`,
    `${whole}{"mark":3,"beyond":[],"inputs":4,"failed":0,"bytes":40,"offset":40}\n`,
    whole.replace('"mark":3', '"mark":2'),
    whole.replace(/40(?=,"crc32)/, '41'),
    whole.replace('"offset":0', '"offset":1'),
    whole.replace(/\d(?=\}\n$)/, (digit) => String((Number(digit) + 1) % 10)),
    whole.replace(/.(?=,"crc32)/, '"mark":1,$&'),
  ];
  for (const content of changed) {
    assert.notEqual(content, whole);
    writeFileSync(path, content);
    failsWith(/is damaged: the checksum of a line is wrong$/);
    assert.equal(readFileSync(path, 'utf8'), content);
  }
});
