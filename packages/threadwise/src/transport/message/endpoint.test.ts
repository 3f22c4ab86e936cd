/** A worker that is told by messages looks for them before it sleeps. */
import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import { MessageChannel } from 'node:worker_threads';
import { nodePort } from '../../platform/node/port.js';
import { Line } from '../line.js';
import { collected } from '../small-pool-words.case.js';
import { boardByteLength, ClaimBoard } from './claim-board.js';
import { MessageEndpoint } from './endpoint.js';
import { TASKS } from './protocol.js';

/** How far the clock goes on with each look at it. Milliseconds. */
const LOOK_MS = 0.01;

function rig(t: TestContext) {
  const { port1, port2 } = new MessageChannel();
  const board = new ClaimBoard(new SharedArrayBuffer(boardByteLength(4)));
  const main = new Line(nodePort(port1));
  let time = 0;
  let onLook = () => undefined as void;
  const now = () => {
    onLook();
    return (time += LOOK_MS);
  };
  const worker = new Line(nodePort(port2));
  const endpoint = new MessageEndpoint(worker, board, now);
  endpoint.listen({ tasks: () => undefined } as never);
  main.listen(() => undefined);
  t.after(() => {
    main.close();
    worker.close();
  });
  const post = (id: number) => {
    const cell = board.post();
    main.post([TASKS, [cell], [[cell, id, 'task', [id]]]]);
  };
  return { endpoint, post, time: () => time, onLook: (callback: () => void) => void (onLook = callback) };
}

test('a worker finds a task that comes while it looks, in the same turn', (t) => {
  const { endpoint, post, onLook } = rig(t);
  let looks = 0;
  onLook(() => {
    if (++looks === 5) post(7);
  });
  assert.equal(endpoint.rest(true), true);
  assert.equal(endpoint.take(0)?.id, 7);
});

test('it stops looking after a while, and soon does not begin to while nothing comes', (t) => {
  const { endpoint, time } = rig(t);
  assert.equal(endpoint.rest(true), false);
  assert.ok(time() > LOOK_MS && time() < 1, `${time()} ms`);
  for (let i = 0; i < 100; i++) endpoint.rest(true);
  const before = time();
  for (let i = 0; i < 10; i++) endpoint.rest(true);
  assert.ok(time() - before < 1, 'at most one try in ten');
});

test('it does not look while others on its thread wait for their turn', (t) => {
  const { endpoint, post, time } = rig(t);
  post(1);
  assert.equal(endpoint.rest(false), false);
  assert.equal(time(), 0);
  assert.equal(endpoint.rest(true, false), false); // behind a long task: timers and sockets
  assert.equal(time(), 0);
});

test('it keeps no arguments of a task that it has begun while others wait', async (t) => {
  const { endpoint, post } = rig(t);
  post(1);
  post(2);
  endpoint.drain();
  const args = new WeakRef(endpoint.take(0)!.args);
  await collected(() => args.deref() === undefined);
  assert.equal(endpoint.take(0)?.id, 2);
});
