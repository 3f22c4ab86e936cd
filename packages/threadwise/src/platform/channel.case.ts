/** The part of the platform suite about channels: order, copies, batches and draining. */
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import type { Platform, Port } from '../core/contracts.js';

interface Ends {
  readonly near: Port;
  readonly far: Port;
}

function openChannel(t: TestContext, platform: Platform): Ends {
  const { near, far: wire } = platform.channel();
  return keptOpen(t, platform, near, platform.port(wire));
}

/** Keeps the process alive, and the ends open, until the test is over. */
function keptOpen(t: TestContext, platform: Platform, near: Port, far: Port): Ends {
  const keepAlive = platform.keepAlive();
  keepAlive.hold();
  t.after(() => {
    near.close();
    far.close();
    keepAlive.dispose();
  });
  return { near, far };
}

/** Listens, and resolves when `count` messages have come. */
export function receive(port: Port, count: number, onMessage: (message: unknown) => void = () => undefined) {
  const messages: unknown[] = [];
  return new Promise<unknown[]>((resolve) => {
    port.listen((message) => {
      messages.push(message);
      onMessage(message);
      if (messages.length === count) resolve(messages);
    });
  });
}

/** What is thrown for a buffer that was transferred before, on every version of the runtime. */
export const movedBefore = {
  name: 'DataCloneError',
  message: 'a buffer in the transfer list was transferred before',
};

export function channelSuite(platform: Platform): void {
  test('messages arrive in order, both ways, as copies', async (t) => {
    const { near, far } = openChannel(t, platform);
    const [there, back] = [receive(far, 3), receive(near, 2)];
    const first = { n: 1 };
    near.post(first);
    near.post(2);
    near.post('three');
    far.post('a');
    far.post('b');
    const arrived = await there;
    assert.deepEqual(arrived, [{ n: 1 }, 2, 'three']);
    assert.notEqual(arrived[0], first);
    assert.deepEqual(await back, ['a', 'b']);
  });

  test('a channel between others has two ends, each a port where it is sent', async (t) => {
    const [here, there] = platform.channelEnds();
    const { near, far } = keptOpen(t, platform, platform.port(here), platform.port(there));
    const arrived = [receive(near, 1), receive(far, 1)];
    near.post('to there');
    far.post('to here');
    assert.deepEqual(await Promise.all(arrived), [['to here'], ['to there']]);
  });

  test('what was posted before anybody listened arrives first', async (t) => {
    const { near, far } = openChannel(t, platform);
    near.post(1);
    const arrived = receive(far, 2);
    near.post(2);
    assert.deepEqual(await arrived, [1, 2]);
  });

  test('no message arrives in the turn in which it was posted', async (t) => {
    const { near, far } = openChannel(t, platform);
    const order: string[] = [];
    const arrived = receive(far, 1, () => order.push('arrived'));
    near.post(1);
    order.push('posted');
    await arrived;
    assert.deepEqual(order, ['posted', 'arrived']);
  });

  test('thousands of messages arrive in order', async (t) => {
    const { near, far } = openChannel(t, platform);
    const arrived = receive(far, 5000);
    const sent = Array.from({ length: 5000 }, (_, i) => i);
    for (const i of sent) near.post(i);
    assert.deepEqual(await arrived, sent);
  });

  test('the end of a batch is told after its messages, and once for those that came together', async (t) => {
    const { near, far } = openChannel(t, platform);
    const order: unknown[] = [];
    const ended = new Promise<void>((resolve) => {
      far.listen(
        (message) => order.push(message),
        () => {
          order.push('end');
          resolve();
        },
      );
    });
    for (let i = 0; i < 10; i++) near.post(i);
    await ended;
    assert.deepEqual(order, [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 'end']);
  });

  test('drain delivers at once what has arrived, says how much, and delivers it no second time', async (t) => {
    const { near, far } = openChannel(t, platform);
    const messages: unknown[] = [];
    const last = new Promise<void>((resolve) => {
      far.listen((message) => {
        messages.push(message);
        if (message === 'last') resolve();
      });
    });
    near.post(1);
    near.post(2);
    assert.equal(far.drain(), 2);
    assert.deepEqual(messages, [1, 2]);
    assert.equal(far.drain(), 0);
    near.post('last');
    await last;
    assert.deepEqual(messages, [1, 2, 'last']);
  });

  test('drain inside a handler keeps the order, also of what is posted meanwhile', async (t) => {
    const { near, far } = openChannel(t, platform);
    const order: unknown[] = [];
    const all = new Promise<void>((resolve) => {
      far.listen((message) => {
        order.push(message);
        if (message === 1) {
          near.post(4);
          far.drain();
        }
        if (order.length === 4) resolve();
      });
    });
    for (const message of [1, 2, 3]) near.post(message);
    await all;
    assert.deepEqual(order, [1, 2, 3, 4]);
  });

  test('drain inside a handler delivers what has arrived already', async (t) => {
    const { near, far } = openChannel(t, platform);
    const order: unknown[] = [];
    const all = new Promise<void>((resolve) => {
      far.listen((message) => {
        order.push(message);
        if (message === 1) {
          far.drain();
          order.push('drained');
        }
        if (order.length === 3) resolve();
      });
    });
    near.post(1);
    near.post(2);
    await all;
    assert.deepEqual(order, [1, 2, 'drained']);
  });

  test('a message that cannot be cloned throws a DataCloneError, and the next one arrives', async (t) => {
    const { near, far } = openChannel(t, platform);
    const arrived = receive(far, 1);
    assert.throws(() => near.post({ fn: () => 1 }), { name: 'DataCloneError' });
    near.post('next');
    assert.deepEqual(await arrived, ['next']);
  });

  test('what is transferred is moved', async (t) => {
    const { near, far } = openChannel(t, platform);
    const arrived = receive(far, 1);
    const bytes = new Uint8Array([1, 2, 3]);
    near.post(bytes, [bytes.buffer]);
    assert.equal(bytes.byteLength, 0);
    assert.deepEqual(await arrived, [new Uint8Array([1, 2, 3])]);
  });

  test('what was transferred before is refused, and the next message arrives', async (t) => {
    const { near, far } = openChannel(t, platform);
    const arrived = receive(far, 1);
    const bytes = new Uint8Array(8);
    platform.detach([bytes.buffer]);
    assert.throws(() => near.post(bytes.buffer, [bytes.buffer]), movedBefore);
    near.post('next');
    assert.deepEqual(await arrived, ['next']);
  });

  test('after close, posting does no harm at either end, and nobody is told', async (t) => {
    const { near, far } = openChannel(t, platform);
    near.listen(() => assert.fail('a message arrived'));
    near.close();
    near.close();
    near.post(1);
    far.post(2);
    const keepAlive = platform.keepAlive();
    keepAlive.hold();
    // A message over a channel that is opened later arrives after any that the closed one could have delivered.
    const other = openChannel(t, platform);
    const arrived = receive(other.far, 1);
    other.near.post(3);
    await arrived;
    keepAlive.dispose();
  });
}
