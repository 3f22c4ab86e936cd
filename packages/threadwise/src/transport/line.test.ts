/** A line over Node's own channel: what its reader cannot read comes back to who posted it, by what it was about. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { MessageChannel, receiveMessageOnPort } from 'node:worker_threads';
import { nodePort } from '../platform/node/port.js';
import { type About, Line } from './line.js';

function nested(levels: number): unknown {
  let value: unknown = null;
  for (let level = 0; level < levels; level++) value = { next: value };
  return value;
}

/** Can be written, and not be read, on the same stack: reading takes more of it, how much more depends on the version. */
function unreadable(): unknown {
  return nested(unreadableLevels);
}

const unreadableLevels = (() => {
  const { port1, port2 } = new MessageChannel();
  try {
    for (let levels = 500; ; levels += 100) {
      port1.postMessage(nested(levels));
      try {
        receiveMessageOnPort(port2);
      } catch {
        return levels + 200; // by some distance: the stack of a test is not that of this function
      }
    }
  } finally {
    port1.close();
  }
})();

function lines() {
  const { port1, port2 } = new MessageChannel();
  const [here, there] = [new Line(nodePort(port1)), new Line(nodePort(port2))];
  const heard: unknown[] = [];
  const unread: About[] = [];
  there.listen((message) => heard.push(message));
  here.listen(
    () => assert.fail('nothing was said'),
    undefined,
    (about) => unread.push(about),
  );
  const close = () => {
    here.close();
    there.close();
  };
  return { here, there, heard, unread, close };
}

test('line: what cannot be read is told to its sender; what came before and after it arrives', (t) => {
  const { here, there, heard, unread, close } = lines();
  t.after(close);
  here.post([1, 'first', 0]);
  here.post([2, 'a', unreadable()]);
  here.post([3, 'b', unreadable()]);
  here.post([1, 'last', 0]);
  there.drain();
  here.drain();
  assert.deepEqual(heard, [
    [1, 'first', 0],
    [1, 'last', 0],
  ]);
  assert.deepEqual(unread, [
    [2, 'a'],
    [3, 'b'],
  ]);
  assert.equal(there.unreadCount, 2);
});

test('line: the sender knows what each of many messages was about, and forgets those that were read', (t) => {
  const { here, there, heard, unread, close } = lines();
  t.after(close);
  for (let i = 0; i < 2000; i++) {
    here.post([1, i, i % 400 === 399 ? unreadable() : null]);
    if (i % 700 !== 0) continue;
    there.drain();
    here.drain();
  }
  there.drain();
  here.drain();
  assert.deepEqual(
    unread.map(([, i]) => i),
    [399, 799, 1199, 1599, 1999],
  );
  assert.equal(heard.length, 1995);
});

test('line: a message that a getter of another one posts is sent first, and so it is counted', (t) => {
  const { here, there, heard, unread, close } = lines();
  t.after(close);
  const nested = () => here.post([2, 'inner', unreadable()]);
  const value = {
    get inner() {
      nested();
      return 1;
    },
  };
  here.post([1, 'outer', value]);
  there.drain();
  here.drain();
  assert.deepEqual(heard, [[1, 'outer', { inner: 1 }]]);
  assert.deepEqual(unread, [[2, 'inner']]);
});

test('line: a message that could not be posted is not counted', (t) => {
  const { here, there, unread, close } = lines();
  t.after(close);
  assert.throws(() => here.post([1, 'refused', () => 1]), { name: 'DataCloneError' });
  here.post([2, 'unread', unreadable()]);
  there.drain();
  here.drain();
  assert.deepEqual(unread, [[2, 'unread']]);
});
