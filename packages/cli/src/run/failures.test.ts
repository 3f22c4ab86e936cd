import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Failures } from './delivery.js';

function note(failures: Failures, input: unknown, message: string, stack?: string): void {
  failures.note({
    batch: { inputs: [{ value: input, position: 0, bytes: 0 }] },
    text: '',
    values: [],
    failures: [{ at: 0, error: { name: 'Error', message, code: 'EX', stack } }],
    ran: 1,
    runMs: 0,
  });
}

test('lists the first twenty and counts the others', () => {
  const failures = new Failures();
  for (let i = 0; i < 5000; i += 1) note(failures, { id: i }, 'no');
  const lines = failures.report(0).split('\n');
  assert.equal(lines[0], '5000 inputs failed:');
  assert.equal(lines[1], '  {"id":0}: Error [EX]: no');
  assert.equal(lines[21], '  and 4980 more');
  assert.equal(lines.length, 23);
});

test('cuts what is long and indents what has lines', () => {
  const failures = new Failures();
  note(failures, 'x'.repeat(10_000), `one\ntwo ${'y'.repeat(10_000)}`);
  const report = failures.report(0);
  assert.ok(report.length < 1000);
  assert.match(report, /x…: Error \[EX\]: one\n {4}two y/);
});

test('what inputs and errors have in them steers no terminal, and fakes no line', () => {
  const failures = new Failures();
  note(failures, 'a\nb \x1b[31m', 'in \x1b[31mred\x1b[39m\r\x9b2J\ntwo', 'at \x07f (x.js:1:1)');
  assert.equal(
    failures.report(0),
    '1 input failed:\n  "a\\nb \\u001b[31m": Error [EX]: in red\n    two\n      at \ufffdf (x.js:1:1)\n',
  );
});

test('tells of failures in earlier runs, of which only the number is known', () => {
  assert.equal(new Failures().report(0), '');
  assert.equal(new Failures().report(2), '2 inputs failed:\n  2 in earlier runs of the journal\n');
});

test('tells each place once, and few lines of it', () => {
  const failures = new Failures();
  const deep = Array.from({ length: 9 }, (_, i) => `at f${i} (x.js:${i}:1)`).join('\n');
  for (const stack of [deep, 'at g (y.js:1:1)', deep]) note(failures, 1, 'no', stack);
  const lines = failures.report(0).split('\n');
  assert.deepEqual(
    lines.filter((line) => line.includes('at ')),
    [0, 1, 2, 3, 4].map((i) => `      at f${i} (x.js:${i}:1)`).concat('      at g (y.js:1:1)'),
  );
  assert.equal(lines.filter((line) => line.includes('Error [EX]: no')).length, 3);
});
