/** The part of the transport suite in which main and a running task speak to each other: aborts, progress, host calls. */
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { task as current } from '../runner/task-handle.js';
import { assertCode, type Connect, type Ground, gate, type RigOptions } from './rig.case.js';

export function abortSuite(ground: Ground, connect: Connect): void {
  /** A worker that runs one task at a time, held at a gate; `order` is what ran. */
  async function held(t: TestContext, tasksPerWorker = 1) {
    const { opened, open } = gate();
    const order: string[] = [];
    const module = {
      hold: async (label: string) => {
        order.push(label);
        current.progress('began');
        await opened;
        return label;
      },
      note: (label: string) => void order.push(label),
    };
    const rig = await connect(t, { module, tasksPerWorker });
    const holder = rig.send('hold', ['held']);
    await rig.heard('progress');
    return { rig, open, order, holder };
  }

  test('withdrawn before it is begun, it never runs, and nothing is said of it', async (t) => {
    const { rig, open, order } = await held(t);
    const [gone, next] = [rig.send('note', ['gone']), rig.send('note', ['next'])];
    assert.equal(rig.link.withdraw(gone), true);
    open();
    await rig.ended(next);
    assert.deepEqual(order, ['held', 'next']);
    assert.ok(rig.said.every((said) => !('task' in said) || said.task !== gone));
  });

  test('withdrawn and sent again, it runs once', async (t) => {
    const { rig, open, order } = await held(t);
    const task = rig.send('note', ['moved']);
    assert.equal(rig.link.withdraw(task), true);
    rig.link.send(task);
    open();
    await rig.ended(task);
    assert.deepEqual(order, ['held', 'moved']);
  });

  const skip = ground.sharesNoMemory;
  test(
    'arguments that go by port are those of the task, also where an older one is sent after a younger one that was withdrawn',
    { skip },
    async (t) => {
      const rig = await connect(t, { module: { read: (bytes: Uint8Array) => bytes[0] } });
      const shared = (value: number) => new Uint8Array(new SharedArrayBuffer(1)).fill(value);
      const [older, younger] = [rig.task('read', [shared(1)]), rig.task('read', [shared(2)])];
      rig.link.send(younger);
      assert.equal(rig.link.withdraw(younger), true);
      rig.link.send(older);
      assert.equal(await rig.ended(older), 1);
      rig.link.send(younger);
      assert.equal(await rig.ended(younger), 2);
    },
  );

  test('once begun it cannot be withdrawn, and its result comes', async (t) => {
    const { rig, open, holder } = await held(t);
    assert.equal(rig.link.withdraw(holder), false);
    open();
    assert.equal(await rig.ended(holder), 'held');
  });

  test('the time it began is told once it has begun, on the clock of the platform, and not before', async (t) => {
    const before = ground.platform.now();
    const { rig, open, holder } = await held(t);
    const waiting = rig.send('note', ['waits']);
    const startedAt = rig.link.startedAt(holder)!;
    assert.ok(startedAt >= before && startedAt <= ground.platform.now(), `${startedAt}`);
    assert.equal(rig.link.startedAt(waiting), undefined);
    open();
    await rig.ended(waiting);
  });

  test('aborted while it awaits, its signal is raised with the reason, and the worker says that it was seen', async (t) => {
    const module = {
      wait: () => {
        const { signal } = current;
        const raised = new Promise((resolve) =>
          signal.addEventListener('abort', () => resolve(signal.reason)),
        );
        current.progress('began');
        return raised;
      },
    };
    const rig = await connect(t, { module });
    const task = rig.send('wait');
    await rig.heard('progress');
    rig.link.abort(task, Object.assign(new RangeError('enough'), { code: 'E_ENOUGH' }));
    assert.equal((await rig.heard('abortSeen')).task, task);
    await rig.ended(task);
    const { value } = rig.all('done')[0]!;
    assert.ok(value instanceof RangeError);
    assert.equal(value.message, 'enough');
  });

  test('aborted while it never leaves its turn, it sees its signal when it reads it anew', async (t) => {
    let abortNow: () => void = () => undefined;
    const module = {
      loop: () => {
        const before = current.signal.aborted;
        abortNow();
        return [before, current.signal.aborted, String(current.signal.reason)];
      },
    };
    const rig = await connect(t, { module });
    const task = rig.send('loop');
    abortNow = () => rig.link.abort(task, 'reason');
    assert.deepEqual(await rig.ended(task), [false, true, 'reason']);
    assert.equal((await rig.heard('abortSeen')).task, task);
  });

  test('an abort is for its task alone', async (t) => {
    const { opened, open } = gate();
    const module = {
      wait: async () => {
        const { signal } = current;
        current.progress('began');
        await opened;
        return signal.aborted;
      },
    };
    const rig = await connect(t, { module, tasksPerWorker: 2 });
    const [aborted, neighbour] = [rig.send('wait'), rig.send('wait')];
    await rig.heard('progress', ({ task }) => task === neighbour);
    rig.link.abort(aborted, 'reason');
    await rig.heard('abortSeen');
    open();
    assert.equal(await rig.ended(aborted), true);
    assert.equal(await rig.ended(neighbour), false);
    assert.equal(rig.all('abortSeen').length, 1);
  });

  test('an abort after the end, or before the beginning, does no harm to the next task', async (t) => {
    const module = { look: () => current.signal.aborted };
    const rig = await connect(t, { module });
    const first = rig.send('look');
    rig.link.abort(first, 'too early');
    assert.equal(await rig.ended(first), false);
    rig.link.abort(first, 'too late');
    assert.equal(await rig.ended(rig.send('look')), false);
    assert.deepEqual(rig.all('abortSeen'), []);
  });
}

