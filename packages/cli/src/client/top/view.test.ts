import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'threadwise-test/fast-check';
import { widthOf } from '../../format/text.js';
import { textOf } from './line.js';
import { fakePool, fakeSnapshot } from './snapshot.test.fake.js';
import { initialState, pressed, type TopState } from './state.js';
import { snapshotText, view } from './view.js';

const NOW = 1_000_000;
const images = fakePool('images', {
  dispatch: 'direct',
  workers: [
    { id: 1, state: 'ready', load: 2, completed: 60, utilization: 0.5, heapUsedBytes: 2 ** 20, ageMs: 5000 },
    { id: 2, state: 'starting', load: 0, completed: 0, utilization: 0, heapUsedBytes: 2 ** 21, ageMs: 100 },
  ],
  functions: [
    { name: 'resize', place: 'threads', why: 'takes long', calls: 120, inline: 0, failures: 7, runMs: 12 },
  ],
  sizing: {
    policy: 'measured',
    decisions: [
      { at: NOW - 65_000, by: 'pool', from: 0, to: 1, why: 'first task', queued: 1, idle: 0 },
      { at: NOW - 12_000, by: 'pool', from: 1, to: 2, why: 'tasks wait', queued: 3, idle: 0 },
    ],
  },
});
const mail = fakePool('mail', {
  state: 'paused',
  threads: { min: 1, max: 1, current: 0 },
  queue: { size: 0, limit: 10, oldestMs: 0 },
});
const start = initialState('http://h:1', fakeSnapshot([images, mail], NOW));

const texts = (state: TopState, columns: number, rows: number): string[] =>
  view(state, { columns, rows }).map((line) => textOf(line).trimEnd());

test('40 columns and 12 rows: every section, columns by priority, hidden rows are counted', () => {
  assert.deepEqual(texts(start, 40, 12), [
    'http://h:1  pid 7  up 1m05s  server',
    '  POOL       STATE    THREADS  QUEUE',
    '> images     open         2/4      3',
    '  mail       paused       0/1      0',
    'images  5 open  120 done  1 failed',
    'WORKER^ 1/2  STATE     LOAD  ENDED  BUSY',
    '1            ready        2     60   50%',
    'FUNCTION       PLACE    CALLS     RUN',
    'resize         threads    120    12ms',
    'DECIDED 1/2      THREADS WHY',
    '12s ago           1 to 2 tasks wait',
    '? help  q quit  +/- threads  p pause',
  ]);
});

test('a function whose calls never came to an end has no running time', () => {
  const dies = { name: 'dies', place: 'threads', why: 'so', calls: 3, inline: 0, failures: 3, runMs: 0 };
  const state = initialState('http://h:1', fakeSnapshot([fakePool('images', { functions: [dies] })], NOW));
  assert.ok(texts(state, 120, 20).some((line) => /^dies +threads +3 +0 +3 +- so$/.test(line)));
});

test('120 columns and 20 rows: everything, and the status on the last row', () => {
  assert.deepEqual(texts(start, 120, 20), [
    'http://h:1  pid 7  up 1m05s  server  Node 20.19.0  1MiB resident',
    '  POOL       STATE    THREADS  QUEUE  OLDEST DONE/S CRASH   RUN50   RUN99  WAIT50  WAIT99 MAIN',
    '> images     open         2/4      3    1.5s   81.4     0    12ms   240ms   1.5ms    33ms   7%',
    '  mail       paused       0/1      0       0   81.4     0    12ms   240ms   1.5ms    33ms   7%',
    'images  5 open  120 done  1 failed  2 crashed',
    'threads 1-4 (measured)  queue limit none  choose least-busy  placement threads  dispatch direct',
    'WORKER^      STATE     LOAD  ENDED  BUSY   RUN50   RUN99  WAIT50  WAIT99     CPU  CPUWAIT     HEAP     AGE',
    '1            ready        2     60   50%       -       -       -       -       -        -     1MiB      5s',
    '2            starting     0      0    0%       -       -       -       -       -        -     2MiB   100ms',
    'FUNCTION       PLACE    CALLS INLINE FAILED     RUN WHY',
    'resize         threads    120      0      7    12ms takes long',
    'DECIDED          THREADS QUEUED  IDLE BY          WHY',
    '12s ago           1 to 2      3     0 pool        tasks wait',
    '1m05s ago         0 to 1      1     0 pool        first task',
    '',
    '',
    '',
    '',
    '',
    '? help  q quit  +/- threads  p pause  r recycle  s/S sort  up/down pool',
  ]);
});

