/** What machines are like: one core, no `taskset`, a command that is killed. And inputs without end. */

import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { usableCpus } from '../dist/experiment/machine.js';
import { main, run, start, task, temporaryFolder } from './command.mjs';

const cpus = usableCpus();
const skip = cpus === undefined ? 'there is no taskset' : false;

test('a million inputs are sampled, and a machine without taskset is measured without fewer cores', async () => {
  const file = join(temporaryFolder(), 'report.json');
  const args = ['analyze', task('increment'), '--range', '1..1000000', '--budget', '3s', '--out', file];
  const { code, stderr } = await run(args, { env: { PATH: '' } });
  assert.equal(code, 0, stderr);
  const { samples } = JSON.parse(readFileSync(file, 'utf8'));
  const { count, used } = samples.subject.inputs;
  assert.equal(count, 1_000_000);
  assert.ok(used > 0 && used <= 1000, `${used}`);
  assert.deepEqual(samples.cores, []);
  const left = samples.skipped.find(({ what }) => what === 'fewer cores');
  assert.match(left.why, samples.machine.cores === 1 ? /one core/ : /taskset/);
});

test('on one core threads are not said to pay for what computes', { skip }, async () => {
  const file = join(temporaryFolder(), 'report.json');
  const args = ['analyze', task('increment'), '--range', '1..100', '--budget', '3s', '--out', file];
  const child = spawn('taskset', ['-c', String(cpus[0]), process.execPath, main, ...args], {
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  assert.deepEqual(await once(child, 'exit'), [0, null]);
  const { samples, verdict, recommended } = JSON.parse(readFileSync(file, 'utf8'));
  assert.equal(samples.machine.cores, 1);
  assert.match(verdict.answer, /^(inline|unknown)$/);
  // Which of the reasons comes first depends on what was measured; there is more than one.
  if (verdict.answer === 'inline') assert.deepEqual(recommended, { placement: 'inline' });
  // The time may be over before it comes to this, or a process may not have answered.
  const { skipped, isCutShort } = samples;
  const fewer = skipped.find(({ what }) => what === 'fewer cores');
  assert.ok(fewer === undefined ? isCutShort || skipped.length > 0 : /one core/.test(fewer.why));
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
