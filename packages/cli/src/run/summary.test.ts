import assert from 'node:assert/strict';
import { test } from 'node:test';
import { noCounts } from './inputs/input-source.js';
import { formatDuration, formatRate } from '../format/figures.js';
import { resolveRunOptions } from './options.js';
import { stateOf } from './progress.js';
import { hintsFor, type Report, renderSummary } from './summary.js';

const report: Report = {
  unit: 'files',
  end: 'complete',
  counts: { inputs: 5000, failed: 0, bytes: 200 * 1024 * 1024 },
  earlier: noCounts,
  failed: 0,
  threads: 4,
  machines: undefined,
  crashes: { count: 0, last: '' },
  elapsedMs: 2000,
  startMs: 100,
  inline: undefined,
  isReadOnce: false,
};

test('says what was measured', () => {
  assert.deepEqual(renderSummary(report, ['try this']).split('\n'), [
    'inputs   5,000 files',
    'bytes    200 MiB',
    'failed   0',
    'rate     2,500 files/s, 100 MiB/s',
    'threads  4',
    'time     2.00 s, 100 ms of it to start the threads',
    'next: try this',
    '',
  ]);
});

test('says how many threads ended by themselves, and why the last one did', () => {
  const textOf = (last: string) => renderSummary({ ...report, crashes: { count: 2, last } }, []);
  assert.match(
    textOf('RangeError: too\nlong'),
    /^threads {2}4; ended by themselves: 2, the last by RangeError: too$/m,
  );
  assert.match(textOf('\nlong'), /^threads {2}4; ended by themselves: 2$/m);
});

test('where a failure ends the run, only the inputs that are done are counted, and called so', () => {
  const counts = { inputs: 2, failed: 0, bytes: 0 };
  const text = renderSummary({ ...report, end: 'failed', counts, failed: 7 }, []);
  assert.match(text, /^inputs {3}2 files done \(stopped at a failure\)\nfailed {3}7$/m);
});

test('says of a fleet how many machines there were, and nothing about the threads of this one', () => {
  const fleet = { ...report, threads: 8, machines: 2 };
  const text = renderSummary(fleet, []);
  assert.match(text, /^threads {2}8 on 2 machines$/m);
  assert.match(text, /^time {5}2\.00 s, 100 ms of it to reach the fleet$/m);
  const options = resolveRunOptions('./tasks.js', { range: { from: 1, to: 2 }, reduce: 'sum' }, true);
  assert.deepEqual(hintsFor(fleet, options), []);
});

test('says that a speed-up is an estimate from a sample', () => {
  const inline = {
    inputs: 200,
    ms: 150,
    how: 'large files more often',
    estimateMs: (n: number) => n,
    failure: undefined,
  };
  const text = renderSummary({ ...report, inline }, []);
  assert.match(
    text,
    /inline\s+about 5\.00 s with reading and writing, estimated from a sample of 200 files \(large files more often\) that took 150 ms/,
  );
  assert.match(text, /speed-up\s+about 2\.50 x, 2\.63 x once the threads had started/);
  const quick = renderSummary({ ...report, inline: { ...inline, ms: 0.2, estimateMs: () => 0.4 } }, []);
  assert.match(quick, /inline\s+less than 1 ms with reading and writing, .* that took less than 1 ms$/m);
  assert.match(quick, /speed-up\s+less than 0\.01 x, less than 0\.01 x once/);
});

test('counts rates of this run only, and tells of earlier ones', () => {
  const earlier = { inputs: 4000, failed: 0, bytes: 0 };
  const text = renderSummary({ ...report, earlier, end: 'interrupted' }, []);
  assert.match(text, /5,000 files \(interrupted\), 4,000 of them in earlier runs/);
  assert.match(text, /rate\s+500 files\/s/);
});

test('gives at most two hints, those that fit', () => {
  const options = (raw: object) => resolveRunOptions('x.js', { range: { from: 1, to: 2 }, ...raw }, true);
  const failed = hintsFor({ ...report, end: 'failed', failed: 1 }, options({ journal: 'j' }));
  assert.equal(failed.length, 2);
  assert.match(failed[0]!, /same command again/);
  assert.match(failed[1]!, /--on-error skip/);
  assert.match(hintsFor(report, options({}))[0]!, /--compare-inline/);
  // It would be refused: a pipe cannot be read twice.
  assert.doesNotMatch(hintsFor({ ...report, isReadOnce: true }, options({})).join('\n'), /--compare-inline/);
});

test('progress says how far, how fast and how long, as far as it is known', () => {
  const counts = { inputs: 1000, failed: 3, bytes: 0 };
  const totals = { total: 4000, totalBytes: undefined };
  assert.equal(stateOf(counts, noCounts, totals, 2000), '1,000 of 4,000 | 500/s | 6.00 s left | 3 failed');
  assert.equal(
    stateOf(counts, noCounts, { total: undefined, totalBytes: undefined }, 2000),
    '1,000 done | 500/s | 3 failed',
  );
  const half = stateOf(
    { ...counts, failed: 0, bytes: 512 },
    noCounts,
    { total: undefined, totalBytes: 1024 },
    1000,
  );
  assert.equal(half, '1,000 done, 512 B of 1 KiB | 1,000/s | 1.00 s left');
});

test('writes durations and rates as people do', () => {
  assert.deepEqual([5, 1500, 12_340, 65_000, 3_700_000].map(formatDuration), [
    '5 ms',
    '1.50 s',
    '12.3 s',
    '1 min 5 s',
    '1 h 1 min',
  ]);
  assert.deepEqual([999.7, 9996, 59_960].map(formatDuration), ['1.00 s', '10.0 s', '1 min 0 s']);
  assert.deepEqual([0.5, 12.34, 99.96, 12345].map(formatRate), ['0.5', '12.3', '100', '12,345']);
});

test('more done than there is, of a file that grew or of files that are gone, is no time left below 0', () => {
  const grown = { inputs: 300, failed: 0, bytes: 3000 };
  const bytes = stateOf(grown, noCounts, { total: undefined, totalBytes: 2000 }, 1000);
  assert.match(bytes, /\| 0 ms left$/);
  const earlier = { inputs: 200, failed: 0, bytes: 0 };
  const files = stateOf({ ...earlier, inputs: 210 }, earlier, { total: 100, totalBytes: undefined }, 1000);
  assert.equal(files, '210 of 100 | 10/s');
});
