/** Messages as bytes: whatever they are made of, wherever they are cut, by the pipe or by the ring. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'threadwise-test/fast-check';
import { newFileBoard, type BoardFile, ringsOf } from './board.js';
import { asideFrame, FrameReader, FrameWriter } from './frames.js';
import { type Ring, ringReader, ringWriter } from './ring.js';

/** One end of a pipe, and the frames that it has sent. */
class End {
  readonly sent: Uint8Array[] = [];
  readonly writer = new FrameWriter();
  readonly reader = new FrameReader();

  constructor(out?: Ring, into?: Ring) {
    this.writer.put = out && ringWriter(out);
    this.reader.take = into && ringReader(into);
  }

  send(frame: Uint8Array): void {
    this.sent.push(frame.slice());
  }

  /** Reads all that `other` has sent, in pieces of `size` bytes. Returns the messages. */
  hear(other: End, size = Infinity): unknown[] {
    const bytes = Buffer.concat(other.sent.splice(0));
    const messages: unknown[] = [];
    for (let at = 0; at < bytes.length; at += size) {
      this.reader.add(bytes.subarray(at, at + size));
      while (this.reader.next()) messages.push(this.reader.message());
    }
    return messages;
  }
}

/** Values with shapes that come again, values that the codec does not know, and bytes. */
const value = fc.oneof(
  fc.record({ id: fc.integer(), name: fc.string() }),
  fc.array(fc.double()),
  fc.uint8Array(),
  fc.constant(/regular/g),
  fc.dictionary(fc.string(), fc.boolean()),
  fc.constant(undefined),
);

test('frames: messages arrive as they were, wherever they are cut', () => {
  fc.assert(
    fc.property(fc.array(value), fc.integer({ min: 1, max: 40 }), (messages, size) => {
      const [near, far] = [new End(), new End()];
      for (const message of messages) near.send(near.writer.write(message));
      assert.deepEqual(far.hear(near, size), structuredClone(messages));
    }),
  );
});

test('frames: messages that are written between two pieces of another arrive, too', () => {
  const [near, far] = [new End(), new End()];
  const large = { id: 1, bytes: new Uint8Array(100_000).fill(7) };
  near.send(near.writer.write(large));
  const [frame] = near.sent.splice(0);
  far.reader.add(frame!.subarray(0, 50_000));
  assert.equal(far.reader.next(), false);
  near.sent.push(frame!.subarray(50_000));
  near.send(near.writer.write({ id: 2 }));
  assert.deepEqual(far.hear(near), [large, { id: 2 }]);
});

test('frames: what is too large for the codec’s memory crosses all the same', () => {
  const [near, far] = [new End(), new End()];
  const bytes = new Uint8Array(2 ** 22 + 1).fill(3);
  near.send(near.writer.write([bytes]));
  near.send(near.writer.write('next'));
  assert.deepEqual(far.hear(near), [[bytes], 'next']);
});

/** Calls `act` while the system refuses memory of more than `most` bytes at a time. Returns what it gave. */
function withLittleMemory(most: number, act: () => void): number[] {
  const given: number[] = [];
  const real = globalThis.ArrayBuffer;
  globalThis.ArrayBuffer = class extends real {
    constructor(byteLength: number) {
      if (byteLength > most) throw new RangeError('Array buffer allocation failed');
      super(byteLength);
      given.push(byteLength);
    }
  } as typeof ArrayBuffer;
  try {
    act();
  } finally {
    globalThis.ArrayBuffer = real;
  }
  return given;
}

