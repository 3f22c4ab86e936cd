/** The line on which the progress and the answer so far stand: on a terminal, and nowhere else. And what cannot be written in the end. */
import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { test } from 'node:test';
import { measureAndReport, openProgress, terminal } from './measure-and-report.js';
import type { Report } from './model.js';
import { outputsOf, writeReports } from './outputs.js';

process.env.TERM = 'xterm';
delete process.env.NO_COLOR;

function shown(isTTY: boolean): string {
  const stream = Object.assign(new PassThrough({ encoding: 'utf8' }), { isTTY, columns: 200 });
  // As much of a terminal as a bar needs.
  const line = openProgress(stream as unknown as NodeJS.WriteStream);
  line.progress({ what: 'round 3', done: 0.25 });
  line.sayAnswer('Threads pay: 1.9 x with 2 threads');
  line.progress({ what: 'round 4', done: 0.5 });
  line.stop();
  return String(stream.read() ?? '');
}

test('on a terminal the answer so far stands beside the progress', () => {
  assert.match(shown(true), /round 4, so far: Threads pay: 1\.9 x with 2 threads/);
});

test('in a log nothing of it stands', () => {
  assert.equal(shown(false), '');
});

test('on a terminal that can only print, nothing is overwritten and nothing coloured', () => {
  const { stdout, env } = process;
  const before = Object.getOwnPropertyDescriptor(stdout, 'isTTY');
  try {
    Object.defineProperty(stdout, 'isTTY', { value: true, configurable: true });
    assert.equal(terminal().isColor, true);
    env.TERM = 'dumb';
    assert.equal(terminal().isColor, false);
    assert.equal(shown(true), '');
  } finally {
    env.TERM = 'xterm';
    if (before === undefined) Reflect.deleteProperty(stdout, 'isTTY');
    else Object.defineProperty(stdout, 'isTTY', before);
  }
});

test('a terminal that does not tell its width is as wide as no terminal', () => {
  const { stdout } = process;
  const before = Object.getOwnPropertyDescriptor(stdout, 'columns');
  const widthWith = (columns: number | undefined) => {
    Object.defineProperty(stdout, 'columns', { value: columns, configurable: true });
    return terminal().columns;
  };
  try {
    assert.equal(widthWith(72), 72);
    assert.ok(widthWith(undefined) >= 80);
    assert.equal(widthWith(0), widthWith(undefined));
  } finally {
    if (before === undefined) Reflect.deleteProperty(stdout, 'columns');
    else Object.defineProperty(stdout, 'columns', before);
  }
});

test('a second signal ends the command with the exit code of the first', async (t) => {
  const exit = t.mock.method(process, 'exit', (() => undefined) as never);
  let end!: (error: Error) => void;
  const measured = new Promise<never>((_, reject) => {
    end = reject;
  });
  const unused = () => assert.fail();
  const subject = { measure: () => measured, analyze: unused, report: unused };
  const reported = measureAndReport(
    subject,
    { budgetMs: 1 },
    { outputs: [], read: [], quiet: true, isVerbose: false },
  );
  process.emit('SIGTERM', 'SIGTERM');
  assert.equal(exit.mock.callCount(), 0);
  process.emit('SIGINT', 'SIGINT');
  end(new Error('ended'));
  await assert.rejects(reported, /ended/);
  assert.deepEqual(exit.mock.calls[0]?.arguments, [143]);
});

test('where a report can no longer be written, the others are', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'threadwise-reports-'));
  try {
    const taken = join(folder, 'taken');
    writeFileSync(taken, '');
    const files = [join(taken, 'first.json'), join(folder, 'second.json'), join(taken, 'third.json')];
    const writing = writeReports(outputsOf(files), { findings: { schemaVersion: 1 } } as unknown as Report);
    const told = /cannot write \S*first\.json: a part of the path.*\n.*cannot write \S*third\.json: a part/;
    await assert.rejects(writing, { exitCode: 1, message: told });
    assert.equal(readFileSync(files[1]!, 'utf8'), '{\n  "schemaVersion": 1\n}\n');
  } finally {
    rmSync(folder, { recursive: true });
  }
});