test('the other pool, once selected, has its own details', () => {
  const lines = texts({ ...start, selected: 'mail' }, 80, 10);
  assert.deepEqual(lines.slice(2, 6), [
    '  images     open         2/4      3    1.5s   81.4     0   240ms    33ms',
    '> mail       paused       0/1      0       0   81.4     0   240ms    33ms',
    'mail  5 open  120 done  1 failed  2 crashed',
    'threads 1 (measured)  queue limit 10  placement threads  dispatch shared-queue',
  ]);
  assert.ok(!lines.some((line) => line.startsWith('WORKER')));
});

test('the column that is sorted by is shown, whatever else is dropped for it', () => {
  const state: TopState = { ...start, sort: { by: 'AGE', descending: true } };
  const lines = texts(state, 40, 14);
  const head = lines.findIndex((line) => line.startsWith('WORKER'));
  // WORKER takes 12 columns; with their gaps AGE takes 8, STATE 9 and LOAD 6: 35 of 40. BUSY would take 6 more.
  assert.deepEqual(lines.slice(head, head + 3), [
    'WORKER       STATE     LOAD    AGEv',
    '1            ready        2      5s',
    '2            starting     0   100ms',
  ]);
});

test('a thousand threads: no figure is cut, nor how many rows are hidden, nor the number of a worker', () => {
  const workers = Array.from({ length: 1024 }, (_, i) => ({ id: 123_456 + i, state: 'ready', load: 1 }));
  const threads = { min: 1, max: 1024, current: 1024 };
  const decisions = [{ at: NOW, by: 'pool', from: 1024, to: 1023, why: 'idle', queued: 0, idle: 9 }];
  const pools = [fakePool('images', { threads, workers, sizing: { policy: 'measured', decisions } })];
  const state = initialState('http://h:1', fakeSnapshot(pools, NOW));
  assert.deepEqual(texts(state, 40, 9).slice(1, 8), [
    '  POOL       STATE      THREADS  QUEUE',
    '> images     open     1024/1024      3',
    'images  5 open  120 done  1 failed',
    'WORKER^ 1/1024 STATE     LOAD  BUSY',
    '123456         ready        1     -',
    'DECIDED            THREADS WHY',
    '0s ago        1024 to 1023 idle',
  ]);
});

test('a question begins with its keys and is not cut by the edge', () => {
  const asked = pressed(start, 'recycle').state;
  assert.deepEqual(texts(asked, 40, 12).slice(-2), [
    '[y/n] Replace every worker of images,',
    'one after another?',
  ]);
});

test('a lost connection says since when, and why; the figures stay', () => {
  const lines = texts({ ...start, now: NOW + 7000, lost: 'Nothing answers' }, 80, 12);
  assert.equal(lines[0], 'CONNECTION LOST 7s ago, trying again: Nothing answers');
  assert.equal(lines[2]?.slice(0, 8), '> images');
});

test('figures that do not come any more are told of before the connection is given up', () => {
  const late = { ...start, now: NOW + 3001 };
  assert.equal(
    texts(late, 80, 12)[0],
    "NO ANSWER for 3s: is the program's main thread blocked? (http://h:1)",
  );
  const inTime = { ...start, now: NOW + 3000 };
  assert.equal(texts(inTime, 80, 12)[0]?.slice(0, 10), 'http://h:1');
});

test('the help fits on 40 columns and 15 rows', () => {
  const help = pressed(start, 'help').state;
  const lines = texts(help, 40, 15);
  assert.ok(!lines.join('\n').includes('…'));
  assert.equal(lines[7], 'q            quit');
  assert.equal(lines.at(-1), 'Any key leads back.');
  assert.equal(lines[13], 'main thread is. - not known.');
});

test('without a pool it says so', () => {
  const empty = initialState('http://h:1', fakeSnapshot([], NOW));
  assert.equal(texts(empty, 80, 5)[2], 'The program has no pool at the moment.');
});

test('of many pools those around the selected one are shown, and how many', () => {
  const many = Array.from({ length: 9 }, (_, i) => fakePool(`p${i}`));
  const state = { ...initialState('http://h:1', fakeSnapshot(many, NOW)), selected: 'p6' };
  // Of 8 rows the header and the status take 2, and 6 are shared: first 2 for the pools and 1 for p6, then one more at a time.
  const lines = texts(state, 40, 8);
  assert.deepEqual(
    lines.slice(1, 6).map((line) => line.slice(0, 12)),
    ['  POOL 3/9', '  p5', '> p6', '  p7', 'p6  5 open'].map((text) => text.padEnd(12)),
  );
});