test('frames: a message that there is no memory for is one that cannot be read, and nothing else is lost', () => {
  const { board, toWorker } = rings();
  const near = new End({ ...toWorker!, byteLength: 250_000 });
  const far = new End(undefined, toWorker);
  const put = near.writer.put!;
  // Each message by the ring needs the place of the one before it.
  for (const byRing of [true, false, true, true, false]) {
    near.writer.put = byRing ? put : undefined;
    near.send(near.writer.write(new Uint8Array(200_000)));
    assert.equal(near.sent[0]!.length < 100_000, byRing);
    near.send(near.writer.write('next'));
    const heard: unknown[] = [];
    withLittleMemory(100_000, () => {
      const bytes = Buffer.concat(near.sent.splice(0));
      for (let at = 0; at < bytes.length; at += 50_000) {
        far.reader.add(bytes.subarray(at, at + 50_000));
        while (far.reader.next()) {
          try {
            heard.push(far.reader.message());
          } catch (error) {
            heard.push((error as Error).message);
          }
        }
      }
    });
    assert.deepEqual(heard, ['Array buffer allocation failed', 'next']);
  }
  board.close?.();
});

test('frames: the memory of a large message is given back when it was read', () => {
  const [near, far] = [new End(), new End()];
  near.send(near.writer.write([new Uint8Array(2 ** 23)]));
  const given = withLittleMemory(2 ** 24, () => void far.hear(near, 2 ** 16));
  assert.equal(given.at(-1), 2 ** 14);
});

test('frames: a message for whoever started the process is told from the others', () => {
  const [near, far] = [new End(), new End()];
  near.send(asideFrame({ pid: 1 }));
  near.send(near.writer.write(2));
  far.reader.add(Buffer.concat(near.sent));
  assert.ok(far.reader.next() && far.reader.isAside);
  assert.deepEqual(far.reader.message(), { pid: 1 });
  assert.ok(far.reader.next() && !far.reader.isAside);
  assert.equal(far.reader.message(), 2);
});

test('frames: what cannot be sent is refused, and the next message arrives', () => {
  const [near, far] = [new End(), new End()];
  near.send(near.writer.write({ a: 1 }));
  assert.throws(() => near.writer.write({ a: () => 1 }), { name: 'DataCloneError' });
  assert.throws(() => near.writer.write([new SharedArrayBuffer(1)]), { name: 'DataCloneError' });
  near.send(near.writer.write({ a: 2 }));
  assert.deepEqual(far.hear(near), [{ a: 1 }, { a: 2 }]);
});

test('frames: a message that is written by a getter of another goes before it', () => {
  const [near, far] = [new End(), new End()];
  const message = {
    get inner() {
      near.send(near.writer.write({ inner: 'first' }));
      return 'second';
    },
  };
  near.send(near.writer.write(message));
  assert.deepEqual(far.hear(near), [{ inner: 'first' }, { inner: 'second' }]);
});

const rings = () => {
  const { board, memory } = newFileBoard(1);
  const [toWorker, toMain] = ringsOf({ ...(memory as BoardFile), hasRings: true });
  return { board, toWorker, toMain };
};
test('frames: large messages go by the ring, and by the pipe where it has no room', () => {
  const { board, toWorker, toMain } = rings();
  const bytes = (fill: number) => new Uint8Array(100_000).fill(fill);
  // The ring has room for two.
  const near = new End({ ...toWorker!, byteLength: 250_000 }, toMain);
  const far = new End(toMain, toWorker);
  const inPipe = () => near.sent.at(-1)!.length > 100_000;
  for (const fill of [1, 2]) {
    near.send(near.writer.write(bytes(fill)));
    assert.ok(!inPipe());
  }
  near.send(near.writer.write(bytes(3)));
  assert.ok(inPipe());
  assert.deepEqual(far.hear(near), [bytes(1), bytes(2), bytes(3)]);
  near.send(near.writer.write([/what the codec leaves to structured clone/, bytes(4)]));
  assert.ok(!inPipe());
  near.send(near.writer.write('small'));
  const [[, large], small] = far.hear(near) as [[RegExp, Uint8Array], string];
  assert.deepEqual(large, bytes(4));
  assert.equal(small, 'small');
  board.close?.();
});

test('frames: where the file takes nothing, large messages go by the pipe', () => {
  const { board, toWorker } = rings();
  const near = new End({ ...toWorker!, fd: -1 });
  const far = new End();
  const bytes = new Uint8Array(100_000).fill(9);
  near.send(near.writer.write(bytes));
  assert.deepEqual(far.hear(near), [bytes]);
  board.close?.();
});
