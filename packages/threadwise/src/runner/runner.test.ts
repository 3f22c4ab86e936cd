/** What a worker does between two tasks. How tasks run: the suite of all transports, and the promises. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Begun, Endpoint } from '../transport/endpoint.js';
import { Runner } from './runner.js';

/** How long the tasks here run: longer than tasks may run back to back. Milliseconds. */
const LONG_MS = 50;

/** Runs `count` long tasks. Returns what the worker did between them. */
async function afterTasks(count: number): Promise<string[]> {
  const did: string[] = [];
  const turns: (() => void)[] = [];
  let now = 1000;
  let left = count;
  const nothing = () => undefined;
  const endpoint: Endpoint = {
    listen: nothing,
    take: (): Begun | undefined =>
      left-- > 0 ? { cell: 0, id: left, name: 'long', args: [], fault: undefined } : undefined,
    done: () => did.push('done'),
    failed: () => assert.fail('no task fails'),
    say: nothing,
    isAborting: () => false,
    drain: nothing,
    limit: nothing,
    retire: () => true,
    rest(isFree, canSpin = isFree) {
      if (left > 0) return true;
      did.push(canSpin ? 'may spin' : isFree ? 'may block' : 'sleeps');
      return false;
    },
  };
  const runner = new Runner(
    { workerId: 1, poolName: 'test', tasksPerWorker: 1, data: undefined, endpoint },
    {
      now: () => now,
      nextTurn(callback) {
        did.push('turn');
        turns.push(callback);
      },
      clone: (value) => value,
      atExit: nothing,
      load: async () => ({ long: () => void (now += LONG_MS) }),
      trimStack: (stack) => stack,
      flush: async () => undefined,
      memory: () => ({ usedBytes: 0, limitBytes: 0 }),
      store: undefined,
    },
  );
  await runner.start();
  while (turns.length > 0) turns.shift()!();
  return did;
}

test('after a long task without another one, the worker does not spin: who was woken for the result may wait for its core', async () => {
  assert.deepEqual(await afterTasks(1), ['done', 'may block']);
});

test('between two long tasks the event loop has its turn', async () => {
  assert.deepEqual(await afterTasks(2), ['done', 'turn', 'done', 'may block']);
});
