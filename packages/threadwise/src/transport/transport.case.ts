/** The conformance suite of the transport seam: what every line to a worker promises, with a real runner at its end. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { task as current, transfer } from '../runner/task-handle.js';
import { abortSuite, speechSuite } from './port-link.case.js';
import { assertCode, type Connect, type Ground, gate, Rig } from './rig.case.js';

export function transportConformance(ground: Ground): void {
  const connect: Connect = async (t, options) => {
    const rig = new Rig(ground, options);
    t.after(() => rig.close());
    await rig.heard('ready');
    return rig;
  };
  describe(`${ground.name}: a worker starts`, () => startSuite(ground, connect));
  describe(`${ground.name}: a task crosses`, () => taskSuite(ground, connect));
  describe(`${ground.name}: a task is taken back or aborted`, () => abortSuite(ground, connect));
  describe(`${ground.name}: a task speaks while it runs`, () => speechSuite(connect));
  describe(`${ground.name}: room and order`, () => orderSuite(ground, connect));
  describe(`${ground.name}: the line ends`, () => endSuite(connect));
}

function startSuite(ground: Ground, connect: Connect): void {
  test('says ready with the names of the tasks, reserved ones left out', async (t) => {
    const module = { hash: () => 1, default: () => 2, label: 'x', setup: () => 3, teardown: () => 4 };
    const rig = await connect(t, { module });
    assert.deepEqual([...rig.all('ready')[0]!.names].sort(), ['default', 'hash']);
  });

  test('says why a module did not load, with the loader’s own error', async (t) => {
    const error = Object.assign(new SyntaxError('bad'), { code: 'ERR_SYNTAX' });
    const rig = new Rig(ground, { module: Promise.reject(error) });
    t.after(() => rig.close());
    const said = await rig.heard('loadFailed');
    assert.ok(said.error instanceof SyntaxError);
    assert.equal((said.error as { code?: string }).code, 'ERR_SYNTAX');
    assert.deepEqual([...rig.all('setsUp'), ...rig.all('ready')], []);
  });

  test('setup is awaited before ready, and what it throws is a failure to load', async (t) => {
    const rig = new Rig(ground, {
      module: {
        hash: () => 1,
        setup: async () => {
          await Promise.resolve();
          throw new RangeError('no license');
        },
      },
    });
    t.after(() => rig.close());
    const { error } = await rig.heard('loadFailed');
    assert.ok(error instanceof RangeError);
    assert.equal(rig.all('setsUp').length, 1);
    assert.deepEqual(rig.all('ready'), []);
  });
}

function taskSuite(ground: Ground, connect: Connect): void {
  test('its result comes back with the time it ran', async (t) => {
    const rig = await connect(t, { module: { join: (...parts: string[]) => parts.join('-') } });
    const task = rig.send('join', ['a', 'b']);
    const { value, runMs } = await rig.heard('done');
    assert.equal(value, 'a-b');
    assert.ok(runMs >= 0 && Number.isFinite(runMs));
    assert.equal(rig.all('done')[0]!.task, task);
  });

  test('an awaited result comes back like any other', async (t) => {
    const rig = await connect(t, { module: { later: async (x: number) => (await Promise.resolve(x)) * 2 } });
    assert.equal(await rig.ended(rig.send('later', [21])), 42);
  });

  test('arguments and results are copies, with what structured clone keeps', async (t) => {
    let seen: unknown;
    const module = {
      echo: (value: unknown) => {
        seen = value;
        return value;
      },
    };
    const rig = await connect(t, { module });
    const given = { map: new Map([[1, new Set(['x'])]]), date: new Date(5), bytes: new Uint8Array([1, 2]) };
    const value = await rig.ended(rig.send('echo', [given]));
    assert.deepEqual(value, given);
    assert.notEqual(value, given);
    assert.notEqual(seen, given);
    assert.notEqual(seen, value);
  });

  const skip = ground.sharesNoMemory;
  test('shared memory is the same memory on both sides', { skip }, async (t) => {
    const rig = await connect(t, { module: { write: (bytes: Uint8Array) => bytes.set([7], 1) } });
    const bytes = new Uint8Array(new SharedArrayBuffer(4));
    await rig.ended(rig.send('write', [bytes]));
    assert.deepEqual([...bytes], [0, 7, 0, 0]);
  });

  test('it is so in each of many calls, wherever it is among the arguments', { skip }, async (t) => {
    const module = {
      add: ({ words, all: [view, buffer] }: { words: Int32Array; all: [DataView, SharedArrayBuffer] }) => {
        Atomics.add(words, 0, 1);
        view.setUint8(7, view.getUint8(7) + 1);
        return [
          words.buffer === buffer,
          view.buffer === buffer,
          words.length,
          view.byteOffset,
          view.byteLength,
        ];
      },
    };
    const rig = await connect(t, { module });
    const buffers = [new SharedArrayBuffer(16), new SharedArrayBuffer(32)];
    for (let call = 1; call <= 8; call++) {
      for (const buffer of buffers) {
        const words = new Int32Array(buffer, 4, 2);
        const said = await rig.ended(rig.send('add', [{ words, all: [new DataView(buffer, 1, 9), buffer] }]));
        assert.deepEqual(said, [true, true, 2, 1, 9]);
        assert.deepEqual([...words], [call, call]);
      }
    }
  });

  test('texts of every length and width arrive as they are, also what stands for half a character', async (t) => {
    const rig = await connect(t, { module: { echo: (text: string) => text } });
    const lengths = [0, 1, 2, 3, 4, 15, 16, 17, 24, 25, 35, 36, 37, 87, 88, 89, 255, 256, 5000];
    for (const letter of ['a', '\u0000', '\u00ff', '\u0100', '\ud83d']) {
      for (const length of lengths) {
        const text = 'b'.repeat(Math.max(0, length - 1)) + letter.repeat(Math.min(1, length));
        assert.equal(await rig.ended(rig.send('echo', [text])), text, `${length} characters`);
      }
    }
  });

  test('what is transferred moves there, and back', async (t) => {
    const module = { move: (bytes: Uint8Array) => transfer(bytes, [bytes.buffer]) };
    const rig = await connect(t, { module });
    const bytes = new Uint8Array([4, 5, 6]);
    const value = await rig.ended(rig.send('move', [bytes], [bytes.buffer]));
    assert.equal(bytes.byteLength, 0, 'it is not here any more');
    assert.deepEqual(value, new Uint8Array([4, 5, 6]));
  });

  test('what it throws arrives with class, message, code, cause and own fields', async (t) => {
    const module = {
      fail: () => {
        const cause = new RangeError('deep');
        throw Object.assign(new TypeError('wrong', { cause }), { code: 'E_WRONG', at: { line: 3 } });
      },
    };
    const rig = await connect(t, { module });
    const error = (await rig.ended(rig.send('fail'))) as TypeError & { code: string; at: unknown };
    assert.ok(error instanceof TypeError);
    assert.equal(error.message, 'wrong');
    assert.equal(error.code, 'E_WRONG');
    assert.deepEqual(error.at, { line: 3 });
    assert.ok(error.cause instanceof RangeError);
    assert.match(error.stack!, /transport\.case/, 'the stack says where it was thrown');
  });

  test('whatever else it throws arrives as it is', async (t) => {
    const module = {
      fail: async (value: unknown) => {
        throw value;
      },
    };
    const rig = await connect(t, { module });
    for (const value of [undefined, null, 0, 'text', { kind: 'plain' }]) {
      const sent = rig.send('fail', [value]);
      const said = await rig.heard('failed', ({ task }) => task === sent);
      assert.deepEqual(said.error, value);
    }
  });

  test('a result that cannot be cloned is ERR_NOT_CLONEABLE with its path, and the worker goes on', async (t) => {
    const module = {
      bad: () => ({ list: [1, { callback: () => 1 }] }),
      badLater: async () => ({ list: [1, { callback: () => 1 }] }),
      good: () => 'good',
    };
    const rig = await connect(t, { module });
    for (const name of ['bad', 'badLater']) {
      const error = await rig.ended(rig.send(name));
      assertCode(error, 'ERR_NOT_CLONEABLE');
      assert.equal(error.path, 'result.list[1].callback');
    }
    assert.equal(await rig.ended(rig.send('good')), 'good');
  });

  test('a result that cannot be transferred is ERR_NOT_CLONEABLE, and the worker goes on', async (t) => {
    const module = { bad: () => transfer({ x: 1 }, [{ x: 1 }]), good: () => 'good' };
    const rig = await connect(t, { module });
    assertCode(await rig.ended(rig.send('bad')), 'ERR_NOT_CLONEABLE');
    assert.equal(await rig.ended(rig.send('good')), 'good');
  });

  test('a name that is missing or inherited is ERR_TASK_NOT_FOUND, which lists what exists', async (t) => {
    const rig = await connect(t, { module: { hash: () => 1 } });
    for (const name of ['hush', 'toString', '__proto__', 'constructor']) {
      const error = await rig.ended(rig.send(name));
      assertCode(error, 'ERR_TASK_NOT_FOUND');
      assert.match(error.message, /Tasks: hash/);
    }
  });
}

function orderSuite(ground: Ground, connect: Connect): void {
  test('a task that is longer than a worker may keep its event loop waiting does not keep the next ones from being begun', async (t) => {
    const busy = (ms: number) => {
      for (const end = performance.now() + ms; performance.now() < end;);
      return ms;
    };
    const rig = await connect(t, { module: { busy }, capacity: 4 });
    const tasks = [6, 7, 8].map((ms) => rig.send('busy', [ms]));
    assert.deepEqual(await Promise.all(tasks.map((task) => rig.ended(task))), [6, 7, 8]);
  });

  test('tasks run in the order in which they were sent, and their results come in that order', async (t) => {
    const ran: number[] = [];
    const rig = await connect(t, { capacity: 300, module: { run: (i: number) => ran.push(i) - 1 } });
    const sent = Array.from({ length: 300 }, (_, i) => rig.send('run', [i]));
    await rig.ended(sent.at(-1)!);
    const expected = sent.map((_, i) => i);
    assert.deepEqual(ran, expected);
    assert.deepEqual(
      rig.all('done').map(({ value }) => value),
      expected,
    );
  });

  test('tasks that move their arguments keep their place between others', async (t) => {
    const ran: number[] = [];
    const rig = await connect(t, { module: { run: (i: number) => void ran.push(i) } });
    rig.send('run', [0]);
    rig.send('run', [1]);
    const buffer = new ArrayBuffer(8);
    rig.send('run', [2, buffer], [buffer]);
    await rig.ended(rig.send('run', [3]));
    assert.deepEqual(ran, [0, 1, 2, 3]);
  });

  test('every task is answered exactly once, those that fail and those that await among them', async (t) => {
    const module = {
      run: (i: number): unknown => {
        if (i % 3 === 0) throw i;
        return i % 3 === 1 ? Promise.resolve(i) : i;
      },
    };
    const rig = await connect(t, { capacity: 64, tasksPerWorker: 4, module });
    const sent = Array.from({ length: 60 }, (_, i) => rig.send('run', [i]));
    for (const [i, task] of sent.entries()) assert.equal(await rig.ended(task), i);
    const answers = [...rig.all('done'), ...rig.all('failed')];
    assert.equal(answers.length, sent.length);
  });

  test('room goes down with each task sent and comes back with its end', async (t) => {
    const { opened, open } = gate();
    const rig = await connect(t, { capacity: 2, module: { hold: () => opened } });
    assert.equal(rig.link.room, 2);
    const first = rig.send('hold');
    assert.equal(rig.link.room, 1);
    const second = rig.send('hold');
    assert.equal(rig.link.room, 0);
    open();
    await rig.ended(first);
    assert.ok(rig.link.room >= 1);
    await rig.ended(second);
    assert.equal(rig.link.room, 2);
  });

  test('the room of a withdrawn task comes back, and a line of one carries any number, one after the other', async (t) => {
    const ran: number[] = [];
    const rig = await connect(t, { capacity: 1, module: { run: (i: number) => void ran.push(i) } });
    let withdrawn = 0;
    for (let i = 0; i < 40; i++) {
      const task = rig.send('run', [i]);
      if (i % 2 === 0 && rig.link.withdraw(task)) {
        withdrawn++;
        // The worker frees the place when it passes the message; both are on this thread.
        while (rig.link.room === 0) await new Promise((resolve) => setImmediate(resolve));
      } else await rig.ended(task);
    }
    assert.equal(withdrawn, 20, `none of them could have begun in the turn in which it was sent`);
    assert.deepEqual(
      ran,
      Array.from({ length: 20 }, (_, i) => 2 * i + 1),
    );
  });

  test('the end of a batch of messages is told after them', async (t) => {
    const rig = await connect(t, { module: { run: () => 1 } });
    const task = rig.send('run');
    const end = rig.ended(task);
    const heard = rig.heard('batch', () => rig.said.at(-1)?.what === 'batch' && rig.all('done').length === 1);
    await Promise.all([end, heard]);
    const at = rig.said.findIndex((said) => said.what === 'done');
    assert.ok(rig.said.slice(at).some((said) => said.what === 'batch'));
  });

  test('no more tasks run at a time than the worker is allowed', async (t) => {
    const gates = Array.from({ length: 6 }, () => gate());
    let running = 0;
    let most = 0;
    const module = {
      hold: async (i: number) => {
        most = Math.max(most, ++running);
        await gates[i]!.opened;
        running--;
      },
    };
    const rig = await connect(t, { tasksPerWorker: 2, module });
    const sent = gates.map((_, i) => rig.send('hold', [i]));
    for (const [i, task] of sent.entries()) {
      gates[i]!.open();
      await rig.ended(task);
    }
    assert.equal(most, 2, ground.name);
  });
}

function endSuite(connect: Connect): void {
  test('drain handles now what the worker has said already', async (t) => {
    let look: () => unknown = () => undefined;
    const rig = await connect(t, { module: { run: () => 1, look: () => look() } });
    rig.send('run');
    // These two share a message, so nothing comes between them: what the first says has arrived and was not handled.
    const [spoke, looks] = [rig.send('run'), rig.send('look')];
    const isHeard = () => rig.all('done').some(({ task }) => task === spoke);
    look = () => {
      const before = isHeard();
      rig.link.drain();
      return [before, isHeard()];
    };
    assert.deepEqual(await rig.ended(looks), [false, true]);
  });

  test('stop lets teardown run to its end, then the worker says stopped', async (t) => {
    const { opened, open } = gate();
    const order: string[] = [];
    const module = {
      run: () => 1,
      teardown: async () => {
        order.push('teardown begins');
        await opened;
        order.push('teardown ends');
      },
    };
    const rig = await connect(t, { module });
    await rig.ended(rig.send('run'));
    rig.link.stop();
    open();
    await rig.heard('stopped');
    assert.deepEqual(order, ['teardown begins', 'teardown ends']);
  });

  test('after close nothing is heard any more', async (t) => {
    const { opened, open } = gate();
    const { opened: ended, open: end } = gate();
    const module = {
      hold: async () => {
        current.progress('began');
        await opened;
        queueMicrotask(() => setImmediate(() => end()));
      },
    };
    const rig = await connect(t, { module });
    rig.send('hold');
    await rig.heard('progress');
    rig.link.close();
    const heard = rig.said.length;
    open();
    await ended;
    rig.link.drain();
    assert.equal(rig.said.length, heard);
  });
}