export function speechSuite(connect: Connect): void {
  test('progress arrives in order, before the result', async (t) => {
    const module = {
      count: (to: number) => {
        for (let i = 0; i < to; i++) current.progress({ i });
        return 'end';
      },
    };
    const rig = await connect(t, { module });
    const task = rig.send('count', [50]);
    await rig.ended(task);
    const its = rig.said.filter((said) => 'task' in said && said.task === task);
    assert.deepEqual(
      its.map((said) => (said.what === 'progress' ? (said.value as { i: number }).i : said.what)),
      [...Array.from({ length: 50 }, (_, i) => i), 'done'],
    );
  });

  test('progress that cannot be cloned throws in the task, with its path', async (t) => {
    const rig = await connect(t, { module: { bad: () => current.progress({ fn: () => 1 }) } });
    const error = await rig.ended(rig.send('bad'));
    assertCode(error, 'ERR_NOT_CLONEABLE');
    assert.equal(error.path, 'progress.fn');
  });

  test('a host function is called with the arguments, and its result is awaited', async (t) => {
    const calls: unknown[] = [];
    const host: RigOptions['host'] = async (name, args) => {
      calls.push([name, ...args]);
      return { answer: args[0] };
    };
    const rig = await connect(t, { module: { ask: () => current.host.look!('up', 2) }, host });
    assert.deepEqual(await rig.ended(rig.send('ask')), { answer: 'up' });
    assert.deepEqual(calls, [['look', 'up', 2]]);
  });

  test('host calls may overlap and are answered in any order', async (t) => {
    const gates = [gate<string>(), gate<string>()];
    const host: RigOptions['host'] = (_name, [at]) => gates[at as number]!.opened;
    const module = {
      ask: async () => {
        const order: unknown[] = [];
        const both = [0, 1].map(async (at) => order.push(await current.host.look!(at)));
        current.progress('asked');
        await Promise.all(both);
        return order;
      },
    };
    const rig = await connect(t, { module, host });
    const task = rig.send('ask');
    await rig.heard('progress');
    gates[1]!.open('second');
    gates[0]!.open('first');
    assert.deepEqual(new Set((await rig.ended(task)) as unknown[]), new Set(['first', 'second']));
  });

  test('what a host function throws arrives in the task with class, code and own fields', async (t) => {
    const host: RigOptions['host'] = async () => {
      throw Object.assign(new RangeError('not there'), { code: 'E_GONE' });
    };
    const module = {
      ask: async () => {
        try {
          await current.host.look!();
          return 'nothing was thrown';
        } catch (error) {
          return [error instanceof RangeError, (error as { code?: string }).code];
        }
      },
    };
    const rig = await connect(t, { module, host });
    assert.deepEqual(await rig.ended(rig.send('ask')), [true, 'E_GONE']);
  });

  test('arguments of a host call that cannot be cloned reject it with their path', async (t) => {
    const rig = await connect(t, { module: { ask: () => current.host.look!(1, { fn: () => 1 }) } });
    const error = await rig.ended(rig.send('ask'));
    assertCode(error, 'ERR_NOT_CLONEABLE');
    assert.equal(error.path, 'args[1].fn');
  });

  test('a host function’s result that cannot be cloned rejects the call with ERR_NOT_CLONEABLE and a path', async (t) => {
    const host: RigOptions['host'] = async () => ({ open: { socket: () => 1 } });
    const rig = await connect(t, { module: { ask: () => current.host.look!() }, host });
    const error = await rig.ended(rig.send('ask'));
    assertCode(error, 'ERR_NOT_CLONEABLE');
    assert.match(error.path!, /open\.socket$/);
  });
}
