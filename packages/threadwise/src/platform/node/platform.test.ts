/** Node's platform: what all platforms promise, and what only a process of its own can show. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { test } from 'node:test';
import { promisify } from 'node:util';
import { platformConformance } from '../platform.case.js';
import { withoutOptions } from './node-thread.js';
import { nodePlatform } from './platform.js';

platformConformance(nodePlatform);

/** Runs code with `nodePlatform` in a process of its own; resolves to what it prints when it ends by itself. */
async function runAlone(code: string): Promise<string> {
  const url = JSON.stringify(new URL('./platform.js', import.meta.url).href);
  const script = `const { nodePlatform } = await import(${url}); ${code}`;
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', script]);
  return stdout.trim();
}

test('platform node: a process stays alive while it is held, and ends once it is released', async () => {
  const code = `
    const keepAlive = nodePlatform.keepAlive();
    keepAlive.hold();
    nodePlatform.timer(1, () => { console.log('held'); keepAlive.release(); });`;
  assert.equal(await runAlone(code), 'held');
});

test('platform node: timers, channels and keep-alives that were let go do not keep a process alive', async () => {
  const code = `
    nodePlatform.timer(2 ** 30, () => undefined);
    nodePlatform.channel().near.listen(() => undefined);
    const keepAlive = nodePlatform.keepAlive();
    keepAlive.hold();
    keepAlive.release();
    const other = nodePlatform.keepAlive();
    other.hold();
    other.dispose();
    console.log('ends');`;
  assert.equal(await runAlone(code), 'ends');
});

test('platform node: a thread that follows the clock of another one tells the same time', async () => {
  const code = `
    const { Worker } = await import('node:worker_threads');
    const url = ${JSON.stringify(new URL('./clock.js', import.meta.url).href)};
    const { clockZero, now } = await import(url);
    const text = 'const { parentPort, workerData } = require("node:worker_threads");' +
      'import(' + JSON.stringify(url) + ').then(({ followClock, now }) => {' +
      '  followClock(workerData);' +
      '  parentPort.on("message", () => parentPort.postMessage(now())); });';
    const worker = new Worker(text, { eval: true, execArgv: [], workerData: clockZero() });
    const before = now();
    worker.postMessage(0);
    worker.once('message', (there) => {
      const after = now();
      // One clock, read on two threads, one after the other: a thousandth of a millisecond for rounding.
      console.log(there >= before - 0.001 && there <= after + 0.001);
      worker.terminate();
    });`;
  assert.equal(await runAlone(code), 'true');
});

test('platform node: options that a thread cannot have are left out, with the values that follow them', () => {
  const options = [
    '--title',
    'main',
    '--conditions',
    'a',
    '--expose-gc',
    '--tls-min-v1.2',
    '--cpu-x=a,b',
    '--t',
  ];
  assert.deepEqual(withoutOptions(options, '--title, --expose-gc, --cpu-x=a,b'), [
    '--conditions',
    'a',
    '--tls-min-v1.2',
    '--t',
  ]);
});

test('platform node: a single executable application has no processes of Node.js', async () => {
  const code = `
    const isTold = nodePlatform.noProcesses();
    process.getBuiltinModule('node:sea').isSea = () => true;
    console.log(isTold, nodePlatform.noProcesses());`;
  assert.equal(await runAlone(code), 'undefined in a single executable application');
});
