/** `threadwise serve` on machines, which are processes here, and `threadwise run --on` of their fleet: with a real Redis. */

import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { freePort } from 'threadwise-test/free-port';
import { eventsOf, told } from '../../bullmq/test/helpers.mjs';
import { onEnd, RedisServer, skip } from '../../bullmq/test/redis.mjs';
import { lines, numbers, run, runTask, start, task, temporaryFolder } from './command.mjs';

const folder = temporaryFolder();
const at = (name) => join(folder, name);
const tasks = task('').slice(0, -1);
const tests = fileURLToPath(new URL('.', import.meta.url));
const addressOf = ({ port }, queue = 'work') => `redis://127.0.0.1:${port}/0#${queue}`;

/** A machine of the fleet; resolves when it takes jobs. */
async function machine(t, redis, options = {}, ...args) {
  const service = start(['serve', tasks, '--queue', addressOf(redis), '--threads', '2', ...args], options);
  onEnd(t, async () => {
    service.child.kill('SIGKILL');
    await service.ended;
  });
  await service.until('stderr', /takes jobs from 'work' at 127\.0\.0\.1:\d+\/0, with 2 threads/);
  return service;
}

describe('a fleet by the command', { skip }, () => {
  test('gives what a run without it gives', async (t) => {
    const redis = await RedisServer.start(t);
    await machine(t, redis);
    await machine(t, redis);
    writeFileSync(at('list.json'), '[[1, "a"], [2, "b"]]');
    for (const [name, args] of [
      ['increment', ['--range', '1..300']],
      ['increment', ['--range', '1..40', '--with-input', '--format', 'json']],
      ['digest', ['--files', join(tests, '*.mjs')]],
      ['size', ['--files', tasks, '--read']],
      ['pair', ['--json', at('list.json'), '--spread']],
      ['even', ['--range', '1..9', '--on-error', 'skip']],
    ]) {
      const here = await runTask(name, args);
      const there = await runTask(name, [...args, '--on', addressOf(redis)]);
      assert.equal(there.stdout, here.stdout, name);
      assert.equal(there.code, here.code, name);
    }
  });

  test('values that cannot cross fail with what helps: no lines of our own code, no option that the command does not have', async (t) => {
    const redis = await RedisServer.start(t);
    await machine(t, redis);
    const on = ['--on-error', 'skip', '--on', addressOf(redis)];
    const wide = 2 ** 20;
    const large = 'Put it where both sides reach it, and send where\n';
    const result = await runTask('repeated', ['--range', `${wide}..${wide}`, ...on]);
    assert.match(
      result.stderr,
      /^1 input failed:\n {2}1048576: \S+ \[ERR_PAYLOAD_TOO_LARGE\]: The result of/,
    );
    assert.ok(result.stderr.includes(large), result.stderr);
    writeFileSync(at('large.json'), JSON.stringify(['x'.repeat(wide)]));
    const args = await runTask('digest', ['--json', at('large.json'), ...on]);
    assert.ok(args.stderr.includes(large), args.stderr);
    const uncloneable = await runTask('functionAt5', ['--range', '5..5', ...on]);
    assert.match(uncloneable.stderr, /\[ERR_NOT_CLONEABLE\]/);
    for (const { code, stderr } of [result, args, uncloneable]) {
      assert.equal(code, 1);
      assert.doesNotMatch(stderr, /maxBytes|\n {6}at /);
    }
  });

  test('an input whose task fails with what a pool or a fleet of its own refuses fails alone', async (t) => {
    const redis = await RedisServer.start(t);
    await machine(t, redis);
    const args = ['--range', '1..7', '--on-error', 'skip', '--on', addressOf(redis)];
    const { code, stdout, stderr } = await runTask('failsInside', args);
    assert.deepEqual([code, stdout], [1, lines([1, 7])], stderr);
    assert.match(stderr, /^5 inputs failed:\n {2}2: Error \[ERR_TASK_ABORTED\]: an inner call was aborted\n/);
    assert.match(stderr, /^ {2}3: .*\[ERR_TASK_NOT_FOUND\]: another module has no such task\n/m);
    assert.match(
      stderr,
      /^ {2}4: .*\[ERR_FLEET_CONNECTION\]: another Redis was not reached\n {6}at failsInside \(.*\n {2}5: /m,
    );
    assert.match(stderr, /^ {2}5: .*\[ERR_FLEET_MODULE\]: another module cannot be read\n/m);
    assert.match(stderr, /^ {2}6: .*: its own channel is full; or raise 'maxBytes'\n/m);
  });

  test('tells each failing input, with its place in the function', async (t) => {
    const redis = await RedisServer.start(t);
    await machine(t, redis);
    const { code, stderr } = await runTask('even', ['--range', '2..3', '--on', addressOf(redis)]);
    assert.equal(code, 1);
    assert.match(
      stderr,
      /^1 input failed:\n {2}3: RangeError: 3 is odd\n {6}at even \(.*tasks\.mjs:\d+:\d+\)/,
    );
  });

  test('a machine that is killed in the middle changes nothing of the output', async (t) => {
    const redis = await RedisServer.start(t);
    const quick = ['--lock', '2501']; // half of it has a fraction
    const victim = await machine(t, redis, { env: { TEST_VICTIM: '1' } }, ...quick);
    const args = ['--range', '1..400', '--out', at('killed')];
    const running = run(['run', task('diesOnVictim'), ...args, '--on', addressOf(redis)]);
    assert.equal((await victim.ended).signal, 'SIGKILL');
    await machine(t, redis, {}, ...quick); // not before: it might get all the later inputs
    const { code, stderr } = await running;
    assert.equal(code, 0, stderr);
    assert.equal(readFileSync(at('killed'), 'utf8'), lines(numbers(1, 400)));
    assert.match(stderr, /threads +\d on [12] machines?/);
  });

  test('a run that stopped on this machine goes on, on a fleet', async (t) => {
    const redis = await RedisServer.start(t);
    const needed = at('needed');
    const env = { TEST_NEEDED_FILE: needed };
    const args = ['--range', '1..100', '--out', at('resumed'), '--journal', at('resumed.journal')];
    const here = await runTask('needsFile', args, { env });
    assert.equal(here.code, 1);
    writeFileSync(needed, '');
    const service = start(['serve', tasks, '--queue', addressOf(redis)], { env });
    onEnd(t, () => void service.child.kill('SIGKILL'));
    const { code, stderr } = await run(['run', task('needsFile'), ...args, '--on', addressOf(redis)]);
    assert.equal(code, 0, stderr);
    assert.match(stderr, /inputs +100 numbers, [1-9]\d* of them in earlier runs/);
    assert.equal(readFileSync(at('resumed'), 'utf8'), lines(numbers(1, 100)));
  });

  test('says that no machine takes jobs, and waits for one', async (t) => {
    const redis = await RedisServer.start(t);
    const command = start(['run', task('increment'), '--range', '1..3', '--on', addressOf(redis)]);
    await command.until('stderr', /no machine takes jobs from 'work' at 127\.0\.0\.1:\d+\/0 now/);
    await machine(t, redis);
    const { code, stdout } = await command.ended;
    assert.deepEqual([code, stdout], [0, '2\n3\n4\n']);
  });

  test('a signal ends a run that no machine works on: its jobs are taken back, what was done is kept', async (t) => {
    const redis = await RedisServer.start(t);
    const args = ['--range', '1..30', '--out', at('left'), '--journal', at('left.journal')];
    const events = await eventsOf(t, redis, 'work');
    let added = 0;
    const areOut = told(events, 'waiting', () => ++added === 16);
    const command = start(['run', task('increment'), ...args, '--on', addressOf(redis)]);
    await areOut;
    command.child.kill('SIGINT');
    const { code, stderr } = await command.ended;
    assert.equal(code, 130, stderr);
    assert.match(stderr, /inputs +0 numbers \(interrupted\)/);
    assert.match(stderr, /^failed +0$/m);
    assert.equal(await redis.client(t).zcard('bull:work:prioritized'), 0);
    await machine(t, redis);
    const again = await run(['run', task('increment'), ...args, '--on', addressOf(redis)]);
    assert.equal(again.code, 0, again.stderr);
    assert.equal(readFileSync(at('left'), 'utf8'), lines(numbers(2, 31)));
  });

  test('a run that is stopped ends when its last machine is gone, and keeps what that has done', async (t) => {
    const redis = await RedisServer.start(t);
    const service = await machine(t, redis, { env: { TEST_NEEDED_FILE: at('never') } });
    const command = start(['run', task('waitsForFile'), '--range', '1401..1500', '--on', addressOf(redis)]);
    await service.until('stderr', /halted/);
    service.child.kill('SIGKILL');
    command.child.kill('SIGTERM');
    await service.ended;
    // What a dead machine has reported last ends by itself, ten seconds later.
    const admin = redis.client(t);
    await admin.del(await admin.keys('bull:work:threadwise:machines:*'));
    const { code, stdout, stderr } = await command.ended;
    assert.equal(code, 143, stderr);
    const count = stdout.split('\n').length - 1;
    assert.equal(stdout, lines(numbers(1401, 1400 + count)));
    assert.match(stderr, /\(interrupted\)/);
  });

  test('a Redis that goes away while all calls are out ends the run', async (t) => {
    const redis = await RedisServer.start(t);
    const service = await machine(t, redis, { env: { TEST_NEEDED_FILE: at('never') } });
    const command = runTask('waitsForFile', ['--range', '1500..1501', '--on', addressOf(redis)]);
    await service.until('stderr', /halted\nhalted/);
    await redis.stop();
    const { code, stderr } = await command;
    assert.equal(code, 5, stderr);
    assert.match(stderr, /^threadwise: .*Redis at 127\.0\.0\.1:\d+ was not reached within 10000 ms: .*$/m);
  });

  test('a signal ends a machine when its jobs have ended; one that has none at once', async (t) => {
    const redis = await RedisServer.start(t);
    const needed = at('go');
    const service = await machine(t, redis, { env: { TEST_NEEDED_FILE: needed } });
    const command = runTask('waitsForFile', ['--range', '1500..1500', '--on', addressOf(redis)]);
    await service.until('stderr', /halted/);
    service.child.kill('SIGTERM');
    await service.until('stderr', /stopping: 1 job runs/);
    writeFileSync(needed, '');
    const [ended, { code, stdout }] = await Promise.all([service.ended, command]);
    assert.deepEqual([code, stdout], [0, '1500\n']);
    assert.equal(ended.code, 143);
    assert.match(ended.stderr, /stopped: 1 job done, 0 failed, 0 given back\n$/);
    const idle = await machine(t, redis);
    idle.child.kill('SIGINT');
    assert.match((await idle.ended).stderr, /stopping: no job runs/);
    assert.equal((await idle.ended).code, 130);
  });

  test('a signal ends a machine whose module is not loaded yet', async (t) => {
    const redis = await RedisServer.start(t);
    const slow = at('slow.mjs');
    writeFileSync(slow, "console.error('loading'); await new Promise((r) => setTimeout(r, 60_000));");
    const service = start(['serve', slow, '--queue', addressOf(redis)]);
    onEnd(t, () => void service.child.kill('SIGKILL'));
    await service.until('stderr', /loading/);
    service.child.kill('SIGTERM');
    const { code, stderr } = await service.ended;
    assert.equal(code, 143, stderr);
    assert.match(stderr, /stopped: 0 jobs done, 0 failed, 0 given back\n$/);
  });

  test('a machine with another version of the module is told, and so is a function that is not there', async (t) => {
    const redis = await RedisServer.start(t);
    await machine(t, redis);
    const other = at('other.mjs');
    writeFileSync(other, 'export const increment = (x) => x + 2;\n');
    const changed = await run(['run', `${other}#increment`, '--range', '1..3', '--on', addressOf(redis)]);
    assert.equal(changed.code, 1);
    assert.match(changed.stderr, /threadwise: .*module/);
    const kept = at('kept');
    writeFileSync(kept, 'old');
    const absent = await runTask('absent', ['--range', '1..3', '--out', kept, '--on', addressOf(redis)]);
    assert.equal(absent.code, 2, 'as without a fleet');
    assert.match(absent.stderr, /threadwise: .*'absent'/);
    assert.equal(readFileSync(kept, 'utf8'), 'old');
  });

  test('without the right password neither begins', async (t) => {
    const redis = await RedisServer.start(t, '--requirepass', 'secret');
    const address = `redis://:wrong@127.0.0.1:${redis.port}/0#work`;
    for (const args of [
      ['run', task('increment'), '--range', '1..3', '--on', address],
      ['serve', tasks, '--queue', address],
    ]) {
      const { code, stderr } = await run(args);
      assert.equal(code, 5, stderr);
      assert.match(stderr, /^threadwise: .*Redis at 127\.0\.0\.1:\d+ was not reached: WRONGPASS/m);
      assert.ok(!stderr.includes('wrong@'));
      assert.equal(stderr.match(/WRONGPASS/g).length, 1, stderr);
    }
  });
});

test('a Redis that is not there ends a run, and says where it was looked for', async () => {
  const address = addressOf({ port: await freePort() });
  const { code, stderr } = await runTask('increment', ['--range', '1..3', '--on', address]);
  assert.equal(code, 5);
  assert.match(
    stderr,
    /^threadwise: .*Redis at 127\.0\.0\.1:\d+ was not reached within 10000 ms: .*ECONNREFUSED/m,
  );
});

test('a module that does not load, and an export, are refused by a machine before it takes jobs', async () => {
  const address = addressOf({ port: await freePort() });
  const broken = at('broken.mjs');
  writeFileSync(broken, 'export const f = ;');
  const { code, stderr } = await run(['serve', broken, '--queue', address]);
  assert.equal(code, 2, stderr);
  assert.match(stderr, /^threadwise: cannot load '.*broken\.mjs': SyntaxError/m);
  const named = await run(['serve', task('increment'), '--queue', address]);
  assert.equal(named.code, 2);
  assert.match(named.stderr, /leave out '#increment'/);
  for (const [option, value] of [
    ['--lock', '1ms'],
    ['--name', ''],
  ]) {
    const refused = await run(['serve', tasks, '--queue', address, option, value]);
    assert.equal(refused.code, 2, refused.stderr);
    assert.match(refused.stderr, /^threadwise: Option '(lockMs|name)': expected /);
    assert.doesNotMatch(refused.stderr, /\n {4}at /, 'no stack');
  }
  const noQueue = await run(['serve', tasks, '--queue', 'redis://127.0.0.1:6379/0']);
  assert.equal(noQueue.code, 2);
  assert.match(noQueue.stderr, /Expected a Redis URL and, after #, the queue/);
  for (const args of [
    ['serve', tasks, '--queue'],
    ['run', tasks, '--range', '1..3', '--on'],
  ]) {
    const { code: wrong, stderr: said } = await run([...args, 'redis://ann:sec#ret@127.0.0.1:6379/0']);
    assert.equal(wrong, 2);
    assert.match(said, /^threadwise: Expected a Redis URL .*, got 'redis:\/\/…@127\.0\.0\.1:6379\/0'$/m);
    assert.doesNotMatch(said, /sec|ret@/, 'no password in a log');
  }
});
