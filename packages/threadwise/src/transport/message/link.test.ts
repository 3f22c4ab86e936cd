/** The message transport over Node's own channel. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { MessagePort } from 'node:worker_threads';
import type { Platform } from '../../core/contracts.js';
import type { ThreadwiseError } from '../../core/options/errors.js';
import { task as current } from '../../runner/task-handle.js';
import { nodePlatform } from '../../platform/node/platform.js';
import { nodePort } from '../../platform/node/port.js';
import { type Ground, gate, Rig } from '../rig.case.js';
import { transportConformance } from '../transport.case.js';
import { messageTransport } from './link.js';
import { TASKS, type ToWorker } from './protocol.js';

const overNode: Ground = {
  name: 'message transport over Node’s channel',
  transport: messageTransport,
  platform: nodePlatform,
  farPort: (wire) => nodePort(wire.port as MessagePort),
};

transportConformance(overNode);

/** A platform that counts how many tasks each message to the worker carried. */
function counting(around: Platform): { platform: Platform; sizes: number[] } {
  const sizes: number[] = [];
  const channel = () => {
    const { near, far } = around.channel();
    const post = near.post.bind(near);
    near.post = (message, transfer) => {
      const said = message as ToWorker;
      if (said[0] === TASKS) sizes.push(said[2].length);
      post(message, transfer);
    };
    return { near, far };
  };
  return { platform: { ...around, channel }, sizes };
}

test('message transport: an idle worker is told at once; what comes later in the turn shares one message', async (t) => {
  const { platform, sizes } = counting(nodePlatform);
  const rig = new Rig({ ...overNode, platform }, { module: { run: () => 1 } });
  t.after(() => rig.close());
  await rig.heard('ready');
  rig.send('run');
  assert.deepEqual(sizes, [1], 'at once');
  const last = Array.from({ length: 5 }, () => rig.send('run')).at(-1)!;
  assert.deepEqual(sizes, [1], 'gathered');
  await rig.ended(last);
  assert.deepEqual(sizes, [1, 5]);
});

test('message transport: a call that the port refuses fails alone, and gives its place back', async (t) => {
  const channel = () => {
    const { near, far } = nodePlatform.channel();
    const post = near.post.bind(near);
    near.post = (message, transfer) => {
      const said = message as ToWorker;
      if (said[0] === TASKS && said[2].some(([, , , args]) => args[0] === 'long'))
        throw new Error('too long');
      post(message, transfer);
    };
    return { near, far };
  };
  const options = { capacity: 3, module: { run: (text: string) => text } };
  const rig = new Rig({ ...overNode, platform: { ...nodePlatform, channel } }, options);
  t.after(() => rig.close());
  await rig.heard('ready');
  for (let i = 0; i < 3; i++) {
    const [alone, short, beside] = ['long', 'short', 'long'].map((text) => rig.send('run', [text]));
    for (const long of [alone!, beside!]) {
      const { code, message } = (await rig.ended(long)) as ThreadwiseError;
      assert.deepEqual([code, message], ['ERR_NOT_CLONEABLE', 'Cannot clone args: too long']);
    }
    assert.equal(await rig.ended(short!), 'short');
  }
});

test('message transport: of an error that the port refuses, the worker is told why', async (t) => {
  const channel = () => {
    const { near, far } = nodePlatform.channel();
    const post = near.post.bind(near);
    near.post = (message, transfer) => {
      if (JSON.stringify(message).includes('"long"')) throw new Error('too long');
      post(message, transfer);
    };
    return { near, far };
  };
  const { opened, open } = gate();
  const module = {
    untilAborted: async () => {
      current.progress('began');
      await Promise.race([opened, new Promise((resolve) => (current.signal.onabort = resolve))]);
      return (current.signal.reason as Error | undefined)?.message;
    },
    asks: () => current.host.any!(),
  };
  const host = () => Promise.reject('long');
  const rig = new Rig({ ...overNode, platform: { ...nodePlatform, channel } }, { module, host });
  t.after(() => rig.close());
  t.after(() => open());
  const task = rig.send('untilAborted');
  await rig.heard('progress');
  rig.link.abort(task, 'long');
  assert.equal(await rig.ended(task), 'Cannot clone the reason of an abort: too long');
  const { message } = (await rig.ended(rig.send('asks'))) as ThreadwiseError;
  assert.equal(message, 'Cannot clone the error of a host function: too long');
});

test('message transport: memory use is reported with its limit', async (t) => {
  const rig = new Rig(overNode, { module: { run: () => 1 } });
  t.after(() => rig.close());
  await rig.heard('ready');
  rig.send('run');
  const { used, limit } = await rig.heard('memory');
  assert.deepEqual([used, limit], [3, 7]);
});

test('message transport: the thread’s own timers go off while a burst of tasks runs', async (t) => {
  const { opened, open } = gate();
  let ran = 0;
  const module = {
    spin: () => {
      ran++;
      for (const end = performance.now() + 1; performance.now() < end;);
    },
  };
  const rig = new Rig(overNode, { capacity: 200, module });
  t.after(() => rig.close());
  await rig.heard('ready');
  setImmediate(() => open());
  const sent = Array.from({ length: 20 }, () => rig.send('spin'));
  await opened;
  assert.ok(ran < sent.length, `all ${ran} ran before the thread had its turn`);
  await rig.ended(sent.at(-1)!);
  assert.equal(ran, sent.length);
});
