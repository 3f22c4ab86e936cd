/** A process that is slow to start, and one that says nothing once it listens. */
import assert from 'node:assert/strict';
import type { ChildProcess } from 'node:child_process';
import { EventEmitter, once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { pathToFileURL } from 'node:url';
import { Child } from './child.js';
import { wrapped } from './serve.js';

const LIMIT_MS = 3000;

/** A child that was asked a question, and its process, of which nothing runs. The time stands still but for what the test lets pass. */
function asked(t: TestContext) {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const events = new EventEmitter();
  const ends = () => events.emit('close', null, 'SIGKILL');
  const send = (question: object) => events.emit('asked', question);
  const child = new Child<{ step: { asks: number; gets: string } }>(
    Object.assign(events, { pid: 1, send, kill: ends }) as unknown as ChildProcess,
  );
  t.after(() => child.kill());
  return { events, outcome: child.ask('step', 7, LIMIT_MS) };
}

test('how long a process takes to start does not count as the time of its answer', async (t) => {
  const { events, outcome } = asked(t);
  t.mock.timers.tick(LIMIT_MS + 1);
  const question = once(events, 'asked');
  events.emit('message', wrapped({ type: 'hello' }));
  assert.deepEqual(await question, [wrapped({ type: 'step', asks: 7 })]);
  t.mock.timers.tick(LIMIT_MS - 1);
  events.emit('message', wrapped({ type: 'answer', outcome: { kind: 'done', value: 'it' as never } }));
  assert.deepEqual(await outcome, { kind: 'done', value: 'it' });
});

test('one that listens and does not answer in time is ended', async (t) => {
  const { events, outcome } = asked(t);
  const question = once(events, 'asked');
  events.emit('message', wrapped({ type: 'hello' }));
  await question;
  t.mock.timers.tick(LIMIT_MS);
  assert.deepEqual(await outcome, { kind: 'silent', ms: LIMIT_MS });
});

test('one that never listens is ended as well', async (t) => {
  const { outcome } = asked(t);
  t.mock.timers.tick(60_000);
  assert.equal((await outcome).kind, 'silent');
});

test('of one that ends by an error which nothing catches, the error and its place are known', async () => {
  for (const failing of ["throw new RangeError('too late')", "Promise.reject(new RangeError('too late'))"]) {
    const text = `import { serve } from '${new URL('./serve.js', import.meta.url).href}';
serve({ step: () => new Promise(() => setImmediate(() => { ${failing}; })) });`;
    const file = join(mkdtempSync(join(tmpdir(), 'threadwise-child-')), 'child.mjs');
    writeFileSync(file, text);
    const child = new Child<{ step: { asks: number; gets: string } }>(pathToFileURL(file));
    const outcome = await child.ask('step', 7, 60_000);
    const error = `RangeError: too late (${file}:2)`;
    assert.deepEqual(outcome, { kind: 'ended', exitCode: 1, signal: null, error });
    rmSync(dirname(file), { recursive: true });
  }
});
