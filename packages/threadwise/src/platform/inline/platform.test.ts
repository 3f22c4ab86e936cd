/** The platform that never leaves the calling thread. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Port, ThreadSpec } from '../../core/contracts.js';
import { task } from '../../runner/task-handle.js';
import { nodePlatform } from '../node/platform.js';
import { platformConformance } from '../platform.case.js';
import { inlinePlatform } from './platform.js';

const platform = inlinePlatform(nodePlatform);
platformConformance(platform, { hasThreads: false });

function spec(port: unknown, moduleUrl: string): ThreadSpec {
  const settings = {
    data: undefined,
    env: undefined,
    argv: undefined,
    execArgv: undefined,
    resourceLimits: undefined,
  };
  const wire = { transport: 'message', port, memory: platform.sharedMemory(12) };
  return {
    workerId: 7,
    poolName: 'inline',
    moduleUrl,
    tasksPerWorker: 1,
    allowance: undefined,
    wire,
    settings,
  };
}

/** Resolves with the first message. */
function firstMessage(port: Port): Promise<unknown> {
  return new Promise((resolve) => port.listen(resolve));
}

test('platform inline: a worker that was ended leaves nothing behind: this thread is no worker any more', async () => {
  assert.equal(task.workerId, 0);
  for (const moduleUrl of [
    'data:text/javascript,export const run = () => 1',
    'data:text/javascript,throw 1',
  ]) {
    const { near, far } = platform.channel();
    const spoke = firstMessage(near);
    const thread = platform.spawn(spec(far, moduleUrl), () => undefined);
    await spoke;
    await thread.terminate();
    near.close();
    assert.equal(task.workerId, 0, moduleUrl);
  }
});

test('platform inline: says that one thread is all there is', () => {
  assert.equal(platform.availableThreads(), 1);
});