test('what emphasis means is also said in words', () => {
  const broken = fakePool('x', { state: 'broken', crashes: 3 });
  const [, , row] = view(initialState('http://h:1', fakeSnapshot([broken], NOW)), { columns: 80, rows: 10 });
  const bad = row!.filter(({ style }) => style === 'bad').map(({ text }) => text.trim());
  assert.deepEqual(bad, ['broken', '3']);
});

test('as text, every pool has its details, and nothing is cut', () => {
  const text = snapshotText(start, Number.POSITIVE_INFINITY);
  const lines = text.split('\n');
  assert.equal(lines[0], 'http://h:1  pid 7  up 1m05s  server  Node 20.19.0  1MiB resident');
  assert.ok(
    lines.includes(
      '1            ready        2     60   50%       -       -       -       -       -        -     1MiB      5s',
    ),
  );
  assert.ok(lines.includes('mail  5 open  120 done  1 failed  2 crashed'));
  assert.ok(lines.includes('1m05s ago         0 to 1      1     0 pool        first task'));
  assert.equal(lines.at(-1), '');
  assert.doesNotMatch(text.replaceAll('\n', ''), /[\p{Cc}…]/u);
});

test('figures that a program does not tell are shown as not known', () => {
  const bare = initialState('http://h:1', fakeSnapshot([{ name: 'old' }], NOW));
  assert.deepEqual(texts(bare, 80, 6).slice(1, 4), [
    '  POOL       STATE    THREADS  QUEUE  OLDEST DONE/S CRASH   RUN99  WAIT99',
    '> old        -            -/-      -       -      -     -       -       -',
    'old  - open  - done',
  ]);
});

/** Whatever a program sends: text of any characters, figures that are none, fields that are missing. */
const text = fc.string({ unit: 'binary', maxLength: 30 });
const figure = fc.oneof(fc.double(), fc.constant(null), text);
const record = <T>(value: fc.Arbitrary<T>, ...keys: string[]): fc.Arbitrary<object> =>
  fc.record(Object.fromEntries(keys.map((key) => [key, value])), { requiredKeys: [] });
const entry = fc
  .tuple(
    record(text, 'name', 'state', 'place', 'why', 'by'),
    record(figure, 'id', 'load', 'completed', 'utilization', 'ageMs', 'calls', 'runMs', 'at', 'from', 'to'),
  )
  .map(([texts, figures]) => ({ ...figures, ...texts }));
const anyPool = fc
  .tuple(
    record(text, 'state', 'dispatch', 'placement', 'choose'),
    record(figure, 'throughput', 'crashes', 'recycled'),
    record(
      record(figure, 'min', 'max', 'current', 'size', 'limit', 'p50', 'p99', 'open'),
      'threads',
      'queue',
      'tasks',
    ),
    record(record(record(figure, 'count', 'p50', 'p99'), 'runMs', 'waitMs'), 'recent'),
    record(fc.array(entry, { maxLength: 12 }), 'workers', 'functions'),
    fc.array(entry, { maxLength: 12 }),
    text,
  )
  .map(([texts, figures, records, recent, lists, decisions, name]) => ({
    ...texts,
    ...figures,
    ...records,
    ...recent,
    ...lists,
    sizing: { decisions },
    name,
  }));

test('whatever is sent, and on a screen of whatever size, the lines fit and obey nobody', () => {
  const keys = fc.array(
    fc.constantFrom('down', 'sort', 'reverse', 'help', 'more', 'pause', 'recycle') as fc.Arbitrary<'down'>,
    {
      maxLength: 6,
    },
  );
  fc.assert(
    fc.property(
      fc.array(anyPool, { maxLength: 6 }),
      keys,
      fc.integer({ min: 1, max: 220 }),
      fc.integer({ min: 1, max: 60 }),
      (pools, typed, columns, rows) => {
        let state = initialState('http://h:1', { process: {}, pools, at: NOW });
        for (const key of typed) state = pressed(state, key).state;
        const lines = view(state, { columns, rows }).map(textOf);
        assert.equal(lines.length, rows);
        for (const line of lines) {
          assert.ok(widthOf(line) <= columns, `${widthOf(line)} of ${columns}: ${line}`);
          assert.doesNotMatch(line, /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/u);
        }
      },
    ),
    { numRuns: 300 },
  );
});

test('calls that were open when their pool was destroyed are not called refused: no refused call is counted', () => {
  const pool = fakePool('closed', { tasks: { completed: 1, open: 0, rejected: 3 } });
  const lines = texts(initialState('http://a', fakeSnapshot([pool])), 80, 10);
  assert.ok(lines.includes('closed  0 open  1 done  3 ended with the pool'), lines.join('\n'));
});
