/** What machines are like: one core, no `taskset`, a command that is killed. And inputs without end. */

import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { usableCpus } from '../dist/experiment/machine.js';
import { main, start, task, temporaryFolder } from './command.mjs';

const cpus = usableCpus();
const skip = cpus === undefined ? 'there is no taskset' : false;

/**
 * Measures for three seconds. Where other programs have the cores, that may be over before the function has answered once: then the command
 * says so, there is no report, and this resolves to undefined.
 */
async function measured(inputs, { env, on = [] } = {}) {
  const file = join(temporaryFolder(), 'report.json');
  const args = ['analyze', task('increment'), '--range', inputs, '--budget', '3s', '--out', file];
  const [command, ...first] = [...on, process.execPath];
  const child = spawn(command, [...first, main, ...args], {
    env: { ...process.env, ...env },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const [stderr, [code]] = await Promise.all([text(child.stderr), once(child, 'exit')]);
  if (code === 2 && /: it had not answered after [\d.]+ s$/m.test(stderr)) return undefined;
  assert.equal(code, 0, stderr);
  return JSON.parse(readFileSync(file, 'utf8'));
}

const NO_ANSWER = 'the function did not answer: other programs have the cores';

/** Fewer cores were not measured for the given reason; or there was no time for it, or something before it failed. */
function assertLeftOut({ skipped, isCutShort }, reason) {
  const left = skipped.find(({ what }) => what === 'fewer cores');
  const isKnown = left === undefined ? skipped.length > 0 : reason.test(left.why);
  assert.ok(isKnown || isCutShort, left?.why);
}

test('a million inputs are sampled, and a machine without taskset is measured without fewer cores', async (t) => {
  const report = await measured('1..1000000', { env: { PATH: '' } });
  if (report === undefined) return t.skip(NO_ANSWER);
  const { samples } = report;
  const { count, used } = samples.subject.inputs;
  assert.equal(count, 1_000_000);
  assert.ok((used > 0 || samples.skipped.length > 0) && used <= 1000, `${used}`);
  assert.deepEqual(samples.cores, []);
  assertLeftOut(samples, samples.machine.cores === 1 ? /one core/ : /taskset/);
});

test('on one core threads are not said to pay for what computes', { skip }, async (t) => {
  const report = await measured('1..100', { on: ['taskset', '-c', String(cpus[0])] });
  if (report === undefined) return t.skip(NO_ANSWER);
  const { samples, verdict, recommended } = report;
  assert.equal(samples.machine.cores, 1);
  assert.match(verdict.answer, /^(inline|unknown)$/);
  // Which of the reasons comes first depends on what was measured; there is more than one.
  if (verdict.answer === 'inline') assert.deepEqual(recommended, { placement: 'inline' });
  assertLeftOut(samples, /one core/);
});

test('a command that is killed leaves no process that loops for ever', async () => {
  const server = createServer();
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const module = fileURLToPath(new URL('fixtures/analyze/loops-for-ever.mjs', import.meta.url));
  const { child, ended } = start(['analyze', module, '--range', '1..3', '--budget', '5m'], {
    input: '',
    env: { TEST_SOCKET: String(server.address().port) },
  });
  const [socket] = await once(server, 'connection');
  await once(socket, 'data');
  const closed = once(socket, 'close');
  socket.on('error', () => {}); // It may be reset.
  child.kill('SIGKILL');
  await ended;
  await closed;
  server.close();
});
